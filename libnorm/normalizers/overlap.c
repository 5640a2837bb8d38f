/* SPDX-License-Identifier: MIT */
/* Do two views share an element? */
#include "base/error.h"
#include "normalizers/view.h"

static bool same_strides(const struct norm__view *a, const struct norm__view *b)
{
    for (int k = 0; k < 3; k++)
        if (a->stride[k] != b->stride[k] || a->extent[k] != b->extent[k])
            return false;
    return a->size == b->size;
}

/* Is there a d in (-count, count) with |distance - d stride| < cols? |stride| >= cols where count > 1, so that only the
 * two multiples next to distance can do. */
static bool rows_meet(int64_t distance, int64_t stride, size_t count, size_t cols)
{
    if (count == 1)
        return distance > -(int64_t)cols && distance < (int64_t)cols;
    const int64_t near = distance / stride;
    for (int64_t d = near - 1; d <= near + 1; d++) {
        if (d <= -(int64_t)count || d >= (int64_t)count)
            continue;
        const int64_t left = distance - d * stride;
        if (left > -(int64_t)cols && left < (int64_t)cols)
            return true;
    }
    return false;
}

/* a and b have the same strides, unit column stride, and a writes no element twice. Every pair of rows is as far apart
 * as a's start and b's, moved by whole steps: walk over the steps of the shorter extent, solve for the other. */
static bool exactly(const struct norm__view *a, const struct norm__view *b)
{
    const int64_t bytes = (int64_t)((intptr_t)b->data - (intptr_t)a->data), size = (int64_t)a->size;
    const int64_t distance = bytes / size; /* both are aligned */
    const int walk = a->extent[0] <= a->extent[1] ? 0 : 1, solve = 1 - walk;
    const int64_t steps = (int64_t)a->extent[walk];
    for (int64_t i = 1 - steps; i < steps; i++)
        if (rows_meet(distance - i * a->stride[walk], a->stride[solve], a->extent[solve], a->extent[2]))
            return true;
    return false;
}

/* a is written. */
static bool overlap(const struct norm__view *a, const struct norm__view *b)
{
    if (a->low >= b->high || b->low >= a->high)
        return false;
    const bool same = same_strides(a, b);
    if (same && a->data == b->data && !b->written)
        return false;
    return same && a->stride[2] == 1 ? exactly(a, b) : true;
}

norm_status norm__views_check(const struct norm__view *views, size_t count, const char *call, norm_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (views[i].name == NULL || !views[i].written)
            continue;
        for (size_t j = 0; j < count; j++)
            if (i != j && views[j].name != NULL && overlap(&views[i], &views[j]))
                return norm__fail(error, LIBNORM_E_OVERLAP, -1,
                                  "%s: %s overlaps %s: expected the same address and strides, or no common element",
                                  call, views[i].name, views[j].name);
    }
    return LIBNORM_OK;
}
