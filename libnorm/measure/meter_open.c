/* SPDX-License-Identifier: MIT */
/* A meter's memory: one block, sized and handed out by the same walk. */
#include <string.h>

#include "base/cpu.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/structs.h"
#include "bounds/check.h"
#include "measure/distance.h"
#include "measure/meter.h"

#define FIRST (offsetof(norm_distance_plan, allocator) + sizeof(const norm_allocator *))
#define MOST ((size_t)1 << 20)

static norm_status check_list(const uint64_t *list, uint64_t count, uint64_t low, uint64_t high, const char *name,
                              norm_error *error)
{
    if (list == NULL)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "norm_distance_plan.%s is NULL", name);
    for (uint64_t i = 0; i < count; i++)
        if (list[i] < low || list[i] > high || (i > 0 && list[i] <= list[i - 1]))
            return norm__fail(error, LIBNORM_E_ARGUMENT, -1,
                              "norm_distance_plan.%s[%llu] is %llu: expected ascending numbers from %llu to %llu", name,
                              (unsigned long long)i, (unsigned long long)list[i], (unsigned long long)low,
                              (unsigned long long)high);
    return LIBNORM_OK;
}

static norm_status check_plan(const norm_distance_plan *p, norm_error *error)
{
    norm_status status = norm__distance_parts(p->parts, error);
    if (status == LIBNORM_OK && !norm__cpu_level_known(p->cpu_level))
        status = norm__fail(error, LIBNORM_E_ARGUMENT, -1, "norm_distance_plan.cpu_level is %d: expected 0 or "
                            "LIBNORM_CPU_...", (int)p->cpu_level);
    if (status == LIBNORM_OK && p->allocator != NULL && (p->allocator->alloc == NULL || p->allocator->release == NULL))
        status = norm__fail(error, LIBNORM_E_ARGUMENT, -1, "norm_distance_plan.allocator lacks alloc or release");
    if (status == LIBNORM_OK)
        status = norm__bound_count((size_t)p->max_tokens, 2, MOST, "norm_distance_plan.max_tokens", error);
    if (status == LIBNORM_OK)
        status = norm__bound_count((size_t)p->dim, 1, MOST, "norm_distance_plan.dim", error);
    if (status == LIBNORM_OK)
        status = norm__bound_count((size_t)p->top_count, 1, (size_t)p->max_tokens - 1, "norm_distance_plan.top_count",
                                   error);
    if (status == LIBNORM_OK)
        status = norm__bound_count((size_t)p->length_count, 0, (size_t)p->max_tokens - 1,
                                   "norm_distance_plan.length_count", error);
    if (status == LIBNORM_OK)
        status = check_list(p->tops, p->top_count, 1, p->max_tokens - 1, "tops", error);
    if (status == LIBNORM_OK && (p->length_count > 0 || p->lengths != NULL))
        status = check_list(p->lengths, p->length_count, 2, p->max_tokens, "lengths", error);
    return status;
}

/* A walk through the block: at NULL it only adds up. */
struct walk {
    unsigned char *at;
    size_t bytes; /* SIZE_MAX: does not fit */
};

static void *take(struct walk *w, size_t count, size_t each, size_t size)
{
    size_t bytes;
    void *p = w->at;
    if (!norm__mul(count, each, &bytes) || !norm__mul(bytes, size, &bytes) || norm__piece(bytes) == SIZE_MAX ||
        !norm__add(w->bytes, norm__piece(bytes), &w->bytes)) {
        w->bytes = SIZE_MAX;
        return NULL;
    }
    if (w->at != NULL)
        w->at += norm__piece(bytes);
    return p;
}

