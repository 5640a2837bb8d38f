/* SPDX-License-Identifier: MIT */
/* The vector vocabulary in the compiler's own vectors, for any architecture: 4 floats or 2 doubles, no fused
 * multiply-add. What the machine has no instruction for the compiler takes apart. */
#ifndef NORM_KERNELS_VECTOR_PLAIN_H
#define NORM_KERNELS_VECTOR_PLAIN_H

#include <string.h>

#define NORM__VECTOR_FUSED 0
#define NORM__VECTOR __attribute__((vector_size(16)))

typedef float v32 NORM__VECTOR;
typedef double v64 NORM__VECTOR;
typedef int32_t m32 NORM__VECTOR;
typedef int64_t m64 NORM__VECTOR;
typedef uint32_t bits32 NORM__VECTOR;
typedef uint64_t bits64 NORM__VECTOR;
enum { v32_lanes = 4, v64_lanes = 2 };

/* -- float ----------------------------------------------------------------------------------------------------- */

NORM__INLINE v32 v32_set(float x)
{
    return (v32){x, x, x, x};
}
NORM__INLINE v32 v32_load(const float *p)
{
    v32 x;
    memcpy(&x, p, sizeof x);
    return x;
}
NORM__INLINE v32 v32_load_part(const float *p, size_t count, float fill)
{
    float part[4] = {fill, fill, fill, fill};
    for (size_t i = 0; i < count; i++)
        part[i] = p[i];
    return v32_load(part);
}
NORM__INLINE void v32_store(float *p, v32 x)
{
    memcpy(p, &x, sizeof x);
}
NORM__INLINE void v32_store_part(float *p, size_t count, v32 x)
{
    for (size_t i = 0; i < count; i++)
        p[i] = x[i];
}
NORM__INLINE v32 v32_add(v32 a, v32 b)
{
    return a + b;
}
NORM__INLINE v32 v32_sub(v32 a, v32 b)
{
    return a - b;
}
NORM__INLINE v32 v32_mul(v32 a, v32 b)
{
    return a * b;
}
NORM__INLINE v32 v32_fma(v32 a, v32 b, v32 c)
{
    return a * b + c;
}
NORM__INLINE v32 v32_fms(v32 a, v32 b, v32 c)
{
    return a * b - c;
}
NORM__INLINE v32 v32_max(v32 a, v32 b)
{
    m32 greater = a > b;
    return (v32)(((m32)a & greater) | ((m32)b & ~greater));
}
NORM__INLINE v32 v32_scale(v32 p, v32 t)
{
    return (v32)((bits32)p + ((bits32)t << 23));
}
NORM__INLINE v32 v32_zero_below(v32 x, v32 limit)
{
    return (v32)((m32)x & (x >= limit));
}
NORM__INLINE v32 v32_short(v32 x)
{
    return (v32)((bits32)x & ~(bits32){0xfff, 0xfff, 0xfff, 0xfff});
}
NORM__INLINE v32 v32_div(v32 a, v32 b)
{
    return a / b;
}
/* A square root of every lane, as the compiler knows it. */
NORM__INLINE v32 v32_sqrt(v32 x)
{
    return (v32){__builtin_sqrtf(x[0]), __builtin_sqrtf(x[1]), __builtin_sqrtf(x[2]), __builtin_sqrtf(x[3])};
}
NORM__INLINE v32 v32_if_above(v32 x, v32 limit, v32 y)
{
    return (v32)((m32)y & (x > limit));
}
NORM__INLINE int v32_any_above(v32 x, v32 limit)
{
    m64 halves = (m64)(x > limit);
    return (halves[0] | halves[1]) != 0;
}
NORM__INLINE size_t v32_keep_above(float *to, v32 x, v32 limit)
{
    const m32 above = x > limit;
    size_t kept = 0;
    for (size_t i = 0; i < 4; i++) {
        to[kept] = x[i];
        kept += above[i] & 1;
    }
    return kept;
}
NORM__INLINE v32 v32_significand(v32 p, v32 *ret_exponent)
{
    const bits32 half = {NORM__SQRT_HALF_F32, NORM__SQRT_HALF_F32, NORM__SQRT_HALF_F32, NORM__SQRT_HALF_F32};
    const bits32 shifted = (bits32)p - half, exponent = (shifted + NORM__EXPONENT_OFFSET_F32) >> 23;
    *ret_exponent = (v32)(exponent | NORM__TWO_23) - (0x1p23f + 128);
    return (v32)((shifted & NORM__SIGNIFICAND_F32) + half);
}
NORM__INLINE m32 m32_none(void)
{
    return (m32){0};
}
NORM__INLINE m32 m32_or(m32 a, m32 b)
{
    return a | b;
}
NORM__INLINE int m32_any(m32 a)
{
    m64 halves = (m64)a;
    return (halves[0] | halves[1]) != 0;
}
NORM__INLINE m32 v32_unordered(v32 a, v32 b)
{
    return (a != a) | (b != b);
}
NORM__INLINE float v32_first(v32 x)
{
    return x[0];
}
NORM__INLINE float v32_top(v32 x)
{
    float a = x[0] > x[1] ? x[0] : x[1], b = x[2] > x[3] ? x[2] : x[3];
    return a > b ? a : b;
}
NORM__INLINE v64 v32_low(v32 x)
{
    return (v64){x[0], x[1]};
}
NORM__INLINE v64 v32_high(v32 x)
{
    return (v64){x[2], x[3]};
}

