/* SPDX-License-Identifier: MIT */
/* What the model does to a row besides products and attention: pure functions of pointers and lengths, compiled for
 * several instruction sets from one source. Sums run in a fixed order and nothing is fused, so the bits are the same at
 * every level. */
#ifndef NORM_GPT2_ROWS_H
#define NORM_GPT2_ROWS_H

#include <stddef.h>
#include <stdint.h>

struct norm__row_functions {
    /* x += y */
    void (*add)(size_t n, const float *y, float *x);
    /* ret_y = (x - mean) / sqrt(variance + epsilon) * weight + bias; sums in double. ret_y may be x. */
    void (*layer_norm)(size_t n, const float *x, const float *weight, const float *bias, double epsilon, float *ret_y);
    /* x = GELU(x + bias) in its two forms. Absolute error <= 2^-22 max(1, |x|); NaN gives NaN; no argument that is
     * not subnormal itself gives a subnormal number. */
    void (*gelu_tanh)(size_t n, const float *bias, float *x);
    void (*gelu_erf)(size_t n, const float *bias, float *x);
};

/* level as norm__cpu_level() returns it. */
const struct norm__row_functions *norm__row_functions(int32_t level);

#endif
