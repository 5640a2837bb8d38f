/* SPDX-License-Identifier: MIT */
/* What one row of attention weights is like. */
#ifndef NORM_MEASURE_ROW_H
#define NORM_MEASURE_ROW_H

#include "kernels/kernels.h"
#include "measure/sums.h"

enum norm__row_kind { NORM__ROW_COUNTED, NORM__ROW_ALL_ZERO, NORM__ROW_NOT_NUMBERS };

/* Of p = w / sum, but for weight_sum and support. */
struct norm__row_measures {
    double weight_sum, support;
    double entropy; /* -sum p log p, nats */
    double square;  /* sum p^2 */
    double max_weight;
    double first, self, previous; /* p[0], p[n - 1], p[n - 2] (0 when n is 1) */
    double distance;              /* sum p_j (n - 1 - j) */
};

/* w: the n visible weights. *ret is written if NORM__ROW_COUNTED: all weights are finite and >= 0, one is positive. */
enum norm__row_kind norm__row_measure(const struct norm__kernels *kernels, const struct norm__sum_functions *sums,
                                      const float *w, size_t n, struct norm__row_measures *ret);

#endif
