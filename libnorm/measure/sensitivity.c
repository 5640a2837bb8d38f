/* SPDX-License-Identifier: MIT */
/* How one row of weights answers to its scores. */
#include <libnorm/sensitivity.h>

#include <math.h>

#include <libnorm/bounds.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/structs.h"
#include "bounds/check.h"
#include "measure/distance.h"

/* Memory for a row of numbers. */
static norm_status open_row(struct norm__workspace *workspace, size_t count, const norm_exec *exec, double **ret_row,
                            norm_error *error)
{
    norm_exec own;
    size_t bytes;
    norm_status status = norm__exec_read(&own, exec, error);
    if (status == LIBNORM_OK)
        status = norm__measure_bytes(count, 0, &bytes, error);
    if (status == LIBNORM_OK)
        status = norm__workspace_open(workspace, &own, norm__piece(count * sizeof(double)), error);
    if (status == LIBNORM_OK)
        *ret_row = norm__workspace_take(workspace, count * sizeof(double));
    return status;
}

static norm_status check_scores(size_t count, const double *scores, double temperature, const double *result,
                                const char *name, norm_error *error)
{
    if (!norm__error_usable(error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = norm__bound_count(count, 2, SIZE_MAX, "count", error);
    if (status == LIBNORM_OK)
        status = norm__bound_array(scores, count, NORM__ANY, "scores", error);
    if (status == LIBNORM_OK)
        status = norm__bound_number(temperature, NORM__POSITIVE, "temperature", error);
    return status == LIBNORM_OK ? norm__bound_pointer(result, name, error) : status;
}

/* sqrt of a sum of squares that neither overflow nor vanish. */
static double length_of(const double *v, size_t count)
{
    double largest = 0, square = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(v[i]));
    if (!(largest > 0))
        return 0;
    for (size_t i = 0; i < count; i++)
        square += v[i] / largest * (v[i] / largest);
    return largest * sqrt(square);
}

norm_status norm_measure_sensitivity(size_t count, const double *scores, const double *direction, double temperature,
                                     double step, double *ret_sensitivity, const norm_exec *exec,
                                     norm_error *ret_error)
{
    struct norm__workspace workspace;
    double *change;
    norm_status status =
        check_scores(count, scores, temperature, ret_sensitivity, "ret_sensitivity", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_array(direction, count, NORM__ANY, "direction", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_number(step, NORM__POSITIVE, "step", ret_error);
    if (status != LIBNORM_OK)
        return status;
    const double length = length_of(direction, count);
    if (!(fabs(length - 1) <= 1e-6))
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "direction has the length %s: expected 1",
                          norm__text_f64(length).text);
    status = open_row(&workspace, count, exec, &change, ret_error);
    if (status != LIBNORM_OK)
        return status;
    status = norm_bound_softmax_difference(count, scores, direction, temperature, step, change, ret_error);
    if (status == LIBNORM_OK)
        *ret_sensitivity = length_of(change, count) / step;
    norm__workspace_close(&workspace);
    return status;
}

norm_status norm_measure_change(size_t count, const double *before, const double *after, double step,
                                double *ret_sensitivity, norm_error *ret_error)
{
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = norm__bound_count(count, 1, SIZE_MAX, "count", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_array(before, count, NORM__ANY, "before", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_array(after, count, NORM__ANY, "after", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_number(step, NORM__POSITIVE, "step", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_pointer(ret_sensitivity, "ret_sensitivity", ret_error);
    if (status != LIBNORM_OK)
        return status;
    double largest = 0, square = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(after[i] - before[i]));
    for (size_t i = 0; largest > 0 && i < count; i++)
        square += (after[i] - before[i]) / largest * ((after[i] - before[i]) / largest);
    *ret_sensitivity = largest * sqrt(square) / step;
    return LIBNORM_OK;
}

norm_status norm_measure_spectral(size_t count, const double *scores, double temperature, double *ret_norm,
                                  const norm_exec *exec, norm_error *ret_error)
{
    struct norm__workspace workspace;
    double *weights, norm, largest = -INFINITY, sum = 0;
    norm_status status = check_scores(count, scores, temperature, ret_norm, "ret_norm", ret_error);
    if (status == LIBNORM_OK)
        status = open_row(&workspace, count, exec, &weights, ret_error);
    if (status != LIBNORM_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, scores[i]);
    for (size_t i = 0; i < count; i++)
        sum += weights[i] = exp((scores[i] - largest) / temperature);
    for (size_t i = 0; i < count; i++)
        weights[i] /= sum;
    status = norm_bound_jacobian_spectral(count, weights, 0, &norm, ret_error);
    if (status == LIBNORM_OK)
        *ret_norm = norm / temperature;
    norm__workspace_close(&workspace);
    return status;
}

norm_status norm_measure_balanced(size_t count, const double *weights, double *ret_lower, double *ret_upper,
                                  const norm_exec *exec, norm_error *ret_error)
{
    double lower, upper, sum = 0;
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = norm__bound_count(count, 2, SIZE_MAX, "count", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_array(weights, count, NORM__NOT_NEGATIVE, "weights", ret_error);
    if (status == LIBNORM_OK && ret_lower == NULL)
        status = norm__bound_pointer(ret_upper, "ret_upper", ret_error);
    if (status != LIBNORM_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        sum += weights[i];
    if (!(sum > 0 && sum < INFINITY))
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "weights sum to %s: expected a finite number > 0",
                          norm__text_f64(sum).text);
    status = norm_bound_jacobian_balanced(count, weights, &lower, &upper, exec, ret_error);
    if (status == LIBNORM_OK && ret_lower != NULL)
        *ret_lower = fmin(lower / sum, 1);
    if (status == LIBNORM_OK && ret_upper != NULL)
        *ret_upper = fmin(upper / sum, 1);
    return status;
}
