/* SPDX-License-Identifier: MIT */
/* A row through the kind's kernels, in the caller's width, in place where the row is packed. */
#include <math.h>
#include <string.h>

#include "normalizers/row.h"

bool norm__row_needs_numbers(const struct norm__call *c)
{
    return c->fast == NULL || c->kind->scale != NULL || c->kind->limit != NULL ||
           (c->kind->flags & (NORM__KIND_TAKES_INF | NORM__KIND_NEG_INF_TOO)) != 0;
}

static bool plain(const struct norm__line *line, int view)
{
    return line->call->view[view].stride[2] == 1 && line->sight.seen == NULL;
}

/* The first visible cell of a packed row. */
static void *visible_part(const struct norm__line *line, int view)
{
    return norm__line_cells(line, view) + line->sight.begin * line->call->cells->size;
}

/* The visible cells of an input, packed: where they stand, or copied to buffer. */
static const void *packed(const struct norm__line *line, int view, void *buffer)
{
    if (plain(line, view))
        return visible_part(line, view);
    line->call->cells->pack(norm__line_cells(line, view), line->call->view[view].stride[2], &line->sight, buffer);
    return buffer;
}

/* Where a kernel puts the result, and afterwards its way to the row's cells. */
static void *target(const struct norm__line *line, void *buffer)
{
    return plain(line, NORM__D) ? visible_part(line, NORM__D) : buffer;
}

static void deliver(const struct norm__line *line, const void *result, double hidden)
{
    const struct norm__call *c = line->call;
    void *cells = norm__line_cells(line, NORM__D);
    if (plain(line, NORM__D))
        c->cells->hide_outside(&line->sight, (size_t)c->rows.cols, hidden, cells);
    else
        c->cells->unpack(result, &line->sight, (size_t)c->rows.cols, hidden, cells, c->view[NORM__D].stride[2]);
}

/* The context of this row: the call's, or where the kind scales, one made in `own`. NULL where the kernels cannot do
 * it: they know positive factors alone. */
static const struct norm__fast_context *row_context(const struct norm__line *line, struct norm__fast_context *own)
{
    const struct norm__call *c = line->call;
    if (c->kind->scale == NULL)
        return &c->context;
    if (line->sight.n < 2)
        return NULL;
    const double temperature = c->handle->value[0] / c->kind->scale(c->handle, line->sight.n);
    if (!(temperature > 0) || isinf(temperature))
        return NULL;
    *own = c->context;
    own->temperature = temperature;
    own->softmax = norm__softmax_scale(temperature);
    return own;
}

/* k entries of +inf share 1. z may be where the result goes. */
static void share(const struct norm__line *line, const void *z, void *result, bool log_form)
{
    const struct norm__cells *cells = line->call->cells;
    const size_t n = line->sight.n;
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        k += cells->is_pos_inf(z, i);
    const double one = log_form ? -log((double)k) : 1.0 / (double)k;
    cells->mark_pos_inf(z, n, one, log_form ? -INFINITY : 0, result);
}

static void tell(const struct norm__line *line, const struct norm__fast_context *context, int class,
                 const struct norm__facts *facts, const void *w)
{
    const struct norm__call *c = line->call;
    if (class == NORM__ROW_ORDINARY && !c->tells)
        return; /* nothing to write, nothing to count */
    struct norm__telling t = {.class = class, .has_inf = class == NORM__ROW_POS_INF, .facts = *facts};
    t.max_score = class == NORM__ROW_POS_INF ? INFINITY : facts->max_score;
    if ((class == NORM__ROW_ORDINARY || class == NORM__ROW_POS_INF) && c->operation == LIBNORM_OPERATION_APPLY) {
        if (c->outputs.support != NULL)
            t.support = (double)c->cells->count(w, line->sight.n);
        if (c->outputs.entropy != NULL)
            t.entropy = c->fast->entropy(context, w, line->sight.n);
    }
    norm__row_tell(line, &t);
}

