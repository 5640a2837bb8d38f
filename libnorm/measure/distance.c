/* SPDX-License-Identifier: MIT */
/* One row measured directly: what faster ways are tested against. */
#include <libnorm/distance.h>

#include <math.h>
#include <string.h>

#include <libnorm/bounds.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/structs.h"
#include "bounds/check.h"
#include "measure/distance.h"
#include "measure/order.h"

/* The memory of one row, in pieces. */
struct room {
    struct norm__workspace workspace;
    size_t *order;
    uint8_t *selected;
    double *chosen, *context, *distances, *along, *across, *unit;
};

norm_status norm__measure_bytes(size_t tokens, size_t dim, size_t *ret_bytes, norm_error *error)
{
    /* The largest of a row of distances (order, mask and five arrays), and what bounds of the row want besides. */
    size_t bytes, unit, bounds;
    norm_status status = norm_bound_workspace(tokens, dim > 0 ? dim : 1, &bounds, error);
    if (status != LIBNORM_OK)
        return status;
    if (!norm__mul(tokens, 6 * sizeof(double) + 1, &bytes) || !norm__mul(tokens, dim, &unit) ||
        !norm__mul(unit, sizeof(double), &unit) || !norm__add(bytes, unit, &bytes) ||
        !norm__mul(dim, sizeof(double), &unit) || !norm__add(bytes, unit, &bytes) ||
        !norm__add(bytes, bounds, &bytes) || !norm__add(bytes, 10 * NORM__ALIGN, &bytes))
        return norm__fail(error, LIBNORM_E_NOMEM, -1, "the workspace of %zu tokens of %zu numbers does not fit", tokens,
                          dim);
    *ret_bytes = bytes;
    return LIBNORM_OK;
}

norm_status norm_measure_workspace(size_t tokens, size_t dim, size_t *ret_bytes, norm_error *ret_error)
{
    size_t bytes;
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = norm__bound_count(tokens, 1, SIZE_MAX, "tokens", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_pointer(ret_bytes, "ret_bytes", ret_error);
    if (status == LIBNORM_OK)
        status = norm__measure_bytes(tokens, dim, &bytes, ret_error);
    if (status == LIBNORM_OK)
        *ret_bytes = bytes + NORM__ALIGN;
    return status;
}

/* What every function here checks: the row, then memory. */
static norm_status open_row(struct norm__tokens *t, size_t selected, const norm_exec *exec, struct room *room,
                            norm_error *error)
{
    norm_exec own;
    size_t bytes;
    norm_status status = norm__exec_read(&own, exec, error);
    if (status == LIBNORM_OK)
        status = norm__bound_count(t->tokens, 2, SIZE_MAX, "tokens", error);
    if (status == LIBNORM_OK)
        status = norm__bound_count(selected, 1, t->tokens - 1, "selected", error);
    if (status == LIBNORM_OK)
        status = norm__bound_tokens(t, false, error);
    if (status == LIBNORM_OK)
        status = norm__measure_bytes(t->tokens, t->dim, &bytes, error);
    if (status == LIBNORM_OK)
        status = norm__workspace_open(&room->workspace, &own, bytes, error);
    if (status != LIBNORM_OK)
        return status;
    const size_t numbers = t->tokens * sizeof(double);
    room->order = norm__workspace_take(&room->workspace, t->tokens * sizeof *room->order);
    room->selected = norm__workspace_take(&room->workspace, t->tokens);
    room->chosen = norm__workspace_take(&room->workspace, numbers);
    room->context = norm__workspace_take(&room->workspace, t->dim * sizeof(double));
    room->distances = norm__workspace_take(&room->workspace, numbers);
    room->along = norm__workspace_take(&room->workspace, numbers);
    room->across = norm__workspace_take(&room->workspace, numbers);
    room->unit = norm__workspace_take(&room->workspace, t->tokens * t->dim * sizeof(double));
    return LIBNORM_OK;
}

/* The vectors divided by their lengths, packed. */
static norm_status make_unit(struct norm__tokens *t, double *unit, norm_error *error)
{
    for (size_t i = 0; i < t->tokens; i++)
        if (!norm__unit_vector(norm__token(t, i), t->dim, unit + i * t->dim))
            return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "x[%zu] has length 0: expected a direction", i);
    t->x = unit;
    t->stride = (int64_t)t->dim;
    return LIBNORM_OK;
}

