/* SPDX-License-Identifier: MIT */
/* The softmax kernels as a kind's fast path: for softmax, and for what is softmax of scaled scores. */
#ifndef NORM_NORMALIZERS_SOFTMAX_FAST_H
#define NORM_NORMALIZERS_SOFTMAX_FAST_H

#include "normalizers/fast.h"

extern const struct norm__fast norm__softmax_fast_f32, norm__softmax_fast_f64;

#endif
