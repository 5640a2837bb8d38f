/* SPDX-License-Identifier: MIT */
/* Theorem 2 without chance: tokens on a sphere and at least delta apart. And several heads together. */
#include <libnorm/bounds.h>

#include <math.h>

#include "base/error.h"
#include "base/number.h"
#include "bounds/separable.h"

/* xi in units of the radius, rounded up. cosine: the largest possible inner product, 1 - delta^2 / (2 radius^2). */
static double spread_of(const struct norm__totals *t, size_t i, double cosine, double slack)
{
    struct norm__others o = norm__others_of(t, i);
    double value = o.square + 2 * cosine * o.pairs, error = slack * (o.square + 2 * fabs(cosine) * o.pairs);
    return o.scale > 0 ? o.scale * sqrt(fmax(0, value) + error) * (1 + 0x1p-50) : 0;
}

static norm_status check_spread(size_t count, const double *weights, double radius, double delta, double *ret_cosine,
                                norm_error *error)
{
    norm_status status = norm__separable_check(count, weights, radius, error);
    if (status == LIBNORM_OK)
        status = norm__bound_number(delta, NORM__NOT_NEGATIVE, "delta", error);
    if (status != LIBNORM_OK)
        return status;
    double part = delta / radius; /* a smallest distance that was measured may exceed 2 by its rounding */
    if (part > 2 * (1 + 0x1p-40))
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "delta = %s: expected at most twice the radius %s",
                          norm__text_f64(delta).text, norm__text_f64(radius).text);
    *ret_cosine = fmax(-1, 1 - part * part / 2);
    return LIBNORM_OK;
}

static norm_status check_ball(size_t count, const double *weights, double radius, double delta, double r,
                              double *ret_cosine, const void *result, const char *name, norm_error *error)
{
    norm_status status = check_spread(count, weights, radius, delta, ret_cosine, error);
    if (status == LIBNORM_OK)
        status = norm__bound_number(r, NORM__NOT_NEGATIVE, "r", error);
    if (status == LIBNORM_OK)
        status = norm__bound_pointer(result, name, error);
    return status;
}

norm_status norm_bound_separable_spread(size_t count, const double *weights, double radius, double delta,
                                        double *ret_spread, norm_error *ret_error)
{
    double cosine = 0;
    norm_status status = check_spread(count, weights, radius, delta, &cosine, ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_result(ret_spread, count, weights, count, false, "ret_spread", ret_error);
    if (status != LIBNORM_OK)
        return status;
    struct norm__totals totals = norm__totals_of(weights, count);
    for (size_t i = 0; i < count; i++)
        ret_spread[i] = radius * spread_of(&totals, i, cosine, norm__separable_slack(count));
    return LIBNORM_OK;
}

norm_status norm_bound_separable_lower_spread(size_t count, const double *weights, double radius, double delta,
                                              double r, double *ret_mean, norm_error *ret_error)
{
    double cosine = 0;
    norm_status status = check_ball(count, weights, radius, delta, r, &cosine, ret_mean, "ret_mean", ret_error);
    if (status != LIBNORM_OK)
        return status;
    struct norm__totals totals = norm__totals_of(weights, count);
    double sum = 0, slack = norm__separable_slack(count);
    for (size_t i = 0; i < count; i++)
        sum += spread_of(&totals, i, cosine, slack);
    *ret_mean = r > 0 ? fmax(0, 1 - sum / ((double)count * (r / radius)) * (1 + slack)) : 0;
    return LIBNORM_OK;
}

norm_status norm_bound_separable_count(size_t count, const double *weights, double radius, double delta, double r,
                                       size_t *ret_count, norm_error *ret_error)
{
    double cosine = 0;
    norm_status status = check_ball(count, weights, radius, delta, r, &cosine, ret_count, "ret_count", ret_error);
    if (status != LIBNORM_OK)
        return status;
    struct norm__totals totals = norm__totals_of(weights, count);
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += radius * spread_of(&totals, i, cosine, norm__separable_slack(count)) < r;
    *ret_count = found;
    return LIBNORM_OK;
}

norm_status norm_bound_separable_upper_published(size_t count, const double *weights, double radius, double delta,
                                                 double r, double *ret_value, norm_error *ret_error)
{
    double cosine = 0;
    norm_status status = check_ball(count, weights, radius, delta, r, &cosine, ret_value, "ret_value", ret_error);
    if (status != LIBNORM_OK)
        return status;
    struct norm__totals totals = norm__totals_of(weights, count);
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double t = r / radius - spread_of(&totals, i, cosine, norm__separable_slack(count));
        sum += exp(-t * t / 16);
    }
    *ret_value = sum / (double)count;
    return LIBNORM_OK;
}

norm_status norm_bound_coverage(size_t heads, double fraction, double *ret_fraction, norm_error *ret_error)
{
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = norm__bound_count(heads, 1, SIZE_MAX, "heads", ret_error);
    if (status == LIBNORM_OK && !(fraction >= 0 && fraction <= 1))
        status = norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "fraction = %s: expected 0 to 1",
                            norm__text_f64(fraction).text);
    if (status == LIBNORM_OK)
        status = norm__bound_pointer(ret_fraction, "ret_fraction", ret_error);
    if (status == LIBNORM_OK) /* in this form a small fraction keeps its digits, and 1 gives log 0 = -inf and then 1 */
        *ret_fraction = -expm1((double)heads * log1p(-fraction));
    return status;
}
