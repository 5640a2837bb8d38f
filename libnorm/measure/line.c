/* SPDX-License-Identifier: MIT */
/* Least squares through points, from their means, so that far-off points keep their digits. */
#include <libnorm/statistics.h>

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/number.h"
#include "base/structs.h"
#include "bounds/check.h"

#define FIRST (offsetof(norm_line, r_squared) + sizeof(double))

static double mean_of(size_t count, const double *x)
{
    double sum = 0, left = 0;
    for (size_t i = 0; i < count; i++)
        sum += x[i] / (double)count;
    for (size_t i = 0; i < count; i++)
        left += x[i] - sum;
    return sum + left / (double)count;
}

norm_status norm_measure_line(size_t count, const double *x, const double *y, norm_line *ret_line,
                              norm_error *ret_error)
{
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = norm__struct_writable(ret_line, FIRST, "norm_line", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_count(count, 2, SIZE_MAX, "count", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_array(x, count, NORM__ANY, "x", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_array(y, count, NORM__ANY, "y", ret_error);
    if (status != LIBNORM_OK)
        return status;
    const double x_mean = mean_of(count, x), y_mean = mean_of(count, y);
    double xx = 0, xy = 0, yy = 0, left = 0;
    bool equal = true;
    for (size_t i = 0; i < count; i++) {
        const double dx = x[i] - x_mean, dy = y[i] - y_mean;
        xx += dx * dx;
        xy += dx * dy;
        yy += dy * dy;
        equal &= x[i] == x[0];
    }
    if (equal || !(xx > 0))
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "x holds %s alone: expected different numbers",
                          norm__text_f64(x[0]).text);
    norm_line own = {.struct_size = sizeof own, .slope = xy / xx, .slope_error = NAN, .r_squared = NAN};
    own.intercept = y_mean - own.slope * x_mean;
    for (size_t i = 0; i < count; i++) {
        const double d = (y[i] - y_mean) - own.slope * (x[i] - x_mean);
        left += d * d;
    }
    if (count > 2)
        own.slope_error = sqrt(left / (double)(count - 2) / xx);
    if (yy > 0)
        own.r_squared = fmax(0, 1 - left / yy);
    norm__struct_write(ret_line, &own, sizeof own);
    return LIBNORM_OK;
}
