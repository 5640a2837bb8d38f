/* SPDX-License-Identifier: MIT */
/* Entmax at the scalar level; kernels.h says what they do. */
#ifndef NORM_KERNELS_SCALAR_ENTMAX_H
#define NORM_KERNELS_SCALAR_ENTMAX_H

#include "kernels/kernels.h"

int norm__scalar_entmax_f32(const float *z, size_t n, double alpha, double temperature, float *spare, float *ret_w,
                            struct norm__entmax_sums *ret_sums);
void norm__scalar_entmax_vjp_f32(const float *w, const float *g, size_t n, double alpha, double temperature,
                                 float *ret_d);

#endif
