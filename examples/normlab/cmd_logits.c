/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdlib.h>

#include "arguments.h"
#include "json.h"
#include "machine.h"
#include "model.h"
#include "rows.h"
#include "say.h"
#include "spec.h"

static float *forward(const struct model *model, const struct ids *ids, norm_normalizer *normalizer, bool all,
                      size_t *ret_rows, const norm_exec *exec)
{
    const norm_normalizer *one = normalizer;
    norm_gpt2_run run = {.struct_size = sizeof run, .normalizers = &one, .normalizer_count = 1};
    norm_error error = ERROR_INIT;
    size_t rows = all ? ids->count : 1, width = (size_t)model->shape.vocab_size;
    run.logits = all ? LIBNORM_GPT2_LOGITS_ALL : LIBNORM_GPT2_LOGITS_LAST;
    if (ids->count == 0) {
        say("there are no token ids on standard input");
        return NULL;
    }
    if (ids->count > model->shape.n_positions) {
        say("%zu token ids on standard input; the model in %s has %llu positions", ids->count, model->directory,
            (unsigned long long)model->shape.n_positions);
        return NULL;
    }
    float *logits = rows > SIZE_MAX / sizeof *logits / width ? NULL : malloc(rows * width * sizeof *logits);
    if (logits == NULL) {
        say_no_memory();
        return NULL;
    }
    if (norm_gpt2_forward(model->gpt2, ids->item, ids->count, &run, logits, exec, &error) != LIBNORM_OK) {
        say_error(&error);
        free(logits);
        return NULL;
    }
    *ret_rows = rows;
    return logits;
}

static bool print_logits(const float *logits, size_t rows, size_t width, bool all, bool json)
{
    struct buffer out = {0};
    bool fine = true;
    buffer_text(&out, json ? (all ? "{\"logits\": [\n  [" : "{\"logits\": [") : "");
    for (size_t r = 0; r < rows && fine; r++) {
        buffer_text(&out, json && r > 0 ? ",\n  [" : "");
        row_write(&out, logits + r * width, width, false, json ? ", " : " ", json);
        buffer_text(&out, !json ? "\n" : all ? "]" : "");
        fine = buffer_drain(&out);
    }
    buffer_text(&out, json ? "]}\n" : "");
    fine = fine && buffer_print(&out);
    buffer_free(&out);
    return fine;
}

static int run(const struct command *self, const struct program *program, int argc, char **argv)
{
    const char *directory = NULL, *spec = "softmax";
    bool all = false, json = false, no_restart = false;
    long threads = 0;
    const struct option options[] = {
        {"--model", OPTION_TEXT, &directory, 0, 0},
        {"--normalizer", OPTION_TEXT, &spec, 0, 0},
        {"--all", OPTION_FLAG, &all, 0, 0},
        {"--json", OPTION_FLAG, &json, 0, 0},
        {"--threads", OPTION_WHOLE, &threads, 1, 1024},
        {"--no-restart", OPTION_FLAG, &no_restart, 0, 0},
    };
    struct arguments a = {options, sizeof options / sizeof options[0], {{0}, 0}, 0, 0, ""};
    struct model model = {0};
    struct ids ids = {0};
    float *logits = NULL;
    size_t rows = 0;
    int code;
    if (!arguments_read(&a, self, argc, argv, &code))
        return code;
    norm_normalizer *normalizer = spec_parse(spec);
    if (normalizer == NULL)
        return EXIT_USAGE;
    machine_restart(program, !no_restart);
    norm_exec exec = program_exec(program, threads);
    if (model_open(&model, directory, false) && ids_read_stdin(&ids))
        logits = forward(&model, &ids, normalizer, all, &rows, &exec);
    bool fine = logits != NULL && print_logits(logits, rows, (size_t)model.shape.vocab_size, all, json);
    free(logits);
    ids_free(&ids);
    model_close(&model);
    norm_normalizer_free(normalizer);
    return fine ? EXIT_FINE : EXIT_FAILED;
}

const struct command command_logits = {
    "logits",
    "[--model DIR] [--normalizer SPEC] [--all] [--json] [--threads N] [--no-restart]",
    "token ids on stdin -> logits of the next token",
    "Reads token ids, separated by white space, runs them through the model and writes the logits of the last\n"
    "position on one line: one number an entry of the vocabulary.\n\n"
    "  --model DIR        a directory with config.json and model.safetensors; the bundled model when not given\n"
    "  --normalizer SPEC  in every head, instead of softmax\n"
    "  --all              the logits of every position, one line each\n"
    "  --json             {\"logits\": [...]}, with --all rows of them\n"
    "  --threads N        threads of the library; one a processor when not given\n"
    "  --no-restart       keep a slow OpenBLAS kernel (see 'normlab help report')\n",
    run,
};
