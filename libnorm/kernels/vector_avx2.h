/* SPDX-License-Identifier: MIT */
/* The vector vocabulary in AVX2 and FMA: 8 floats or 4 doubles. */
#ifndef NORM_KERNELS_VECTOR_AVX2_H
#define NORM_KERNELS_VECTOR_AVX2_H

#include <immintrin.h>

#include "kernels/compress_avx2.h"

#define NORM__VECTOR_FUSED 1

typedef __m256 v32;
typedef __m256d v64;
typedef __m256 m32;
typedef __m256d m64;
enum { v32_lanes = 8, v64_lanes = 4 };

NORM__INLINE __m256i first_of_8(size_t count)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
NORM__INLINE __m256i first_of_4(size_t count)
{
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x((int64_t)count), _mm256_setr_epi64x(0, 1, 2, 3));
}
NORM__INLINE __m128i first_of_4_floats(size_t count)
{
    return _mm_cmpgt_epi32(_mm_set1_epi32((int)count), _mm_setr_epi32(0, 1, 2, 3));
}

/* -- float ----------------------------------------------------------------------------------------------------- */

NORM__INLINE v32 v32_set(float x)
{
    return _mm256_set1_ps(x);
}
NORM__INLINE v32 v32_load(const float *p)
{
    return _mm256_loadu_ps(p);
}
NORM__INLINE v32 v32_load_part(const float *p, size_t count, float fill)
{
    __m256i first = first_of_8(count);
    return _mm256_blendv_ps(_mm256_set1_ps(fill), _mm256_maskload_ps(p, first), _mm256_castsi256_ps(first));
}
NORM__INLINE void v32_store(float *p, v32 x)
{
    _mm256_storeu_ps(p, x);
}
NORM__INLINE void v32_store_part(float *p, size_t count, v32 x)
{
    _mm256_maskstore_ps(p, first_of_8(count), x);
}
NORM__INLINE v32 v32_add(v32 a, v32 b)
{
    return _mm256_add_ps(a, b);
}
NORM__INLINE v32 v32_sub(v32 a, v32 b)
{
    return _mm256_sub_ps(a, b);
}
NORM__INLINE v32 v32_mul(v32 a, v32 b)
{
    return _mm256_mul_ps(a, b);
}
NORM__INLINE v32 v32_fma(v32 a, v32 b, v32 c)
{
    return _mm256_fmadd_ps(a, b, c);
}
NORM__INLINE v32 v32_fms(v32 a, v32 b, v32 c)
{
    return _mm256_fmsub_ps(a, b, c);
}
NORM__INLINE v32 v32_max(v32 a, v32 b)
{
    return _mm256_max_ps(a, b);
}
NORM__INLINE v32 v32_scale(v32 p, v32 t)
{
    return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(p), _mm256_slli_epi32(_mm256_castps_si256(t), 23)));
}
NORM__INLINE v32 v32_zero_below(v32 x, v32 limit)
{
    return _mm256_and_ps(_mm256_cmp_ps(x, limit, _CMP_GE_OQ), x);
}
NORM__INLINE v32 v32_div(v32 a, v32 b)
{
    return _mm256_div_ps(a, b);
}
NORM__INLINE v32 v32_sqrt(v32 x)
{
    return _mm256_sqrt_ps(x);
}
NORM__INLINE v32 v32_if_above(v32 x, v32 limit, v32 y)
{
    return _mm256_and_ps(_mm256_cmp_ps(x, limit, _CMP_GT_OQ), y);
}
NORM__INLINE int v32_any_above(v32 x, v32 limit)
{
    return _mm256_movemask_ps(_mm256_cmp_ps(x, limit, _CMP_GT_OQ)) != 0;
}
NORM__INLINE size_t v32_keep_above(float *to, v32 x, v32 limit)
{
    const unsigned above = (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(x, limit, _CMP_GT_OQ));
    const __m256i lanes = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((int64_t)lanes_of_set[above]));
    _mm256_storeu_ps(to, _mm256_permutevar8x32_ps(x, lanes));
    return (size_t)__builtin_popcount(above);
}
NORM__INLINE v32 v32_significand(v32 p, v32 *ret_exponent)
{
    const __m256i half = _mm256_set1_epi32((int32_t)NORM__SQRT_HALF_F32);
    __m256i shifted = _mm256_sub_epi32(_mm256_castps_si256(p), half);
    *ret_exponent = _mm256_cvtepi32_ps(_mm256_srai_epi32(shifted, 23));
    return _mm256_castsi256_ps(
        _mm256_add_epi32(_mm256_and_si256(shifted, _mm256_set1_epi32((int32_t)NORM__SIGNIFICAND_F32)), half));
}
NORM__INLINE m32 m32_none(void)
{
    return _mm256_setzero_ps();
}
NORM__INLINE m32 m32_or(m32 a, m32 b)
{
    return _mm256_or_ps(a, b);
}
NORM__INLINE int m32_any(m32 a)
{
    return _mm256_movemask_ps(a) != 0;
}
NORM__INLINE m32 v32_unordered(v32 a, v32 b)
{
    return _mm256_cmp_ps(a, b, _CMP_UNORD_Q);
}
NORM__INLINE float v32_first(v32 x)
{
    return _mm256_cvtss_f32(x);
}
NORM__INLINE float v32_top(v32 x)
{
    __m128 y = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    y = _mm_max_ps(y, _mm_movehl_ps(y, y));
    return _mm_cvtss_f32(_mm_max_ss(y, _mm_shuffle_ps(y, y, 1)));
}
NORM__INLINE v64 v32_low(v32 x)
{
    return _mm256_cvtps_pd(_mm256_castps256_ps128(x));
}
NORM__INLINE v64 v32_high(v32 x)
{
    return _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1));
}

