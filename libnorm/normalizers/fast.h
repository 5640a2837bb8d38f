/* SPDX-License-Identifier: MIT */
/* Kernels of a normalizer for packed rows of its own width, in place of the general path's doubles. */
#ifndef NORM_NORMALIZERS_FAST_H
#define NORM_NORMALIZERS_FAST_H

#include "kernels/kernels.h"
#include "normalizers/kind.h"

/* Prepared once a call, or once a row where the kind has a scale. */
struct norm__fast_context {
    const struct norm__kernels *kernels;
    const norm_normalizer *handle;
    double temperature; /* divided by the scale; > 0, finite */
    struct norm__softmax_scale softmax; /* of that temperature */
};

/* spare: memory for the kernels of one row, norm__fast.spare_rows x n + spare_cells cells of the table's width.
 * Any function may be NULL: the general path does that operation. Arrays are of the table's width, packed, n >= 1, and
 * a result may be one of the inputs. Scores are raw: not divided, not shifted, anything among them. */
struct norm__fast {
    /* Whether it can do this handle; NULL: every one. */
    bool (*serves)(const norm_normalizer *handle);
    size_t spare_rows, spare_cells;
    /* NORM__ROW_... of the row; unless ORDINARY nothing was written. facts: in units of score / temperature; NULL where
     * nobody asks. */
    int (*apply)(const struct norm__fast_context *c, const void *z, size_t n, void *spare, void *ret_w,
                 struct norm__facts *facts);
    int (*log_apply)(const struct norm__fast_context *c, const void *z, size_t n, void *ret_log_w,
                     struct norm__facts *facts);
    /* For ordinary rows; 1 / temperature is done here. */
    void (*vjp)(const struct norm__fast_context *c, const void *w, const void *g, size_t n, void *ret_d);
    void (*log_vjp)(const struct norm__fast_context *c, const void *w, const void *g, size_t n, void *ret_d);
    /* Entropy of weights that apply gave. */
    double (*entropy)(const struct norm__fast_context *c, const void *w, size_t n);
};

#endif