static size_t lay_out(norm_distance_meter *m, unsigned char *block)
{
    struct walk w = {block, 0};
    const size_t rows = NORM__METER_ROWS, slots = m->top_count + 1;
    take(&w, 1, 1, sizeof *m);
    m->lengths = take(&w, m->length_count, 1, sizeof *m->lengths);
    m->tops = take(&w, m->top_count, 1, sizeof *m->tops);
    m->x = take(&w, m->padded, m->dim, sizeof *m->x);
    m->panels = take(&w, m->padded, m->dim, sizeof *m->panels);
    m->square = take(&w, m->padded, 1, sizeof *m->square);
    m->length = take(&w, m->padded, 1, sizeof *m->length);
    m->closest = take(&w, m->padded, 1, sizeof *m->closest);
    m->apart = m->parts & LIBNORM_DISTANCE_BOUNDS ? take(&w, m->padded, m->padded, sizeof *m->apart) : NULL;
    m->weight = take(&w, m->padded, rows, sizeof *m->weight);
    m->order = take(&w, m->padded, rows, sizeof *m->order);
    m->contexts = take(&w, m->dim, rows * slots, sizeof *m->contexts);
    m->dots = take(&w, m->padded, rows * slots, sizeof *m->dots);
    m->totals = take(&w, m->dim, rows, sizeof *m->totals);
    m->y_square = take(&w, m->padded, 1, sizeof *m->y_square);
    m->y_length = take(&w, m->padded, 1, sizeof *m->y_length);
    m->rest = take(&w, m->padded, 1, sizeof *m->rest);
    m->squares = take(&w, m->padded, 1, sizeof *m->squares);
    m->c = take(&w, m->padded, 1, sizeof *m->c);
    m->b = take(&w, m->padded, 1, sizeof *m->b);
    m->chosen = take(&w, m->padded, 1, sizeof *m->chosen);
    m->most = take(&w, m->padded, 1, sizeof *m->most);
    return w.bytes;
}

norm_status norm_distance_meter_open(const norm_distance_plan *plan, norm_distance_meter **ret_meter,
                                     norm_error *ret_error)
{
    norm_distance_plan own;
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = norm__bound_pointer(plan, "norm_distance_plan", ret_error);
    if (status == LIBNORM_OK)
        status = norm__struct_read(&own, sizeof own, plan, FIRST, 0, "norm_distance_plan", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_pointer(ret_meter, "ret_meter", ret_error);
    if (status == LIBNORM_OK)
        status = check_plan(&own, ret_error);
    if (status != LIBNORM_OK)
        return status;
    norm_distance_meter m = {.allocator = norm__allocator_or_default(own.allocator),
                             .loops = norm__meter_loops(norm__cpu_level(own.cpu_level)),
                             .parts = own.parts,
                             .max_tokens = (size_t)own.max_tokens,
                             .padded = norm__meter_padded((size_t)own.max_tokens),
                             .dim = (size_t)own.dim,
                             .length_count = own.length_count > 0 ? (size_t)own.length_count : 1,
                             .top_count = (size_t)own.top_count,
                             .suspect = ((double)own.dim + 4) * 0x1p-53 / 1e-9};
    m.bytes = lay_out(&m, NULL);
    unsigned char *block = m.bytes == SIZE_MAX ? NULL : norm__alloc(&m.allocator, m.bytes);
    if (block == NULL)
        return norm__fail(ret_error, LIBNORM_E_NOMEM, -1, "no memory to measure %zu tokens of %zu numbers",
                          m.max_tokens, m.dim);
    memset(block, 0, m.bytes);
    lay_out(&m, block);
    if (own.length_count > 0)
        memcpy(m.lengths, own.lengths, m.length_count * sizeof *m.lengths);
    else
        m.lengths[0] = own.max_tokens;
    memcpy(m.tops, own.tops, m.top_count * sizeof *m.tops);
    memcpy(block, &m, sizeof m);
    *ret_meter = (norm_distance_meter *)(void *)block;
    return LIBNORM_OK;
}

void norm_distance_meter_free(norm_distance_meter *meter)
{
    if (meter == NULL)
        return;
    const norm_allocator allocator = meter->allocator;
    norm__release(&allocator, meter, meter->bytes);
}
