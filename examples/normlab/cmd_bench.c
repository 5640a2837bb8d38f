/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "arguments.h"
#include "bench/clock.h"
#include "bench/every.h"
#include "bench/print.h"
#include "bench/row_options.h"
#include "say.h"

struct parts {
    bool rows, attention, model;
};

/* Which parts: those that are named, else all, but the model only where one is named. */
static bool read_parts(struct parts *parts, const struct texts *words, bool model_named)
{
    const bool all = words->count == 0;
    *parts = (struct parts){all, all, all && model_named};
    for (size_t i = 0; i < words->count; i++) {
        if (strcmp(words->item[i], "rows") == 0)
            parts->rows = true;
        else if (strcmp(words->item[i], "attention") == 0)
            parts->attention = true;
        else if (strcmp(words->item[i], "model") == 0)
            parts->model = true;
        else {
            say_usage("bench: unknown part %s; expected rows, attention or model", words->item[i]);
            return false;
        }
    }
    return true;
}

/* The level that is measured: --level, else LIBNORM_CPU, else the best. A level that is not there is no cap here: the
 * figures would be another's. */
static bool read_level(struct program *program, const char *word)
{
    norm_error error = ERROR_INIT;
    if (word == NULL)
        return true;
    if (norm_cpu_level_parse(word, &program->cpu_level, &error) != LIBNORM_OK)
        return say_error(&error);
    const int32_t best = norm_cpu_level();
    if (program->cpu_level > best || (program->cpu_level == LIBNORM_CPU_NEON && best != LIBNORM_CPU_NEON)) {
        say("--level %s: the best that this machine and this build have is %s", word, norm_cpu_level_name(best));
        return false;
    }
    return true;
}

/* A model is run with the normalizers that were given, else with softmax alone. */
static bool run_model(struct printer *printer, const char *directory, const struct texts *specs, long window,
                      const norm_exec *exec, bool quick, const struct machine *machine)
{
    struct model model = {0};
    struct normalizers normalizers = {.count = 0};
    if (!normalizers_parse(&normalizers, specs))
        return false;
    bool fine = model_open(&model, directory, false);
    struct model_bench bench = {.model = &model, .normalizers = &normalizers, .quick = quick, .exec = *exec};
    bench.tokens = window > 0 ? (size_t)window : (size_t)model.shape.n_positions;
    if (fine && bench.tokens > model.shape.n_positions) {
        say("--window %ld: the model has %.0f positions", window, (double)model.shape.n_positions);
        fine = false;
    }
    fine = fine && print_model(printer, &bench, machine);
    model_close(&model);
    normalizers_free(&normalizers);
    return fine;
}

/* On one thread, that of the BLAS too unless the environment says otherwise. Every normalizer that was given, else
 * softmax and the sparse ones that people use. */
static bool run_attention(struct printer *printer, const struct program *program, const struct texts *specs, bool quick)
{
    const struct texts usual = {{"softmax", "sparsemax", "entmax"}, 3};
    struct normalizers normalizers = {.count = 0};
    struct machine machine;
    if (!normalizers_parse(&normalizers, specs->count > 0 ? specs : &usual))
        return false;
    machine_one_blas_thread();
    machine_describe(program, &machine);
    struct attention_bench bench = {.normalizers = &normalizers, .quick = quick, .exec = program_exec(program, 1)};
    bench.clock = machine.blas_threads == 1 ? clock_thread : clock_wall;
    const bool fine = print_attention(printer, &bench, &machine);
    normalizers_free(&normalizers);
    return fine;
}