/* -- double ---------------------------------------------------------------------------------------------------- */

NORM__INLINE v64 v64_set(double x)
{
    return (v64){x, x};
}
NORM__INLINE v64 v64_load(const double *p)
{
    v64 x;
    memcpy(&x, p, sizeof x);
    return x;
}
NORM__INLINE v64 v64_load_part(const double *p, size_t count, double fill)
{
    return (v64){count == 0 ? fill : *p, fill};
}
NORM__INLINE void v64_store(double *p, v64 x)
{
    memcpy(p, &x, sizeof x);
}
NORM__INLINE void v64_store_part(double *p, size_t count, v64 x)
{
    if (count != 0)
        *p = x[0];
}
NORM__INLINE v64 v64_load_f32(const float *p)
{
    return (v64){p[0], p[1]};
}
NORM__INLINE v64 v64_load_part_f32(const float *p, size_t count, float fill)
{
    return (v64){count == 0 ? fill : *p, fill};
}
NORM__INLINE void v64_store_f32(float *p, v64 x)
{
    p[0] = (float)x[0];
    p[1] = (float)x[1];
}
NORM__INLINE void v64_store_part_f32(float *p, size_t count, v64 x)
{
    if (count != 0)
        *p = (float)x[0];
}
NORM__INLINE v64 v64_add(v64 a, v64 b)
{
    return a + b;
}
NORM__INLINE v64 v64_sub(v64 a, v64 b)
{
    return a - b;
}
NORM__INLINE v64 v64_mul(v64 a, v64 b)
{
    return a * b;
}
NORM__INLINE v64 v64_div(v64 a, v64 b)
{
    return a / b;
}
NORM__INLINE v64 v64_fma(v64 a, v64 b, v64 c)
{
    return a * b + c;
}
NORM__INLINE v64 v64_fms(v64 a, v64 b, v64 c)
{
    return a * b - c;
}
NORM__INLINE v64 v64_max(v64 a, v64 b)
{
    m64 greater = a > b;
    return (v64)(((m64)a & greater) | ((m64)b & ~greater));
}
NORM__INLINE v64 v64_scale(v64 p, v64 t)
{
    return (v64)((bits64)p + ((bits64)t << 52));
}
NORM__INLINE v64 v64_zero_below(v64 x, v64 limit)
{
    return (v64)((m64)x & (x >= limit));
}
NORM__INLINE v64 v64_short(v64 x)
{
    return (v64)((bits64)x & ~(bits64){0x7ffffff, 0x7ffffff});
}
NORM__INLINE m64 m64_none(void)
{
    return (m64){0};
}
NORM__INLINE m64 m64_or(m64 a, m64 b)
{
    return a | b;
}
NORM__INLINE int m64_any(m64 a)
{
    return (a[0] | a[1]) != 0;
}
NORM__INLINE m64 v64_unordered(v64 a, v64 b)
{
    return (a != a) | (b != b);
}
NORM__INLINE double v64_first(v64 x)
{
    return x[0];
}
NORM__INLINE double v64_top(v64 x)
{
    return x[0] > x[1] ? x[0] : x[1];
}
NORM__INLINE double v64_sum(v64 x)
{
    return x[0] + x[1];
}
NORM__INLINE v64 v64_keep_minus_infinity(v64 z, v64 x)
{
    v64 minus_infinity = v64_set(-__builtin_inf());
    m64 keep = z == minus_infinity;
    return (v64)(((m64)minus_infinity & keep) | ((m64)x & ~keep));
}
NORM__INLINE v64 v64_significand(v64 p, v64 *ret_exponent)
{
    const bits64 half = {NORM__SQRT_HALF, NORM__SQRT_HALF};
    bits64 shifted = (bits64)p - half;
    bits64 exponent = (shifted + NORM__EXPONENT_OFFSET) >> 52;
    *ret_exponent = (v64)(exponent | NORM__TWO_52) - (0x1p52 + 1024);
    return (v64)((shifted & NORM__SIGNIFICAND) + half);
}

#endif