/* -- double ---------------------------------------------------------------------------------------------------- */

NORM__INLINE v64 v64_set(double x)
{
    return _mm256_set1_pd(x);
}
NORM__INLINE v64 v64_load(const double *p)
{
    return _mm256_loadu_pd(p);
}
NORM__INLINE v64 v64_load_part(const double *p, size_t count, double fill)
{
    __m256i first = first_of_4(count);
    return _mm256_blendv_pd(_mm256_set1_pd(fill), _mm256_maskload_pd(p, first), _mm256_castsi256_pd(first));
}
NORM__INLINE void v64_store(double *p, v64 x)
{
    _mm256_storeu_pd(p, x);
}
NORM__INLINE void v64_store_part(double *p, size_t count, v64 x)
{
    _mm256_maskstore_pd(p, first_of_4(count), x);
}
NORM__INLINE v64 v64_load_f32(const float *p)
{
    return _mm256_cvtps_pd(_mm_loadu_ps(p));
}
NORM__INLINE v64 v64_load_part_f32(const float *p, size_t count, float fill)
{
    __m128i first = first_of_4_floats(count);
    return _mm256_cvtps_pd(_mm_blendv_ps(_mm_set1_ps(fill), _mm_maskload_ps(p, first), _mm_castsi128_ps(first)));
}
NORM__INLINE void v64_store_f32(float *p, v64 x)
{
    _mm_storeu_ps(p, _mm256_cvtpd_ps(x));
}
NORM__INLINE void v64_store_part_f32(float *p, size_t count, v64 x)
{
    _mm_maskstore_ps(p, first_of_4_floats(count), _mm256_cvtpd_ps(x));
}
NORM__INLINE v64 v64_add(v64 a, v64 b)
{
    return _mm256_add_pd(a, b);
}
NORM__INLINE v64 v64_sub(v64 a, v64 b)
{
    return _mm256_sub_pd(a, b);
}
NORM__INLINE v64 v64_mul(v64 a, v64 b)
{
    return _mm256_mul_pd(a, b);
}
NORM__INLINE v64 v64_div(v64 a, v64 b)
{
    return _mm256_div_pd(a, b);
}
NORM__INLINE v64 v64_fma(v64 a, v64 b, v64 c)
{
    return _mm256_fmadd_pd(a, b, c);
}
NORM__INLINE v64 v64_fms(v64 a, v64 b, v64 c)
{
    return _mm256_fmsub_pd(a, b, c);
}
NORM__INLINE v64 v64_max(v64 a, v64 b)
{
    return _mm256_max_pd(a, b);
}
NORM__INLINE v64 v64_scale(v64 p, v64 t)
{
    return _mm256_castsi256_pd(_mm256_add_epi64(_mm256_castpd_si256(p), _mm256_slli_epi64(_mm256_castpd_si256(t), 52)));
}
NORM__INLINE v64 v64_zero_below(v64 x, v64 limit)
{
    return _mm256_and_pd(_mm256_cmp_pd(x, limit, _CMP_GE_OQ), x);
}
NORM__INLINE m64 m64_none(void)
{
    return _mm256_setzero_pd();
}
NORM__INLINE m64 m64_or(m64 a, m64 b)
{
    return _mm256_or_pd(a, b);
}
NORM__INLINE int m64_any(m64 a)
{
    return _mm256_movemask_pd(a) != 0;
}
NORM__INLINE m64 v64_unordered(v64 a, v64 b)
{
    return _mm256_cmp_pd(a, b, _CMP_UNORD_Q);
}
NORM__INLINE double v64_first(v64 x)
{
    return _mm256_cvtsd_f64(x);
}
NORM__INLINE double v64_top(v64 x)
{
    __m128d y = _mm_max_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));
    return _mm_cvtsd_f64(_mm_max_sd(y, _mm_unpackhi_pd(y, y)));
}
NORM__INLINE double v64_sum(v64 x)
{
    __m128d y = _mm_add_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));
    return _mm_cvtsd_f64(_mm_add_sd(y, _mm_unpackhi_pd(y, y)));
}
NORM__INLINE v64 v64_keep_minus_infinity(v64 z, v64 x)
{
    __m256d minus_infinity = _mm256_set1_pd(-__builtin_inf());
    return _mm256_blendv_pd(x, minus_infinity, _mm256_cmp_pd(z, minus_infinity, _CMP_EQ_OQ));
}
NORM__INLINE v64 v64_significand(v64 p, v64 *ret_exponent)
{
    const __m256i half = _mm256_set1_epi64x((int64_t)NORM__SQRT_HALF);
    __m256i shifted = _mm256_sub_epi64(_mm256_castpd_si256(p), half);
    __m256i exponent =
        _mm256_srli_epi64(_mm256_add_epi64(shifted, _mm256_set1_epi64x((int64_t)NORM__EXPONENT_OFFSET)), 52);
    *ret_exponent =
        _mm256_sub_pd(_mm256_castsi256_pd(_mm256_or_si256(exponent, _mm256_set1_epi64x((int64_t)NORM__TWO_52))),
                      _mm256_set1_pd(0x1p52 + 1024));
    return _mm256_castsi256_pd(
        _mm256_add_epi64(_mm256_and_si256(shifted, _mm256_set1_epi64x((int64_t)NORM__SIGNIFICAND)), half));
}

#endif
