/* SPDX-License-Identifier: MIT */
/* The row functions of softmax, for the normalizers that are softmax of scaled scores. The largest z is 0. */
#ifndef NORM_NORMALIZERS_SOFTMAX_H
#define NORM_NORMALIZERS_SOFTMAX_H

#include "normalizers/kind.h"

int32_t norm__softmax_apply(const struct norm__row *row, double *w, struct norm__facts *facts);
int32_t norm__softmax_log_apply(const struct norm__row *row, double *log_w, struct norm__facts *facts);
int32_t norm__softmax_vjp(const struct norm__row *row, const double *w, const double *g, double *d);
int32_t norm__softmax_log_vjp(const struct norm__row *row, const double *w, const double *g, double *d);
int32_t norm__softmax_hvp(const struct norm__row *row, const double *w, const double *g, const double *h, double *dz,
                          double *dg);
int32_t norm__softmax_form(const struct norm__row *row, double *w, struct norm__form *ret);
double norm__softmax_loss_alpha(const norm_normalizer *handle);

#endif
