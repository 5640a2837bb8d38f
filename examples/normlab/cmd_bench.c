/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "bench/every.h"
#include "bench/write.h"
#include "json.h"
#include "number.h"
#include "say.h"

#define MIB ((size_t)1 << 20)

struct printer {
    struct buffer out;
    struct progress progress;
    bool json;
    size_t printed;
    const char *set; /* of the line before */
    enum scores scores;
};

/* A line as soon as it is known; JSON when it is whole. */
static bool tell_rows(void *user, const struct row_figure *figure)
{
    struct printer *p = user;
    if (p->json) {
        buffer_text(&p->out, p->printed++ > 0 ? ",\n  " : "\n  ");
        write_rows_json(&p->out, figure);
        return true;
    }
    if (p->printed++ == 0 || p->set != figure->set || p->scores != figure->scores)
        write_rows_title(&p->out, figure);
    p->set = figure->set;
    p->scores = figure->scores;
    write_rows_text(&p->out, figure);
    progress_stop(&p->progress);
    return buffer_print(&p->out);
}

static bool read_scores(struct row_bench *bench, const struct texts *texts)
{
    bench->scores_count = texts->count == 0 ? 1 : 0;
    for (size_t i = 0; i < texts->count; i++) {
        if (bench->scores_count == SCORES_KINDS) {
            say("--scores: more than there are");
            return false;
        }
        if (!scores_read(texts->item[i], &bench->scores[bench->scores_count++]))
            return false;
    }
    return true;
}

