/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "arguments.h"
#include "json.h"
#include "machine.h"
#include "number.h"
#include "say.h"
#include "spec.h"
#include "swap.h"
#include "text.h"

/* " word x" for people, "key": x for machines. */
static void number(struct buffer *out, bool json, const char *word, const char *key, double x)
{
    if (json) {
        json_key(out, key);
        json_number(out, x);
    } else {
        buffer_format(out, "  %s ", word);
        buffer_f64(out, x);
    }
}

static void write_head(const struct swap_head *h, bool json, struct buffer *out)
{
    if (json) {
        buffer_text(out, "{");
        json_key(out, "layer");
        json_number(out, h->layer);
        json_key(out, "head");
        json_number(out, h->head);
    } else {
        buffer_format(out, "head %d.%d", (int)h->layer, (int)h->head);
    }
    number(out, json, "alone", "alone", h->alone.mean);
    number(out, json, "from", "alone_low", h->alone.low);
    number(out, json, "to", "alone_high", h->alone.high);
    const bool tried = !isnan(h->after);
    if (json || tried)
        number(out, json, "together", "together", h->after);
    if (json) {
        json_key(out, "kept");
        buffer_text(out, h->kept ? "true}" : "false}");
    } else {
        buffer_text(out, h->kept ? "  kept\n" : tried ? "  not kept\n" : "  not tried\n");
    }
}

static void write_all(const struct swap *s, const char *spec, bool json, struct buffer *out)
{
    if (json) {
        buffer_text(out, "{");
        json_key(out, "normalizer");
        json_text(out, spec);
        json_key(out, "heads");
    }
    for (size_t i = 0; i < s->count; i++) {
        buffer_text(out, !json ? "" : i == 0 ? "[\n" : ",\n");
        write_head(&s->heads[i], json, out);
    }
    if (json) {
        buffer_text(out, "]");
        json_key(out, "kept");
        json_number(out, (double)s->kept);
    } else {
        buffer_format(out, "%s in %zu of %zu heads", spec, s->kept, s->count);
    }
    number(out, json, "budget", "budget", s->budget);
    number(out, json, "softmax loss", "softmax_loss", s->base_loss);
    number(out, json, "loss", "loss", s->loss);
    number(out, json, "over softmax", "over_softmax", s->total.mean);
    number(out, json, "from", "over_softmax_low", s->total.low);
    number(out, json, "to", "over_softmax_high", s->total.high);
    number(out, json, "zeros in these heads", "zeros_kept", s->zeros_kept);
    number(out, json, "in all heads", "zeros_all", s->zeros_all);
    buffer_text(out, json ? "}\n" : "\n");
}

static bool read_budget(const char *word, double *ret)
{
    if (word == NULL)
        return true;
    if (number_read_f64(word, strlen(word), ret) == NUMBER_FINE && *ret >= 0 && *ret <= 1000)
        return true;
    say_usage("swap: --budget %s: expected a number of nats from 0 to 1000", word);
    return false;
}

static bool run_swap(struct swap *s, const struct normalizers *specs, bool json)
{
    struct progress progress;
    struct buffer out = {0};
    const double heads = (double)(s->model->shape.n_layer * s->model->shape.n_head);
    norm_normalizer *softmax = spec_parse("softmax");
    s->softmax = softmax;
    s->other = specs->item[0];
    s->progress = &progress;
    progress_start(&progress, "windows", (double)s->windows->count * (2 * heads + 2));
    bool fine = softmax != NULL && swap_find(s);
    progress_stop(&progress);
    if (fine) {
        write_all(s, specs->text[0], json, &out);
        fine = buffer_print(&out);
    }
    buffer_free(&out);
    swap_free(s);
    norm_normalizer_free(softmax);
    return fine;
}

static int run(const struct command *self, const struct program *program, int argc, char **argv)
{
    const char *directory = NULL, *path = TEXT_BUNDLED, *budget = NULL;
    struct texts specs = {{0}, 0};
    struct normalizers normalizers;
    bool json = false, no_restart = false;
    long threads = 0, window = 0, most = 0;
    const struct option options[] = {
        {"--model", OPTION_TEXT, &directory, 0, 0},     {"--text", OPTION_TEXT, &path, 0, 0},
        {"--normalizer", OPTION_LIST, &specs, 0, 0},    {"--budget", OPTION_TEXT, &budget, 0, 0},
        {"--window", OPTION_WHOLE, &window, 1, 1000000000}, {"--windows", OPTION_WHOLE, &most, 1, 1000000000},
        {"--threads", OPTION_WHOLE, &threads, 1, 1024}, {"--json", OPTION_FLAG, &json, 0, 0},
        {"--no-restart", OPTION_FLAG, &no_restart, 0, 0},
    };
    struct arguments a = {options, sizeof options / sizeof options[0], {{0}, 0}, 0, 0, ""};
    struct model model = {0};
    struct text text = {0};
    struct ids ids = {0};
    struct windows windows;
    struct swap swap = {.budget = 0.05};
    int code;
    if (!arguments_read(&a, self, argc, argv, &code))
        return code;
    if (specs.count != 1)
        return say_usage("swap: %zu normalizers: expected one, --normalizer SPEC", specs.count);
    if (!read_budget(budget, &swap.budget) || !normalizers_parse(&normalizers, &specs))
        return EXIT_USAGE;
    machine_restart(program, !no_restart);
    machine_one_blas_thread();
    norm_exec exec = program_exec(program, threads);
    bool fine = model_open(&model, directory, true) && text_read_file(&text, path) &&
                ids_encode(&ids, model.tokenizer, text.bytes, text.size, 0, &exec) && ids_check(&ids, &model) &&
                windows_cut(&windows, &ids, window, &model);
    text_free(&text);
    if (fine && most > 0 && (size_t)most < windows.count) {
        windows.count = (size_t)most;
        ids.count = windows.count * windows.length;
    }
    swap.model = &model;
    swap.windows = &windows;
    swap.exec = &exec;
    fine = fine && run_swap(&swap, &normalizers, json);
    ids_free(&ids);
    model_close(&model);
    normalizers_free(&normalizers);
    return fine ? EXIT_FINE : EXIT_FAILED;
}

const struct command command_swap = {
    "swap",
    "--normalizer SPEC [--model DIR] [--text FILE] [--budget NATS] [--window T] [--windows N] [--json] [--threads N]\n"
    "    [--no-restart]",
    "which heads can do with another normalizer",
    "Puts the normalizer into one head at a time, softmax in all others, and ranks the heads by what that costs on\n"
    "the text. Then, cheapest first, puts it into one head after another and leaves it there as long as all together\n"
    "cost no more than the budget. Prints a line a head: its cost alone in nats a prediction with the interval that\n"
    "holds the mean of such texts with 95 %, the cost together with those kept before it, and whether it was kept;\n"
    "then what was reached, and which share of the visible weights is exactly 0. A sparse normalizer usually wants\n"
    "the temperature that 'normlab perplexity --fit model' finds.\n\n"
    "  --normalizer SPEC      what to put in\n"
    "  --model DIR            a model's directory; the bundled model when not given\n"
    "  --text FILE            any bytes; the bundled sample when not given\n"
    "  --budget NATS          loss a prediction over softmax everywhere; 0.05 when not given\n"
    "  --window T             from 1 to the model's positions, which are the default\n"
    "  --windows N            the first N windows alone; one run over the text takes two passes a head\n"
    "  --json                 one object\n"
    "  --threads N            windows at a time; one a processor when not given\n"
    "  --no-restart           keep a slow OpenBLAS kernel (see 'normlab help report')\n",
    run,
};
