/* SPDX-License-Identifier: MIT */
/* The largest numbers of a row: a heap of those found so far, whose top is the one to go first. */
#include "measure/order.h"

#include <libnorm/distance.h>

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "bounds/check.h"

/* Whether a stands behind b. */
static bool behind(const double *w, size_t a, size_t b)
{
    return w[a] < w[b] || (w[a] == w[b] && a > b);
}

/* Puts index at the top of a heap of count and lets it sink below those that stand behind it. */
static void sink(const double *w, size_t *heap, size_t count, size_t index)
{
    size_t at = 0;
    for (size_t next; (next = 2 * at + 1) < count; at = next) {
        if (next + 1 < count && behind(w, heap[next + 1], heap[next]))
            next++;
        if (!behind(w, heap[next], index))
            break;
        heap[at] = heap[next];
    }
    heap[at] = index;
}

static void rise(const double *w, size_t *heap, size_t at, size_t index)
{
    while (at > 0 && behind(w, index, heap[(at - 1) / 2])) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = index;
}

void norm__order(const double *w, size_t n, size_t count, size_t *ret_order)
{
    if (count == 0)
        return;
    for (size_t i = 0; i < count; i++)
        rise(w, ret_order, i, i);
    for (size_t i = count; i < n; i++)
        if (w[i] > w[ret_order[0]])
            sink(w, ret_order, count, i);
    for (size_t left = count; left > 1; left--) {
        const size_t last = ret_order[0];
        sink(w, ret_order, left - 1, ret_order[left - 1]);
        ret_order[left - 1] = last;
    }
}

norm_status norm_measure_order(size_t tokens, const double *weights, size_t count, size_t *ret_order,
                               norm_error *ret_error)
{
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = norm__bound_count(tokens, 1, SIZE_MAX, "tokens", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_count(count, 1, tokens, "count", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_array(weights, tokens, NORM__ANY, "weights", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_pointer(ret_order, "ret_order", ret_error);
    if (status != LIBNORM_OK)
        return status;
    const uintptr_t a = (uintptr_t)ret_order, b = (uintptr_t)weights;
    if (a % alignof(size_t) != 0)
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "ret_order is not aligned to its elements");
    if (a < b + tokens * sizeof *weights && b < a + count * sizeof *ret_order)
        return norm__fail(ret_error, LIBNORM_E_OVERLAP, -1, "ret_order overlaps weights");
    norm__order(weights, tokens, count, ret_order);
    return LIBNORM_OK;
}
