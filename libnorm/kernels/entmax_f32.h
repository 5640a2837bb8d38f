/* SPDX-License-Identifier: MIT */
/* Entmax of one row of floats in the vector vocabulary, for 1 < alpha <= 2: sparsemax at 2.
 *
 * With D = alpha - 1 and x = D (z - max)/T the weights are u^(1/D), u = (x - tau)_+, and tau in [-1, 0) is where they
 * sum to one. Scores with x <= -1 have no weight, so what lies above is gathered, for most rows a small part, and tau
 * is found there: Newton's method on (sum u^(1/D))^D - 1, which is convex and falls, climbs from -1 to the root without
 * passing it, and what it leaves below never comes back. Every turn halves that sum's excess over 1, or the slope, or
 * shares the factor 4 between them (so about 20 turns at worst, and 4 as a rule), and looks at what is left only.
 *
 * The weights are divided by their sum where that is not 1 already. */

#ifndef NORM_KERNELS_ENTMAX_F32_H
#define NORM_KERNELS_ENTMAX_F32_H

/* LINEAR: D = 1. SQUARE: D = 1/2. WHOLE: 1/D another whole number up to 10. POWER: any D >= 1/8, u as the difference of
 * x and tau, which keeps its digits however small it is. NEAR: D below, where u comes near 1 and its logarithm is
 * divided by a small D: log(1 + t) of t = x - (tau + 1) keeps the digits of t. */
enum entmax_shape { ENTMAX_LINEAR, ENTMAX_SQUARE, ENTMAX_WHOLE, ENTMAX_POWER, ENTMAX_NEAR };
enum { entmax_most_whole = 10 };

struct entmax_plan {
    v32 max, inverse;  /* x = (z - max) inverse */
    v32 high, low;     /* tau, NEAR tau + 1, as a sum of two */
    v32 limit;         /* at or a little below tau: what is not above has no weight */
    v32 exponent;      /* 1/D - 1 */
    unsigned whole;    /* the same, for WHOLE */
};

/* at: tau, NEAR tau + 1, which may be far below the last digit of 1. */
static void entmax_set_threshold(struct entmax_plan *p, enum entmax_shape shape, double at)
{
    const float high = (float)at;
    p->high = v32_set(high);
    p->low = v32_set((float)(at - (double)high));
    p->limit = v32_set((float)((shape == ENTMAX_NEAR ? at - 1 : at) - 0x1p-23));
}

/* log2 of m in [sqrt(1/2), sqrt(2)]: relative error of the polynomial 2^-25, 0 exactly at 1. */
NORM__INLINE v32 log2_significand(v32 m)
{
    v32 x = v32_sub(m, v32_set(1));
    v32 q = v32_fma(v32_set(0x1.01b6d6p-3f), x, v32_set(-0x1.a87d08p-3f));
    q = v32_fma(q, x, v32_set(0x1.b9c91ap-3f));
    q = v32_fma(q, x, v32_set(-0x1.e95be8p-3f));
    q = v32_fma(q, x, v32_set(0x1.26d384p-2f));
    q = v32_fma(q, x, v32_set(-0x1.715c4ep-2f));
    q = v32_fma(q, x, v32_set(0x1.ec73d6p-2f));
    q = v32_fma(q, x, v32_set(-0x1.715470p-1f));
    q = v32_fma(q, x, v32_set(0x1.715476p+0f));
    return v32_mul(x, q);
}

/* 2^q for q <= 0 where that is a normal number, else 0. */
NORM__INLINE v32 exp2_to_normal(v32 q)
{
    const v32 least = v32_set(-126), rounder = v32_set(0x1.8p23f);
    v32 inside = v32_max(q, least), t = v32_add(inside, rounder);
    return v32_if_above(q, least, v32_scale(exp2_f32(v32_sub(inside, v32_sub(t, rounder))), t));
}

