/* SPDX-License-Identifier: MIT */
/* One row in both widths against values. */
#ifndef SUPPORT_ONE_ROW_H
#define SUPPORT_ONE_ROW_H

#include <stdbool.h>

#include <libnorm/norm.h>

/* Exits the test where the text is refused. */
norm_normalizer *one_row_parse(const char *spec);
/* One row of n packed scores. */
norm_rows one_row_of(size_t n);
/* Within the tolerance, or both NaN, or the same infinity. */
bool one_row_near(double got, double wanted, double tolerance);

/* Weights in double within the tolerance, in float within 5e-7 at least. n up to 64; mask: NULL, all visible. */
void ck_weights(const char *spec, size_t n, const double *z, const uint8_t *mask, const double *wanted,
                double tolerance);
/* VJP, in float within 1e-6 at least. */
void ck_vjp(const char *spec, size_t n, const double *z, const uint8_t *mask, const double *g, const double *wanted,
            double tolerance);

#endif
