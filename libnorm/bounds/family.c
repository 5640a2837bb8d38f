/* SPDX-License-Identifier: MIT */
/* Lemma 2: bounds on the Jacobian of F(z_i) / sum_j F(z_j). With slopes F'/F it is (diag(w) - w w^T) diag(slopes). */
#include <libnorm/bounds.h>

#include <math.h>

#include "base/error.h"
#include "base/number.h"
#include "bounds/shares.h"
#include "bounds/sums.h"

struct family {
    struct norm__shares s;
    double slope;  /* largest |slope| */
    double column; /* largest |slope_j w_j| */
};

/* sqrt(q (1 - q)) with 1 - q as twice the sum over pairs, for shares q of a whole. */
static double second_moment(const double *w, size_t count)
{
    struct norm__others all = norm__totals_of(w, count).all;
    double whole = all.sum * all.sum;
    return sqrt(all.square / whole * (2 * all.pairs / whole));
}

static double frobenius(const struct family *f, const double *slopes)
{
    double sum = 0;
    for (size_t j = 0; j < f->s.count; j++) {
        double without = norm__shares_without(&f->s, j), size = norm__shares_at(&f->s, j) / f->s.total * slopes[j];
        sum += size * size * (without * without + norm__shares_squares_without(&f->s, j));
    }
    return sqrt(sum) / f->s.total;
}

static double one_form(const struct family *f, const double *weights, const double *slopes, int32_t form)
{
    double count = (double)f->s.count;
    switch (form) {
    case LIBNORM_FAMILY_FROBENIUS:
        return frobenius(f, slopes);
    case LIBNORM_FAMILY_LENGTH:
        return f->column * sqrt(count * f->s.squares) / f->s.total;
    case LIBNORM_FAMILY_LEMMA: {
        double smallest = f->s.unit;
        for (size_t i = 0; i < f->s.count; i++)
            smallest = fmin(smallest, weights[i]);
        return f->column / (count * smallest) * (1 + f->s.unit / smallest);
    }
    case LIBNORM_FAMILY_HALF:
        return f->slope / 2;
    default:
        return f->slope * fmin(second_moment(weights, f->s.count), 2 * norm__shares_diagonal(&f->s) / f->s.total);
    }
}

static norm_status check_whole(const struct norm__shares *s, norm_error *error)
{
    double sum = s->unit * s->total;
    if (fabs(sum - 1) <= 1e-6)
        return LIBNORM_OK;
    return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "weights sum to %s: expected 1", norm__text_f64(sum).text);
}

norm_status norm_bound_family_gradient(size_t count, const double *weights, const double *slopes, int32_t form,
                                       double *ret_upper, norm_error *ret_error)
{
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    struct family f = {.slope = 0, .column = 0};
    norm_status status = norm__bound_count(count, 1, SIZE_MAX, "count", ret_error);
    if (status == LIBNORM_OK) /* before the shares, whose message would call them p */
        status = norm__bound_array(weights, count, form == LIBNORM_FAMILY_LEMMA ? NORM__POSITIVE : NORM__NOT_NEGATIVE,
                                   "weights", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_array(slopes, count, NORM__ANY, "slopes", ret_error);
    if (status == LIBNORM_OK && (form < LIBNORM_FAMILY_BEST || form > LIBNORM_FAMILY_SPECTRUM || form == 4))
        status = norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "form = %ld: expected 0, 1, 2, 3, 5 or 6", (long)form);
    if (status == LIBNORM_OK)
        status = norm__shares_of(count, weights, 0, ret_upper, "ret_upper", &f.s, ret_error);
    if (status == LIBNORM_OK)
        status = check_whole(&f.s, ret_error);
    if (status != LIBNORM_OK)
        return status;
    for (size_t j = 0; j < count; j++) {
        f.slope = fmax(f.slope, fabs(slopes[j]));
        f.column = fmax(f.column, fabs(slopes[j]) * weights[j]);
    }
    static const int32_t forms[] = {LIBNORM_FAMILY_FROBENIUS, LIBNORM_FAMILY_LENGTH, LIBNORM_FAMILY_HALF,
                                    LIBNORM_FAMILY_SPECTRUM}; /* the lemma is never below the length form */
    double best = INFINITY;
    for (size_t k = 0; form == LIBNORM_FAMILY_BEST && k < sizeof forms / sizeof forms[0]; k++)
        best = fmin(best, one_form(&f, weights, slopes, forms[k]));
    *ret_upper = form == LIBNORM_FAMILY_BEST ? best : one_form(&f, weights, slopes, form);
    return LIBNORM_OK;
}

norm_status norm_bound_family_lemma(size_t tokens, double f_min, double f_max, double slope_max, double *ret_upper,
                                    norm_error *ret_error)
{
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = norm__bound_count(tokens, 1, SIZE_MAX, "tokens", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_number(f_min, NORM__POSITIVE, "f_min", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_number(f_max, NORM__POSITIVE, "f_max", ret_error);
    if (status == LIBNORM_OK && f_max < f_min)
        status = norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "f_max = %s: expected at least f_min = %s",
                            norm__text_f64(f_max).text, norm__text_f64(f_min).text);
    if (status == LIBNORM_OK)
        status = norm__bound_number(slope_max, NORM__NOT_NEGATIVE, "slope_max", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_pointer(ret_upper, "ret_upper", ret_error);
    if (status == LIBNORM_OK)
        *ret_upper = slope_max / f_min / (double)tokens * (1 + f_max / f_min);
    return status;
}

norm_status norm_bound_softmax_second_moment(size_t count, const double *weights, double temperature, double *ret_upper,
                                             norm_error *ret_error)
{
    struct norm__shares s;
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = norm__bound_count(count, 1, SIZE_MAX, "count", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_array(weights, count, NORM__NOT_NEGATIVE, "weights", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_number(temperature, NORM__POSITIVE, "temperature", ret_error);
    if (status == LIBNORM_OK)
        status = norm__shares_of(count, weights, 0, ret_upper, "ret_upper", &s, ret_error);
    if (status == LIBNORM_OK)
        status = check_whole(&s, ret_error);
    if (status == LIBNORM_OK)
        *ret_upper = second_moment(weights, count) / temperature;
    return status;
}
