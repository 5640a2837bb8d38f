/* SPDX-License-Identifier: MIT */
/* The 2-norm of a bidiagonal matrix. */
#ifndef NORM_KERNELS_BIDIAGONAL_H
#define NORM_KERNELS_BIDIAGONAL_H

#include <stddef.h>

/* b: the diagonal and what stands beside it, in turn: b[0] = B_00, b[1] = B_01, b[2] = B_11, ...; count >= 1 numbers
 * >= 0. Relative error a few units in the last place. */
double norm__bidiagonal_norm(const double *b, size_t count);

#endif