static int run(const struct command *self, const struct program *program, int argc, char **argv)
{
    struct program mine = *program;
    struct texts specs = {{0}, 0}, scores = {{0}, 0}, lengths = {{0}, 0};
    struct normalizers normalizers = {.count = 0};
    struct row_bench rows = {.normalizers = &normalizers};
    struct printer printer = {.json = false};
    struct machine machine;
    struct processor processor;
    struct parts parts;
    const char *level = NULL, *directory = NULL;
    long hot = 0, streaming = 0, threads = 0, window = 0;
    bool no_restart = false;
    const struct option options[] = {
        {"--normalizer", OPTION_LIST, &specs, 0, 0},      {"--lengths", OPTION_LIST, &lengths, 0, 0},
        {"--scores", OPTION_LIST, &scores, 0, 0},         {"--level", OPTION_TEXT, &level, 0, 0},
        {"--f64", OPTION_FLAG, &rows.wide, 0, 0},         {"--hot", OPTION_WHOLE, &hot, 1, 1 << 20},
        {"--quick", OPTION_FLAG, &rows.quick, 0, 0},      {"--streaming", OPTION_WHOLE, &streaming, 1, 1 << 20},
        {"--model", OPTION_TEXT, &directory, 0, 0},       {"--window", OPTION_WHOLE, &window, 1, 1000000000},
        {"--threads", OPTION_WHOLE, &threads, 1, 1024},   {"--json", OPTION_FLAG, &printer.json, 0, 0},
        {"--no-restart", OPTION_FLAG, &no_restart, 0, 0},
    };
    struct arguments a = {options, sizeof options / sizeof options[0], {{0}, 0}, 0, 3, "a part"};
    int code;
    if (!arguments_read(&a, self, argc, argv, &code))
        return code;
    if (!read_parts(&parts, &a.words, directory != NULL) || !read_level(&mine, level) ||
        !row_options_scores(&rows, &scores) || !row_options_lengths(&rows, &lengths) ||
        !(specs.count == 0 ? every_normalizer(&normalizers) : normalizers_parse(&normalizers, &specs)))
        return EXIT_USAGE;
    machine_restart(program, (parts.attention || parts.model) && !no_restart);
    machine_describe(&mine, &machine);
    processor_describe(&processor);
    row_options_sizes(&rows, &processor, hot, streaming);
    rows.exec = program_exec(&mine, 1);
    const norm_exec exec = program_exec(&mine, threads);
    print_open(&printer, &machine, &processor);
    bool fine = !parts.rows || print_rows(&printer, &rows);
    fine = fine && (!parts.model || run_model(&printer, directory, &specs, window, &exec, rows.quick, &machine));
    /* Last: it leaves the BLAS with one thread. */
    fine = fine && (!parts.attention || run_attention(&printer, &mine, &specs, rows.quick));
    fine = fine && print_close(&printer);
    buffer_free(&printer.out);
    normalizers_free(&normalizers);
    return fine ? EXIT_FINE : EXIT_FAILED;
}

const struct command command_bench = {
    "bench",
    "[rows] [attention] [model] [--normalizer SPEC ...] [--lengths N ...] [--scores KIND ...] [--level LEVEL] [--f64]\n"
    "    [--hot KIB] [--streaming MIB] [--model DIR] [--window T] [--threads N] [--no-restart] [--quick] [--json]",
    "how fast rows, attention and models are, against this machine's own limits",
    "rows: the forward pass of normalizers, and the backward pass (VJP) with saved weights, on one thread: time a\n"
    "number and numbers a second. hot works on the same rows again and again, streaming through more memory than the\n"
    "caches hold. Each is measured by turns, in the same run, with memcpy moving as many bytes as the pass reads and\n"
    "writes; the forward pass also with softmax, the backward pass with the product of its two inputs and with its\n"
    "own forward pass. Medians of up to 15 rounds. Time is this thread's on the processor.\n\n"
    "attention: forward and backward, 4 heads of width 64, 256, 1024 and 4096 queries that see the keys up to\n"
    "themselves, on one thread: by turns with the matrix products in it, with softmax, and backward with forward.\n\n"
    "model: a model's forward pass with the logits of the last position, and of all of them, by turns with the matrix\n"
    "products it consists of, the seen half of attention among them, through the same BLAS. Time is the clock's.\n\n"
    "Without a word: rows, attention, and the model where one is named.\n\n"
    "  --normalizer SPEC ...  when not given: of rows all that are built in, topk with k=8; of attention softmax,\n"
    "                         sparsemax and entmax; of a model softmax\n"
    "  --lengths N ...        scores a row; 64 256 1024 4096 65536 1048576 when not given\n"
    "  --scores KIND ...      normal (deviation 1; what is taken when not given), normal3 (deviation 3), equal,\n"
    "                         arithmetic (0 to 8 in equal steps), geometric (towards 8 in shrinking steps),\n"
    "                         two-level (0 or 1), sorted (normal, ascending)\n"
    "  --level LEVEL          no more than this instruction set: scalar, baseline, neon, avx2, avx512\n"
    "  --f64                  rows of double instead of float\n"
    "  --hot KIB              working set of hot; half of the second-level cache when not given\n"
    "  --streaming MIB        working set of streaming; four times the third-level cache when not given, at least 128\n"
    "  --model DIR            a model's directory; the bundled model when only the word is given\n"
    "  --window T             tokens; the model's positions when not given\n"
    "  --threads N            of the library in a model's pass; one a processor when not given\n"
    "  --no-restart           keep a slow OpenBLAS kernel (see 'normlab help report')\n"
    "  --quick                two lengths, three rounds, 4 MiB: whether it runs, not how fast\n"
    "  --json                 one object: the machine, and a list of figures for each part\n",
    run,
};