bool norm__unit_vector(const double *x, size_t dim, double *ret_unit)
{
    double largest = 0, square = 0;
    for (size_t k = 0; k < dim; k++)
        largest = fmax(largest, fabs(x[k]));
    if (!(largest > 0))
        return false;
    for (size_t k = 0; k < dim; k++) { /* neither overflow nor underflow of squares */
        ret_unit[k] = x[k] / largest;
        square += ret_unit[k] * ret_unit[k];
    }
    for (size_t k = 0; k < dim; k++)
        ret_unit[k] /= sqrt(square);
    return true;
}

/* Selects, and measures every ||y_i - s||. */
static norm_status measure_row(const struct norm__tokens *t, size_t selected, struct room *room, norm_row_distance *row,
                               norm_error *error)
{
    norm__order(t->weights, t->tokens, selected, room->order);
    memset(room->selected, 0, t->tokens);
    row->mass = 0;
    for (size_t j = 0; j < selected; j++) {
        room->selected[room->order[j]] = 1;
        room->chosen[j] = t->weights[room->order[j]];
        row->mass += room->chosen[j];
    }
    norm_status status =
        norm_bound_distance_value(t->tokens, t->dim, t->weights, t->x, t->stride, room->selected, room->context,
                                  room->distances, &row->distance, error);
    if (status != LIBNORM_OK)
        return status;
    double square = 0, inside = 0;
    for (size_t k = 0; k < t->dim; k++)
        square += room->context[k] * room->context[k];
    row->context = sqrt(square);
    row->mean = row->distance / (double)(t->tokens - selected);
    row->radius = INFINITY;
    for (size_t i = 0; i < t->tokens; i++)
        if (room->selected[i] == 0)
            row->radius = fmin(row->radius, room->distances[i]);
    for (size_t j = 0; j < selected; j++)
        inside += room->distances[room->order[j]] < row->radius;
    row->inside = inside / (double)selected;
    return LIBNORM_OK;
}

static bool all_positive(const struct norm__tokens *t)
{
    bool positive = true;
    for (size_t i = 0; i < t->tokens; i++)
        positive &= t->weights[i] >= 0;
    return positive;
}

static norm_status add_bounds(const struct norm__tokens *t, const uint8_t *selected, norm_row_distance *row,
                              norm_error *error)
{
    norm_status status = norm_bound_distance(t->tokens, t->dim, t->weights, t->x, t->stride, selected, &row->lower,
                                             &row->upper, error);
    if (status == LIBNORM_OK && all_positive(t))
        status = norm_bound_distance_theorem(t->tokens, t->dim, t->weights, t->x, t->stride, selected, &row->theorem,
                                             error);
    return status;
}

static norm_status add_expected(const struct norm__tokens *t, size_t selected, struct room *room,
                                norm_row_distance *row, norm_error *error)
{
    norm_random_set set = {.struct_size = sizeof set};
    norm_status status = norm_bound_random_set(t->tokens, t->dim, t->weights, t->x, t->stride, room->along,
                                               room->across, &set, error);
    if (status == LIBNORM_OK)
        status =
            norm_bound_expected_distance(&set, selected, &row->expected_lower, &row->expected_upper, error);
    return status;
}

norm_status norm__add_separable(size_t selected, const double *chosen, size_t dim, double delta,
                                norm_row_distance *row, norm_error *error)
{
    norm_status status = norm_bound_separable_lower(selected, chosen, 1, dim, row->radius, LIBNORM_SEPARABLE_BEST, NULL,
                                                    &row->separable_lower, error);
    if (status == LIBNORM_OK)
        status = norm_bound_separable_upper(selected, chosen, 1, dim, row->radius, LIBNORM_SEPARABLE_BEST, NULL,
                                            &row->separable_upper, error);
    if (status == LIBNORM_OK)
        status = norm_bound_separable_upper_published(selected, chosen, 1, fmin(delta, 2), row->radius,
                                                      &row->separable_published, error);
    return status;
}

/* The smallest distance of two tokens. */
static double smallest_distance(const struct norm__tokens *t)
{
    double smallest = INFINITY;
    for (size_t i = 0; i < t->tokens; i++)
        for (size_t j = 0; j < i; j++) {
            double square = 0;
            for (size_t k = 0; k < t->dim; k++) {
                const double d = norm__token(t, i)[k] - norm__token(t, j)[k];
                square += d * d;
            }
            smallest = fmin(smallest, square);
        }
    return sqrt(smallest);
}

