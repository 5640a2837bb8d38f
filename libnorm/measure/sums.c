/* SPDX-License-Identifier: MIT */
/* Compiled once an instruction set, with NORM__SUMS the name of the table. Plain loops that compilers turn into
 * vectors: every machine adds in the same lanes and the same order, and nothing is fused, so the bits are the same. */
#include "measure/sums.h"

#include <math.h>

#ifndef NORM__SUMS
#define NORM__SUMS norm__sums_baseline
#endif

extern const struct norm__sum_functions NORM__SUMS;

#define LANES 32

/* A distance is counted by adding up the running sums: a weight that came blocks earlier is in them as often. */
static void add(struct norm__sums *sums, const float *w, size_t n, double distance)
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

static bool count(const float *w, size_t n, size_t *ret_support)
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

static float max_of(const float *x, size_t n)
{
    float most[LANES], max = -INFINITY;
    size_t i = 0;
    for (size_t k = 0; k < LANES; k++)
        most[k] = -INFINITY;
    for (; n - i >= LANES; i += LANES)
        for (size_t k = 0; k < LANES; k++)
            most[k] = x[i + k] > most[k] ? x[i + k] : most[k];
    for (; i < n; i++)
        max = x[i] > max ? x[i] : max;
    for (size_t k = 0; k < LANES; k++)
        max = most[k] > max ? most[k] : max;
    return max;
}

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

const struct norm__sum_functions NORM__SUMS = {add, count, max_of, find};
