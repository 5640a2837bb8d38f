/* SPDX-License-Identifier: MIT */
/* Largest errors of one normalizer, over rows of scores that are drawn for it. */
#ifndef NUMERICS_ERRORS_H
#define NUMERICS_ERRORS_H

#include <stddef.h>
#include <stdint.h>

/* Of one width. */
struct errors {
    double weight;     /* |w - exact|, over the row's largest weight if that is above 1 */
    double weight_ulp; /* the same in units in the last place of the exact weight, over weights that are normal
                        * numbers in this width; for normalizers that are not sparse */
    double sum;        /* |sum w - 1| where they sum to one, in this width's own weights */
    double vjp;        /* |d - exact| / (C max |g|), C the library's constant for the Jacobian's 2-norm; where it has
                        * none, its bound or norm for the row, but at least 1 / (2 temperature) */
};

struct measured {
    struct errors f32, f64;
    size_t rows, vjp_rows; /* looked at; the latter leave out rows with a score within 1e-6 of a kink */
};

/* rows rows of up to longest scores: normal with deviations from 0.1 to 10 and centres from -20 to 20, every tenth with
 * ties. VJPs up to 24 scores. Exits where the text is none of the library's. */
struct measured errors_measure(const char *spec, size_t rows, size_t longest, uint64_t seed);

/* The settings that are measured: every built-in normalizer, most with several. */
extern const char *const errors_specs[];
extern const size_t errors_spec_count;

#endif