/* u^(1/D); *ret_slope, if it is not NULL: u^(1/D - 1). */
NORM__INLINE v32 entmax_weight(enum entmax_shape shape, v32 x, const struct entmax_plan *p, v32 *ret_slope)
{
    const v32 zero = v32_set(0), one = v32_set(1);
    v32 d = v32_sub(v32_sub(x, p->high), p->low);
    if (shape == ENTMAX_LINEAR) {
        if (ret_slope != NULL)
            *ret_slope = v32_if_above(d, zero, one);
        return v32_if_above(d, zero, d);
    }
    if (shape == ENTMAX_SQUARE) {
        v32 u = v32_if_above(d, zero, d);
        if (ret_slope != NULL)
            *ret_slope = u;
        return v32_mul(u, u);
    }
    if (shape == ENTMAX_WHOLE) {
        v32 u = v32_if_above(d, zero, d), power = u, slope = one;
        for (unsigned k = p->whole; k != 0; k >>= 1) {
            slope = k & 1 ? v32_mul(slope, power) : slope;
            power = v32_mul(power, power);
        }
        if (ret_slope != NULL)
            *ret_slope = v32_if_above(d, zero, slope);
        return v32_mul(slope, u);
    }
    v32 u = shape == ENTMAX_NEAR ? v32_add(one, d) : d, e, m = v32_significand(u, &e);
    v32 log2_u = v32_add(log2_significand(m), e);
    if (shape == ENTMAX_NEAR) {
        /* What 1 + t has lost of t, over u: where t is small, 2 - u is 1/u to the last digit; where it is not, so
         * little is lost that the first digit will do. */
        v32 lost = v32_mul(v32_sub(d, v32_sub(u, one)), v32_sub(v32_set(2), u));
        log2_u = v32_fma(lost, v32_set(0x1.715476p0f), log2_u);
    }
    v32 slope = v32_if_above(u, zero, exp2_to_normal(v32_mul(log2_u, p->exponent)));
    if (ret_slope != NULL)
        *ret_slope = slope;
    return v32_if_above(u, zero, v32_mul(slope, u)); /* u may be -inf */
}

NORM__INLINE v32 entmax_scaled(v32 z, const struct entmax_plan *p)
{
    return v32_mul(v32_sub(z, p->max), p->inverse);
}

/* Scores above -1 into spare, which has room for n + v32_lanes. */
static size_t entmax_gather(const float *z, size_t n, const struct entmax_plan *p, float *spare)
{
    const v32 bottom = v32_set(-1);
    size_t kept = 0;
    for (size_t i = 0; i < n; i += v32_lanes) {
        v32 x = entmax_scaled(load_at_f32(z, n, i), p);
        if (v32_any_above(x, bottom))
            kept += v32_keep_above(spare + kept, x, bottom);
    }
    return kept;
}

/* One turn: the sums of weights and slopes, and only what is above the threshold stays. */
NORM__INLINE size_t entmax_turn(enum entmax_shape shape, float *spare, size_t n, const struct entmax_plan *p,
                                double *ret_sum, double *ret_slope)
{
    v32_total sum = v32_total_zero(), slope = v32_total_zero();
    size_t kept = 0;
    v32_store(spare + n, v32_set(-__builtin_inff()));
    for (size_t i = 0; i < n; i += v32_lanes) {
        v32 x = v32_load(spare + i), s;
        v32_total_add(&sum, entmax_weight(shape, x, p, &s));
        v32_total_add(&slope, s);
        kept += v32_keep_above(spare + kept, x, p->limit);
    }
    *ret_sum = v32_total_value(&sum);
    *ret_slope = v32_total_value(&slope);
    return kept;
}

/* Newton's step: (sum^D - 1) / (-d/dtau sum^D). */
NORM__INLINE double entmax_step(enum entmax_shape shape, double sum, double slope, double delta)
{
    if (shape == ENTMAX_LINEAR)
        return (sum - 1) / slope;
    return (shape == ENTMAX_SQUARE ? sum - sqrt(sum) : -sum * expm1(-delta * log(sum))) / slope;
}

