/* SPDX-License-Identifier: MIT */
/* Sums of doubles that keep their digits at any length: error about 2^-53 of the sum of absolute values. */
#ifndef NORM_NORMALIZERS_SUM_H
#define NORM_NORMALIZERS_SUM_H

#include <math.h>
#include <stddef.h>

/* A running sum with what the additions lost beside it (Neumaier). Start from {0, 0}. */
struct norm__sum {
    double sum, lost;
};

static inline void norm__sum_add(struct norm__sum *s, double x)
{
    const double t = s->sum + x;
    s->lost += fabs(s->sum) >= fabs(x) ? (s->sum - t) + x : (x - t) + s->sum;
    s->sum = t;
}

/* An infinite sum has NaN for what was lost; the sum itself is right then. */
static inline double norm__sum_value(struct norm__sum s)
{
    return isfinite(s.sum) ? s.sum + s.lost : s.sum;
}

static inline double norm__total(const double *x, size_t n)
{
    struct norm__sum s = {0, 0};
    for (size_t i = 0; i < n; i++)
        norm__sum_add(&s, x[i]);
    return norm__sum_value(s);
}

static inline double norm__dot(const double *x, const double *y, size_t n)
{
    struct norm__sum s = {0, 0};
    for (size_t i = 0; i < n; i++)
        norm__sum_add(&s, x[i] * y[i]);
    return norm__sum_value(s);
}

#endif
