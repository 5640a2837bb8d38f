/* SPDX-License-Identifier: MIT */
/* The memory that row operations are measured on: all of it touched before a clock runs, and used again and again. */
#ifndef NORMLAB_ROW_SET_H
#define NORMLAB_ROW_SET_H

#include <libnorm/norm.h>

#include "bench/scores.h"

/* Arrays of slices x rows x n numbers; a slice is what one call works on. Everything in a contest takes its slices from
 * the same ring, by turns, so that a slice is always the one that was used longest ago. */
struct row_set {
    bool wide; /* double, else float */
    size_t n, rows, slices;
    size_t at;             /* the next slice */
    void *z, *w, *g, *d;   /* scores, weights, upstream gradients, results */
    unsigned char *copy;   /* for memcpy: two halves of half bytes */
    size_t half;
    size_t capacity;       /* numbers in each array */
    void *memory[5];
};

/* Room for rings of `bytes` in two or three arrays, and for one row of longest numbers in any case. False: said. */
bool row_set_open(struct row_set *ret_set, bool wide, size_t bytes, size_t longest);
void row_set_close(struct row_set *set);

/* Rows of n numbers: slices of at most slice_bytes in `arrays` arrays (one row at least), as many of them as fit into
 * ring_bytes (one at least). Fills z and g. False: said. */
bool row_set_shape(struct row_set *set, enum scores kind, size_t n, size_t arrays, size_t slice_bytes,
                   size_t ring_bytes);
/* Fills w with the weights of z. False: said. */
bool row_set_weigh(struct row_set *set, const norm_normalizer *normalizer, const norm_exec *exec);

/* Bytes of the ring in so many arrays. */
size_t row_set_bytes(const struct row_set *set, size_t arrays);

#endif
