/* SPDX-License-Identifier: MIT */
/* c = a b, element by element: what a backward pass that reads two arrays and writes one is measured against. */
#ifndef NORMLAB_PRODUCT_H
#define NORMLAB_PRODUCT_H

#include <stddef.h>

/* As fast as the processor does it, whatever this program was compiled for. */
void product_f32(const float *a, const float *b, size_t n, float *ret_c);
void product_f64(const double *a, const double *b, size_t n, double *ret_c);

#endif
