/* SPDX-License-Identifier: MIT */
/* The largest numbers of a row, in order. */
#ifndef NORM_MEASURE_ORDER_H
#define NORM_MEASURE_ORDER_H

#include <stddef.h>

/* Indices of the count <= n largest of w, largest first, lower index first among equals. No NaN. O(n log count). */
void norm__order(const double *w, size_t n, size_t count, size_t *ret_order);

#endif
