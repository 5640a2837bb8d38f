/* SPDX-License-Identifier: MIT */
/* What the two files of Theorem 2 share. */
#ifndef NORM_BOUNDS_SEPARABLE_H
#define NORM_BOUNDS_SEPARABLE_H

#include "bounds/check.h"
#include "bounds/sums.h"

/* Relative width by which comparisons and results are moved to the safe side: above the rounding of sums of count
 * numbers and of what is made of them. */
static inline double norm__separable_slack(size_t count)
{
    return (4.0 * (double)count + 32.0) * 0x1p-53;
}

/* count >= 1, weights >= 0, radius > 0. */
norm_status norm__separable_check(size_t count, const double *weights, double radius, norm_error *error);

#endif
