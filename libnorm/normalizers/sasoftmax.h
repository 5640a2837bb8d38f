/* SPDX-License-Identifier: MIT */
/* Inside of self-adjusted softmax: values in sasoftmax.c, derivatives in sasoftmax_derivatives.c. */
#ifndef NORM_NORMALIZERS_SASOFTMAX_H
#define NORM_NORMALIZERS_SASOFTMAX_H

#include <math.h>

#include "normalizers/kind.h"

/* A row's w_i = t_i p_i. dt_i/dz_i = 1/range, and t moves with the row's least and largest score where there are any
 * below and above 0 (variant 2; the lowest index of equal ones). */
struct norm__adjusted {
    double *p, *t;
    double range; /* 1 in variant 1; 0: all scores are 0; may be infinite */
    ptrdiff_t at_least, at_most; /* -1: none */
};

/* Fills p and t into row->scratch (2 n doubles). */
struct norm__adjusted norm__adjusted_row(const struct norm__row *row);

int32_t norm__adjusted_vjp(const struct norm__row *row, const double *w, const double *g, double *d);
int32_t norm__adjusted_jvp(const struct norm__row *row, const double *w, const double *v, double *d);
int32_t norm__adjusted_hvp(const struct norm__row *row, const double *w, const double *g, const double *h, double *dz,
                           double *dg);

#endif
