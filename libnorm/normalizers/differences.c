/* SPDX-License-Identifier: MIT */
#include "normalizers/differences.h"

#include <math.h>

enum { sizes = 3, tries = 3 };

double norm__difference_error(double got, double wanted, double unit)
{
    if (got == wanted)
        return 0;
    const double error = fabs(got - wanted) / (fabs(wanted) + unit / 1000);
    return isnan(error) ? INFINITY : error;
}

/* One component: its value at 0, and up and down at step, step / 2, step / 4. */
static double slope(double y0, const double *up, const double *down, double step, double size, double unit,
                    double tolerance)
{
    double d[sizes];
    for (int k = 0; k < sizes; k++)
        d[k] = (up[k] - down[k]) / (2 * ldexp(step, -k));
    const double coarse = (4 * d[1] - d[0]) / 3, fine = (4 * d[2] - d[1]) / 3;
    if (!(norm__difference_error(coarse, fine, unit) <= tolerance))
        return (double)NAN;
    const double matters = tolerance * (fabs(fine) + unit / 1000);
    if (0x1p-50 * fmax(size, fabs(y0)) / ldexp(step, -2) > matters) /* they may agree by chance */
        return (double)NAN;
    /* The slope's change from one side to the other shrinks with the step, unless there is a kink at 0. */
    const double wide = fabs(up[0] - 2 * y0 + down[0]) / step;
    const double narrow = fabs(up[2] - 2 * y0 + down[2]) / ldexp(step, -2);
    return narrow > 4 * matters && narrow > 0.5 * wide ? (double)NAN : fine;
}

norm_status norm__differences(const struct norm__curve *curve, double step, double unit, double tolerance,
                              double *work, double *ret)
{
    const size_t m = curve->m;
    norm_status status = curve->at(curve->data, 0, work);
    for (size_t i = 0; i < m; i++)
        ret[i] = (double)NAN;
    for (int try = 0; status == LIBNORM_OK && try < tries; try++, step /= 16) {
        for (int k = 0; status == LIBNORM_OK && k < sizes; k++) {
            status = curve->at(curve->data, ldexp(step, -k), work + (size_t)(1 + k) * m);
            if (status == LIBNORM_OK)
                status = curve->at(curve->data, -ldexp(step, -k), work + (size_t)(1 + sizes + k) * m);
        }
        size_t open = 0;
        for (size_t i = 0; status == LIBNORM_OK && i < m; i++) {
            double up[sizes], down[sizes];
            for (int k = 0; k < sizes; k++) {
                up[k] = work[(size_t)(1 + k) * m + i];
                down[k] = work[(size_t)(1 + sizes + k) * m + i];
            }
            if (isnan(ret[i]))
                ret[i] = slope(work[i], up, down, step, curve->size, unit, tolerance);
            open += isnan(ret[i]) ? 1 : 0;
        }
        if (open == 0)
            break;
    }
    return status;
}
