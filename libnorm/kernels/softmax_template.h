/* SPDX-License-Identifier: MIT */
/* Softmax of one row in the vector vocabulary, for the type that rows.c has defined: REAL, VEC its vector, V() the
 * vector's words, F() the type's functions, TYPE_... its numbers.
 *
 * The weight of a score z is 2^(x - x_max) / sum with x = z log2(e)/T. An error in x is a relative error of the weight,
 * and x - x_max may be 100 and more, so x must be known far better than to its last digit. We never form it: k is x
 * rounded to an integer, and the fraction x - k comes straight from z in a fused multiply-add, with no error but the
 * rounding of a number below 1. The low part of log2(e)/T is added, and the fraction of x_max taken away, which leaves
 * the largest score with less than half a digit: it gives exactly 2^0. Integers subtract without an error.
 *
 * This wants |x| to stay small against 2^digits. Where it does not, every score that has a weight lies within a factor
 * of two of the largest one, hence z - max is exact and takes the place of z. */

struct PLAN {
    VEC shift, lowest; /* z becomes max(z - shift, lowest); what lies at lowest has no weight */
    VEC slope;         /* log2(e)/T */
    VEC slope_head;    /* its leading half, where products are not fused */
    VEC slope_rest;    /* what slope, or slope_head, lacks */
    VEC fraction;      /* of x_max */
    VEC rounder;       /* added and taken away again it rounds; its low digits add TYPE_LIFT - k_max to the exponent */
};

/* x - k - fraction with x = z log2(e)/T. */
NORM__INLINE VEC F(reduced)(VEC z, VEC k, const struct PLAN *p)
{
#if NORM__VECTOR_FUSED
    return V(add)(V(fms)(z, p->slope, k), V(fms)(z, p->slope_rest, p->fraction));
#else
    VEC head = V(short)(z), tail = V(sub)(z, head);
    VEC rest = V(add)(V(mul)(tail, p->slope_head), V(mul)(z, p->slope_rest));
    return V(add)(V(sub)(V(mul)(head, p->slope_head), k), V(sub)(rest, p->fraction));
#endif
}

static struct PLAN F(plan_for)(REAL max, const struct norm__softmax_scale *scale)
{
    struct PLAN p;
    int near = fabs((double)max) * scale->log2e_high <= TYPE_NEAR;
    REAL reach = (REAL)(-TYPE_DEPTH * NORM__LN2 * scale->temperature);
    p.shift = V(set)(near ? 0 : max);
    p.lowest = V(set)(near ? max + reach : reach);
    p.slope = V(set)((REAL)scale->log2e_high);
#if NORM__VECTOR_FUSED
    p.slope_head = p.slope;
#else
    p.slope_head = V(short)(p.slope);
#endif
    double rest = (scale->log2e_high - (double)V(first)(p.slope_head)) + scale->log2e_low;
    p.slope_rest = V(set)((REAL)rest);

    VEC top = V(set)(near ? max : 0), rounder = V(set)(TYPE_ROUNDER);
    VEC k = V(sub)(V(add)(V(mul)(top, p.slope), rounder), rounder);
    p.fraction = V(set)(0);
    p.fraction = F(reduced)(top, k, &p);
    p.rounder = V(add)(rounder, V(sub)(V(set)(TYPE_LIFT), k));
    return p;
}

/* exp((z - max)/T) 2^TYPE_LIFT. The lift keeps it normal wherever the weight is; 2^(TYPE_LIFT - TYPE_DEPTH) at -inf. */
NORM__INLINE VEC F(lifted_exp)(VEC z, const struct PLAN *p)
{
    z = V(max)(V(sub)(z, p->shift), p->lowest);
    VEC t = V(add)(V(fms)(z, p->slope, p->fraction), p->rounder);
    VEC k = V(sub)(t, p->rounder);
    return V(scale)(F(exp2)(F(reduced)(z, k, p)), t);
}

NORM__INLINE VEC F(load_at)(const REAL *z, size_t n, size_t i)
{
    return n - i >= V(lanes) ? V(load)(z + i) : V(load_part)(z + i, n - i, -(REAL)INFINITY);
}

NORM__INLINE void F(store_at)(REAL *w, size_t n, size_t i, VEC x)
{
    if (n - i >= V(lanes))
        V(store)(w + i, x);
    else
        V(store_part)(w + i, n - i, x);
}

