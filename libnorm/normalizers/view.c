/* SPDX-License-Identifier: MIT */
#include "normalizers/view.h"

#include "base/error.h"

static uint64_t magnitude(int64_t x)
{
    return x < 0 ? (uint64_t)0 - (uint64_t)x : (uint64_t)x;
}

static bool packed_strides(int64_t stride[3], const size_t extent[3])
{
    stride[2] = 1;
    stride[1] = (int64_t)extent[2];
    return extent[2] <= INT64_MAX && extent[1] <= INT64_MAX &&
           !__builtin_mul_overflow(stride[1], (int64_t)extent[1], &stride[0]);
}

/* Address range of the view; false if it leaves the address space. */
static bool find_range(struct norm__view *v)
{
    int64_t below = 0, above = 0; /* in elements, from data */
    for (int k = 0; k < 3; k++) {
        int64_t span;
        if (v->extent[k] > INT64_MAX || __builtin_mul_overflow((int64_t)v->extent[k] - 1, v->stride[k], &span) ||
            __builtin_add_overflow(span < 0 ? below : above, span, span < 0 ? &below : &above))
            return false;
    }
    int64_t elements, bytes;
    if (__builtin_sub_overflow(above, below, &elements) || __builtin_add_overflow(elements, 1, &elements) ||
        __builtin_mul_overflow(elements, (int64_t)v->size, &bytes) || bytes > PTRDIFF_MAX)
        return false;
    const uintptr_t at = (uintptr_t)v->data, before = (uintptr_t)(magnitude(below) * v->size);
    if (before > at || (uintptr_t)bytes > UINTPTR_MAX - (at - before))
        return false;
    v->low = at - before;
    v->high = v->low + (uintptr_t)bytes;
    return true;
}

/* Two different elements at one place? Strides that each step over all that the smaller ones reach never do, and are
 * all that is met in practice; anything else is searched, over the two shortest extents: fewer steps than elements. */
static bool writes_twice(const struct norm__view *v)
{
    int order[3] = {0, 1, 2}; /* by stride, smallest first */
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2 - i; j++)
            if (magnitude(v->stride[order[j]]) > magnitude(v->stride[order[j + 1]])) {
                const int t = order[j];
                order[j] = order[j + 1];
                order[j + 1] = t;
            }
    uint64_t reach = 0;
    bool nested = true;
    for (int i = 0; i < 3; i++) {
        const int k = order[i];
        if (v->extent[k] == 1)
            continue;
        if (v->stride[k] == 0)
            return true;
        nested = nested && magnitude(v->stride[k]) > reach;
        reach += (v->extent[k] - 1) * magnitude(v->stride[k]);
    }
    if (nested)
        return false;
    int longest = 0;
    for (int k = 1; k < 3; k++)
        if (v->extent[k] > v->extent[longest])
            longest = k;
    const int p = (longest + 1) % 3, q = (longest + 2) % 3;
    const int64_t np = (int64_t)v->extent[p], nq = (int64_t)v->extent[q], step = v->stride[longest];
    for (int64_t i = 0; i < np; i++)
        for (int64_t j = i == 0 ? 1 : 1 - nq; j < nq; j++) {
            const int64_t distance = i * v->stride[p] + j * v->stride[q];
            if (distance % step == 0 && magnitude(distance / step) < v->extent[longest])
                return true;
        }
    return false;
}

bool norm__view_strides(struct norm__view *view, const int64_t stride[3], bool packed)
{
    bool fits = true;
    if (packed && stride[0] == 0 && stride[1] == 0 && stride[2] == 0)
        fits = packed_strides(view->stride, view->extent);
    else
        for (int k = 0; k < 3; k++)
            view->stride[k] = stride[k];
    for (int k = 0; k < 3; k++)
        if (view->extent[k] == 1)
            view->stride[k] = k == 2;
    return fits;
}

norm_status norm__view_open(struct norm__view *view, const int64_t stride[3], bool packed, const char *call,
                            norm_error *error)
{
    if (view->data == NULL)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "%s: %s is NULL", call, view->name);
    if ((uintptr_t)view->data % view->size != 0)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "%s: %s is not aligned to its elements of %zu bytes", call,
                          view->name, view->size);
    if (!norm__view_strides(view, stride, packed) || !find_range(view))
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1,
                          "%s: %s of %zu x %zu x %zu elements with these strides does not fit the address space", call,
                          view->name, view->extent[0], view->extent[1], view->extent[2]);
    if (view->written && writes_twice(view))
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1,
                          "%s: strides %lld, %lld, %lld of %s (batch, row, column) would write an element twice", call,
                          (long long)view->stride[0], (long long)view->stride[1], (long long)view->stride[2],
                          view->name);
    return LIBNORM_OK;
}
