/* SPDX-License-Identifier: MIT */
/* L = log m solves L + log sum_i ratio(y_i, delta, e^(delta L)) = 0; the left side rises with L and L lies in
 * [-log n, 0]. The usual unknown, a threshold tau, loses m's digits where m is small; L does not. */
#include "normalizers/entmax_solve.h"

#include "normalizers/sum.h"

/* What one sweep over the candidates gives at L. */
struct sweep {
    double total; /* sum of ratios */
    double slope; /* sum of ratios^(1 - delta), over the support */
};

/* Also drops what is outside the support: later L are smaller, so it stays outside. */
static struct sweep sweep_at(double *y, size_t *n, double delta, double log_largest)
{
    const double power = exp(delta * log_largest);
    struct norm__sum total = {0, 0}, slope = {0, 0};
    size_t kept = 0;
    for (size_t i = 0; i < *n; i++) {
        const double x = delta * y[i] / power;
        if (!(x > -1))
            continue;
        const double ratio = exp(log1p(x) / delta);
        norm__sum_add(&total, ratio);
        norm__sum_add(&slope, ratio / (1 + x));
        y[kept++] = y[i];
    }
    *n = kept;
    return (struct sweep){norm__sum_value(total), norm__sum_value(slope)};
}

/* Newton on the (1/delta)-norm of the support's (1 + delta (y - c)), convex in c for delta <= 1, written in L. */
static double climb(double *y, size_t n, double delta)
{
    double log_largest = 0;
    for (int round = 0; round < 60; round++) {
        const struct sweep s = sweep_at(y, &n, delta, log_largest);
        const double excess = log_largest + log(s.total); /* log of the sum of the weights */
        const double step = log1p(expm1(-delta * excess) * (s.total / s.slope)) / delta;
        if (!(step < -0x1p-51 * fmax(1, -log_largest)))
            break;
        log_largest += step;
    }
    return log_largest;
}

double norm__entmax_log_largest(const double *y, size_t n, double alpha, double *scratch)
{
    const double delta = alpha - 1;
    if (delta == 0) {
        struct norm__sum sum = {0, 0};
        for (size_t i = 0; i < n; i++)
            norm__sum_add(&sum, exp(y[i]));
        return -log(norm__sum_value(sum));
    }
    /* m <= 1, so only scores above -1/delta can be in the support. */
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (delta * y[i] > -1)
            scratch[kept++] = y[i];
    return climb(scratch, kept, delta);
}
