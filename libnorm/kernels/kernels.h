/* SPDX-License-Identifier: MIT */
/* Row kernels: one packed row of visible scores in, numbers out. Pointers, lengths and scalars only; no allocation, no
 * status, no mask. The scalar level is the specification, every other level is tested against it.
 *
 * Common to all: n >= 1; arrays aligned to their element; a result may be one of the inputs, else they do not overlap;
 * any number of threads; floating-point exceptions may be raised, errno and the rounding mode (to nearest, expected)
 * are left alone. The bits of a result depend on the values, n, the scalars and the level alone. */
#ifndef NORM_KERNELS_KERNELS_H
#define NORM_KERNELS_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a row of scores was. Unless ORDINARY the kernel has written nothing. NAN wins over POS_INF. */
enum {
    NORM__ROW_ORDINARY = 0,
    NORM__ROW_EMPTY = 1, /* every score is -inf */
    NORM__ROW_POS_INF = 2,
    NORM__ROW_NAN = 3
};

/* Prepared once a call. */
struct norm__softmax_scale {
    double temperature;               /* > 0, finite */
    double log2e_high, log2e_low;     /* log2(e) / temperature, exact to about 106 bits */
    double inverse_high, inverse_low; /* 1 / temperature, likewise */
    bool moderate;                    /* neither huge nor tiny: the vector kernels may use the four numbers above */
};
struct norm__softmax_scale norm__softmax_scale(double temperature);

/* Within these limits neither the numbers above nor a product with a score that has a weight leave the range of
 * float. */
static inline bool norm__temperature_moderate(double temperature)
{
    return temperature >= 0x1p-40 && temperature <= 0x1p40;
}

struct norm__softmax_sums {
    double max; /* the largest score */
    double sum; /* of exp((z - max) / temperature); between 1 and n */
};

struct norm__entmax_sums {
    double max;       /* the largest score */
    double threshold; /* of (z - max) / temperature: what is not above has no weight */
};

/* Floats of scratch that entmax wants beyond the length of the row. */
enum { norm__entmax_spare = 16 };

struct norm__kernels {
    int32_t level; /* LIBNORM_CPU_... */

    /* Weights exp((z - max)/T) / sum. No weight is subnormal: below the smallest normal number it is 0.
     * f32: <= 4 ulp for weights >= 2^-126 (1 + 2^-20); f64: relative error <= (4 + |z - max|/T) 2^-52; n <= 2^20. */
    int (*softmax_f32)(const float *z, size_t n, const struct norm__softmax_scale *scale, float *ret_w,
                       struct norm__softmax_sums *ret_sums);
    int (*softmax_f64)(const double *z, size_t n, const struct norm__softmax_scale *scale, double *ret_w,
                       struct norm__softmax_sums *ret_sums);

    /* (z - max)/T - log(sum): -inf at -inf, else finite (the most negative number where it would not be).
     * Absolute error, x the result: f32 <= 2^-22 max(1, |x|), f64 <= 2^-50 max(1, |x|). */
    int (*log_softmax_f32)(const float *z, size_t n, const struct norm__softmax_scale *scale, float *ret_log_w,
                           struct norm__softmax_sums *ret_sums);
    int (*log_softmax_f64)(const double *z, size_t n, const struct norm__softmax_scale *scale, double *ret_log_w,
                           struct norm__softmax_sums *ret_sums);

    /* d = w (g - sum w g) / T. Error <= 1e-6 w (|g| + sum w |g|) / T in f32, 1e-14 in f64. */
    void (*softmax_vjp_f32)(const float *w, const float *g, size_t n, double temperature, float *ret_d);
    void (*softmax_vjp_f64)(const double *w, const double *g, size_t n, double temperature, double *ret_d);

    /* d = (g - w sum g) / T, w the weights, not their logarithms. Error <= 1e-6 (|g| + w sum |g|) / T, 1e-14. */
    void (*log_softmax_vjp_f32)(const float *w, const float *g, size_t n, double temperature, float *ret_d);
    void (*log_softmax_vjp_f64)(const double *w, const double *g, size_t n, double temperature, double *ret_d);

    /* Weights of entmax, 1 < alpha <= 2: sparsemax at 2. spare: n + norm__entmax_spare floats that overlap nothing.
     * Absolute error <= 1e-6, |sum - 1| <= 1e-6; no weight is subnormal. */
    int (*entmax_f32)(const float *z, size_t n, double alpha, double temperature, float *spare, float *ret_w,
                      struct norm__entmax_sums *ret_sums);
    /* d = s (g - sum s g / sum s) / T, s = w^(2 - alpha) where w > 0, else 0; g counts only there.
     * Error <= 1e-6 max s max |g| / T. */
    void (*entmax_vjp_f32)(const float *w, const float *g, size_t n, double alpha, double temperature, float *ret_d);

    /* -sum p log p in nats, 0 log 0 = 0, for p in [0, 1]. Relative error <= 1e-7 in f32, 1e-14 in f64;
     * NaN gives NaN. */
    double (*entropy_f32)(const float *p, size_t n);
    double (*entropy_f64)(const double *p, size_t n);
};

/* level as norm__cpu_level() returns it. Never NULL: a level that is not compiled in gives the best one below it. */
const struct norm__kernels *norm__kernels_get(int32_t level);

/* The specification; also where vector kernels turn with temperatures that are not moderate. */
extern const struct norm__kernels norm__kernels_scalar;

#endif
