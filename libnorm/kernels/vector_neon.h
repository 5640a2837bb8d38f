/* SPDX-License-Identifier: MIT */
/* The vector vocabulary in Advanced SIMD as every aarch64 has it: 4 floats or 2 doubles. */
#ifndef NORM_KERNELS_VECTOR_NEON_H
#define NORM_KERNELS_VECTOR_NEON_H

#include <arm_neon.h>

#define NORM__VECTOR_FUSED 1

typedef float32x4_t v32;
typedef float64x2_t v64;
typedef uint32x4_t m32;
typedef uint64x2_t m64;
enum { v32_lanes = 4, v64_lanes = 2 };

/* -- float ----------------------------------------------------------------------------------------------------- */

NORM__INLINE v32 v32_set(float x)
{
    return vdupq_n_f32(x);
}
NORM__INLINE v32 v32_load(const float *p)
{
    return vld1q_f32(p);
}
NORM__INLINE v32 v32_load_part(const float *p, size_t count, float fill)
{
    float part[4] = {fill, fill, fill, fill};
    for (size_t i = 0; i < count; i++)
        part[i] = p[i];
    return vld1q_f32(part);
}
NORM__INLINE void v32_store(float *p, v32 x)
{
    vst1q_f32(p, x);
}
NORM__INLINE void v32_store_part(float *p, size_t count, v32 x)
{
    float part[4];
    vst1q_f32(part, x);
    for (size_t i = 0; i < count; i++)
        p[i] = part[i];
}
NORM__INLINE v32 v32_add(v32 a, v32 b)
{
    return vaddq_f32(a, b);
}
NORM__INLINE v32 v32_sub(v32 a, v32 b)
{
    return vsubq_f32(a, b);
}
NORM__INLINE v32 v32_mul(v32 a, v32 b)
{
    return vmulq_f32(a, b);
}
NORM__INLINE v32 v32_fma(v32 a, v32 b, v32 c)
{
    return vfmaq_f32(c, a, b);
}
NORM__INLINE v32 v32_fms(v32 a, v32 b, v32 c)
{
    return vnegq_f32(vfmsq_f32(c, a, b));
}
NORM__INLINE v32 v32_max(v32 a, v32 b)
{
    return vmaxq_f32(a, b);
}
NORM__INLINE v32 v32_scale(v32 p, v32 t)
{
    return vreinterpretq_f32_u32(vaddq_u32(vreinterpretq_u32_f32(p), vshlq_n_u32(vreinterpretq_u32_f32(t), 23)));
}
NORM__INLINE v32 v32_zero_below(v32 x, v32 limit)
{
    return vreinterpretq_f32_u32(vandq_u32(vcgeq_f32(x, limit), vreinterpretq_u32_f32(x)));
}
NORM__INLINE v32 v32_div(v32 a, v32 b)
{
    return vdivq_f32(a, b);
}
NORM__INLINE v32 v32_sqrt(v32 x)
{
    return vsqrtq_f32(x);
}
NORM__INLINE v32 v32_if_above(v32 x, v32 limit, v32 y)
{
    return vreinterpretq_f32_u32(vandq_u32(vcgtq_f32(x, limit), vreinterpretq_u32_f32(y)));
}
NORM__INLINE int v32_any_above(v32 x, v32 limit)
{
    return vmaxvq_u32(vcgtq_f32(x, limit)) != 0;
}
NORM__INLINE size_t v32_keep_above(float *to, v32 x, v32 limit)
{
    float lane[4];
    uint32_t above[4];
    size_t kept = 0;
    vst1q_f32(lane, x);
    vst1q_u32(above, vcgtq_f32(x, limit));
    for (size_t i = 0; i < 4; i++) {
        to[kept] = lane[i];
        kept += above[i] & 1;
    }
    return kept;
}
NORM__INLINE v32 v32_significand(v32 p, v32 *ret_exponent)
{
    const uint32x4_t half = vdupq_n_u32(NORM__SQRT_HALF_F32);
    uint32x4_t shifted = vsubq_u32(vreinterpretq_u32_f32(p), half);
    *ret_exponent = vcvtq_f32_s32(vshrq_n_s32(vreinterpretq_s32_u32(shifted), 23));
    return vreinterpretq_f32_u32(vaddq_u32(vandq_u32(shifted, vdupq_n_u32(NORM__SIGNIFICAND_F32)), half));
}
NORM__INLINE m32 m32_none(void)
{
    return vdupq_n_u32(0);
}
NORM__INLINE m32 m32_or(m32 a, m32 b)
{
    return vorrq_u32(a, b);
}
NORM__INLINE int m32_any(m32 a)
{
    return vmaxvq_u32(a) != 0;
}
NORM__INLINE m32 v32_unordered(v32 a, v32 b)
{
    return vmvnq_u32(vandq_u32(vceqq_f32(a, a), vceqq_f32(b, b)));
}
NORM__INLINE float v32_first(v32 x)
{
    return vgetq_lane_f32(x, 0);
}
NORM__INLINE float v32_top(v32 x)
{
    return vmaxvq_f32(x);
}
NORM__INLINE v64 v32_low(v32 x)
{
    return vcvt_f64_f32(vget_low_f32(x));
}
NORM__INLINE v64 v32_high(v32 x)
{
    return vcvt_high_f64_f32(x);
}

