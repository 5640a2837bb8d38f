/* SPDX-License-Identifier: MIT */
/* What the formulas share: a row of scores on its way to weights. */
#ifndef NUMERICS_FORMULA_H
#define NUMERICS_FORMULA_H

#include "exact.h"

#define R MPFR_RNDN

enum { numbers = 8 };

struct exact {
    const norm_normalizer *handle;
    void (*weights)(struct exact *e, size_t n);
    size_t longest;
    mpfr_t *z, *w, *f, *d; /* z: divided by the temperature */
    mpfr_t x[numbers];     /* scratch of one function */
    mpfr_t threshold, margin, step;
    bool warm; /* threshold is near the root */
};

/* The value of a key of the normalizer. */
double exact_key(const struct exact *e, const char *name);
void exact_divide_by_sum(struct exact *e, size_t n);
/* Multiplies the scores by x[1]. */
void exact_scale_scores(struct exact *e, size_t n);
size_t exact_first_largest(const struct exact *e, size_t n);
size_t exact_first_smallest(const struct exact *e, size_t n);

/* Weights w of the scores z, n >= 1 of them. x and f may be used; margin is made smaller where there is a kink. */
#define FORMULA(name) void exact_##name(struct exact *e, size_t n);
FORMULA(softmax)
FORMULA(softmax1)
FORMULA(topk)
FORMULA(sparsemax)
FORMULA(entmax)
FORMULA(normmax)
FORMULA(ssmax)
FORMULA(asentmax)
FORMULA(sasoftmax)
FORMULA(adaptive)
FORMULA(sigmoid)
FORMULA(relu)
FORMULA(lssa)
FORMULA(lssar)
FORMULA(softpick)
FORMULA(softplus)
FORMULA(elu1)
FORMULA(square1)
#undef FORMULA

#endif
