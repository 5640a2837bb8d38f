/* SPDX-License-Identifier: MIT */
/* The scalar level: plain C in double with the C library's exp and log. This is the specification; it is written to be
 * read, and to be right for every temperature. */
#include "kernels/kernels.h"

#include <float.h>
#include <math.h>

#include <libnorm/exec.h>

#include "kernels/scalar_entmax.h"

/* A sum that carries its own rounding error (Neumaier): exact to a few units for any n. */
struct sum {
    double high, low;
};

static void sum_add(struct sum *s, double x)
{
    double high = s->high + x;
    s->low += fabs(s->high) >= fabs(x) ? (s->high - high) + x : (x - high) + s->high;
    s->high = high;
}

static double sum_value(struct sum s)
{
    return isfinite(s.low) ? s.high + s.low : s.high;
}

/* (z - max) / T as a sum of two doubles: an error in the argument of exp is a relative error of the weight. */
struct argument {
    double high, low;
};

static struct argument argument(double z, double max, double temperature)
{
    double d = z - max;
    double back = d - z;
    double d_error = (z - (d - back)) - (max + back);
    struct argument x = {d / temperature, 0};
    if (isfinite(x.high))
        x.low = (fma(-x.high, temperature, d) + d_error) / temperature;
    return x;
}

static double exponential(double z, double max, double temperature)
{
    struct argument x = argument(z, max, temperature);
    if (x.high < -708.5) /* below the smallest normal number; exp would set errno */
        return 0;
    double e = exp(x.high);
    return e + e * x.low;
}

static float flushed_f32(double w)
{
    float rounded = (float)w;
    return rounded >= FLT_MIN ? rounded : 0;
}

static double flushed_f64(double w)
{
    return w >= DBL_MIN ? w : 0;
}

/* -- largest score and sum ---------------- */

static int kind(int nan, double max)
{
    if (nan)
        return NORM__ROW_NAN;
    if (max == INFINITY)
        return NORM__ROW_POS_INF;
    return max == -INFINITY ? NORM__ROW_EMPTY : NORM__ROW_ORDINARY;
}

static int sums_f32(const float *z, size_t n, double temperature, struct norm__softmax_sums *ret)
{
    double max = -INFINITY;
    int nan = 0;
    for (size_t i = 0; i < n; i++) {
        nan |= isnan(z[i]) != 0;
        max = z[i] > max ? z[i] : max;
    }
    if (kind(nan, max) != NORM__ROW_ORDINARY)
        return kind(nan, max);
    struct sum sum = {0, 0};
    for (size_t i = 0; i < n; i++)
        sum_add(&sum, exponential(z[i], max, temperature));
    *ret = (struct norm__softmax_sums){max, sum_value(sum)};
    return NORM__ROW_ORDINARY;
}

static int sums_f64(const double *z, size_t n, double temperature, struct norm__softmax_sums *ret)
{
    double max = -INFINITY;
    int nan = 0;
    for (size_t i = 0; i < n; i++) {
        nan |= isnan(z[i]) != 0;
        max = z[i] > max ? z[i] : max;
    }
    if (kind(nan, max) != NORM__ROW_ORDINARY)
        return kind(nan, max);
    struct sum sum = {0, 0};
    for (size_t i = 0; i < n; i++)
        sum_add(&sum, exponential(z[i], max, temperature));
    *ret = (struct norm__softmax_sums){max, sum_value(sum)};
    return NORM__ROW_ORDINARY;
}

/* -- softmax ---------------- */

static int softmax_f32(const float *z, size_t n, const struct norm__softmax_scale *scale, float *ret_w,
                       struct norm__softmax_sums *ret_sums)
{
    int row = sums_f32(z, n, scale->temperature, ret_sums);
    for (size_t i = 0; row == NORM__ROW_ORDINARY && i < n; i++)
        ret_w[i] = flushed_f32(exponential(z[i], ret_sums->max, scale->temperature) / ret_sums->sum);
    return row;
}

static int softmax_f64(const double *z, size_t n, const struct norm__softmax_scale *scale, double *ret_w,
                       struct norm__softmax_sums *ret_sums)
{
    int row = sums_f64(z, n, scale->temperature, ret_sums);
    for (size_t i = 0; row == NORM__ROW_ORDINARY && i < n; i++)
        ret_w[i] = flushed_f64(exponential(z[i], ret_sums->max, scale->temperature) / ret_sums->sum);
    return row;
}

