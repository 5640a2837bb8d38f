/* SPDX-License-Identifier: MIT */
/* Sums over a row: pure functions of pointers and lengths, compiled for several instruction sets from one source, with
 * the same bits at each. */
#ifndef NORM_MEASURE_SUMS_H
#define NORM_MEASURE_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct norm__sums {
    double weight, square, distance;
};

struct norm__sum_functions {
    /* Adds n weights; the first one's distance is given, the next one's is one less, the last one's is at least 0. */
    void (*add)(struct norm__sums *sums, const float *w, size_t n, double distance);
    /* The number of weights that are not 0; false if one is negative or NaN. */
    bool (*count)(const float *w, size_t n, size_t *ret_support);
    /* The largest; NaN passed over; -inf of none. */
    float (*max)(const float *x, size_t n);
    /* The first column that holds value, which is there. */
    size_t (*find)(const float *w, size_t n, float value);
};

/* level as norm__cpu_level() returns it. */
const struct norm__sum_functions *norm__sum_functions(int32_t level);

#endif
