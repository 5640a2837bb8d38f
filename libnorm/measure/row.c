/* SPDX-License-Identifier: MIT */
/* The largest weight m, at column k, is kept apart from the rest, whose sum is r; s = m + r. Then
 *
 *     H = (m/s) log(1 + r/m) + (E + r log s)/s,    E = -sum over the rest of w log w,
 *
 * holds its digits however peaked the row is: where m is nearly everything, the small numbers that H is made of are
 * summed among themselves. Weights of the rest are at most s/2, so for s >= 1/2 the second term loses at most one bit.
 * Other rows are scaled by a power of two first, which changes no p. */
#include "measure/row.h"

#include <math.h>

/* -sum w log w of n weights times a power of two. */
static double plain_entropy(const struct norm__kernels *kernels, const float *w, size_t n, double scale)
{
    float scaled[256];
    double sum = 0;
    if (n == 0)
        return 0;
    if (scale == 1)
        return kernels->entropy_f32(w, n);
    for (size_t i = 0; i < n; i += sizeof scaled / sizeof scaled[0]) {
        const size_t room = sizeof scaled / sizeof scaled[0], count = n - i < room ? n - i : room;
        for (size_t j = 0; j < count; j++)
            scaled[j] = (float)(w[i + j] * scale);
        sum += kernels->entropy_f32(scaled, count);
    }
    return sum;
}

static double entropy(const struct norm__kernels *kernels, const float *w, size_t n, size_t k, double r)
{
    const double m = w[k], s = m + r;
    double scale = 1;
    if (m > 1 || s < 0.5) {
        int exponent;
        frexp(s, &exponent); /* s 2^-exponent is in [1/2, 1) */
        scale = ldexp(1, -exponent);
    }
    const double rest = plain_entropy(kernels, w, k, scale) + plain_entropy(kernels, w + k + 1, n - k - 1, scale);
    const double h = m / s * log1p(r / m) + (rest + r * scale * log(s * scale)) / (s * scale);
    return h > 0 ? h : 0;
}

enum norm__row_kind norm__row_measure(const struct norm__kernels *kernels, const struct norm__sum_functions *sums,
                                      const float *w, size_t n, struct norm__row_measures *ret)
{
    size_t support = 0;
    const float max = sums->max(w, n);
    if (!sums->count(w, n, &support) || max == INFINITY)
        return NORM__ROW_NOT_NUMBERS;
    if (n == 0 || max == 0)
        return NORM__ROW_ALL_ZERO;
    const size_t k = sums->find(w, n, max);
    const double m = max, last = (double)(n - 1);
    struct norm__sums rest = {0, 0, 0};
    sums->add(&rest, w, k, last);
    sums->add(&rest, w + k + 1, n - k - 1, last - (double)(k + 1));
    const double s = m + rest.weight;
    *ret = (struct norm__row_measures){
        .weight_sum = s,
        .support = (double)support,
        .entropy = entropy(kernels, w, n, k, rest.weight),
        .square = (rest.square + m * m) / (s * s),
        .max_weight = m / s,
        .first = w[0] / s,
        .self = w[n - 1] / s,
        .previous = n > 1 ? w[n - 2] / s : 0,
        .distance = (rest.distance + m * (last - (double)k)) / s,
    };
    return NORM__ROW_COUNTED;
}
