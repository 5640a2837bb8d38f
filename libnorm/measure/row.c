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
#include <stdbool.h>
#include <stdint.h>

/* Sums in this many lanes, so that the compiler makes vectors and still every machine adds in the same order. */
#define LANES 8

struct sums {
    double weight, square, distance;
};

/* Adds n weights; the first one's distance is given, the next one's is one less, the last one's is at least 0.
 * A weight's distance is counted by adding up the running sums: what came blocks earlier is in them as often. */
static void add_sums(struct sums *sums, const float *w, size_t n, double distance)
{
    double weight[LANES] = {0}, square[LANES] = {0}, running[LANES] = {0};
    const size_t whole = n - n % LANES;
    for (size_t i = 0; i < whole; i += LANES)
        for (size_t k = 0; k < LANES; k++) {
            const double x = w[i + k];
            weight[k] += x;
            square[k] += x * x;
            running[k] += weight[k];
        }
    for (size_t k = 0; k < LANES; k++) {
        const double x = whole + k < n ? w[whole + k] : 0, beyond = distance - (double)(whole + k);
        sums->distance += LANES * running[k] + beyond * weight[k] + (whole + k < n ? beyond * x : 0);
        sums->weight += weight[k] + x;
        sums->square += square[k] + x * x;
    }
}

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

/* The number of weights that are not 0; false if one is negative or NaN. */
static bool count_support(const float *w, size_t n, size_t *ret_support)
{
    uint32_t bad = 0;
    size_t support = 0;
    for (size_t i = 0; i < n;) {
        const size_t end = n - i < 65536 ? n : i + 65536; /* short enough for narrow counters */
        uint32_t here = 0;
        for (; i < end; i++) {
            bad |= !(w[i] >= 0);
            here += w[i] != 0;
        }
        support += here;
    }
    *ret_support = support;
    return bad == 0;
}

float norm__row_max(const float *x, size_t n)
{
    float most[2 * LANES], max = -INFINITY;
    size_t i = 0;
    for (size_t k = 0; k < 2 * LANES; k++)
        most[k] = -INFINITY;
    for (; n - i >= 2 * LANES; i += 2 * LANES)
        for (size_t k = 0; k < 2 * LANES; k++)
            most[k] = x[i + k] > most[k] ? x[i + k] : most[k];
    for (; i < n; i++)
        max = x[i] > max ? x[i] : max;
    for (size_t k = 0; k < 2 * LANES; k++)
        max = most[k] > max ? most[k] : max;
    return max;
}

/* The first column that holds value, which is there. */
static size_t find(const float *w, size_t n, float value)
{
    size_t k = 0;
    for (uint32_t found = 0; n - k >= 64; k += 64) { /* a stretch at a time, without asking in between */
        for (size_t j = 0; j < 64; j++)
            found |= w[k + j] == value;
        if (found)
            break;
    }
    while (w[k] != value)
        k++;
    return k;
}

enum norm__row_kind norm__row_measure(const struct norm__kernels *kernels, const float *w, size_t n,
                                      struct norm__row_measures *ret)
{
    size_t support = 0;
    const float max = norm__row_max(w, n);
    if (!count_support(w, n, &support) || max == INFINITY)
        return NORM__ROW_NOT_NUMBERS;
    if (n == 0 || max == 0)
        return NORM__ROW_ALL_ZERO;
    const size_t k = find(w, n, max);
    const double m = max, last = (double)(n - 1);
    struct sums rest = {0, 0, 0};
    add_sums(&rest, w, k, last);
    add_sums(&rest, w + k + 1, n - k - 1, last - (double)(k + 1));
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
