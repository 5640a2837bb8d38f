/* SPDX-License-Identifier: MIT */
/* Thresholds of sparse normalizers, without sorting the row: linear expected time for any row.
 * x holds n >= 1 values, the largest exactly 0, -inf allowed; scratch holds n doubles. */
#ifndef NORM_NORMALIZERS_THRESHOLD_H
#define NORM_NORMALIZERS_THRESHOLD_H

#include <stddef.h>

/* tau with sum (x_i - tau)_+ = 1; in [-1, -1/n]. */
double norm__threshold_linear(const double *x, size_t n, double *scratch);

/* tau with sum (x_i - tau)_+^2 = 1; in [-1, -1/sqrt(n)]. */
double norm__threshold_square(const double *x, size_t n, double *scratch);

/* tau with sum (x_i - tau)_+^e = 1 for e > 1; in [-1, -n^(-1/e)]. */
double norm__threshold_power(const double *x, size_t n, double e, double *scratch);

#endif
