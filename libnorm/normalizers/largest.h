/* SPDX-License-Identifier: MIT */
/* The largest singular value of a matrix that is known by its products with vectors. */
#ifndef NORM_NORMALIZERS_LARGEST_H
#define NORM_NORMALIZERS_LARGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct norm__matrix {
    size_t n; /* n x n */
    void *data;
    /* ret = A x or A^T x; 0, or a code that stops. */
    int32_t (*multiply)(void *data, const double *x, bool transposed, double *ret);
};

/* Golub and Kahan's bidiagonalization from a fixed start: stops when three estimates in a row agree within 1e-14, or
 * after 300 steps. From below, but for rounding. work: three arrays of n. NaN where a product is not finite. */
int32_t norm__largest_singular(const struct norm__matrix *a, double *const work[3], double *ret);

#endif
