/* SPDX-License-Identifier: MIT */
/* One row on its way through the engine. */
#ifndef NORM_NORMALIZERS_ROW_H
#define NORM_NORMALIZERS_ROW_H

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
/* The row through the kind's kernels. */
int32_t norm__row_fast(const struct norm__line *line);

/* Finds what a row sees and takes it one of the two ways. 0, or a callback's code. */
int32_t norm__row_run(const struct norm__call *call, struct norm__slot *slot, size_t batch, size_t row);

/* Whether calls of this kind need the general path's memory even if kernels do the ordinary rows. */
bool norm__row_needs_numbers(const struct norm__call *call);

#endif
