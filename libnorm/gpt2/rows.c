/* SPDX-License-Identifier: MIT */
/* Compiled once an instruction set, with NORM__ROWS the name of the table. Plain loops that compilers turn into
 * vectors: no branch, no call, sums kept apart in as many parts as the widest vector has room for. */
#include "gpt2/rows.h"

#include <math.h>
#include <string.h>

#ifndef NORM__ROWS
#define NORM__ROWS norm__rows_baseline
#endif

extern const struct norm__row_functions NORM__ROWS;

enum { parts = 16 };

static void add(size_t n, const float *y, float *x)
{
    for (size_t i = 0; i < n; i++)
        x[i] += y[i];
}

static double sum_parts(double part[parts])
{
    for (size_t half = parts / 2; half != 0; half /= 2)
        for (size_t j = 0; j < half; j++)
            part[j] += part[j + half];
    return part[0];
}

static double sum(size_t n, const float *x)
{
    double part[parts] = {0};
    size_t i = 0;
    for (; i + parts <= n; i += parts)
        for (size_t j = 0; j < parts; j++)
            part[j] += (double)x[i + j];
    for (; i < n; i++)
        part[i % parts] += (double)x[i];
    return sum_parts(part);
}

static double sum_of_squares(size_t n, const float *x, double mean)
{
    double part[parts] = {0};
    size_t i = 0;
    for (; i + parts <= n; i += parts)
        for (size_t j = 0; j < parts; j++) {
            const double d = (double)x[i + j] - mean;
            part[j] += d * d;
        }
    for (; i < n; i++)
        part[i % parts] += ((double)x[i] - mean) * ((double)x[i] - mean);
    return sum_parts(part);
}

static void layer_norm(size_t n, const float *x, const float *weight, const float *bias, double epsilon, float *ret_y)
{
    const double mean = sum(n, x) / (double)n;
    const double scale = 1 / sqrt(sum_of_squares(n, x, mean) / (double)n + epsilon);
    for (size_t i = 0; i < n; i++)
        ret_y[i] = (float)(((double)x[i] - mean) * scale) * weight[i] + bias[i];
}

/* A comparison of floats keeps compilers from making vectors, because a NaN in it may trap, and some turn a choice into
 * a branch. So the choices below are made on the bits: among floats without sign they are ordered as the numbers are,
 * NaN above infinity. all_ones: every bit set where x is negative, else none. */
static inline int32_t bits_of(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float of_bits(int32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline int32_t all_ones(int32_t x)
{
    return -(int32_t)((uint32_t)x >> 31);
}

static const int32_t no_sign = 0x7FFFFFFF, infinity_bits = 0x7F800000;

/* |x| or limit, whichever is smaller; limit for NaN. */
static inline float magnitude(float x, float limit)
{
    const int32_t above = (bits_of(x) & no_sign) - bits_of(limit);
    return of_bits(bits_of(limit) + (above & all_ones(above)));
}

static inline float positive_part(float x)
{
    return of_bits(bits_of(x) & ~all_ones(bits_of(x)));
}

/* x where x is NaN, else y */
static inline float nan_or(float x, float y)
{
    const int32_t is_nan = all_ones(infinity_bits - (bits_of(x) & no_sign));
    return of_bits((bits_of(x) & is_nan) | (bits_of(y) & ~is_nan));
}

/* e^t for t in [-87, 87], within 2 units in the last place: 2^k e^r with |r| <= log(2) / 2. */
static inline float exponential(float t)
{
    const float shift = 0x1.8p23f; /* adding it rounds to a whole number, which its low bits then hold */
    const float shifted = t * 1.44269504f + shift, k = shifted - shift;
    float r = t - k * 0.693359375f; /* exact: nine bits times a small whole number */
    r -= k * -2.12194440e-4f;
    /* minimax for (e^r - 1 - r) / r^2, error of e^r below 4e-9 */
    float q = 1.395080905e-3f;
    q = q * r + 8.369072911e-3f;
    q = q * r + 4.166620104e-2f;
    q = q * r + 1.666651731e-1f;
    q = q * r + 0.5f;
    const float e = 1 + (r + r * r * q);
    return e * of_bits((bits_of(shifted) - bits_of(shift) + 127) * (1 << 23));
}

static void gelu_tanh(size_t n, const float *bias, float *x)
{
    /* y/2 (1 + tanh u) = y / (1 + e^(-2u)), u = sqrt(2/pi) (y + 0.044715 y^3), written as max(y, 0) minus what is
     * the same on both sides of 0: |y| e^(-2|u|) / (1 + e^(-2|u|)). */
    for (size_t i = 0; i < n; i++) {
        const float y = x[i] + bias[i], size = magnitude(y, 9.0f);
        const float e = exponential(size * (-1.59576912f - 0.0713548163f * (size * size)));
        x[i] = nan_or(y, positive_part(y) - size * e / (1 + e));
    }
}

static void gelu_erf(size_t n, const float *bias, float *x)
{
    /* y Phi(y) = max(y, 0) - |y| Phi(-|y|). With a = |y|: Phi(-a) = e^(-a^2/2) times a smooth function, minimax in
     * 1 / (1 + 0.35 a) on a in [0, 13], relative error below 4e-8. */
    for (size_t i = 0; i < n; i++) {
        const float y = x[i] + bias[i], size = magnitude(y, 12.6f), t = 1 / (1 + 0.35f * size);
        float q = -0.0290950899f;
        q = q * t + 0.143719520f;
        q = q * t - 0.255182204f;
        q = q * t + 0.158552290f;
        q = q * t - 0.0226707805f;
        q = q * t + 0.105316906f;
        q = q * t + 0.119882766f;
        q = q * t + 0.139854748f;
        q = q * t + 0.139621828f;
        x[i] = nan_or(y, positive_part(y) - size * (q * t * exponential(-0.5f * size * size)));
    }
}

const struct norm__row_functions NORM__ROWS = {add, layer_norm, gelu_tanh, gelu_erf};
