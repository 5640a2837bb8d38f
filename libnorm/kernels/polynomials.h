/* SPDX-License-Identifier: MIT */
/* 2^x and p log p in the vector vocabulary. The coefficients minimise the largest relative error (Remez exchange). */
#ifndef NORM_KERNELS_POLYNOMIALS_H
#define NORM_KERNELS_POLYNOMIALS_H

#include "kernels/vector.h"

#define NORM__LN2 0x1.62e42fefa39efp-1

/* 2^x for |x| <= 1/2 + 2^-10: 1 exactly at 0, relative error of the polynomial 2^-28.9. */
NORM__INLINE v32 exp2_f32(v32 x)
{
    v32 q = v32_fma(v32_set(0x1.41faf6p-13f), x, v32_set(0x1.5f4004p-10f));
    q = v32_fma(q, x, v32_set(0x1.3b2d52p-7f));
    q = v32_fma(q, x, v32_set(0x1.c6aee6p-5f));
    q = v32_fma(q, x, v32_set(0x1.ebfbdcp-3f));
    q = v32_fma(q, x, v32_set(0x1.62e430p-1f));
    return v32_fma(q, x, v32_set(1));
}

/* The same with 2^-58. */
NORM__INLINE v64 exp2_f64(v64 x)
{
    v64 q = v64_fma(v64_set(0x1.e79a7deeb0243p-32), x, v64_set(0x1.e61c9a932b170p-28));
    q = v64_fma(q, x, v64_set(0x1.b5267f67319aep-24));
    q = v64_fma(q, x, v64_set(0x1.62bfc6e8772a1p-20));
    q = v64_fma(q, x, v64_set(0x1.ffcbfba76eae2p-17));
    q = v64_fma(q, x, v64_set(0x1.4309130f1bfd2p-13));
    q = v64_fma(q, x, v64_set(0x1.5d87fe78ce0a5p-10));
    q = v64_fma(q, x, v64_set(0x1.3b2ab6fb9ffe4p-7));
    q = v64_fma(q, x, v64_set(0x1.c6b08d7049fe4p-5));
    q = v64_fma(q, x, v64_set(0x1.ebfbdff82c5a5p-3));
    q = v64_fma(q, x, v64_set(0x1.62e42fefa39efp-1));
    return v64_fma(q, x, v64_set(1));
}

/* p log p, 0 at 0. With p = m 2^e and s = (m - 1)/(m + 1): log m = 2 s + s^3 R(s^2), relative error 2^-59. */
NORM__INLINE v64 p_log_p(v64 p)
{
    v64 e, m = v64_significand(p, &e);
    v64 s = v64_div(v64_sub(m, v64_set(1)), v64_add(m, v64_set(1))), t = v64_mul(s, s);
    v64 r = v64_fma(v64_set(0x1.2f062d1f3f832p-3), t, v64_set(0x1.39a1a79b4091cp-3));
    r = v64_fma(r, t, v64_set(0x1.74663f9cdd5aep-3));
    r = v64_fma(r, t, v64_set(0x1.c71c52061c01dp-3));
    r = v64_fma(r, t, v64_set(0x1.24924941f4e98p-2));
    r = v64_fma(r, t, v64_set(0x1.999999997fd78p-2));
    r = v64_fma(r, t, v64_set(0x1.5555555555592p-1));
    v64 log_m = v64_fma(v64_mul(s, t), r, v64_add(s, s));
    return v64_mul(p, v64_fma(e, v64_set(NORM__LN2), log_m));
}

#endif
