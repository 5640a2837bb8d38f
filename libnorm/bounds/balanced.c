/* SPDX-License-Identifier: MIT */
/* Balanced mass: the norm of J = diag(p) - p p^T / Z from infinity to 1 is 4 Z Q (1 - Q), with Q the share of a set
 * that comes nearest to one half. Finding that set is the number partitioning problem. */
#include <libnorm/bounds.h>

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/structs.h"
#include "bounds/shares.h"

enum { ENUMERATED = 10 };

/* 4 Z Q (1 - Q) for the largest alone, when it holds at least one half: no set is nearer. */
static bool one_dominates(const struct norm__shares *s)
{
    return s->others <= 1;
}

static double dominated(const struct norm__shares *s)
{
    return s->unit > 0 ? s->unit * 4 * (s->others / s->total) : 0;
}

static void give(double lower, double upper, double *ret_lower, double *ret_upper)
{
    if (ret_lower != NULL)
        *ret_lower = lower;
    if (ret_upper != NULL)
        *ret_upper = upper;
}

/* Replaces the top of a heap and lets it sink. */
static void sink(double *heap, size_t count, double value)
{
    size_t at = 0;
    for (size_t child = 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && heap[child + 1] > heap[child])
            child++;
        if (heap[child] <= value)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = value;
}

/* Karmarkar and Karp: put the two largest on different sides, that is, replace them by their difference, until one
 * number is left. It is the difference of the two sides of a real partition. */
static double difference(const struct norm__shares *s, double *heap)
{
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++) {
        double v = norm__shares_at(s, i);
        if (!(v > 0))
            continue;
        size_t at = count++;
        for (; at > 0 && heap[(at - 1) / 2] < v; at = (at - 1) / 2)
            heap[at] = heap[(at - 1) / 2];
        heap[at] = v;
    }
    while (count > 1) {
        double largest = heap[0], last = heap[--count];
        sink(heap, count, last);
        sink(heap, count, largest - heap[0]);
    }
    return heap[0];
}

/* The ENUMERATED largest, and the sum of what is beside them. */
static size_t largest_of(const struct norm__shares *s, double *largest, double *ret_beside)
{
    size_t used = 0;
    double beside = 0;
    for (size_t i = 0; i < s->count; i++) {
        double v = norm__shares_at(s, i);
        if (!(v > 0))
            continue;
        if (used == ENUMERATED) {
            beside += fmin(v, largest[used - 1]);
            if (v <= largest[used - 1])
                continue;
            used--;
        }
        size_t at = used++;
        for (; at > 0 && largest[at - 1] < v; at--)
            largest[at] = largest[at - 1];
        largest[at] = v;
    }
    *ret_beside = beside;
    return used;
}

/* How near to one half a share can come at best, when the rest may be added in any portion. */
static double smallest_gap(const struct norm__shares *s, const double *largest, size_t used, double beside)
{
    double gap = 1;
    for (unsigned set = 0; set < 1u << used; set++) {
        double sum = 0;
        for (size_t k = 0; k < used; k++)
            sum += set >> k & 1u ? largest[k] : 0;
        double low = sum / s->total - 0.5, high = (sum + beside) / s->total - 0.5;
        gap = fmin(gap, low > 0 ? low : high < 0 ? -high : 0);
    }
    return gap;
}

norm_status norm_bound_jacobian_balanced_quick(size_t count, const double *p, double *ret_lower, double *ret_upper,
                                               norm_error *ret_error)
{
    struct norm__shares s;
    norm_status status =
        norm__shares_of(count, p, 0, ret_lower != NULL ? ret_lower : ret_upper, "ret_upper", &s, ret_error);
    if (status != LIBNORM_OK)
        return status;
    if (one_dominates(&s))
        give(dominated(&s), dominated(&s), ret_lower, ret_upper);
    else
        give(s.unit * s.total * (1 - 1 / (s.total * s.total)), s.unit * s.total, ret_lower, ret_upper);
    return LIBNORM_OK;
}

norm_status norm_bound_jacobian_balanced(size_t count, const double *p, double *ret_lower, double *ret_upper,
                                         const norm_exec *exec, norm_error *ret_error)
{
    struct norm__shares s;
    norm_exec own;
    norm_status status =
        norm__shares_of(count, p, 0, ret_lower != NULL ? ret_lower : ret_upper, "ret_upper", &s, ret_error);
    if (status == LIBNORM_OK)
        status = norm__exec_read(&own, exec, ret_error);
    if (status != LIBNORM_OK)
        return status;
    if (one_dominates(&s)) {
        give(dominated(&s), dominated(&s), ret_lower, ret_upper);
        return LIBNORM_OK;
    }
    struct norm__workspace w;
    size_t bytes = count * sizeof(double); /* p itself is as large: no overflow */
    status = norm__workspace_open(&w, &own, norm__piece(bytes), ret_error);
    if (status != LIBNORM_OK)
        return status;
    double largest[ENUMERATED], beside;
    size_t used = largest_of(&s, largest, &beside);
    double gap = smallest_gap(&s, largest, used, beside), whole = s.unit * s.total;
    double upper = whole * (1 - 4 * gap * gap), lower = upper;
    if (beside > 0) {
        double d = difference(&s, norm__workspace_take(&w, bytes)) / s.total;
        lower = fmin(upper, whole * (1 - d * d));
    }
    norm__workspace_close(&w);
    give(lower, upper, ret_lower, ret_upper);
    return LIBNORM_OK;
}

norm_status norm_bound_workspace(size_t tokens, size_t dim, size_t *ret_bytes, norm_error *ret_error)
{
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = norm__bound_pointer(ret_bytes, "ret_bytes", ret_error);
    size_t bytes, larger = tokens > dim ? tokens : dim;
    if (status == LIBNORM_OK && !norm__mul(larger, sizeof(double), &bytes))
        status = norm__bound_count(larger, 0, SIZE_MAX / sizeof(double), "tokens or dim", ret_error);
    if (status == LIBNORM_OK && !norm__add(norm__piece(bytes), NORM__ALIGN, &bytes))
        status =
            norm__bound_count(larger, 0, (SIZE_MAX - 2 * NORM__ALIGN) / sizeof(double), "tokens or dim", ret_error);
    if (status == LIBNORM_OK)
        *ret_bytes = bytes;
    return status;
}
