/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "fit.h"
#include "machine.h"
#include "model.h"
#include "result.h"
#include "say.h"
#include "spec.h"
#include "text.h"

struct task {
    const struct normalizers *normalizers;
    const struct model *model;
    const struct windows *calibration; /* NULL: nothing is fitted */
    const struct windows *windows;     /* what is judged on */
    enum fit_scope scope;
    const norm_exec *exec;
    bool json;
    struct progress progress;
    struct buffer out;
    size_t printed;
    double *base, *loss; /* of windows: softmax's, and the current one's */
    bool base_known;
};

/* A line as soon as it is known; JSON when it is whole. */
static bool print(struct task *t, const struct result *r)
{
    buffer_text(&t->out, !t->json ? "" : t->printed++ > 0 ? ",\n" : "\n");
    (t->json ? result_json : result_text)(r, &t->out);
    progress_stop(&t->progress);
    return t->json || buffer_print(&t->out);
}

static bool is_softmax(const char *spec)
{
    return strcmp(spec, "softmax:temperature=1") == 0;
}

static bool run_one(struct task *t, size_t i)
{
    struct pass pass = {.normalizer = t->normalizers->item[i], .spec = t->normalizers->text[i],
                        .window_loss = t->loss};
    struct result result = {&pass, NULL, t->base_known ? t->base : NULL, t->windows};
    struct fit fit;
    if (is_softmax(pass.spec)) {
        pass.window_loss = t->base;
        result.base = NULL;
    }
    if (!pass_run(&pass, t->model, t->windows, t->exec, &t->progress) || !print(t, &result))
        return false;
    t->base_known = t->base_known || is_softmax(pass.spec);
    if (t->calibration == NULL)
        return true;
    if (!fit_find(&fit, t->scope, pass.normalizer, t->model, t->calibration, t->exec, &t->progress))
        return false;
    pass.each = (const norm_normalizer *const *)fit.item;
    pass.each_count = fit.count;
    pass.window_loss = t->loss;
    result.fit = &fit;
    result.base = t->base_known ? t->base : NULL;
    bool fine = pass_run(&pass, t->model, t->windows, t->exec, &t->progress) && print(t, &result);
    fit_free(&fit);
    return fine;
}

/* Softmax first wherever it was given: the others are compared with it. */
static bool run_all(struct task *t)
{
    const size_t count = t->normalizers->count, windows = t->windows->count;
    bool fine = true;
    t->base = malloc(windows * sizeof *t->base);
    t->loss = malloc(windows * sizeof *t->loss);
    if (t->base == NULL || t->loss == NULL)
        fine = say_no_memory();
    progress_start(&t->progress, "windows", (double)(windows * count * (t->calibration != NULL ? 2 : 1)));
    buffer_text(&t->out, t->json ? "[" : "");
    for (int others = 0; others < 2; others++)
        for (size_t i = 0; i < count && fine; i++)
            if (is_softmax(t->normalizers->text[i]) == (others == 0))
                fine = run_one(t, i);
    progress_stop(&t->progress);
    buffer_text(&t->out, t->json ? "]\n" : "");
    fine = fine && buffer_print(&t->out);
    buffer_free(&t->out);
    free(t->base);
    free(t->loss);
    return fine;
}

static int run(const struct command *self, const struct program *program, int argc, char **argv)
{
    const char *directory = NULL, *path = TEXT_BUNDLED, *fit = NULL;
    struct texts specs = {{0}, 0};
    struct normalizers normalizers;
    bool json = false, no_restart = false;
    long threads = 0, window = 0, percent = 20;
    const struct option options[] = {
        {"--model", OPTION_TEXT, &directory, 0, 0},       {"--text", OPTION_TEXT, &path, 0, 0},
        {"--normalizer", OPTION_LIST, &specs, 0, 0},      {"--window", OPTION_WHOLE, &window, 1, 1000000000},
        {"--fit", OPTION_TEXT, &fit, 0, 0},               {"--calibration", OPTION_WHOLE, &percent, 1, 99},
        {"--threads", OPTION_WHOLE, &threads, 1, 1024},   {"--json", OPTION_FLAG, &json, 0, 0},
        {"--no-restart", OPTION_FLAG, &no_restart, 0, 0},
    };
    struct arguments a = {options, sizeof options / sizeof options[0], {{0}, 0}, 0, 0, ""};
    struct model model = {0};
    struct text text = {0};
    struct ids ids = {0}, part[2];
    struct windows windows, calibration, rest;
    struct task task = {.normalizers = &normalizers, .model = &model, .windows = &windows};
    int code;
    if (!arguments_read(&a, self, argc, argv, &code))
        return code;
    if ((fit != NULL && !fit_scope_read(fit, &task.scope)) || !normalizers_parse(&normalizers, &specs))
        return EXIT_USAGE;
    machine_restart(program, !no_restart);
    machine_one_blas_thread();
    norm_exec exec = program_exec(program, threads);
    task.exec = &exec;
    task.json = json;
    bool fine = model_open(&model, directory, true) && text_read_file(&text, path) &&
                ids_encode(&ids, model.tokenizer, text.bytes, text.size, 0, &exec) && ids_check(&ids, &model) &&
                windows_cut(&windows, &ids, window, &model);
    text_free(&text);
    if (fine && fit != NULL) {
        fine = fit_split(&windows, percent, part, &calibration, &rest);
        task.calibration = &calibration;
        task.windows = &rest;
    }
    fine = fine && run_all(&task);
    ids_free(&ids);
    model_close(&model);
    normalizers_free(&normalizers);
    return fine ? EXIT_FINE : EXIT_FAILED;
}

const struct command command_perplexity = {
    "perplexity",
    "[--model DIR] [--text FILE] [--normalizer SPEC ...] [--fit model|layer] [--calibration PERCENT] [--window T]\n"
    "    [--json] [--threads N] [--no-restart]",
    "how well the model predicts a text, one line a normalizer",
    "Cuts the text into windows of T tokens side by side (the last may be shorter), predicts every token of a window\n"
    "but its first, and prints, one line a normalizer: the normalizer, tokens of the text, predictions, mean loss in\n"
    "nats, perplexity (its exponential), and bits a byte (loss over the bytes of the tokens that were predicted).\n"
    "Where softmax is among the normalizers it goes first, and the other lines say how much more they lose a\n"
    "prediction, window by window, with the interval that holds the mean of such texts with 95 % (nan: one window).\n\n"
    "  --model DIR            a model's directory; the bundled model when not given\n"
    "  --text FILE            any bytes; the bundled sample when not given\n"
    "  --normalizer SPEC ...  in every head, one after the other; softmax when not given\n"
    "  --fit model|layer      a second line for each, with the temperature (s for ssmax) that loses least on the\n"
    "                         first part of the text: one for the model, or one a layer; all lines are about the\n"
    "                         other part\n"
    "  --calibration PERCENT  how much of the text's windows is for fitting; 20 when not given\n"
    "  --window T             from 1 to the model's positions, which are the default\n"
    "  --json                 a list of objects\n"
    "  --threads N            windows at a time; one a processor when not given\n"
    "  --no-restart           keep a slow OpenBLAS kernel (see 'normlab help report')\n",
    run,
};
