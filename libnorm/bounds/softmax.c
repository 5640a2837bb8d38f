/* SPDX-License-Identifier: MIT */
/* Corollary 3: what one softmax can do at most, whatever the scores; derivative, finite change, and the printed curve.
 * */
#include <libnorm/bounds.h>

#include <math.h>

#include "base/error.h"
#include "base/number.h"
#include "bounds/check.h"

static const double root2 = 1.4142135623730951;

static norm_status check_temperature(double temperature, const double *result, norm_error *error)
{
    if (!norm__error_usable(error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = norm__bound_number(temperature, NORM__POSITIVE, "temperature", error);
    return status == LIBNORM_OK ? norm__bound_pointer(result, "ret_upper", error) : status;
}

norm_status norm_bound_softmax_gradient(double temperature, double *ret_upper, norm_error *ret_error)
{
    norm_status status = check_temperature(temperature, ret_upper, ret_error);
    if (status == LIBNORM_OK)
        *ret_upper = 0.5 / temperature;
    return status;
}

norm_status norm_bound_softmax_entry(double temperature, double *ret_upper, norm_error *ret_error)
{
    norm_status status = check_temperature(temperature, ret_upper, ret_error);
    if (status == LIBNORM_OK)
        *ret_upper = 0.25 / temperature;
    return status;
}

norm_status norm_bound_softmax_gradient_published(double temperature, double *ret_value, norm_error *ret_error)
{
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = norm__bound_number(temperature, NORM__POSITIVE, "temperature", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_pointer(ret_value, "ret_value", ret_error);
    if (status == LIBNORM_OK)
        *ret_value = fmin(0.25 / temperature, root2);
    return status;
}

norm_status norm_bound_softmax_change(double score_range, double temperature, double *ret_variation, double *ret_change,
                                      norm_error *ret_error)
{
    norm_status status = check_temperature(temperature, ret_variation != NULL ? ret_variation : ret_change, ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_number(score_range, NORM__NOT_NEGATIVE, "score_range", ret_error);
    if (status != LIBNORM_OK)
        return status;
    double variation = tanh(score_range / 4 / temperature);
    if (ret_variation != NULL)
        *ret_variation = variation;
    if (ret_change != NULL)
        *ret_change = root2 * variation;
    return LIBNORM_OK;
}

/* (sqrt 2 / step) tanh(step range / (4 T)). For a small argument as slope times tanh(x)/x, which neither over- nor
 * underflows where the printed product does. */
static double curve(double temperature, double step, double range)
{
    double x = step / temperature * (range / 4);
    if (x > 1)
        return root2 / step * tanh(x);
    double slope = root2 / 4 * range / temperature;
    return x > 0 ? slope * (tanh(x) / x) : slope;
}

norm_status norm_bound_softmax_sensitivity_range(double temperature, double step, double direction_range,
                                                 double *ret_upper, norm_error *ret_error)
{
    norm_status status = check_temperature(temperature, ret_upper, ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_number(step, NORM__POSITIVE, "step", ret_error);
    if (status == LIBNORM_OK && !(direction_range >= 0 && direction_range <= root2 * (1 + 0x1p-40)))
        status = norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1,
                            "direction_range = %s: expected 0 to sqrt 2, the direction has length 1",
                            norm__text_f64(direction_range).text);
    if (status == LIBNORM_OK)
        *ret_upper = curve(temperature, step, direction_range);
    return status;
}

norm_status norm_bound_softmax_sensitivity(double temperature, double step, double *ret_upper, norm_error *ret_error)
{
    return norm_bound_softmax_sensitivity_range(temperature, step, root2, ret_upper, ret_error);
}

norm_status norm_bound_simplex_sensitivity(double gradient, double step, double *ret_upper, norm_error *ret_error)
{
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = LIBNORM_OK;
    if (!(gradient >= 0))
        status = norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "gradient = %s: expected >= 0 or +inf",
                            norm__text_f64(gradient).text);
    if (status == LIBNORM_OK)
        status = norm__bound_number(step, NORM__POSITIVE, "step", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_pointer(ret_upper, "ret_upper", ret_error);
    if (status == LIBNORM_OK)
        *ret_upper = fmin(gradient, root2 / step);
    return status;
}
