/* SPDX-License-Identifier: MIT */
/* Sums of non-negative numbers that keep their relative accuracy when one number is left out. */
#ifndef NORM_BOUNDS_SUMS_H
#define NORM_BOUNDS_SUMS_H

#include <stddef.h>

#include "kernels/shares.h"

/* Over all numbers but one, after division by scale, the largest of those: sum w, sum w^2, and the sums over pairs
 * j < k of w_j w_k and of w_j^2 w_k^2. scale 0: all of them are 0 (or there are none), and the sums are 0. */
struct norm__others {
    double scale, sum, square, pairs, square_pairs;
};

/* Totals of w >= 0, from which norm__others_of leaves one out. */
struct norm__totals {
    const double *w;
    size_t count;
    struct norm__top top;
    struct norm__others all; /* with the scale of the largest */
};
struct norm__totals norm__totals_of(const double *w, size_t count);

/* O(1) for all but the two largest numbers, O(count) for these. */
struct norm__others norm__others_of(const struct norm__totals *t, size_t i);

#endif
