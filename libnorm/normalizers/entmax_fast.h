/* SPDX-License-Identifier: MIT */
/* The entmax kernels as a fast path: of entmax and what is entmax of scaled scores, and of sparsemax. */
#ifndef NORM_NORMALIZERS_ENTMAX_FAST_H
#define NORM_NORMALIZERS_ENTMAX_FAST_H

#include "normalizers/fast.h"

/* For kinds whose key number 1 is alpha; serves 1 <= alpha <= 1.5 and 2. */
extern const struct norm__fast norm__entmax_fast_f32;
extern const struct norm__fast norm__sparsemax_fast_f32;

#endif