static bool read_lengths(struct row_bench *bench, const struct texts *texts)
{
    static const size_t usual[] = {64, 256, 1024, 4096, 65536, 1048576}, few[] = {64, 1024};
    const size_t *lengths = bench->quick ? few : usual;
    bench->lengths_count = bench->quick ? sizeof few / sizeof few[0] : sizeof usual / sizeof usual[0];
    memcpy(bench->lengths, lengths, bench->lengths_count * sizeof *lengths);
    if (texts->count > LENGTHS_MAX) {
        say("--lengths: %zu of them; expected at most %d", texts->count, LENGTHS_MAX);
        return false;
    }
    for (size_t i = 0; i < texts->count; i++) {
        int64_t n;
        if (!number_read_whole(texts->item[i], strlen(texts->item[i]), 1, 1 << 28, &n)) {
            say("--lengths %s: expected whole numbers from 1 to %d", texts->item[i], 1 << 28);
            return false;
        }
        bench->lengths[i] = (size_t)n;
    }
    bench->lengths_count = texts->count > 0 ? texts->count : bench->lengths_count;
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

/* Half of the second-level cache, and four times the third: what is not said is taken from the machine. */
static void choose_sizes(struct row_bench *bench, const struct processor *processor, long hot_kib, long streaming_mib)
{
    const size_t hot = processor->level2 != 0 ? processor->level2 / 2 : MIB / 4;
    const size_t streaming = 4 * processor->level3 > 128 * MIB ? 4 * processor->level3 : 128 * MIB;
    bench->hot_bytes = hot_kib > 0 ? (size_t)hot_kib << 10 : hot;
    bench->streaming_bytes = streaming_mib > 0 ? (size_t)streaming_mib << 20 : bench->quick ? 4 * MIB : streaming;
}

static bool run_rows(struct row_bench *bench, struct printer *p, const struct machine *machine,
                     const struct processor *processor)
{
    bench->tell = tell_rows;
    bench->user = p;
    bench->progress = &p->progress;
    progress_start(&p->progress, "figures", (double)row_bench_count(bench));
    if (p->json) {
        buffer_text(&p->out, "{");
        write_machine_json(&p->out, machine, processor);
        json_key(&p->out, "width");
        json_text(&p->out, bench->wide ? "f64" : "f32");
        json_key(&p->out, "rows");
        buffer_text(&p->out, "[");
    } else {
        write_machine_text(&p->out, machine, processor);
        write_rows_head(&p->out, bench);
    }
    bool fine = row_bench_run(bench);
    progress_stop(&p->progress);
    buffer_text(&p->out, p->json ? "]}\n" : "");
    fine = fine && buffer_print(&p->out);
    buffer_free(&p->out);
    return fine;
}

static int run(const struct command *self, const struct program *program, int argc, char **argv)
{
    struct program mine = *program;
    struct texts specs = {{0}, 0}, scores = {{0}, 0}, lengths = {{0}, 0};
    struct normalizers normalizers = {.count = 0};
    struct row_bench bench = {.normalizers = &normalizers};
    struct printer printer = {.json = false};
    struct machine machine;
    struct processor processor;
    const char *level = NULL;
    long hot = 0, streaming = 0;
    const struct option options[] = {
        {"--normalizer", OPTION_LIST, &specs, 0, 0},  {"--lengths", OPTION_LIST, &lengths, 0, 0},
        {"--scores", OPTION_LIST, &scores, 0, 0},     {"--level", OPTION_TEXT, &level, 0, 0},
        {"--f64", OPTION_FLAG, &bench.wide, 0, 0},    {"--hot", OPTION_WHOLE, &hot, 1, 1 << 20},
        {"--quick", OPTION_FLAG, &bench.quick, 0, 0}, {"--streaming", OPTION_WHOLE, &streaming, 1, 1 << 20},
        {"--json", OPTION_FLAG, &printer.json, 0, 0},
    };
    struct arguments a = {options, sizeof options / sizeof options[0], {{0}, 0}, 0, 0, ""};
    int code;
    if (!arguments_read(&a, self, argc, argv, &code))
        return code;
    if (!read_level(&mine, level) || !read_scores(&bench, &scores) || !read_lengths(&bench, &lengths))
        return EXIT_USAGE;
    if (!(specs.count == 0 ? every_normalizer(&normalizers) : normalizers_parse(&normalizers, &specs)))
        return EXIT_USAGE;
    machine_describe(&mine, &machine);
    processor_describe(&processor);
    choose_sizes(&bench, &processor, hot, streaming);
    bench.exec = program_exec(&mine, 1);
    const bool fine = run_rows(&bench, &printer, &machine, &processor);
    normalizers_free(&normalizers);
    return fine ? EXIT_FINE : EXIT_FAILED;
}

const struct command command_bench = {
    "bench",
    "[--normalizer SPEC ...] [--lengths N ...] [--scores KIND ...] [--level LEVEL] [--f64] [--hot KIB]\n"
    "    [--streaming MIB] [--quick] [--json]",
    "how fast rows are, against this machine's own limits",
    "Measures the forward pass of normalizers, and the backward pass (VJP) with saved weights, on one thread: time a\n"
    "number and numbers a second. hot works on the same rows again and again, streaming through more memory than the\n"
    "caches hold. Each is measured by turns, in the same run, with memcpy moving as many bytes as the pass reads and\n"
    "writes; the forward pass also with softmax, the backward pass with the product of its two inputs and with its\n"
    "own forward pass. Medians of up to 15 rounds. Time is this thread's on the processor.\n\n"
    "  --normalizer SPEC ...  all that are built in when not given, topk with k=8\n"
    "  --lengths N ...        scores a row; 64 256 1024 4096 65536 1048576 when not given\n"
    "  --scores KIND ...      normal (deviation 1; what is taken when not given), normal3 (deviation 3), equal,\n"
    "                         arithmetic (0 to 8 in equal steps), geometric (towards 8 in shrinking steps),\n"
    "                         two-level (0 or 1), sorted (normal, ascending)\n"
    "  --level LEVEL          no more than this instruction set: scalar, baseline, neon, avx2, avx512\n"
    "  --f64                  double instead of float\n"
    "  --hot KIB              working set of hot; half of the second-level cache when not given\n"
    "  --streaming MIB        working set of streaming; four times the third-level cache when not given, at least 128\n"
    "  --quick                two lengths, three rounds, 4 MiB: whether it runs, not how fast\n"
    "  --json                 one object: the machine, and a list of figures\n",
    run,
};
