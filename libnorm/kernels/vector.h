/* SPDX-License-Identifier: MIT */
/* The vector vocabulary: one header an instruction set, the same words in each, chosen by NORM__VECTOR_... of the file
 * that is compiled. Everything is static, so that no code for a wider machine can leak into a shared function.
 *
 * v32, v64        vectors of float and of double; v32 holds twice as many lanes (v32_lanes, v64_lanes)
 * m32, m64        a truth value a lane
 * _load_part      count < lanes elements, the other lanes hold fill; nothing beyond is read. _store_part likewise
 * _fma, _fms      a b + c and a b - c, rounded once where NORM__VECTOR_FUSED is 1, else twice
 * _max            either operand where one is NaN
 * _scale(p, t)    p 2^k for t = k + 1.5 * 2^(digits of the type - 2), as long as p 2^k is normal
 * _zero_below     x where x >= limit, else 0
 * _unordered      where a or b is NaN
 * _first, _top    lane 0; the largest lane; v64_sum: of the lanes
 * _low, _high     the halves of a v32, as double
 * v64_..._f32     load and store that convert from and to float
 * _keep_minus_infinity(z, x)   -inf where z is -inf, else x
 * v64_significand(p, &e)       p = m 2^e with m in [sqrt(1/2), sqrt(2)) for normal p > 0; finite for 0 and subnormal p
 * v32_significand(p, &e)       the same for floats
 * v32_if_above(x, limit, y)    y where x > limit, else 0; v32_any_above(x, limit): whether there is one
 * v32_keep_above(to, x, limit) the lanes > limit, in their order, to to[0] ...; returns how many. All lanes of to may
 *                 be written; to may be where x was loaded from, or before
 * v32_short(x)    x with the low 12 of its 24 bits cleared; v64_short: the low 27 of 53 (where not FUSED) */
#ifndef NORM_KERNELS_VECTOR_H
#define NORM_KERNELS_VECTOR_H

#include <stddef.h>
#include <stdint.h>

/* What is small but is called in several loops must still be inline, or its constants are loaded in every turn. */
#if defined(__GNUC__)
#define NORM__INLINE static inline __attribute__((always_inline))
#define NORM__FETCH_TO_WRITE(p) __builtin_prefetch((p), 1)
#else
#define NORM__INLINE static inline
#define NORM__FETCH_TO_WRITE(p) ((void)(p))
#endif

/* The parts of sqrt(1/2) that the significands are cut with. */
#define NORM__SQRT_HALF UINT64_C(0x3fe6a09e667f3bcd)
#define NORM__SQRT_HALF_F32 UINT32_C(0x3f3504f3)
#define NORM__EXPONENT_OFFSET_F32 UINT32_C(0x40000000) /* likewise: 128 */
#define NORM__SIGNIFICAND_F32 UINT32_C(0x007fffff)
#define NORM__TWO_23 UINT32_C(0x4b000000)
#define NORM__EXPONENT_OFFSET UINT64_C(0x4000000000000000) /* keeps the difference of exponents positive: 1024 */
#define NORM__SIGNIFICAND UINT64_C(0x000fffffffffffff)
#define NORM__TWO_52 UINT64_C(0x4330000000000000)

#if defined(NORM__VECTOR_AVX512)
#include "vector_avx512.h"
#elif defined(NORM__VECTOR_AVX2)
#include "vector_avx2.h"
#elif defined(NORM__VECTOR_NEON)
#include "vector_neon.h"
#else
#include "vector_plain.h"
#endif

#endif
