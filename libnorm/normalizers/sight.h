/* SPDX-License-Identifier: MIT */
/* What one row sees. */
#ifndef NORM_NORMALIZERS_SIGHT_H
#define NORM_NORMALIZERS_SIGHT_H

#include <stdbool.h>

#include <libnorm/normalizer.h>

struct norm__cells;

/* Columns [begin, end), and of these the ones with seen[column] != 0 (all where seen is NULL); n in all. */
struct norm__sight {
    size_t begin, end, n;
    const uint8_t *seen;
};

/* Finds what a row sees: the intersection of the causal rule, the interval, the bytes, and of what is not -inf where
 * that counts as hidden. z: the row's scores. buffer: cols bytes, or NULL if norm__sight_buffer says 0; seen may point
 * into it, or into the caller's bytes. */
struct norm__sight norm__sight_find(const norm_rows *rows, size_t batch, size_t row, const struct norm__cells *cells,
                                    const void *z, int64_t z_stride, uint8_t *buffer);

/* Column of the i-th visible entry. */
size_t norm__sight_column(const struct norm__sight *sight, size_t i);

/* Bytes of buffer that norm__sight_find needs. */
size_t norm__sight_buffer(const norm_rows *rows);

/* Whether some row may have seen != NULL. */
bool norm__sight_has_holes(const norm_rows *rows);

#endif