/* Leaves the plan at the threshold, and returns tau. The last step is from so near that behind it the sum is 1 within
 * about the square of the excess; what it is exactly the writing tells. Not so for large D: there the scores that the
 * step leaves below weigh too much, however near it was. Where all weights are equal, their last digit moves
 * the sum by more than is left to gain: then a turn brings it no nearer to 1, and the search ends. */
NORM__INLINE double entmax_solve(enum entmax_shape shape, float *spare, size_t n, double delta, struct entmax_plan *p)
{
    const double bottom = shape == ENTMAX_NEAR ? 0 : -1;
    const double enough = delta > 0.34 ? 0x1p-22 : 0x1p-11;
    double at = bottom, sum, slope, left = INFINITY, before;
    do {
        before = left;
        entmax_set_threshold(p, shape, at);
        n = entmax_turn(shape, spare, n, p, &sum, &slope);
        left = fabs(sum - 1);
        at += entmax_step(shape, sum, slope, delta);
    } while (left > enough && left < before);
    entmax_set_threshold(p, shape, at);
    return at - (bottom + 1);
}

/* Returns the sum of what was written. */
NORM__INLINE double entmax_write(enum entmax_shape shape, const float *z, size_t n, const struct entmax_plan *p,
                                 float *ret_w)
{
    const v32 least = v32_set(FLT_MIN);
    v32_total sum = v32_total_zero();
    for (size_t i = 0; i < n; i += v32_lanes) {
        v32 x = entmax_scaled(load_at_f32(z, n, i), p), w = v32_set(0);
        if (v32_any_above(x, p->limit)) {
            w = v32_zero_below(entmax_weight(shape, x, p, NULL), least);
            v32_total_add(&sum, w);
        }
        store_at_f32(ret_w, n, i, w);
    }
    return v32_total_value(&sum);
}

static void entmax_rescale(float *w, size_t n, double factor)
{
    const v32 least = v32_set(FLT_MIN), f = v32_set((float)factor);
    for (size_t i = 0; i < n; i += v32_lanes) {
        v32 x = n - i >= v32_lanes ? v32_load(w + i) : v32_load_part(w + i, n - i, 0);
        store_at_f32(w, n, i, v32_zero_below(v32_mul(x, f), least));
    }
}

NORM__INLINE double entmax_row(enum entmax_shape shape, const float *z, size_t n, double delta, float *spare,
                               struct entmax_plan *p, float *ret_w)
{
    const double tau = entmax_solve(shape, spare, entmax_gather(z, n, p, spare), delta, p);
    const double sum = entmax_write(shape, z, n, p, ret_w);
    if (fabs(sum - 1) > 0x1p-22)
        entmax_rescale(ret_w, n, 1 / sum);
    return tau;
}

/* 1/D - 1 where it is a whole number but for rounding, else 0. */
static unsigned entmax_whole(double delta)
{
    const double power = 1 / delta, nearest = nearbyint(power);
    return nearest <= entmax_most_whole && fabs(power - nearest) < 1e-12 ? (unsigned)nearest - 1 : 0;
}

