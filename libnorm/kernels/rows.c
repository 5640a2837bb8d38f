/* SPDX-License-Identifier: MIT */
/* The row kernels of one level, for both types: the templates in the vocabulary of one instruction set. This file is
 * compiled once a level, with NORM__VECTOR_... for vector.h and the name and number of the level from meson.build. */
#include "kernels/kernels.h"

#include <float.h>
#include <math.h>

#include <libnorm/exec.h>

#include "kernels/polynomials.h"
#include "kernels/total.h"
#include "kernels/vector.h"

extern const struct norm__kernels NORM__LEVEL_TABLE;

/* NEAR: |max| log2(e)/T up to which z itself is reduced. DEPTH: how far below the largest score, as a power of 2, no
 * weight can be normal, with room to spare; at least twice that below NEAR. LIFT: exponentials are kept times 2^LIFT,
 * so that they are normal down to DEPTH and their sum is finite for any n. */
#define REAL float
#define VEC v32
#define MASK m32
#define TOTAL v32_total
#define V(word) v32_##word
#define M(word) m32_##word
#define W(word) v64_##word##_f32
#define F(name) name##_f32
#define PLAN plan_f32
#define TYPE_ROUNDER 0x1.8p23f
#define TYPE_NEAR 512
#define TYPE_DEPTH 132
#define TYPE_LIFT 32
#define TYPE_LIFTED 0x1p32
#define TYPE_MIN FLT_MIN
#define TYPE_MAX FLT_MAX
#define TYPE_EPSILON FLT_EPSILON
#define TYPE_FETCH_FROM 2048
#define TYPE_FETCH_TO (1 << 18)
#include "kernels/softmax_template.h"
#include "kernels/backward_template.h"
#include "kernels/entmax_f32.h"
#undef REAL
#undef VEC
#undef MASK
#undef TOTAL
#undef V
#undef M
#undef W
#undef F
#undef PLAN
#undef TYPE_ROUNDER
#undef TYPE_NEAR
#undef TYPE_DEPTH
#undef TYPE_LIFT
#undef TYPE_LIFTED
#undef TYPE_MIN
#undef TYPE_MAX
#undef TYPE_EPSILON
#undef TYPE_FETCH_FROM
#undef TYPE_FETCH_TO

#define REAL double
#define VEC v64
#define MASK m64
#define TOTAL v64_total
#define V(word) v64_##word
#define M(word) m64_##word
#define W(word) v64_##word
#define F(name) name##_f64
#define PLAN plan_f64
#define TYPE_ROUNDER 0x1.8p52
#define TYPE_NEAR 4096
#define TYPE_DEPTH 1040
#define TYPE_LIFT 64
#define TYPE_LIFTED 0x1p64
#define TYPE_MIN DBL_MIN
#define TYPE_MAX DBL_MAX
#define TYPE_EPSILON DBL_EPSILON
#define TYPE_FETCH_FROM 1024
#define TYPE_FETCH_TO (1 << 17)
#include "kernels/softmax_template.h"
#include "kernels/backward_template.h"

const struct norm__kernels NORM__LEVEL_TABLE = {
    .level = NORM__LEVEL,
    .softmax_f32 = softmax_f32,
    .softmax_f64 = softmax_f64,
    .log_softmax_f32 = log_softmax_f32,
    .log_softmax_f64 = log_softmax_f64,
    .softmax_vjp_f32 = softmax_vjp_f32,
    .softmax_vjp_f64 = softmax_vjp_f64,
    .log_softmax_vjp_f32 = log_softmax_vjp_f32,
    .log_softmax_vjp_f64 = log_softmax_vjp_f64,
    .entmax_f32 = entmax_f32,
    .entmax_vjp_f32 = entmax_vjp_f32,
    .entropy_f32 = entropy_f32,
    .entropy_f64 = entropy_f64,
};
