/* SPDX-License-Identifier: MIT */
/* Norms of J = diag(p) - p p^T / Z. */
#include <libnorm/bounds.h>

#include <math.h>

#include "base/error.h"
#include "bounds/shares.h"

norm_status norm__shares_of(size_t count, const double *p, double rest, const void *result, const char *name,
                            struct norm__shares *ret_shares, norm_error *error)
{
    if (!norm__error_usable(error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = norm__bound_count(count, 1, SIZE_MAX, "count", error);
    if (status == LIBNORM_OK)
        status = norm__bound_array(p, count, NORM__NOT_NEGATIVE, "p", error);
    if (status == LIBNORM_OK)
        status = norm__bound_number(rest, NORM__NOT_NEGATIVE, "rest", error);
    if (status == LIBNORM_OK)
        status = norm__bound_pointer(result, name, error);
    if (status != LIBNORM_OK)
        return status;
    *ret_shares = norm__shares_make(p, count, rest);
    return LIBNORM_OK;
}

norm_status norm_bound_jacobian_spectral(size_t count, const double *p, double rest, double *ret_norm,
                                         norm_error *ret_error)
{
    struct norm__shares s;
    norm_status status = norm__shares_of(count, p, rest, ret_norm, "ret_norm", &s, ret_error);
    if (status == LIBNORM_OK)
        *ret_norm = norm__shares_spectral(&s);
    return status;
}

norm_status norm_bound_jacobian_spectral_range(size_t count, const double *p, double rest, double *ret_lower,
                                               double *ret_upper, norm_error *ret_error)
{
    struct norm__shares s;
    norm_status status =
        norm__shares_of(count, p, rest, ret_lower != NULL ? ret_lower : ret_upper, "ret_upper", &s, ret_error);
    if (status != LIBNORM_OK)
        return status;
    double m = norm__shares_diagonal(&s);
    if (ret_lower != NULL)
        *ret_lower = s.unit * fmax(m, s.second);
    if (ret_upper != NULL)
        *ret_upper = s.unit * (count == 1 ? m : fmin(2 * m, 1));
    return LIBNORM_OK;
}

norm_status norm_bound_jacobian_frobenius(size_t count, const double *p, double rest, double *ret_norm,
                                          norm_error *ret_error)
{
    struct norm__shares s;
    norm_status status = norm__shares_of(count, p, rest, ret_norm, "ret_norm", &s, ret_error);
    if (status == LIBNORM_OK)
        *ret_norm = norm__shares_frobenius(&s);
    return status;
}

norm_status norm_bound_jacobian_row(size_t count, const double *p, double rest, double *ret_norm, norm_error *ret_error)
{
    struct norm__shares s;
    norm_status status = norm__shares_of(count, p, rest, ret_norm, "ret_norm", &s, ret_error);
    if (status != LIBNORM_OK)
        return status;
    double largest = 0;
    for (size_t i = 0; s.unit > 0 && i < count; i++) {
        double without = norm__shares_without(&s, i);
        double others = i == s.first ? s.others : without - s.rest;
        largest = fmax(largest, norm__shares_at(&s, i) * ((without + others) / s.total));
    }
    *ret_norm = s.unit * largest;
    return LIBNORM_OK;
}

norm_status norm_bound_jacobian_entry(size_t count, const double *p, double rest, double *ret_norm,
                                      norm_error *ret_error)
{
    struct norm__shares s;
    norm_status status = norm__shares_of(count, p, rest, ret_norm, "ret_norm", &s, ret_error);
    if (status == LIBNORM_OK)
        *ret_norm = s.unit * norm__shares_diagonal(&s);
    return status;
}
