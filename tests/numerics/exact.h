/* SPDX-License-Identifier: MIT */
/* Weights of every built-in normalizer worked out with MPFR from their published formulas, apart from the library: no
 * shift of the scores, no closed form of a threshold, derivatives as differences. */
#ifndef NUMERICS_EXACT_H
#define NUMERICS_EXACT_H

#include <mpfr.h>
#include <stdbool.h>
#include <stddef.h>

#include <libnorm/normalizer.h>

/* Differences over 2^-80 leave 200 bits of these. */
#define EXACT_BITS 280

struct exact;
/* rows of up to longest scores. name: "entmax", "softmax", ...; the keys are read from the handle. */
struct exact *exact_new(const norm_normalizer *n, const char *name, size_t longest);
void exact_free(struct exact *e);

/* Weights of n >= 1 finite scores, from 0 to n - 1 in e's own memory until the next call. */
mpfr_t *exact_weights(struct exact *e, const double *z, size_t n);
/* Distance of the score nearest to the threshold, in units of z / temperature; +inf where there is none. Of the last
 * exact_weights. */
double exact_margin(const struct exact *e);
/* ret[j] = sum_i g_i dw_i/dz_j, likewise. The weights of exact_weights are gone afterwards. */
mpfr_t *exact_vjp(struct exact *e, const double *z, const double *g, size_t n);

#endif
