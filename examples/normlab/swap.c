/* SPDX-License-Identifier: MIT */
#include "swap.h"

#include <math.h>
#include <stdlib.h>

#include "say.h"

/* Memory of one search. */
struct trial {
    const norm_normalizer **each; /* one a head: what is kept, and what is tried */
    double *base, *loss;          /* of windows */
};

static bool run(const struct swap *s, struct trial *t, double *window_loss, struct pass *ret_pass)
{
    *ret_pass = (struct pass){.each = t->each, .each_count = s->count, .window_loss = window_loss,
                              .records = ret_pass->records};
    return pass_run(ret_pass, s->model, s->windows, s->exec, s->progress);
}

static bool measure(struct swap *s, struct trial *t, struct difference *ret)
{
    struct pass pass = {.records = NULL};
    if (!run(s, t, t->loss, &pass))
        return false;
    *ret = difference_find(t->loss, t->base, s->windows);
    return true;
}

static size_t place(const struct swap *s, const struct swap_head *h)
{
    return (size_t)h->layer * (size_t)s->model->shape.n_head + (size_t)h->head;
}

/* Every head alone. A loss that is not a number comes last. */
static bool rank(struct swap *s, struct trial *t)
{
    for (size_t i = 0; i < s->count; i++) {
        struct swap_head *h = &s->heads[i];
        h->layer = (int32_t)(i / (size_t)s->model->shape.n_head);
        h->head = (int32_t)(i % (size_t)s->model->shape.n_head);
        t->each[i] = s->other;
        if (!measure(s, t, &h->alone))
            return false;
        t->each[i] = s->softmax;
        h->after = NAN;
    }
    return true;
}

static int cheaper(const void *left, const void *right)
{
    const struct swap_head *a = left, *b = right;
    const double x = isnan(a->alone.mean) ? INFINITY : a->alone.mean;
    const double y = isnan(b->alone.mean) ? INFINITY : b->alone.mean;
    if (x != y)
        return x < y ? -1 : 1;
    return a->layer != b->layer ? (a->layer < b->layer ? -1 : 1) : (a->head > b->head) - (a->head < b->head);
}

/* From the cheapest on, each stays in if all together keep to the budget. */
static bool choose(struct swap *s, struct trial *t)
{
    s->total = (struct difference){0, 0, 0};
    for (size_t i = 0; i < s->count; i++) {
        struct swap_head *h = &s->heads[i];
        struct difference now;
        if (!(h->alone.mean <= s->budget)) {
            s->progress->base += (double)s->windows->count;
            continue;
        }
        t->each[place(s, h)] = s->other;
        if (!measure(s, t, &now))
            return false;
        h->after = now.mean;
        h->kept = now.mean <= s->budget;
        if (h->kept) {
            s->total = now;
            s->kept++;
        } else {
            t->each[place(s, h)] = s->softmax;
        }
    }
    return true;
}

/* Counts the weights that are 0 with everything that was kept in place. */
static bool count_zeros(struct swap *s, struct trial *t)
{
    struct pass pass = {.records = NULL};
    double visible = 0, support_all = 0, support_kept = 0;
    if (s->windows->count <= SIZE_MAX / s->count / sizeof *pass.records)
        pass.records = calloc(s->windows->count * s->count, sizeof *pass.records);
    if (pass.records == NULL)
        return say_no_memory();
    bool fine = run(s, t, NULL, &pass);
    for (size_t w = 0; w < s->windows->count && fine; w++) {
        const int32_t *ids;
        const double n = (double)window_ids(s->windows, w, &ids);
        visible += n * (n + 1) / 2;
        for (size_t i = 0; i < s->count; i++) {
            const double support = pass.records[w * s->count + i].support;
            support_all += support;
            support_kept += t->each[i] == s->other ? support : 0;
        }
    }
    free(pass.records);
    s->loss = pass_mean_loss(&pass);
    s->zeros_all = 1 - support_all / (visible * (double)s->count);
    s->zeros_kept = s->kept == 0 ? (double)NAN : 1 - support_kept / (visible * (double)s->kept);
    return fine;
}

bool swap_find(struct swap *s)
{
    struct trial t = {NULL, NULL, NULL};
    struct pass pass = {.records = NULL};
    const size_t windows = s->windows->count;
    s->count = (size_t)(s->model->shape.n_layer * s->model->shape.n_head);
    s->kept = 0;
    s->heads = calloc(s->count, sizeof *s->heads);
    t.each = malloc(s->count * sizeof *t.each);
    t.base = malloc(windows * sizeof *t.base);
    t.loss = malloc(windows * sizeof *t.loss);
    bool fine = s->heads != NULL && t.each != NULL && t.base != NULL && t.loss != NULL;
    if (!fine)
        say_no_memory();
    for (size_t i = 0; i < s->count && fine; i++)
        t.each[i] = s->softmax;
    fine = fine && run(s, &t, t.base, &pass);
    s->base_loss = pass_mean_loss(&pass);
    s->predictions = (double)pass.predictions;
    fine = fine && rank(s, &t);
    if (fine)
        qsort(s->heads, s->count, sizeof *s->heads, cheaper);
    fine = fine && choose(s, &t) && count_zeros(s, &t);
    free(t.each);
    free(t.base);
    free(t.loss);
    return fine;
}

void swap_free(struct swap *swap)
{
    free(swap->heads);
    swap->heads = NULL;
}