static int32_t run_apply(const struct norm__line *line, const struct norm__fast_context *context)
{
    const struct norm__call *c = line->call;
    const bool log_form = c->operation == LIBNORM_OPERATION_LOG_APPLY;
    const double hidden = log_form ? -INFINITY : 0;
    struct norm__facts facts = NORM__NO_FACTS;
    void *buffer = line->slot->packed[0];
    const void *z = packed(line, NORM__Z, buffer);
    void *w = target(line, buffer);
    struct norm__facts *told = c->tells ? &facts : NULL;
    const int class = log_form ? c->fast->log_apply(context, z, line->sight.n, w, told)
                               : c->fast->apply(context, z, line->sight.n, line->slot->spare, w, told);
    if (class == NORM__ROW_POS_INF && norm__row_needs_numbers(c))
        return norm__row_general(line);
    if (class == NORM__ROW_POS_INF)
        share(line, z, w, log_form);
    if (class == NORM__ROW_ORDINARY || class == NORM__ROW_POS_INF)
        deliver(line, w, hidden);
    else
        norm__line_fill(line, NORM__D, class == NORM__ROW_NAN ? (double)NAN : hidden, hidden);
    tell(line, context, class, &facts, w);
    return 0;
}

static bool is_nan(const struct norm__cells *cells, const void *packed, size_t i)
{
    return cells->size == sizeof(float) ? isnan(((const float *)packed)[i]) : isnan(((const double *)packed)[i]);
}

/* The class of a row whose weights the caller saved, without reading all its scores again: where a weight is not 0, a
 * row with +inf has +inf, and a row with NaN has NaN weights; where all are 0 the row was empty. */
static int class_by_weights(const struct norm__line *line, const void *w)
{
    const struct norm__call *c = line->call;
    const size_t i = c->cells->first(w, line->sight.n);
    if (i == line->sight.n)
        return NORM__ROW_EMPTY;
    size_t column = line->sight.begin + i;
    if (line->sight.seen != NULL) {
        size_t left = i;
        for (column = line->sight.begin; !line->sight.seen[column] || left-- > 0; column++)
            ;
    }
    const unsigned char *z = norm__line_cells(line, NORM__Z);
    z += (int64_t)column * c->view[NORM__Z].stride[2] * (int64_t)c->cells->size;
    if (!c->cells->is_pos_inf(z, 0))
        return NORM__ROW_ORDINARY;
    return is_nan(c->cells, w, i) ? NORM__ROW_NAN : NORM__ROW_POS_INF; /* NaN goes before +inf */
}

static int32_t run_vjp(const struct norm__line *line, const struct norm__fast_context *context)
{
    const struct norm__call *c = line->call;
    void *const *buffer = line->slot->packed;
    const size_t n = line->sight.n;
    int class = NORM__ROW_ORDINARY;
    const void *w;
    if (c->view[NORM__W].name != NULL) {
        w = packed(line, NORM__W, buffer[0]);
        class = class_by_weights(line, w);
    } else {
        w = buffer[0];
        class = c->fast->apply(context, packed(line, NORM__Z, buffer[0]), n, line->slot->spare, buffer[0], NULL);
    }
    if (class != NORM__ROW_ORDINARY) {
        if (class == NORM__ROW_POS_INF && norm__row_needs_numbers(c))
            return norm__row_general(line);
        norm__line_fill(line, NORM__D, class == NORM__ROW_NAN ? (double)NAN : 0, 0);
        return 0;
    }
    const void *g = packed(line, NORM__G, buffer[1]);
    void *d = target(line, buffer[1]);
    (c->operation == LIBNORM_OPERATION_VJP ? c->fast->vjp : c->fast->log_vjp)(context, w, g, n, d);
    deliver(line, d, 0);
    return 0;
}

int32_t norm__row_fast(const struct norm__line *line)
{
    const struct norm__call *c = line->call;
    const bool makes_weights =
        c->operation == LIBNORM_OPERATION_APPLY || c->operation == LIBNORM_OPERATION_LOG_APPLY;
    struct norm__fast_context own;
    if (line->sight.n == 0) {
        const double hidden = c->operation == LIBNORM_OPERATION_LOG_APPLY ? -INFINITY : 0;
        norm__line_fill(line, NORM__D, hidden, hidden);
        if (makes_weights)
            norm__row_tell(line, &(struct norm__telling){.class = NORM__ROW_EMPTY});
        return 0;
    }
    const struct norm__fast_context *context = row_context(line, &own);
    if (context == NULL)
        return norm__row_general(line);
    return makes_weights ? run_apply(line, context) : run_vjp(line, context);
}