norm_status norm__distance_parts(uint32_t parts, norm_error *error)
{
    const uint32_t known = LIBNORM_DISTANCE_BOUNDS | LIBNORM_DISTANCE_EXPECTED | LIBNORM_DISTANCE_SEPARABLE |
                           LIBNORM_DISTANCE_UNIT;
    if (parts & ~known)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "parts has unknown bits 0x%x", (unsigned)(parts & ~known));
    if ((parts & LIBNORM_DISTANCE_SEPARABLE) && !(parts & LIBNORM_DISTANCE_UNIT))
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1,
                          "parts: LIBNORM_DISTANCE_SEPARABLE needs LIBNORM_DISTANCE_UNIT");
    return LIBNORM_OK;
}

norm_row_distance norm__row_distance_empty(size_t tokens, size_t selected)
{
    return (norm_row_distance){.struct_size = sizeof(norm_row_distance),
                               .tokens = tokens,
                               .selected = selected,
                               .lower = NAN,
                               .upper = NAN,
                               .theorem = NAN,
                               .expected_lower = NAN,
                               .expected_upper = NAN,
                               .separable_lower = NAN,
                               .separable_upper = NAN,
                               .separable_published = NAN};
}

norm_status norm_measure_distance(size_t tokens, size_t dim, const double *weights, const double *x, int64_t x_stride,
                                  size_t selected, uint32_t parts, norm_row_distance *ret_row, const norm_exec *exec,
                                  norm_error *ret_error)
{
    struct norm__tokens t = {tokens, dim, weights, x, x_stride, NULL, 0};
    struct room room;
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    norm_status status =
        norm__struct_writable(ret_row, NORM__ROW_DISTANCE_FIRST, "norm_row_distance", ret_error);
    if (status == LIBNORM_OK)
        status = norm__distance_parts(parts, ret_error);
    if (status == LIBNORM_OK)
        status = open_row(&t, selected, exec, &room, ret_error);
    if (status != LIBNORM_OK)
        return status;
    norm_row_distance row = norm__row_distance_empty(tokens, selected);
    if (parts & LIBNORM_DISTANCE_UNIT)
        status = make_unit(&t, room.unit, ret_error);
    if (status == LIBNORM_OK)
        status = measure_row(&t, selected, &room, &row, ret_error);
    if (status == LIBNORM_OK && (parts & LIBNORM_DISTANCE_BOUNDS))
        status = add_bounds(&t, room.selected, &row, ret_error);
    if (status == LIBNORM_OK && (parts & LIBNORM_DISTANCE_EXPECTED))
        status = add_expected(&t, selected, &room, &row, ret_error);
    if (status == LIBNORM_OK && (parts & LIBNORM_DISTANCE_SEPARABLE) && all_positive(&t))
        status = norm__add_separable(selected, room.chosen, dim, smallest_distance(&t), &row, ret_error);
    norm__workspace_close(&room.workspace);
    if (status == LIBNORM_OK)
        norm__struct_write(ret_row, &row, sizeof row);
    return status;
}

norm_status norm_measure_inside(size_t tokens, size_t dim, const double *weights, const double *x, int64_t x_stride,
                                size_t selected, double r, size_t *ret_inside, size_t *ret_joint,
                                const norm_exec *exec, norm_error *ret_error)
{
    struct norm__tokens t = {tokens, dim, weights, x, x_stride, NULL, 0};
    struct room room;
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = norm__bound_number(r, NORM__POSITIVE, "r", ret_error);
    if (status == LIBNORM_OK && ret_inside == NULL)
        status = norm__bound_pointer(ret_joint, "ret_joint", ret_error);
    if (status == LIBNORM_OK)
        status = open_row(&t, selected, exec, &room, ret_error);
    if (status != LIBNORM_OK)
        return status;
    norm_row_distance row = norm__row_distance_empty(tokens, selected);
    status = measure_row(&t, selected, &room, &row, ret_error);
    size_t inside = 0;
    for (size_t j = 0; status == LIBNORM_OK && j < selected; j++)
        inside += room.distances[room.order[j]] < r;
    norm__workspace_close(&room.workspace);
    if (status == LIBNORM_OK && ret_inside != NULL)
        *ret_inside = inside;
    if (status == LIBNORM_OK && ret_joint != NULL)
        *ret_joint = row.radius < r ? 0 : inside;
    return status;
}
