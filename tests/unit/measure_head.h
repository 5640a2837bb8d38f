/* SPDX-License-Identifier: MIT */
/* Heads made to lose digits, for the tests of meters. */
#ifndef MEASURE_HEAD_H
#define MEASURE_HEAD_H

#include <libnorm/norm.h>

#include <math.h>
#include <string.h>

#include "support/support.h"

static norm_error error = {sizeof error, 0, 0, ""};
#define DONE(call)                                                                                                     \
    do {                                                                                                               \
        if ((call) != LIBNORM_OK)                                                                                      \
            ck_abort_msg("%s", error.text);                                                                            \
    } while (0)

enum { MOST = 90, DIMS = 24, TOPS = 5 };
static const uint64_t tops[TOPS] = {1, 2, 5, 17, 60};

/* A head: a weight matrix, its vectors, and a record for every row and N. */
struct head {
    size_t n, dim;
    float weights[MOST * MOST], values[MOST * DIMS];
    uint64_t visible[MOST], lengths[MOST];
    norm_distance_record records[MOST * TOPS];
};

enum kind {
    ORDINARY,
    DOMINATED,   /* one weight has nearly everything */
    TWINS,       /* vectors in pairs, weights too */
    CROWD,       /* vectors equal but for 1e-6 of them, weights equal */
    EQUAL,       /* all the same */
    COMMON_MEAN, /* far from the origin */
    WIDE,        /* of any size */
    SIGNED,
    SPARSE, /* most weights 0 */
    AXIS,   /* all on one line */
    KINDS
};

static inline void draw(struct head *h, enum kind kind, struct support_random *r)
{
    double common[DIMS];
    h->n = 2 + support_below(r, MOST - 1);
    h->dim = 1 + support_below(r, DIMS);
    for (size_t k = 0; k < h->dim; k++)
        common[k] = support_normal(r) * (kind == COMMON_MEAN ? 1e4 : 1);
    for (size_t i = 0; i < h->n; i++) {
        const double size = kind == WIDE ? exp(support_uniform(r, -30, 30)) : 1;
        const double along = support_normal(r);
        for (size_t k = 0; k < h->dim; k++) {
            double x = support_normal(r) * size;
            if (kind == CROWD)
                x = common[k] * (1 + 1e-6 * x);
            else if (kind == EQUAL || kind == COMMON_MEAN)
                x = common[k] + (kind == EQUAL ? 0 : x);
            else if (kind == AXIS)
                x = common[k] * along;
            h->values[i * h->dim + k] = (float)x;
        }
        if (kind == TWINS && i % 2 == 1)
            memcpy(h->values + i * h->dim, h->values + (i - 1) * h->dim, h->dim * sizeof(float));
    }
    for (size_t t = 0; t < h->n; t++) {
        double w[MOST], sum = 0;
        for (size_t i = 0; i <= t; i++) {
            w[i] = kind == CROWD || kind == EQUAL ? 1 : exp(2 * support_normal(r));
            if (kind == TWINS && i % 2 == 1)
                w[i] = w[i - 1];
            if (kind == SPARSE && support_below(r, 4) != 0)
                w[i] = 0;
        }
        if (kind == DOMINATED)
            w[support_below(r, t + 1)] = exp(support_uniform(r, 5, 40));
        for (size_t i = 0; i <= t; i++)
            sum += w[i];
        for (size_t i = 0; i < h->n; i++)
            h->weights[t * h->n + i] =
                i > t ? 0 : (float)(w[i] / (sum > 0 ? sum : 1) * (kind == SIGNED && support_below(r, 2) ? -1 : 1));
        h->visible[t] = t + 1;
        h->lengths[t] = t + 1;
    }
}

static inline norm_distance_plan plan_of(const struct head *h, uint32_t parts)
{
    return (norm_distance_plan){.struct_size = sizeof(norm_distance_plan),
                                .parts = parts,
                                .max_tokens = h->n,
                                .dim = h->dim,
                                .lengths = h->lengths + 1,
                                .length_count = h->n - 1,
                                .tops = tops,
                                .top_count = TOPS};
}

static inline norm_head_view view_of(const struct head *h, size_t first, size_t rows)
{
    return (norm_head_view){.struct_size = sizeof(norm_head_view),
                            .layer = 1,
                            .head = 2,
                            .first_row = first,
                            .rows = rows,
                            .cols = h->n,
                            .head_dim = h->dim,
                            .weights = h->weights + first * h->n,
                            .values = h->values,
                            .weight_stride = (int64_t)h->n,
                            .value_stride = (int64_t)h->dim,
                            .visible = h->visible + first};
}

/* All rows, `block` at a time. */
static inline void measure(struct head *h, norm_distance_plan plan, size_t block)
{
    norm_distance_meter *meter = NULL;
    size_t used = 0;
    while (used < TOPS && tops[used] < h->n)
        used++;
    plan.top_count = used;
    for (size_t i = 0; i < MOST * TOPS; i++)
        h->records[i].struct_size = sizeof h->records[i];
    DONE(norm_distance_meter_open(&plan, &meter, &error));
    for (size_t at = 0; at < h->n; at += block) {
        const norm_head_view view = view_of(h, at, h->n - at < block ? h->n - at : block);
        DONE(norm_distance_meter_add(meter, &view, NULL, 0, 7, h->records, &error));
    }
    norm_distance_meter_free(meter);
}

static inline void direct(const struct head *h, size_t n, size_t top, uint32_t parts, norm_row_distance *ret)
{
    double w[MOST], x[MOST * DIMS];
    for (size_t i = 0; i < n; i++)
        w[i] = h->weights[(n - 1) * h->n + i];
    for (size_t i = 0; i < n * h->dim; i++)
        x[i] = h->values[i];
    ret->struct_size = sizeof *ret;
    DONE(norm_measure_distance(n, h->dim, w, x, 0, top, parts, ret, NULL, &error));
}

#endif
