/* SPDX-License-Identifier: MIT */
/* One row on its way through the engine. */
#ifndef NORM_NORMALIZERS_ROW_H
#define NORM_NORMALIZERS_ROW_H

#include "kernels/shares.h"
#include "normalizers/call.h"

struct norm__line {
    const struct norm__call *call;
    struct norm__slot *slot;
    size_t index, batch, row;
    struct norm__sight sight;
};

/* Besides NORM__ROW_...: one visible score of a scaled normalizer, whose weight is 1 whatever the scale. */
#define NORM__ROW_ALONE 4

/* What the row outputs tell of a row; class decides where the numbers do not matter. */
struct norm__telling {
    int class;
    bool has_inf; /* a visible +inf */
    struct norm__facts facts;
    double max_score, support, entropy;
};

/* Writes a row's line of norm_row_outputs and counts it. */
void norm__row_tell(const struct norm__line *line, const struct norm__telling *t);

/* Whether support or entropy are wanted: they need the weights. */
static inline bool norm__row_tells_weights(const struct norm__call *c)
{
    return c->outputs.support != NULL || c->outputs.entropy != NULL;
}

/* Entropy of weights divided by their sum; NaN if one is negative or NaN. */
double norm__row_entropy(const double *w, size_t n);

static inline unsigned char *norm__line_cells(const struct norm__line *line, int view)
{
    return norm__view_row(&line->call->view[view], line->batch, line->row);
}

/* The same visible and hidden values in every cell of an output. */
void norm__line_fill(const struct norm__line *line, int view, double visible, double hidden);

/* The row through doubles. 0, or a callback's code. */
int32_t norm__row_general(const struct norm__line *line);
/* The loss of the row, and its gradient if wanted. */
int32_t norm__row_loss(const struct norm__line *line);
/* Its Jacobian; its norms, and writing them. */
int32_t norm__row_jacobian(const struct norm__line *line);
int32_t norm__row_norms(const struct norm__line *line);
void norm__row_norms_write(const struct norm__line *line, double spectral_norm, double frobenius_norm, double bound);
/* Weights into w, and the closed form of the Jacobian with its s, n doubles; then what the form's shares are of. */
int32_t norm__row_form(const struct norm__row *row, double *w, double *s, struct norm__form *ret);
struct norm__shares norm__form_shares(const struct norm__form *form, const double *w, size_t n);
/* The row through the kind's kernels. */
int32_t norm__row_fast(const struct norm__line *line);

/* Finds what a row sees and takes it one of the two ways. 0, or a callback's code. */
int32_t norm__row_run(const struct norm__call *call, struct norm__slot *slot, size_t batch, size_t row);

/* Whether calls of this kind need the general path's memory even if kernels do the ordinary rows. */
bool norm__row_needs_numbers(const struct norm__call *call);

#endif
