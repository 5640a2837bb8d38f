/* SPDX-License-Identifier: MIT */
#include "arguments.h"
#include "json.h"
#include "machine.h"
#include "model.h"
#include "say.h"
#include "spec.h"
#include "text.h"
#include "pass.h"

static void print_text(struct buffer *out, const struct pass *pass, const struct windows *windows)
{
    buffer_format(out, "%s  tokens %zu  predictions %llu  loss ", pass->spec, windows->ids->count,
                  (unsigned long long)pass->predictions);
    buffer_f64(out, pass_mean_loss(pass));
    buffer_text(out, "  perplexity ");
    buffer_f64(out, pass_perplexity(pass));
    buffer_text(out, "  bits a byte ");
    buffer_f64(out, pass_bits_a_byte(pass));
    buffer_text(out, "\n");
}

static void print_json(struct buffer *out, const struct pass *pass, const struct windows *windows)
{
    buffer_text(out, "{");
    json_key(out, "normalizer");
    json_text(out, pass->spec);
    json_key(out, "tokens");
    json_number(out, (double)windows->ids->count);
    json_key(out, "windows");
    json_number(out, (double)windows->count);
    json_key(out, "predictions");
    json_number(out, (double)pass->predictions);
    json_key(out, "loss");
    json_number(out, pass_mean_loss(pass));
    json_key(out, "perplexity");
    json_number(out, pass_perplexity(pass));
    json_key(out, "bits_per_byte");
    json_number(out, pass_bits_a_byte(pass));
    buffer_text(out, "}");
}

/* A line as soon as it is known; JSON when it is whole. */
static bool run_all(const struct normalizers *normalizers, const struct model *model, const struct windows *windows,
                    const norm_exec *exec, bool json)
{
    struct buffer out = {0};
    struct progress progress;
    bool fine = true;
    progress_start(&progress, "windows", (double)(windows->count * normalizers->count));
    buffer_text(&out, json ? "[" : "");
    for (size_t i = 0; i < normalizers->count && fine; i++) {
        struct pass pass = {.normalizer = normalizers->item[i], .spec = normalizers->text[i]};
        fine = pass_run(&pass, model, windows, exec, &progress);
        if (fine && json)
            buffer_text(&out, i > 0 ? ",\n" : "\n");
        if (fine)
            (json ? print_json : print_text)(&out, &pass, windows);
        progress_stop(&progress);
        if (fine && !json)
            fine = buffer_print(&out);
    }
    buffer_text(&out, json ? "]\n" : "");
    if (fine)
        fine = buffer_print(&out);
    buffer_free(&out);
    return fine;
}

static int run(const struct command *self, const struct program *program, int argc, char **argv)
{
    const char *directory = NULL, *path = TEXT_BUNDLED;
    struct texts specs = {{0}, 0};
    struct normalizers normalizers;
    bool json = false, no_restart = false;
    long threads = 0, window = 0;
    const struct option options[] = {
        {"--model", OPTION_TEXT, &directory, 0, 0},       {"--text", OPTION_TEXT, &path, 0, 0},
        {"--normalizer", OPTION_LIST, &specs, 0, 0},      {"--window", OPTION_WHOLE, &window, 1, 1000000000},
        {"--threads", OPTION_WHOLE, &threads, 1, 1024},   {"--json", OPTION_FLAG, &json, 0, 0},
        {"--no-restart", OPTION_FLAG, &no_restart, 0, 0},
    };
    struct arguments a = {options, sizeof options / sizeof options[0], {{0}, 0}, 0, 0, ""};
    struct model model = {0};
    struct text text = {0};
    struct ids ids = {0};
    struct windows windows;
    int code;
    if (!arguments_read(&a, self, argc, argv, &code))
        return code;
    if (!normalizers_parse(&normalizers, &specs))
        return EXIT_USAGE;
    machine_restart(program, !no_restart);
    machine_one_blas_thread();
    norm_exec exec = program_exec(program, threads);
    bool fine = model_open(&model, directory, true) && text_read_file(&text, path) &&
                ids_encode(&ids, model.tokenizer, text.bytes, text.size, 0, &exec) && ids_check(&ids, &model) &&
                windows_cut(&windows, &ids, window, &model);
    text_free(&text);
    fine = fine && run_all(&normalizers, &model, &windows, &exec, json);
    ids_free(&ids);
    model_close(&model);
    normalizers_free(&normalizers);
    return fine ? EXIT_FINE : EXIT_FAILED;
}

const struct command command_perplexity = {
    "perplexity",
    "[--model DIR] [--text FILE] [--normalizer SPEC ...] [--window T] [--json] [--threads N] [--no-restart]",
    "how well the model predicts a text, one line a normalizer",
    "Cuts the text into windows of T tokens side by side (the last may be shorter), predicts every token of a window\n"
    "but its first, and prints, one line a normalizer: the normalizer, tokens of the text, predictions, mean loss in\n"
    "nats, perplexity (its exponential), and bits a byte (loss over the bytes of the tokens that were predicted).\n\n"
    "  --model DIR            a model's directory; the bundled model when not given\n"
    "  --text FILE            any bytes; the bundled sample when not given\n"
    "  --normalizer SPEC ...  in every head, one after the other; softmax when not given\n"
    "  --window T             from 1 to the model's positions, which are the default\n"
    "  --json                 a list of objects\n"
    "  --threads N            windows at a time; one a processor when not given\n"
    "  --no-restart           keep a slow OpenBLAS kernel (see 'normlab help report')\n",
    run,
};
