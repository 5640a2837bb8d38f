/* SPDX-License-Identifier: MIT */
/* The vector vocabulary in AVX-512 F, DQ, BW and VL: 16 floats or 8 doubles. */
#ifndef NORM_KERNELS_VECTOR_AVX512_H
#define NORM_KERNELS_VECTOR_AVX512_H

#include <immintrin.h>

#define NORM__VECTOR_FUSED 1

typedef __m512 v32;
typedef __m512d v64;
typedef __mmask16 m32;
typedef __mmask8 m64;
enum { v32_lanes = 16, v64_lanes = 8 };

NORM__INLINE __mmask16 first_lanes(size_t count)
{
    return (__mmask16)((1u << count) - 1u);
}

/* -- float ----------------------------------------------------------------------------------------------------- */

NORM__INLINE v32 v32_set(float x)
{
    return _mm512_set1_ps(x);
}
NORM__INLINE v32 v32_load(const float *p)
{
    return _mm512_loadu_ps(p);
}
NORM__INLINE v32 v32_load_part(const float *p, size_t count, float fill)
{
    return _mm512_mask_loadu_ps(_mm512_set1_ps(fill), first_lanes(count), p);
}
NORM__INLINE void v32_store(float *p, v32 x)
{
    _mm512_storeu_ps(p, x);
}
NORM__INLINE void v32_store_part(float *p, size_t count, v32 x)
{
    _mm512_mask_storeu_ps(p, first_lanes(count), x);
}
NORM__INLINE v32 v32_add(v32 a, v32 b)
{
    return _mm512_add_ps(a, b);
}
NORM__INLINE v32 v32_sub(v32 a, v32 b)
{
    return _mm512_sub_ps(a, b);
}
NORM__INLINE v32 v32_mul(v32 a, v32 b)
{
    return _mm512_mul_ps(a, b);
}
NORM__INLINE v32 v32_fma(v32 a, v32 b, v32 c)
{
    return _mm512_fmadd_ps(a, b, c);
}
NORM__INLINE v32 v32_fms(v32 a, v32 b, v32 c)
{
    return _mm512_fmsub_ps(a, b, c);
}
NORM__INLINE v32 v32_max(v32 a, v32 b)
{
    return _mm512_max_ps(a, b);
}
NORM__INLINE v32 v32_scale(v32 p, v32 t)
{
    return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(p), _mm512_slli_epi32(_mm512_castps_si512(t), 23)));
}
NORM__INLINE v32 v32_zero_below(v32 x, v32 limit)
{
    return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(x, limit, _CMP_GE_OQ), x);
}
NORM__INLINE v32 v32_div(v32 a, v32 b)
{
    return _mm512_div_ps(a, b);
}
NORM__INLINE v32 v32_sqrt(v32 x)
{
    return _mm512_sqrt_ps(x);
}
NORM__INLINE v32 v32_if_above(v32 x, v32 limit, v32 y)
{
    return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(x, limit, _CMP_GT_OQ), y);
}
NORM__INLINE int v32_any_above(v32 x, v32 limit)
{
    return _mm512_cmp_ps_mask(x, limit, _CMP_GT_OQ) != 0;
}
/* Compressed in a register: some processors take a hundred cycles to compress into memory. */
NORM__INLINE size_t v32_keep_above(float *to, v32 x, v32 limit)
{
    const __mmask16 above = _mm512_cmp_ps_mask(x, limit, _CMP_GT_OQ);
    _mm512_storeu_ps(to, _mm512_maskz_compress_ps(above, x));
    return (size_t)__builtin_popcount(above);
}
NORM__INLINE v32 v32_significand(v32 p, v32 *ret_exponent)
{
    const __m512i half = _mm512_set1_epi32((int32_t)NORM__SQRT_HALF_F32);
    __m512i shifted = _mm512_sub_epi32(_mm512_castps_si512(p), half);
    *ret_exponent = _mm512_cvtepi32_ps(_mm512_srai_epi32(shifted, 23));
    return _mm512_castsi512_ps(
        _mm512_add_epi32(_mm512_and_si512(shifted, _mm512_set1_epi32((int32_t)NORM__SIGNIFICAND_F32)), half));
}
NORM__INLINE m32 m32_none(void)
{
    return 0;
}
NORM__INLINE m32 m32_or(m32 a, m32 b)
{
    return (m32)(a | b);
}
NORM__INLINE int m32_any(m32 a)
{
    return a != 0;
}
NORM__INLINE m32 v32_unordered(v32 a, v32 b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q);
}
NORM__INLINE float v32_first(v32 x)
{
    return _mm512_cvtss_f32(x);
}
NORM__INLINE float v32_top(v32 x)
{
    return _mm512_reduce_max_ps(x);
}
NORM__INLINE v64 v32_low(v32 x)
{
    return _mm512_cvtps_pd(_mm512_castps512_ps256(x));
}
NORM__INLINE v64 v32_high(v32 x)
{
    return _mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1));
}

