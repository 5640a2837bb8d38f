/* SPDX-License-Identifier: MIT */
/* A strided array of batch x rows x cols elements, checked before anything touches it. */
#ifndef NORM_NORMALIZERS_VIEW_H
#define NORM_NORMALIZERS_VIEW_H

#include <stdbool.h>

#include <libnorm/status.h>

struct norm__view {
    const char *name;    /* of the argument, for messages; NULL: the view is not used */
    unsigned char *data; /* never written through unless written is set */
    size_t size;         /* bytes of an element, and its alignment */
    bool written;
    size_t extent[3];    /* batch, rows, cols; none is 0 */
    int64_t stride[3];   /* in elements; where the extent is 1: 0, and 1 for columns */
    uintptr_t low, high; /* every byte lies in [low, high) */
};

/* Fills stride from what the caller gave; packed: 0, 0, 0 mean packed. False if packed strides do not fit. */
bool norm__view_strides(struct norm__view *view, const int64_t stride[3], bool packed);

/* Fills stride, low and high from name, data, size, written and extent.
 * Refused: NULL, a wrong alignment, an extent that does not fit the address space, an output that would write an
 * element twice. call is the function's name, for the message. */
norm_status norm__view_open(struct norm__view *view, const int64_t stride[3], bool packed, const char *call,
                            norm_error *error);

/* LIBNORM_E_OVERLAP if one of count views is written and shares an element with another. An input at the same address
 * with the same strides as an output is allowed: one is computed from the other row by row. Views with unit column
 * stride and equal row and batch strides are tested exactly, others by their address ranges. Unused are skipped. */
norm_status norm__views_check(const struct norm__view *views, size_t count, const char *call, norm_error *error);

/* First element of a row. */
static inline unsigned char *norm__view_row(const struct norm__view *view, size_t batch, size_t row)
{
    const int64_t element = (int64_t)batch * view->stride[0] + (int64_t)row * view->stride[1];
    return view->data + element * (int64_t)view->size;
}

#endif
