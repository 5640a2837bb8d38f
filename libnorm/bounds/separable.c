/* SPDX-License-Identifier: MIT */
/* Theorem 2 under its random model: bounds on how many selected tokens can be told apart.
 *
 * All quantities of token i are in units of the radius times the largest other weight (o.scale), so nothing over- or
 * underflows: X is the norm of the sum of the others, a = E X^2, v = Var X^2, r the radius of the ball. */
#include <libnorm/bounds.h>

#include <math.h>

#include "base/error.h"
#include "bounds/separable.h"

norm_status norm__separable_check(size_t count, const double *weights, double radius, norm_error *error)
{
    if (!norm__error_usable(error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = norm__bound_count(count, 1, SIZE_MAX, "count", error);
    if (status == LIBNORM_OK)
        status = norm__bound_array(weights, count, NORM__NOT_NEGATIVE, "weights", error);
    if (status == LIBNORM_OK)
        status = norm__bound_number(radius, NORM__POSITIVE, "radius", error);
    return status;
}

struct model {
    double dim, slack;
};

/* Lower bound on E X by Hoelder; 2 square_pairs = a^2 - sum of fourth powers. */
static double mean_of(const struct norm__others *o, double dim)
{
    return sqrt(o->square / (1 + 4 / dim * (o->square_pairs / (o->square * o->square))));
}

/* -- upper bounds on P(X <= r) ------------------------------------------------------------------------------------ */

static double cantelli(const struct norm__others *o, const struct model *m, double r)
{
    double t = o->square * (1 - m->slack) - r * r, v = 4 / m->dim * o->square_pairs * (1 + m->slack);
    return t > 0 ? v / (v + t * t) : 1;
}

static double range(const struct norm__others *o, const struct model *m, double r, double t)
{
    double high = o->sum * (1 - m->slack), low = fmax(0, 2 - o->sum * (1 + m->slack));
    if (r >= high)
        return 1;
    if (r < low)
        return 0;
    double width = o->sum * (1 + m->slack) - low;
    return exp(-2 * (t / width) * (t / width));
}

static double upper_item(const struct norm__others *o, const struct model *m, double r, int32_t form)
{
    double t = fmax(0, mean_of(o, m->dim) * (1 - m->slack) - r), tail = t * t / (2 * o->square) * (1 - m->slack);
    switch (form) {
    case LIBNORM_SEPARABLE_CANTELLI:
        return cantelli(o, m, r);
    case LIBNORM_SEPARABLE_MCDIARMID:
        return exp(-tail);
    case LIBNORM_SEPARABLE_REPAIRED:
        return exp(-(t * o->scale) * (t * o->scale) * (1 - m->slack) / 16);
    case LIBNORM_SEPARABLE_RANGE:
        return range(o, m, r, t);
    case LIBNORM_SEPARABLE_SPHERE:
        return exp(-(m->dim - 1) * tail);
    default:
        return fmin(fmin(cantelli(o, m, r), range(o, m, r, t)), exp(-fmax(1, m->dim - 1) * tail));
    }
}

/* -- lower bounds on P(X < r) ------------------------------------------------------------------------------------- */

static double lower_item(const struct norm__others *o, const struct model *m, double r)
{
    if (r > o->sum * (1 + m->slack))
        return 1;
    double a = o->square * (1 + m->slack), v = 4 / m->dim * o->square_pairs * (1 + m->slack);
    double outside = r > 0 ? fmin(1, a / (r * r)) : 1, t = r * r - a;
    if (t > 0) {
        double d = fmax(0, r - sqrt(a) * (1 + m->slack));
        outside = fmin(outside, v / (v + t * t));
        outside = fmin(outside, exp(-fmax(1, m->dim - 1) * d * d / (2 * o->square) * (1 - m->slack)));
    }
    return fmax(0, 1 - outside * (1 + m->slack));
}

static norm_status check_call(size_t count, const double *weights, double radius, size_t dim, double r,
                              const double *items, const double *mean, norm_error *error)
{
    norm_status status = norm__separable_check(count, weights, radius, error);
    if (status == LIBNORM_OK)
        status = norm__bound_count(dim, 1, SIZE_MAX, "dim", error);
    if (status == LIBNORM_OK)
        status = norm__bound_number(r, NORM__NOT_NEGATIVE, "r", error);
    if (status == LIBNORM_OK)
        status = norm__bound_result(items, count, weights, count, true, "ret_items", error);
    if (status == LIBNORM_OK && items == NULL)
        status = norm__bound_pointer(mean, "ret_mean", error);
    return status;
}

norm_status norm_bound_separable_upper(size_t count, const double *weights, double radius, size_t dim, double r,
                                       int32_t form, double *ret_items, double *ret_mean, norm_error *ret_error)
{
    norm_status status = check_call(count, weights, radius, dim, r, ret_items, ret_mean, ret_error);
    if (status != LIBNORM_OK)
        return status;
    if (form < LIBNORM_SEPARABLE_BEST || form > LIBNORM_SEPARABLE_SPHERE)
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "form = %ld: expected 0 to 5", (long)form);
    if (form == LIBNORM_SEPARABLE_SPHERE && dim < 2)
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "dim = 1: expected at least 2 for the sphere form");
    struct norm__totals totals = norm__totals_of(weights, count);
    if (form == LIBNORM_SEPARABLE_REPAIRED && totals.all.scale * totals.all.scale * totals.all.square > 8)
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "weights: squares that sum to at most 8 are expected");
    struct model model = {(double)dim, norm__separable_slack(count)};
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        struct norm__others o = norm__others_of(&totals, i);
        double p = o.scale > 0 ? upper_item(&o, &model, r / radius / o.scale, form) : 1;
        p = fmin(1, p * (1 + 0x1p-50));
        if (ret_items != NULL)
            ret_items[i] = p;
        sum += p;
    }
    if (ret_mean != NULL)
        *ret_mean = fmin(1, sum / (double)count * (1 + model.slack));
    return LIBNORM_OK;
}