static int entmax_f32(const float *z, size_t n, double alpha, double temperature, float *spare, float *ret_w,
                      struct norm__entmax_sums *ret_sums)
{
    if (!norm__temperature_moderate(temperature))
        return norm__kernels_scalar.entmax_f32(z, n, alpha, temperature, spare, ret_w, ret_sums);
    float max;
    const int row = largest_f32(z, n, &max);
    if (row != NORM__ROW_ORDINARY)
        return row;
    const double delta = alpha - 1;
    struct entmax_plan p = {.max = v32_set(max), .inverse = v32_set((float)(delta / temperature))};
    p.whole = entmax_whole(delta);
    p.exponent = v32_set((float)(1 / delta - 1));
    double tau;
    if (alpha == 2)
        tau = entmax_row(ENTMAX_LINEAR, z, n, delta, spare, &p, ret_w);
    else if (alpha == 1.5)
        tau = entmax_row(ENTMAX_SQUARE, z, n, delta, spare, &p, ret_w);
    else if (p.whole != 0)
        tau = entmax_row(ENTMAX_WHOLE, z, n, delta, spare, &p, ret_w);
    else if (delta >= 0.125)
        tau = entmax_row(ENTMAX_POWER, z, n, delta, spare, &p, ret_w);
    else
        tau = entmax_row(ENTMAX_NEAR, z, n, delta, spare, &p, ret_w);
    *ret_sums = (struct norm__entmax_sums){(double)max, tau / delta};
    return NORM__ROW_ORDINARY;
}

/* -- backward ------------------------------------------------------------------------------------------------------ */

/* w^(2 - alpha) on the support, 0 elsewhere. */
NORM__INLINE v32 entmax_share(enum entmax_shape shape, v32 w, v32 exponent)
{
    const v32 zero = v32_set(0);
    if (shape == ENTMAX_LINEAR)
        return v32_if_above(w, zero, v32_set(1));
    if (shape == ENTMAX_SQUARE)
        return v32_sqrt(w);
    v32 e, m = v32_significand(w, &e);
    return v32_if_above(w, zero, exp2_to_normal(v32_mul(v32_add(log2_significand(m), e), exponent)));
}

NORM__INLINE v32 part_at(const float *x, size_t n, size_t i)
{
    return n - i >= v32_lanes ? v32_load(x + i) : v32_load_part(x + i, n - i, 0);
}

/* d = s (g - mean of g under s) / T, s the shares. Where there is no weight nothing is asked of g. */
NORM__INLINE void entmax_backward(enum entmax_shape shape, const float *w, const float *g, size_t n, double alpha,
                                  double temperature, float *ret_d)
{
    const v32 zero = v32_set(0), exponent = v32_set((float)(2 - alpha));
    v32_total shares = v32_total_zero(), products = v32_total_zero();
    for (size_t i = 0; i < n; i += v32_lanes) {
        v32 x = part_at(w, n, i);
        if (!v32_any_above(x, zero))
            continue;
        v32 s = entmax_share(shape, x, exponent);
        v32_total_add(&shares, s);
        v32_total_add(&products, v32_if_above(x, zero, v32_mul(s, part_at(g, n, i))));
    }
    const double total = v32_total_value(&shares), inverse = 1 / temperature;
    const v32 mean = v32_set((float)(total > 0 ? v32_total_value(&products) / total : 0));
    const v32 factor = v32_set((float)inverse);
    for (size_t i = 0; i < n; i += v32_lanes) {
        v32 x = part_at(w, n, i), d = zero;
        if (v32_any_above(x, zero)) {
            v32 s = entmax_share(shape, x, exponent);
            d = v32_if_above(x, zero, v32_mul(v32_mul(v32_sub(part_at(g, n, i), mean), factor), s));
        }
        store_at_f32(ret_d, n, i, d);
    }
}

static void entmax_vjp_f32(const float *w, const float *g, size_t n, double alpha, double temperature, float *ret_d)
{
    if (!norm__temperature_moderate(temperature))
        norm__kernels_scalar.entmax_vjp_f32(w, g, n, alpha, temperature, ret_d);
    else if (alpha == 2)
        entmax_backward(ENTMAX_LINEAR, w, g, n, alpha, temperature, ret_d);
    else if (alpha == 1.5)
        entmax_backward(ENTMAX_SQUARE, w, g, n, alpha, temperature, ret_d);
    else
        entmax_backward(ENTMAX_POWER, w, g, n, alpha, temperature, ret_d);
}

#endif
