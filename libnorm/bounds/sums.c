/* SPDX-License-Identifier: MIT */
#include "bounds/sums.h"

#include <stdint.h>

/* The sums over all but number skip. Running pair sums: each new number meets the sum of those before it. */
static struct norm__others add_up(const double *w, size_t count, size_t skip, double scale)
{
    struct norm__others o = {scale, 0, 0, 0, 0};
    if (!(scale > 0))
        return o;
    for (size_t j = 0; j < count; j++) {
        if (j == skip)
            continue;
        double v = w[j] / scale, v2 = v * v;
        o.pairs += v * o.sum;
        o.square_pairs += v2 * o.square;
        o.sum += v;
        o.square += v2;
    }
    return o;
}

struct norm__totals norm__totals_of(const double *w, size_t count)
{
    struct norm__totals t = {w, count, norm__top_two(w, count), {0, 0, 0, 0, 0}};
    t.all = add_up(w, count, SIZE_MAX, count == 0 ? 0 : w[t.top.first]);
    return t;
}

struct norm__others norm__others_of(const struct norm__totals *t, size_t i)
{
    if (i == t->top.first)
        return add_up(t->w, t->count, i, t->top.second == SIZE_MAX ? 0 : t->w[t->top.second]);
    if (i == t->top.second)
        return add_up(t->w, t->count, i, t->w[t->top.first]);
    /* Here at least two numbers are as large as this one, so what is taken away is at most one half of a sum and two
     * thirds of a sum over pairs: subtracting costs a factor of 3 in relative accuracy and no more. */
    struct norm__others o = t->all;
    if (!(o.scale > 0))
        return o;
    double v = t->w[i] / o.scale, v2 = v * v;
    o.sum -= v;
    o.square -= v2;
    o.pairs -= v * o.sum;
    o.square_pairs -= v2 * o.square;
    return o;
}