/* max(0, 1 - (1/(r count)) sum of radius sqrt(A)) */
static double markov(const struct norm__totals *t, double ball, double slack)
{
    double sum = 0;
    for (size_t i = 0; i < t->count; i++) {
        struct norm__others o = norm__others_of(t, i);
        sum += o.scale > 0 ? o.scale * sqrt(o.square) : 0;
    }
    double part = sum / ((double)t->count * ball) * (1 + slack);
    return ball > 0 ? fmax(0, 1 - part) : 0;
}

norm_status norm_bound_separable_lower(size_t count, const double *weights, double radius, size_t dim, double r,
                                       int32_t form, double *ret_items, double *ret_mean, norm_error *ret_error)
{
    norm_status status = check_call(count, weights, radius, dim, r, ret_items, ret_mean, ret_error);
    if (status != LIBNORM_OK)
        return status;
    if (form != LIBNORM_SEPARABLE_BEST && form != LIBNORM_SEPARABLE_MARKOV)
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "form = %ld: expected 0 or 6", (long)form);
    if (form == LIBNORM_SEPARABLE_MARKOV && ret_items != NULL)
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "ret_items: expected NULL, this form has none");
    struct norm__totals totals = norm__totals_of(weights, count);
    struct model model = {(double)dim, norm__separable_slack(count)};
    double sum = 0;
    for (size_t i = 0; form == LIBNORM_SEPARABLE_BEST && i < count; i++) {
        struct norm__others o = norm__others_of(&totals, i);
        double p = o.scale > 0 ? lower_item(&o, &model, r / radius / o.scale) : r > 0;
        if (ret_items != NULL)
            ret_items[i] = p;
        sum += p;
    }
    if (ret_mean != NULL)
        *ret_mean = form == LIBNORM_SEPARABLE_MARKOV ? markov(&totals, r / radius, model.slack)
                                                     : sum / (double)count * (1 - model.slack);
    return LIBNORM_OK;
}

norm_status norm_bound_separable_moments(size_t count, const double *weights, double radius, size_t dim,
                                         double *ret_square, double *ret_variance, double *ret_mean, double *ret_low,
                                         double *ret_high, norm_error *ret_error)
{
    double *const results[] = {ret_square, ret_variance, ret_mean, ret_low, ret_high};
    static const char *const names[] = {"ret_square", "ret_variance", "ret_mean", "ret_low", "ret_high"};
    norm_status status = norm__separable_check(count, weights, radius, ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_count(dim, 1, SIZE_MAX, "dim", ret_error);
    for (size_t k = 0; status == LIBNORM_OK && k < 5; k++)
        status = norm__bound_result(results[k], count, weights, count, true, names[k], ret_error);
    if (status != LIBNORM_OK)
        return status;
    struct norm__totals totals = norm__totals_of(weights, count);
    for (size_t i = 0; i < count; i++) {
        struct norm__others o = norm__others_of(&totals, i);
        double unit = radius * o.scale, square = unit * unit, d = (double)dim;
        bool none = !(o.scale > 0);
        const double values[] = {square * o.square, square * square * (4 / d) * o.square_pairs,
                                 none ? 0 : unit * mean_of(&o, d), none ? 0 : unit * fmax(0, 2 - o.sum), unit * o.sum};
        for (size_t k = 0; k < 5; k++)
            if (results[k] != NULL)
                results[k][i] = values[k];
    }
    return LIBNORM_OK;
}
