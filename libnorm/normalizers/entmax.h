/* SPDX-License-Identifier: MIT */
/* The row functions of entmax, for the normalizers that are entmax of scaled scores. alpha is key number 1. */
#ifndef NORM_NORMALIZERS_ENTMAX_H
#define NORM_NORMALIZERS_ENTMAX_H

#include <math.h>

#include "normalizers/kind.h"

#define NORM__ENTMAX_ALPHA_KEY                                                                                         \
    {                                                                                                                  \
        "alpha", "1: softmax, 2: sparsemax; higher is sparser", 0, 1.5, 1, 100                                         \
    }

uint64_t norm__entmax_properties(const norm_normalizer *handle);
int32_t norm__entmax_apply(const struct norm__row *row, double *w, struct norm__facts *facts);
int32_t norm__entmax_log_apply(const struct norm__row *row, double *log_w, struct norm__facts *facts);
int32_t norm__entmax_vjp(const struct norm__row *row, const double *w, const double *g, double *d);
int32_t norm__entmax_log_vjp(const struct norm__row *row, const double *w, const double *g, double *d);
int32_t norm__entmax_hvp(const struct norm__row *row, const double *w, const double *g, const double *h, double *dz,
                         double *dg);
int32_t norm__entmax_form(const struct norm__row *row, double *w, struct norm__form *ret);
double norm__entmax_loss_alpha(const norm_normalizer *handle);
int32_t norm__entmax_param_vjp(const struct norm__row *row, const double *w, const double *g, size_t key, double *ret);

#endif
