/* SPDX-License-Identifier: MIT */
/* Rows whose columns lie far apart, and which themselves lie close together: softmax over an axis that is not the last.
 * One at a time, each would touch every cache line of the array for one element of it; a tile of several rows is copied
 * to packed rows, computed there, and copied back. */
#ifndef NORM_NORMALIZERS_TILE_H
#define NORM_NORMALIZERS_TILE_H

#include "normalizers/call.h"

/* Whether tiles are worth it for a view; false for one that is not used. */
bool norm__tile_helps(const struct norm__view *view);

/* Rows of a tile, and bytes of one view's tile. */
size_t norm__tile_rows(const struct norm__call *call);
size_t norm__tile_bytes(const struct norm__call *call);

/* Runs `rows` rows of one batch, at most norm__tile_rows. 0, or a callback's code. */
int32_t norm__tile_run(const struct norm__call *call, struct norm__slot *slot, size_t batch, size_t row, size_t rows);

#endif
