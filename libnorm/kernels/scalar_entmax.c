/* SPDX-License-Identifier: MIT */
/* The scalar level of entmax: the specification, in double with the C library's exp and log. */
#include "kernels/scalar_entmax.h"

#include <float.h>
#include <math.h>

/* With D = alpha - 1 and y = (z - max)/T a weight is (1 + D (y - c))_+^(1/D), c where they sum to one. log1p keeps the
 * digits for every D. */
static double distance(double z, double max, double temperature, double delta, double c)
{
    return delta * ((z - max) / temperature - c);
}

static double weight(double t, double delta)
{
    const double log_w = t > -1 ? log1p(t) / delta : -INFINITY;
    return log_w > -745 ? exp(log_w) : 0; /* below, exp would set errno */
}

/* The sum of the weights to the power D is convex in c and falls, so Newton's method climbs from 0, where it is 1 or
 * more, to the root and never passes it. */
static double solve(const float *z, size_t n, double max, double temperature, double delta, double *ret_sum)
{
    double c = 0;
    for (;;) {
        double sum = 0, slope = 0;
        for (size_t i = 0; i < n; i++) {
            const double t = distance((double)z[i], max, temperature, delta, c), w = weight(t, delta);
            sum += w;
            slope += w > 0 ? w / (1 + t) : 0;
        }
        *ret_sum = sum;
        const double next = c - sum * expm1(-delta * log(sum)) / (delta * slope);
        if (!(next > c))
            return c;
        c = next;
    }
}

int norm__scalar_entmax_f32(const float *z, size_t n, double alpha, double temperature, float *spare, float *ret_w,
                            struct norm__entmax_sums *ret_sums)
{
    (void)spare;
    float max = -INFINITY;
    const double delta = alpha - 1;
    for (size_t i = 0; i < n; i++) {
        if (isnan(z[i]))
            return NORM__ROW_NAN;
        max = z[i] > max ? z[i] : max;
    }
    if (isinf(max))
        return max > 0 ? NORM__ROW_POS_INF : NORM__ROW_EMPTY;
    double sum;
    const double top = (double)max, c = solve(z, n, top, temperature, delta, &sum);
    for (size_t i = 0; i < n; i++) {
        const double w = weight(distance((double)z[i], top, temperature, delta, c), delta) / sum;
        ret_w[i] = (float)w >= FLT_MIN ? (float)w : 0;
    }
    *ret_sums = (struct norm__entmax_sums){top, c - 1 / delta};
    return NORM__ROW_ORDINARY;
}

void norm__scalar_entmax_vjp_f32(const float *w, const float *g, size_t n, double alpha, double temperature,
                                 float *ret_d)
{
    double shares = 0, products = 0;
    for (size_t i = 0; i < n; i++) {
        if (w[i] > 0) {
            const double s = pow((double)w[i], 2 - alpha);
            shares += s;
            products += s * (double)g[i];
        }
    }
    const double mean = shares > 0 ? products / shares : 0;
    for (size_t i = 0; i < n; i++)
        ret_d[i] = w[i] > 0 ? (float)(pow((double)w[i], 2 - alpha) * ((double)g[i] - mean) / temperature) : 0;
}
