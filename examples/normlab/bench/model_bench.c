/* SPDX-License-Identifier: MIT */
#include "bench/model_bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/clock.h"
#include "bench/draw.h"
#include "bench/products.h"
#include "say.h"

struct forward {
    const struct model *model;
    const int32_t *ids;
    size_t tokens;
    norm_gpt2_run run;
    float *logits;
    const norm_exec *exec;
};

static bool run_forward(void *user, size_t passes)
{
    const struct forward *f = user;
    norm_error error = ERROR_INIT;
    while (passes-- > 0)
        if (norm_gpt2_forward(f->model->gpt2, f->ids, f->tokens, &f->run, f->logits, f->exec, &error) != LIBNORM_OK)
            return say_error(&error);
    return true;
}

/* One normalizer, logits of the last position or of all. */
static bool run_one(const struct model_bench *bench, struct forward *forward, struct products *products,
                    struct model_figure *figure)
{
    struct contest contest = {.clock = clock_wall};
    contest.budget = bench->quick ? 0.01 : 20;
    contest.most_rounds = bench->quick ? 3 : 15;
    contest_add(&contest, "forward", run_forward, forward, 1);
    if (products != NULL)
        contest_add(&contest, "products", products_run, products, 1);
    figure->contest = &contest;
    const bool fine = contest_run(&contest);
    figure->flops = products != NULL ? products->blas.flops : (double)NAN;
    progress_to(bench->progress, bench->progress->base += 1);
    return fine && bench->tell(bench->user, figure);
}

static bool run_logits(const struct model_bench *bench, bool all, const int32_t *ids)
{
    const size_t rows = all ? bench->tokens : 1, vocabulary = (size_t)bench->model->shape.vocab_size;
    struct products products;
    const enum products_open open = products_open(&products, &bench->model->shape, bench->tokens, rows);
    struct forward forward = {bench->model, ids, bench->tokens, {.struct_size = sizeof forward.run}, NULL,
                              &bench->exec};
    if (open == PRODUCTS_FAILED)
        return false;
    bool fine = true;
    if (vocabulary > SIZE_MAX / sizeof(float) / rows || (forward.logits = malloc(vocabulary * rows * 4)) == NULL)
        fine = say_no_memory();
    else
        memset(forward.logits, 1, vocabulary * rows * sizeof(float));
    forward.run.logits = all ? LIBNORM_GPT2_LOGITS_ALL : LIBNORM_GPT2_LOGITS_LAST;
    forward.run.normalizer_count = 1;
    for (size_t i = 0; i < bench->normalizers->count && fine; i++) {
        const norm_normalizer *normalizer = bench->normalizers->item[i];
        struct model_figure figure = {.normalizer = bench->normalizers->text[i], .logits = all ? "all" : "last",
                                      .tokens = bench->tokens};
        forward.run.normalizers = &normalizer;
        fine = run_one(bench, &forward, open == PRODUCTS_FINE ? &products : NULL, &figure);
    }
    free(forward.logits);
    products_close(&products);
    return fine;
}

size_t model_bench_count(const struct model_bench *bench)
{
    return 2 * bench->normalizers->count;
}

bool model_bench_run(struct model_bench *bench)
{
    int32_t *ids = malloc(bench->tokens * sizeof *ids);
    uint64_t state = 1;
    if (ids == NULL)
        return say_no_memory();
    for (size_t i = 0; i < bench->tokens; i++)
        ids[i] = (int32_t)(draw_bits(&state) % bench->model->shape.vocab_size);
    const bool fine = run_logits(bench, false, ids) && run_logits(bench, true, ids);
    free(ids);
    return fine;
}