/* Finite wherever the score is: a log weight beyond the range is the most negative number. */
static double log_weight(double z, const struct norm__softmax_sums *sums, double temperature, double log_sum,
                         double most)
{
    if (z == -INFINITY)
        return -INFINITY;
    struct argument x = argument(z, sums->max, temperature);
    return fmax(x.high - log_sum + x.low, -most);
}

static int log_softmax_f32(const float *z, size_t n, const struct norm__softmax_scale *scale, float *ret_log_w,
                           struct norm__softmax_sums *ret_sums)
{
    int row = sums_f32(z, n, scale->temperature, ret_sums);
    if (row != NORM__ROW_ORDINARY)
        return row;
    double log_sum = log(ret_sums->sum);
    for (size_t i = 0; i < n; i++)
        ret_log_w[i] = (float)log_weight(z[i], ret_sums, scale->temperature, log_sum, FLT_MAX);
    return row;
}

static int log_softmax_f64(const double *z, size_t n, const struct norm__softmax_scale *scale, double *ret_log_w,
                           struct norm__softmax_sums *ret_sums)
{
    int row = sums_f64(z, n, scale->temperature, ret_sums);
    if (row != NORM__ROW_ORDINARY)
        return row;
    double log_sum = log(ret_sums->sum);
    for (size_t i = 0; i < n; i++)
        ret_log_w[i] = log_weight(z[i], ret_sums, scale->temperature, log_sum, DBL_MAX);
    return row;
}

/* -- vector-Jacobian products ---------------- */

static void softmax_vjp_f32(const float *w, const float *g, size_t n, double temperature, float *ret_d)
{
    double dot = 0;
    for (size_t i = 0; i < n; i++)
        dot += (double)w[i] * g[i];
    for (size_t i = 0; i < n; i++)
        ret_d[i] = (float)(w[i] * (g[i] - dot) / temperature);
}

static void softmax_vjp_f64(const double *w, const double *g, size_t n, double temperature, double *ret_d)
{
    struct sum dot = {0, 0};
    for (size_t i = 0; i < n; i++)
        sum_add(&dot, w[i] * g[i]);
    for (size_t i = 0; i < n; i++)
        ret_d[i] = w[i] * (g[i] - sum_value(dot)) / temperature;
}

static void log_softmax_vjp_f32(const float *w, const float *g, size_t n, double temperature, float *ret_d)
{
    double total = 0;
    for (size_t i = 0; i < n; i++)
        total += g[i];
    for (size_t i = 0; i < n; i++)
        ret_d[i] = (float)((g[i] - w[i] * total) / temperature);
}

static void log_softmax_vjp_f64(const double *w, const double *g, size_t n, double temperature, double *ret_d)
{
    struct sum total = {0, 0};
    for (size_t i = 0; i < n; i++)
        sum_add(&total, g[i]);
    for (size_t i = 0; i < n; i++)
        ret_d[i] = (g[i] - w[i] * sum_value(total)) / temperature;
}

/* -- entropy ---------------- */

static double entropy_f32(const float *p, size_t n)
{
    struct sum sum = {0, 0};
    for (size_t i = 0; i < n; i++)
        if (p[i] != 0)
            sum_add(&sum, p[i] * log(p[i]));
    return 0 - sum_value(sum);
}

static double entropy_f64(const double *p, size_t n)
{
    struct sum sum = {0, 0};
    for (size_t i = 0; i < n; i++)
        if (p[i] != 0)
            sum_add(&sum, p[i] * log(p[i]));
    return 0 - sum_value(sum);
}

const struct norm__kernels norm__kernels_scalar = {
    .level = LIBNORM_CPU_SCALAR,
    .softmax_f32 = softmax_f32,
    .softmax_f64 = softmax_f64,
    .log_softmax_f32 = log_softmax_f32,
    .log_softmax_f64 = log_softmax_f64,
    .softmax_vjp_f32 = softmax_vjp_f32,
    .softmax_vjp_f64 = softmax_vjp_f64,
    .log_softmax_vjp_f32 = log_softmax_vjp_f32,
    .log_softmax_vjp_f64 = log_softmax_vjp_f64,
    .entmax_f32 = norm__scalar_entmax_f32,
    .entmax_vjp_f32 = norm__scalar_entmax_vjp_f32,
    .entropy_f32 = entropy_f32,
    .entropy_f64 = entropy_f64,
};