/* -- double ---------------------------------------------------------------------------------------------------- */

NORM__INLINE v64 v64_set(double x)
{
    return vdupq_n_f64(x);
}
NORM__INLINE v64 v64_load(const double *p)
{
    return vld1q_f64(p);
}
NORM__INLINE v64 v64_load_part(const double *p, size_t count, double fill)
{
    return count == 0 ? vdupq_n_f64(fill) : vsetq_lane_f64(*p, vdupq_n_f64(fill), 0);
}
NORM__INLINE void v64_store(double *p, v64 x)
{
    vst1q_f64(p, x);
}
NORM__INLINE void v64_store_part(double *p, size_t count, v64 x)
{
    if (count != 0)
        vst1q_lane_f64(p, x, 0);
}
NORM__INLINE v64 v64_load_f32(const float *p)
{
    return vcvt_f64_f32(vld1_f32(p));
}
NORM__INLINE v64 v64_load_part_f32(const float *p, size_t count, float fill)
{
    return vsetq_lane_f64(count == 0 ? (double)fill : (double)*p, vdupq_n_f64((double)fill), 0);
}
NORM__INLINE void v64_store_f32(float *p, v64 x)
{
    vst1_f32(p, vcvt_f32_f64(x));
}
NORM__INLINE void v64_store_part_f32(float *p, size_t count, v64 x)
{
    if (count != 0)
        vst1_lane_f32(p, vcvt_f32_f64(x), 0);
}
NORM__INLINE v64 v64_add(v64 a, v64 b)
{
    return vaddq_f64(a, b);
}
NORM__INLINE v64 v64_sub(v64 a, v64 b)
{
    return vsubq_f64(a, b);
}
NORM__INLINE v64 v64_mul(v64 a, v64 b)
{
    return vmulq_f64(a, b);
}
NORM__INLINE v64 v64_div(v64 a, v64 b)
{
    return vdivq_f64(a, b);
}
NORM__INLINE v64 v64_fma(v64 a, v64 b, v64 c)
{
    return vfmaq_f64(c, a, b);
}
NORM__INLINE v64 v64_fms(v64 a, v64 b, v64 c)
{
    return vnegq_f64(vfmsq_f64(c, a, b));
}
NORM__INLINE v64 v64_max(v64 a, v64 b)
{
    return vmaxq_f64(a, b);
}
NORM__INLINE v64 v64_scale(v64 p, v64 t)
{
    return vreinterpretq_f64_u64(vaddq_u64(vreinterpretq_u64_f64(p), vshlq_n_u64(vreinterpretq_u64_f64(t), 52)));
}
NORM__INLINE v64 v64_zero_below(v64 x, v64 limit)
{
    return vreinterpretq_f64_u64(vandq_u64(vcgeq_f64(x, limit), vreinterpretq_u64_f64(x)));
}
NORM__INLINE m64 m64_none(void)
{
    return vdupq_n_u64(0);
}
NORM__INLINE m64 m64_or(m64 a, m64 b)
{
    return vorrq_u64(a, b);
}
NORM__INLINE int m64_any(m64 a)
{
    return (vgetq_lane_u64(a, 0) | vgetq_lane_u64(a, 1)) != 0;
}
NORM__INLINE m64 v64_unordered(v64 a, v64 b)
{
    return vreinterpretq_u64_u32(vmvnq_u32(vreinterpretq_u32_u64(vandq_u64(vceqq_f64(a, a), vceqq_f64(b, b)))));
}
NORM__INLINE double v64_first(v64 x)
{
    return vgetq_lane_f64(x, 0);
}
NORM__INLINE double v64_top(v64 x)
{
    return vmaxvq_f64(x);
}
NORM__INLINE double v64_sum(v64 x)
{
    return vaddvq_f64(x);
}
NORM__INLINE v64 v64_keep_minus_infinity(v64 z, v64 x)
{
    float64x2_t minus_infinity = vdupq_n_f64(-__builtin_inf());
    return vbslq_f64(vceqq_f64(z, minus_infinity), minus_infinity, x);
}
NORM__INLINE v64 v64_significand(v64 p, v64 *ret_exponent)
{
    const uint64x2_t half = vdupq_n_u64(NORM__SQRT_HALF);
    uint64x2_t shifted = vsubq_u64(vreinterpretq_u64_f64(p), half);
    uint64x2_t exponent = vshrq_n_u64(vaddq_u64(shifted, vdupq_n_u64(NORM__EXPONENT_OFFSET)), 52);
    *ret_exponent =
        vsubq_f64(vreinterpretq_f64_u64(vorrq_u64(exponent, vdupq_n_u64(NORM__TWO_52))), vdupq_n_f64(0x1p52 + 1024));
    return vreinterpretq_f64_u64(vaddq_u64(vandq_u64(shifted, vdupq_n_u64(NORM__SIGNIFICAND)), half));
}

#endif
