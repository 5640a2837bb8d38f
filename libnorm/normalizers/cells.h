/* SPDX-License-Identifier: MIT */
/* The cells of a row, whatever their width: in and out of packed arrays, holes and strides included. */
#ifndef NORM_NORMALIZERS_CELLS_H
#define NORM_NORMALIZERS_CELLS_H

#include "normalizers/sight.h"

/* A row is a pointer to its column 0 and a column stride in elements. hidden: what cells that are not visible get. */
struct norm__cells {
    size_t size;
    /* Visible cells, packed: as double, or as they are. */
    void (*widen)(const void *row, int64_t stride, const struct norm__sight *s, double *ret);
    void (*pack)(const void *row, int64_t stride, const struct norm__sight *s, void *ret);
    /* All cols cells of a row, from packed visible ones. flush: a subnormal result becomes 0. */
    void (*narrow)(const double *packed, const struct norm__sight *s, size_t cols, double hidden, bool flush, void *row,
                   int64_t stride);
    void (*unpack)(const void *packed, const struct norm__sight *s, size_t cols, double hidden, void *row,
                   int64_t stride);
    /* The same from one value. */
    void (*fill)(double visible, const struct norm__sight *s, size_t cols, double hidden, void *row, int64_t stride);
    /* Cells outside [begin, end) of a packed row. */
    void (*hide_outside)(const struct norm__sight *s, size_t cols, double hidden, void *row);
    /* A tile of rows, whose own rows are packed and `pitch` elements apart, from and to strided rows. */
    void (*tile_in)(const void *first_row, int64_t row_stride, int64_t stride, size_t rows, size_t cols, size_t pitch,
                    void *ret_tile);
    void (*tile_out)(const void *tile, size_t pitch, size_t rows, size_t cols, void *first_row, int64_t row_stride,
                     int64_t stride);
    /* seen[j] = 0 where cell j is -inf, begin <= j < end. */
    void (*hide_neg_inf)(const void *row, int64_t stride, size_t begin, size_t end, uint8_t *seen);
    /* Of n packed values: how many are not 0; first that is not 0, or n. */
    size_t (*count)(const void *packed, size_t n);
    size_t (*first)(const void *packed, size_t n);
    /* 1 if a packed value is +inf. */
    bool (*is_pos_inf)(const void *packed, size_t i);
    /* In place: `one` where a packed value is +inf, `rest` elsewhere; returns how many were. */
    size_t (*mark_pos_inf)(const void *packed, size_t n, double one, double rest, void *ret);
    /* The value as it comes out of narrow with flush. */
    double (*rounded)(double weight);
};

extern const struct norm__cells norm__cells_f32, norm__cells_f64;

#endif
