/* SPDX-License-Identifier: MIT */
/* Derivatives from central differences, with kinks told apart from slopes. */
#ifndef NORM_NORMALIZERS_DIFFERENCES_H
#define NORM_NORMALIZERS_DIFFERENCES_H

#include <stddef.h>

#include <libnorm/status.h>

/* m numbers that depend on one: y(step), with y(0) where the derivative is wanted. */
struct norm__curve {
    size_t m;
    double size; /* of the terms that y is made of: their rounding is in every difference */
    void *data;
    norm_status (*at)(void *data, double step, double *ret_y);
};

/* Arrays of m in work. */
#define NORM__DIFFERENCES_WORK 7

/* y'(0) into ret, NaN where steps of different size do not agree. step: the largest. A component counts when two
 * extrapolations agree within tolerance (|y'| + unit / 1000), and rounding of y does not reach that. */
norm_status norm__differences(const struct norm__curve *curve, double step, double unit, double tolerance,
                              double *work, double *ret);

/* The measure of it all: |got - wanted| over (|wanted| + unit / 1000). */
double norm__difference_error(double got, double wanted, double unit);

#endif