/* -- double ---------------------------------------------------------------------------------------------------- */

NORM__INLINE v64 v64_set(double x)
{
    return _mm512_set1_pd(x);
}
NORM__INLINE v64 v64_load(const double *p)
{
    return _mm512_loadu_pd(p);
}
NORM__INLINE v64 v64_load_part(const double *p, size_t count, double fill)
{
    return _mm512_mask_loadu_pd(_mm512_set1_pd(fill), (__mmask8)first_lanes(count), p);
}
NORM__INLINE void v64_store(double *p, v64 x)
{
    _mm512_storeu_pd(p, x);
}
NORM__INLINE void v64_store_part(double *p, size_t count, v64 x)
{
    _mm512_mask_storeu_pd(p, (__mmask8)first_lanes(count), x);
}
NORM__INLINE v64 v64_load_f32(const float *p)
{
    return _mm512_cvtps_pd(_mm256_loadu_ps(p));
}
NORM__INLINE v64 v64_load_part_f32(const float *p, size_t count, float fill)
{
    return _mm512_cvtps_pd(_mm256_mask_loadu_ps(_mm256_set1_ps(fill), (__mmask8)first_lanes(count), p));
}
NORM__INLINE void v64_store_f32(float *p, v64 x)
{
    _mm256_storeu_ps(p, _mm512_cvtpd_ps(x));
}
NORM__INLINE void v64_store_part_f32(float *p, size_t count, v64 x)
{
    _mm256_mask_storeu_ps(p, (__mmask8)first_lanes(count), _mm512_cvtpd_ps(x));
}
NORM__INLINE v64 v64_add(v64 a, v64 b)
{
    return _mm512_add_pd(a, b);
}
NORM__INLINE v64 v64_sub(v64 a, v64 b)
{
    return _mm512_sub_pd(a, b);
}
NORM__INLINE v64 v64_mul(v64 a, v64 b)
{
    return _mm512_mul_pd(a, b);
}
NORM__INLINE v64 v64_div(v64 a, v64 b)
{
    return _mm512_div_pd(a, b);
}
NORM__INLINE v64 v64_fma(v64 a, v64 b, v64 c)
{
    return _mm512_fmadd_pd(a, b, c);
}
NORM__INLINE v64 v64_fms(v64 a, v64 b, v64 c)
{
    return _mm512_fmsub_pd(a, b, c);
}
NORM__INLINE v64 v64_max(v64 a, v64 b)
{
    return _mm512_max_pd(a, b);
}
NORM__INLINE v64 v64_scale(v64 p, v64 t)
{
    return _mm512_castsi512_pd(_mm512_add_epi64(_mm512_castpd_si512(p), _mm512_slli_epi64(_mm512_castpd_si512(t), 52)));
}
NORM__INLINE v64 v64_zero_below(v64 x, v64 limit)
{
    return _mm512_maskz_mov_pd(_mm512_cmp_pd_mask(x, limit, _CMP_GE_OQ), x);
}
NORM__INLINE m64 m64_none(void)
{
    return 0;
}
NORM__INLINE m64 m64_or(m64 a, m64 b)
{
    return (m64)(a | b);
}
NORM__INLINE int m64_any(m64 a)
{
    return a != 0;
}
NORM__INLINE m64 v64_unordered(v64 a, v64 b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_UNORD_Q);
}
NORM__INLINE double v64_first(v64 x)
{
    return _mm512_cvtsd_f64(x);
}
NORM__INLINE double v64_top(v64 x)
{
    return _mm512_reduce_max_pd(x);
}
NORM__INLINE double v64_sum(v64 x)
{
    return _mm512_reduce_add_pd(x);
}
NORM__INLINE v64 v64_keep_minus_infinity(v64 z, v64 x)
{
    __m512d minus_infinity = _mm512_set1_pd(-__builtin_inf());
    return _mm512_mask_mov_pd(x, _mm512_cmp_pd_mask(z, minus_infinity, _CMP_EQ_OQ), minus_infinity);
}
NORM__INLINE v64 v64_significand(v64 p, v64 *ret_exponent)
{
    const __m512i half = _mm512_set1_epi64((int64_t)NORM__SQRT_HALF);
    __m512i shifted = _mm512_sub_epi64(_mm512_castpd_si512(p), half);
    __m512i exponent =
        _mm512_srli_epi64(_mm512_add_epi64(shifted, _mm512_set1_epi64((int64_t)NORM__EXPONENT_OFFSET)), 52);
    *ret_exponent =
        _mm512_sub_pd(_mm512_castsi512_pd(_mm512_or_si512(exponent, _mm512_set1_epi64((int64_t)NORM__TWO_52))),
                      _mm512_set1_pd(0x1p52 + 1024));
    return _mm512_castsi512_pd(
        _mm512_add_epi64(_mm512_and_si512(shifted, _mm512_set1_epi64((int64_t)NORM__SIGNIFICAND)), half));
}

#endif