/* The largest score of an ordinary row. A maximum may drop a NaN, so they are looked for beside it. */
static int F(largest)(const REAL *z, size_t n, REAL *ret_max)
{
    enum { step = V(lanes) };
    VEC a = V(set)(-(REAL)INFINITY), b = a, c = a, d = a;
    MASK nan = M(none)();
    size_t i = 0;
    for (; n - i >= 4 * step; i += 4 * step) {
        VEC x = V(load)(z + i), y = V(load)(z + i + step);
        VEC v = V(load)(z + i + 2 * step), w = V(load)(z + i + 3 * step);
        nan = M(or)(nan, M(or)(V(unordered)(x, y), V(unordered)(v, w)));
        a = V(max)(a, x);
        b = V(max)(b, y);
        c = V(max)(c, v);
        d = V(max)(d, w);
    }
    for (; i < n; i += step) {
        VEC x = F(load_at)(z, n, i);
        nan = M(or)(nan, V(unordered)(x, x));
        a = V(max)(a, x);
    }
    if (M(any)(nan))
        return NORM__ROW_NAN;
    *ret_max = V(top)(V(max)(V(max)(a, b), V(max)(c, d)));
    if (*ret_max == (REAL)INFINITY)
        return NORM__ROW_POS_INF;
    return *ret_max == -(REAL)INFINITY ? NORM__ROW_EMPTY : NORM__ROW_ORDINARY;
}

/* Stores the lifted exponentials, unless store is 0, and returns their sum. */
NORM__INLINE double F(sum_of_exp)(const REAL *z, size_t n, const struct PLAN *p, REAL *ret_e, int store)
{
    enum { step = V(lanes) };
    TOTAL total = V(total_zero)();
    size_t i = 0;
    for (; n - i >= 4 * step; i += 4 * step) {
        VEC a = F(lifted_exp)(V(load)(z + i), p), b = F(lifted_exp)(V(load)(z + i + step), p);
        VEC c = F(lifted_exp)(V(load)(z + i + 2 * step), p), d = F(lifted_exp)(V(load)(z + i + 3 * step), p);
        if (store) {
            V(store)(ret_e + i, a);
            V(store)(ret_e + i + step, b);
            V(store)(ret_e + i + 2 * step, c);
            V(store)(ret_e + i + 3 * step, d);
        }
        V(total_add_4)(&total, a, b, c, d);
    }
    for (; i < n; i += step) {
        VEC a = F(lifted_exp)(F(load_at)(z, n, i), p);
        if (store)
            F(store_at)(ret_e, n, i, a);
        V(total_add)(&total, a);
    }
    return V(total_value)(&total);
}

static int F(softmax)(const REAL *z, size_t n, const struct norm__softmax_scale *scale, REAL *ret_w,
                      struct norm__softmax_sums *ret_sums)
{
    enum { step = V(lanes) };
    if (!scale->moderate)
        return norm__kernels_scalar.F(softmax)(z, n, scale, ret_w, ret_sums);
    REAL max;
    int row = F(largest)(z, n, &max);
    if (row != NORM__ROW_ORDINARY)
        return row;
    struct PLAN p = F(plan_for)(max, scale);
    double sum = F(sum_of_exp)(z, n, &p, ret_w, 1);
    /* Weights below the smallest normal number are cut before the product, which would be subnormal, hence slow. */
    VEC limit = V(set)((REAL)(TYPE_MIN * sum * (1 + 4 * TYPE_EPSILON / 2))), inverse = V(set)((REAL)(1 / sum));
    size_t i = 0;
    for (; n - i >= step; i += step)
        V(store)(ret_w + i, V(mul)(V(zero_below)(V(load)(ret_w + i), limit), inverse));
    if (i < n)
        V(store_part)(ret_w + i, n - i, V(mul)(V(zero_below)(V(load_part)(ret_w + i, n - i, 0), limit), inverse));
    *ret_sums = (struct norm__softmax_sums){(double)max, sum / TYPE_LIFTED};
    return NORM__ROW_ORDINARY;
}

/* -- log softmax, in double ------------------------------------------------------------------------------------- */

NORM__INLINE v64 F(log_weight)(v64 z, v64 max, v64 inverse, v64 log_sum)
{
    v64 x = v64_fms(v64_sub(z, max), inverse, log_sum);
    return v64_keep_minus_infinity(z, v64_max(x, v64_set(-(double)TYPE_MAX)));
}

static int F(log_softmax)(const REAL *z, size_t n, const struct norm__softmax_scale *scale, REAL *ret_log_w,
                          struct norm__softmax_sums *ret_sums)
{
    if (!scale->moderate)
        return norm__kernels_scalar.F(log_softmax)(z, n, scale, ret_log_w, ret_sums);
    REAL max;
    int row = F(largest)(z, n, &max);
    if (row != NORM__ROW_ORDINARY)
        return row;
    struct PLAN p = F(plan_for)(max, scale);
    double sum = F(sum_of_exp)(z, n, &p, ret_log_w, 0) / TYPE_LIFTED;
    v64 top = v64_set((double)max), inverse = v64_set(scale->inverse_high), log_sum = v64_set(log(sum));
    size_t i = 0;
    for (; n - i >= v64_lanes; i += v64_lanes)
        W(store)(ret_log_w + i, F(log_weight)(W(load)(z + i), top, inverse, log_sum));
    if (i < n)
        W(store_part)(ret_log_w + i, n - i, F(log_weight)(W(load_part)(z + i, n - i, 0), top, inverse, log_sum));
    *ret_sums = (struct norm__softmax_sums){(double)max, sum};
    return NORM__ROW_ORDINARY;
}
