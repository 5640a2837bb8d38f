/* SPDX-License-Identifier: MIT */
#include "bench/attention_bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <libnorm/attention.h>

#include "bench/blas.h"
#include "bench/scores.h"
#include "say.h"

static const size_t lengths[] = {256, 1024, 4096}, few[] = {96};

/* q, k, v, out, upstream and three gradients, packed. */
enum { Q, K, V, OUT, UPSTREAM, DQ, DK, DV, ARRAYS };

struct work {
    norm_attention shape;
    const norm_normalizer *normalizer;
    norm_exec exec;
    float *array[ARRAYS];
    float *scores; /* of the products alone */
    struct blas blas;
    bool has_blas;
};

static bool run_forward(void *user, size_t passes)
{
    const struct work *w = user;
    norm_error error = ERROR_INIT;
    while (passes-- > 0)
        if (norm_attention_forward_f32(&w->shape, w->array[Q], w->array[K], w->array[V], w->array[OUT], NULL, NULL,
                                       &w->exec, &error) != LIBNORM_OK)
            return say_error(&error);
    return true;
}

static bool run_backward(void *user, size_t passes)
{
    const struct work *w = user;
    norm_error error = ERROR_INIT;
    while (passes-- > 0)
        if (norm_attention_backward_f32(&w->shape, w->array[Q], w->array[K], w->array[V], w->array[UPSTREAM],
                                        w->array[DQ], w->array[DK], w->array[DV], &w->exec, &error) != LIBNORM_OK)
            return say_error(&error);
    return true;
}

static bool run_products(void *user, size_t passes)
{
    struct work *w = user;
    const size_t rows = (size_t)w->shape.queries, head = rows * ATTENTION_WIDTH;
    while (passes-- > 0)
        for (size_t h = 0; h < ATTENTION_HEADS; h++)
            blas_attend(&w->blas, rows, ATTENTION_WIDTH, w->array[Q] + h * head, w->array[K] + h * head,
                        w->array[V] + h * head, ATTENTION_WIDTH, w->scores, w->array[OUT] + h * head, ATTENTION_WIDTH);
    return true;
}

static void close_work(struct work *w)
{
    for (int i = 0; i < ARRAYS; i++)
        free(w->array[i]);
    free(w->scores);
    free(w->exec.workspace);
}

/* Everything is written before a clock runs. */
static bool open_work(struct work *w, const struct attention_bench *bench, size_t length)
{
    const size_t count = ATTENTION_HEADS * length * ATTENTION_WIDTH;
    double *values = malloc(ARRAYS * count * sizeof *values);
    *w = (struct work){.exec = bench->exec};
    w->shape = (norm_attention){.struct_size = sizeof w->shape, .flags = LIBNORM_ATTENTION_CAUSAL, .batch = 1,
                                .heads = ATTENTION_HEADS, .queries = length, .keys = length,
                                .head_dim = ATTENTION_WIDTH, .normalizers = &w->normalizer, .normalizer_count = 1};
    w->scores = malloc(BLAS_BLOCK * length * sizeof *w->scores);
    bool fine = values != NULL && w->scores != NULL;
    if (fine) {
        scores_fill(SCORES_NORMAL, ARRAYS, count, values);
        memset(w->scores, 1, BLAS_BLOCK * length * sizeof *w->scores);
    }
    for (int i = 0; i < ARRAYS && fine; i++) {
        w->array[i] = malloc(count * sizeof(float));
        fine = w->array[i] != NULL;
        for (size_t j = 0; fine && j < count; j++)
            w->array[i][j] = (float)values[(size_t)i * count + j];
    }
    free(values);
    w->has_blas = blas_find(&w->blas);
    return fine || say_no_memory();
}

/* So that no call has to allocate, softmax's neither. */
static bool reserve(struct work *w)
{
    size_t bytes[2] = {0, 0};
    norm_error error = ERROR_INIT;
    free(w->exec.workspace);
    w->exec.workspace = NULL;
    w->exec.workspace_size = 0;
    for (uint64_t count = 0; count < 2; count++) {
        norm_attention shape = w->shape;
        shape.normalizer_count = count;
        if (norm_attention_workspace(&shape, &w->exec, &bytes[count], &error) != LIBNORM_OK)
            return say_error(&error);
    }
    const size_t most = bytes[0] > bytes[1] ? bytes[0] : bytes[1];
    w->exec.workspace = malloc(most + 1);
    if (w->exec.workspace == NULL)
        return say_no_memory();
    memset(w->exec.workspace, 1, most + 1);
    w->exec.workspace_size = most + 1;
    return true;
}

static bool measure(const struct attention_bench *bench, struct work *w, bool backward, struct attention_figure *figure)
{
    struct contest contest = {.clock = bench->clock, .sample = bench->quick ? 0 : 5e-3};
    struct work softmax = *w;
    contest.budget = bench->quick ? 0.01 : 4;
    contest.most_rounds = bench->quick ? 3 : 15;
    softmax.shape.normalizer_count = 0;
    if (backward) {
        contest_add(&contest, "backward", run_backward, w, 1);
        contest_add(&contest, "forward", run_forward, w, 1);
    } else {
        contest_add(&contest, "forward", run_forward, w, 1);
        if (w->has_blas)
            contest_add(&contest, "products", run_products, w, 1);
        contest_add(&contest, "softmax", run_forward, &softmax, 1);
    }
    figure->pass = backward ? "backward" : "forward";
    figure->contest = &contest;
    const bool fine = contest_run(&contest);
    progress_to(bench->progress, bench->progress->base += 1);
    return fine && bench->tell(bench->user, figure);
}

static bool run_length(const struct attention_bench *bench, size_t length)
{
    struct work work;
    bool fine = open_work(&work, bench, length);
    for (size_t i = 0; i < bench->normalizers->count && fine; i++) {
        struct attention_figure figure = {.normalizer = bench->normalizers->text[i], .length = length};
        figure.scores = ATTENTION_HEADS * ((double)length * (double)(length + 1) / 2);
        work.normalizer = bench->normalizers->item[i];
        fine = reserve(&work) && measure(bench, &work, false, &figure) && measure(bench, &work, true, &figure);
    }
    close_work(&work);
    return fine;
}

size_t attention_bench_count(const struct attention_bench *bench)
{
    return 2 * bench->normalizers->count * (bench->quick ? 1 : sizeof lengths / sizeof lengths[0]);
}

bool attention_bench_run(struct attention_bench *bench)
{
    bool fine = true;
    if (bench->quick)
        return run_length(bench, few[0]);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0] && fine; i++)
        fine = run_length(bench, lengths[i]);
    return fine;
}
