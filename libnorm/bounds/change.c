/* SPDX-License-Identifier: MIT */
/* The change of softmax weights when the scores take a finite step, with its digits for a step of any size. */
#include <libnorm/bounds.h>

#include <math.h>

#include "base/error.h"
#include "base/number.h"
#include "bounds/check.h"

static norm_status check(size_t count, const double *scores, const double *direction, double temperature, double step,
                         double *result, norm_error *error)
{
    if (!norm__error_usable(error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = norm__bound_count(count, 1, SIZE_MAX, "count", error);
    if (status == LIBNORM_OK)
        status = norm__bound_array(scores, count, NORM__ANY, "scores", error);
    if (status == LIBNORM_OK)
        status = norm__bound_array(direction, count, NORM__ANY, "direction", error);
    if (status == LIBNORM_OK)
        status = norm__bound_number(temperature, NORM__POSITIVE, "temperature", error);
    if (status == LIBNORM_OK)
        status = norm__bound_number(step, NORM__ANY, "step", error);
    for (size_t i = 0; status == LIBNORM_OK && i < count; i++)
        if (!isfinite(scores[i] + step * direction[i]))
            status =
                norm__fail(error, LIBNORM_E_ARGUMENT, -1, "direction[%zu] = %s: the step takes the score out of range",
                           i, norm__text_f64(direction[i]).text);
    if (status == LIBNORM_OK)
        status = norm__bound_result(result, count, scores, count, false, "ret_change", error);
    if (status == LIBNORM_OK)
        status = norm__bound_result(result, count, direction, count, false, "ret_change", error);
    return status;
}

/* Where scores + step direction is largest, and the sum of their exponentials measured from there. */
static size_t sum_up(size_t count, const double *scores, const double *direction, double temperature, double step,
                     double *ret_sum)
{
    size_t top = 0;
    for (size_t i = 1; i < count; i++)
        if (scores[i] + step * direction[i] > scores[top] + step * direction[top])
            top = i;
    double sum = 0, highest = scores[top] + step * direction[top];
    for (size_t i = 0; i < count; i++)
        sum += exp((scores[i] + step * direction[i] - highest) / temperature);
    *ret_sum = sum;
    return top;
}

norm_status norm_bound_softmax_difference(size_t count, const double *scores, const double *direction,
                                          double temperature, double step, double *ret_change, norm_error *ret_error)
{
    norm_status status = check(count, scores, direction, temperature, step, ret_change, ret_error);
    if (status != LIBNORM_OK)
        return status;
    double sum, largest = 0;
    size_t top = sum_up(count, scores, direction, temperature, 0, &sum);
    for (size_t i = 0; i < count; i++) {
        ret_change[i] = exp((scores[i] - scores[top]) / temperature) / sum;
        largest = fmax(largest, fabs(step * (direction[i] - direction[top]) / temperature));
    }
    if (!(largest <= 1)) { /* a step of this size changes leading digits: subtract */
        size_t moved = sum_up(count, scores, direction, temperature, step, &sum);
        double highest = scores[moved] + step * direction[moved], others = 0;
        for (size_t i = 0; i < count; i++) {
            ret_change[i] = exp((scores[i] + step * direction[i] - highest) / temperature) / sum - ret_change[i];
            others += i == top ? 0 : ret_change[i];
        }
        if (moved == top) /* both near 1, perhaps; the changes sum to 0 */
            ret_change[top] = -others;
        return LIBNORM_OK;
    }
    /* w'_i / w_i = e^(u_i) / sum_j w_j e^(u_j), u_i measured from the largest weight, so that a small u stays small. */
    double excess = 0;
    for (size_t j = 0; j < count; j++)
        excess += ret_change[j] * expm1(step * (direction[j] - direction[top]) / temperature);
    double shift = log1p(excess);
    for (size_t i = 0; i < count; i++)
        ret_change[i] *= expm1(step * (direction[i] - direction[top]) / temperature - shift);
    return LIBNORM_OK;
}
