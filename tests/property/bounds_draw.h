/* SPDX-License-Identifier: MIT */
/* Random rows of attention for the tests of bounds: not only typical ones. */
#ifndef BOUNDS_DRAW_H
#define BOUNDS_DRAW_H

#include <libnorm/norm.h>

#include <math.h>

#include "support/support.h"

/* Check's own assertions write to a pipe each time; these only when they fail, which 10,000 rows notice. */
#define HOLDS(condition, ...)                                                                                          \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            ck_abort_msg(__VA_ARGS__);                                                                                 \
    } while (0)
#define TRUE(condition) HOLDS(condition, "%s", #condition)
#define DONE(call) HOLDS((call) == LIBNORM_OK, "%s", error.text)

static norm_error error = {sizeof error, 0, 0, ""};

/* Softmax of z / t. */
static inline void draw_softmax(size_t n, const double *z, double t, double *w)
{
    double sum = 0, high = z[0];
    for (size_t i = 1; i < n; i++)
        high = fmax(high, z[i]);
    for (size_t i = 0; i < n; i++)
        sum += w[i] = exp((z[i] - high) / t);
    for (size_t i = 0; i < n; i++)
        w[i] /= sum;
}

/* Scores of many kinds: any spread, ties, all equal but one, two groups. */
static inline void draw_scores(struct support_random *r, size_t n, double *z)
{
    double spread = exp(support_uniform(r, -3, 3));
    size_t kind = support_below(r, 5), levels = 1 + support_below(r, 3);
    for (size_t i = 0; i < n; i++)
        z[i] = kind == 0 ? (double)support_below(r, levels) * spread : spread * support_normal(r);
    if (kind == 1)
        for (size_t i = 1; i < n; i++)
            z[i] = z[0];
    if (kind < 3 && n > 1)
        z[support_below(r, n)] += spread * support_uniform(r, 0, 5);
}

/* Weights that sum to one, some of them 0 at times. */
static inline void draw_weights(struct support_random *r, size_t n, double *w)
{
    double z[64], sum = 0;
    draw_scores(r, n, z);
    draw_softmax(n, z, 1, w);
    if (support_below(r, 4) != 0)
        return;
    for (size_t i = 0; i < n; i++) {
        w[i] = support_below(r, 3) == 0 ? 0 : w[i];
        sum += w[i];
    }
    for (size_t i = 0; i < n; i++)
        w[i] = sum > 0 ? w[i] / sum : 1 / (double)n;
}

/* Tokens: normal, on the sphere, with duplicates, around a common mean, along one axis. */
static inline void draw_tokens(struct support_random *r, size_t n, size_t dim, double *x)
{
    size_t kind = support_below(r, 5);
    double scale = exp(support_uniform(r, -2, 2)), common = kind == 3 ? support_uniform(r, 1, 1e6) : 0;
    for (size_t i = 0; i < n; i++) {
        double square = 0;
        for (size_t k = 0; k < dim; k++) {
            x[i * dim + k] = scale * support_normal(r) + (kind == 4 && k > 0 ? 0 : common);
            square += x[i * dim + k] * x[i * dim + k];
        }
        for (size_t k = 0; kind == 1 && k < dim; k++)
            x[i * dim + k] /= sqrt(square);
        if (kind == 2 && i > 0 && support_below(r, 2) == 0)
            for (size_t k = 0, j = support_below(r, i); k < dim; k++)
                x[i * dim + k] = x[j * dim + k];
    }
}

static inline double draw_length(const double *v, size_t dim)
{
    double sum = 0;
    for (size_t k = 0; k < dim; k++)
        sum += v[k] * v[k];
    return sqrt(sum);
}

#endif
