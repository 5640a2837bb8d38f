/* SPDX-License-Identifier: MIT */
/* Sums of many vectors, in the vector vocabulary: floats into double, doubles with their rounding errors kept. */
#ifndef NORM_KERNELS_TOTAL_H
#define NORM_KERNELS_TOTAL_H

#include <math.h>

#include "kernels/vector.h"

typedef struct v64_total {
    v64 sum, error;
} v64_total;

typedef struct v32_total {
    v64 low, high;
} v32_total;

NORM__INLINE v64_total v64_total_zero(void)
{
    return (v64_total){v64_set(0), v64_set(0)};
}

NORM__INLINE void v64_total_add(v64_total *t, v64 x)
{
    v64 sum = v64_add(t->sum, x), added = v64_sub(sum, t->sum);
    v64 error = v64_add(v64_sub(t->sum, v64_sub(sum, added)), v64_sub(x, added));
    t->error = v64_add(t->error, error);
    t->sum = sum;
}

NORM__INLINE void v64_total_add_4(v64_total *t, v64 a, v64 b, v64 c, v64 d)
{
    v64_total_add(t, v64_add(v64_add(a, b), v64_add(c, d)));
}

static inline double v64_total_value(const v64_total *t)
{
    double sum[v64_lanes], error[v64_lanes], all = 0, rest = 0;
    v64_store(sum, t->sum);
    v64_store(error, t->error);
    for (int i = 0; i < v64_lanes; i++) {
        double next = all + sum[i], added = next - all;
        rest += (all - (next - added)) + (sum[i] - added) + error[i];
        all = next;
    }
    /* A sum that is infinite has no error that could be told. */
    return isfinite(rest) ? all + rest : all;
}

NORM__INLINE v32_total v32_total_zero(void)
{
    return (v32_total){v64_set(0), v64_set(0)};
}

NORM__INLINE void v32_total_add(v32_total *t, v32 x)
{
    t->low = v64_add(t->low, v32_low(x));
    t->high = v64_add(t->high, v32_high(x));
}

/* In pairs: one rounding to float. A sum of four in float would bring a second one, too much for a row of few scores
 * that count. */
NORM__INLINE void v32_total_add_4(v32_total *t, v32 a, v32 b, v32 c, v32 d)
{
    v32_total_add(t, v32_add(a, b));
    v32_total_add(t, v32_add(c, d));
}

NORM__INLINE double v32_total_value(const v32_total *t)
{
    return v64_sum(v64_add(t->low, t->high));
}

#endif
