/* SPDX-License-Identifier: MIT */
#include "bench/row_bench.h"

#include <stdlib.h>
#include <string.h>

#include "bench/clock.h"
#include "bench/row_work.h"
#include "say.h"

struct sizes {
    const char *name;
    size_t slice_bytes, ring_bytes;
    double sample; /* seconds */
};

enum { SETS = 2, PASSES = 2, FORWARD_ARRAYS = 2, VJP_ARRAYS = 3 };

static struct contest contest_of(const struct row_bench *bench, const struct sizes *sizes)
{
    struct contest contest = {.clock = clock_thread, .warm = true};
    contest.sample = bench->quick ? 1e-4 : sizes->sample;
    contest.budget = bench->quick ? 0.01 : 0.4;
    contest.most_rounds = bench->quick ? 3 : 15;
    return contest;
}

static bool is_softmax(const norm_normalizer *normalizer)
{
    char spec[64];
    return norm_normalizer_spec(normalizer, spec, sizeof spec, NULL) == LIBNORM_OK &&
           strcmp(spec, "softmax:temperature=1") == 0;
}

/* Forward: against memcpy and softmax. */
static bool run_forward(const struct row_bench *bench, const struct row_work *work, const norm_normalizer *softmax,
                        const struct sizes *sizes, struct row_figure *figure)
{
    struct row_work subject = *work, reference = *work;
    struct contest contest = contest_of(bench, sizes);
    const double size = (double)(work->set->rows * work->set->n);
    reference.normalizer = softmax;
    contest_add(&contest, "forward", row_work_forward, &subject, size);
    contest_add(&contest, "memcpy", row_work_copy, &subject, size);
    if (!is_softmax(subject.normalizer))
        contest_add(&contest, "softmax", row_work_forward, &reference, size);
    figure->pass = "forward";
    figure->contest = &contest;
    return contest_run(&contest) && bench->tell(bench->user, figure);
}

/* Backward: against memcpy, a product of the same arrays, and its own forward pass. */
static bool run_vjp(const struct row_bench *bench, const struct row_work *work, const struct sizes *sizes,
                    struct row_figure *figure)
{
    struct row_work subject = *work;
    struct contest contest = contest_of(bench, sizes);
    const double size = (double)(work->set->rows * work->set->n);
    contest_add(&contest, "vjp", row_work_vjp, &subject, size);
    contest_add(&contest, "memcpy", row_work_copy, &subject, size);
    contest_add(&contest, "product", row_work_product, &subject, size);
    contest_add(&contest, "forward", row_work_forward, &subject, size);
    figure->pass = "vjp";
    figure->contest = &contest;
    return row_set_weigh(work->set, work->normalizer, work->exec) && contest_run(&contest) &&
           bench->tell(bench->user, figure);
}

/* Workspace for every normalizer, so that no call has to allocate; NULL: said. */
static void *reserve(const struct row_bench *bench, const struct row_set *set, const norm_normalizer *softmax,
                     norm_exec *exec)
{
    const norm_rows rows = {.struct_size = sizeof rows, .batch = 1, .rows = set->rows, .cols = set->n};
    size_t most = 0;
    for (size_t i = 0; i <= bench->normalizers->count; i++) {
        size_t bytes = 0;
        const norm_normalizer *n = i < bench->normalizers->count ? bench->normalizers->item[i] : softmax;
        if (norm_apply_workspace(n, &rows, exec, &bytes) == LIBNORM_OK && bytes > most)
            most = bytes;
    }
    void *memory = malloc(most + 1);
    if (memory == NULL) {
        say_no_memory();
        return NULL;
    }
    memset(memory, 1, most + 1);
    exec->workspace = memory;
    exec->workspace_size = most + 1;
    return memory;
}

/* All normalizers on rows of one length, one kind of scores and one size of working set, one pass. */
static bool run_block(const struct row_bench *bench, struct row_set *set, const norm_normalizer *softmax,
                      const struct sizes *sizes, bool backward, struct row_figure *figure)
{
    const size_t arrays = backward ? VJP_ARRAYS : FORWARD_ARRAYS;
    norm_exec exec = bench->exec;
    if (!row_set_shape(set, figure->scores, figure->n, arrays, sizes->slice_bytes, sizes->ring_bytes))
        return false;
    void *workspace = reserve(bench, set, softmax, &exec);
    bool fine = workspace != NULL;
    figure->set = sizes->name;
    figure->rows = set->rows;
    figure->bytes = row_set_bytes(set, arrays);
    for (size_t i = 0; i < bench->normalizers->count && fine; i++) {
        const struct row_work work = {set, bench->normalizers->item[i], &exec, arrays};
        figure->normalizer = bench->normalizers->text[i];
        fine = backward ? run_vjp(bench, &work, sizes, figure) : run_forward(bench, &work, softmax, sizes, figure);
        progress_to(bench->progress, bench->progress->base += 1);
    }
    free(workspace);
    return fine;
}

size_t row_bench_count(const struct row_bench *bench)
{
    return bench->normalizers->count * bench->lengths_count * bench->scores_count * SETS * PASSES;
}

bool row_bench_run(struct row_bench *bench)
{
    const struct sizes sizes[SETS] = {
        {"hot", bench->hot_bytes, bench->hot_bytes, 1e-3},
        {"streaming", bench->hot_bytes < (size_t)1 << 18 ? bench->hot_bytes : (size_t)1 << 18,
         bench->streaming_bytes, 2e-3},
    };
    struct row_set set;
    size_t longest = 1, ring = bench->streaming_bytes > bench->hot_bytes ? bench->streaming_bytes : bench->hot_bytes;
    for (size_t i = 0; i < bench->lengths_count; i++)
        longest = bench->lengths[i] > longest ? bench->lengths[i] : longest;
    norm_normalizer *softmax = spec_parse("softmax");
    if (softmax == NULL)
        return false;
    bool fine = row_set_open(&set, bench->wide, ring, longest);
    for (size_t s = 0; s < bench->scores_count && fine; s++)
        for (size_t k = 0; k < SETS && fine; k++)
            for (size_t l = 0; l < bench->lengths_count && fine; l++) {
                struct row_figure figure = {.scores = bench->scores[s], .n = bench->lengths[l]};
                fine = run_block(bench, &set, softmax, &sizes[k], false, &figure) &&
                       run_block(bench, &set, softmax, &sizes[k], true, &figure);
            }
    row_set_close(&set);
    norm_normalizer_free(softmax);
    return fine;
}
