/* SPDX-License-Identifier: MIT */
/* The scalar equations behind entmax, each in an unknown that keeps its digits: the largest weight up to alpha = 2, the
 * smallest one above. */
#ifndef NORM_NORMALIZERS_ENTMAX_SOLVE_H
#define NORM_NORMALIZERS_ENTMAX_SOLVE_H

#include <math.h>
#include <stddef.h>

/* With delta = alpha - 1 and m the largest weight, the weights are m times norm__entmax_ratio(y, delta, m^delta). */
static inline double norm__entmax_ratio(double y, double delta, double power)
{
    if (delta == 0)
        return exp(y);
    const double x = delta * y / power;
    return x > -1 ? exp(log1p(x) / delta) : 0;
}

/* Logarithm of the largest weight of entmax, 1 <= alpha <= 2; y holds n scores, the largest exactly 0; scratch holds n
 * doubles. */
double norm__entmax_log_largest(const double *y, size_t n, double alpha, double *scratch);

/* Weights of entmax for alpha > 2, and the score at which they reach 0. scratch holds n doubles. */
void norm__entmax_steep(const double *y, size_t n, double alpha, double *ret_w, double *ret_threshold, double *scratch);

#endif
