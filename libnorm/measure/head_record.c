/* SPDX-License-Identifier: MIT */
/* Sums over the rows of one head in one window. */
#include <libnorm/measure.h>

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/cpu.h"
#include "base/error.h"
#include "base/structs.h"
#include "measure/head.h"
#include "measure/row.h"

norm_status norm__head_record_read(norm_head_record *own, const norm_head_record *given, norm_error *error)
{
    if (given == NULL)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "norm_head_record is NULL");
    return norm__struct_read(own, sizeof *own, given, NORM__HEAD_RECORD_FIRST, 0, "norm_head_record", error);
}

void norm__head_record_empty(norm_head_record *own, int32_t layer, int32_t head, double window, double length)
{
    memset(own, 0, sizeof *own);
    own->struct_size = sizeof *own;
    own->layer = layer;
    own->head = head;
    own->window = window;
    own->max_score = -INFINITY;
    own->length = length;
}

norm_status norm_head_record_init(norm_head_record *record, int32_t layer, int32_t head, double window,
                                  norm_error *ret_error)
{
    norm_head_record own;
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = norm__struct_writable(record, NORM__HEAD_RECORD_FIRST, "norm_head_record", ret_error);
    if (status != LIBNORM_OK)
        return status;
    norm__head_record_empty(&own, layer, head, window, 0);
    norm__struct_write(record, &own, sizeof own);
    return LIBNORM_OK;
}

norm_status norm__head_view_read(norm_head_view *own, const norm_head_view *given, norm_error *error)
{
    const size_t first = offsetof(norm_head_view, visible) + sizeof own->visible;
    if (given == NULL)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "norm_head_view is NULL");
    norm_status status = norm__struct_read(own, sizeof *own, given, first, 0, "norm_head_view", error);
    if (status != LIBNORM_OK)
        return status;
    if (own->rows > 0 && (own->weights == NULL || own->visible == NULL))
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "norm_head_view.%s is NULL with %llu rows",
                          own->weights == NULL ? "weights" : "visible", (unsigned long long)own->rows);
    for (uint64_t r = 0; r < own->rows; r++)
        if (own->visible[r] > own->cols)
            return norm__fail(
                error, LIBNORM_E_ARGUMENT, -1, "norm_head_view.visible[%llu] is %llu: expected at most cols, %llu",
                (unsigned long long)r, (unsigned long long)own->visible[r], (unsigned long long)own->cols);
    return LIBNORM_OK;
}

static void add_row(norm_head_record *record, const struct norm__row_measures *row, size_t n)
{
    record->rows += 1;
    record->entropy += row->entropy;
    record->exp_entropy += exp(row->entropy);
    record->inverse_square += 1 / row->square;
    record->max_weight += row->max_weight;
    record->first_mass += row->first;
    record->self_mass += row->self;
    record->distance += row->distance;
    record->support += row->support;
    record->weight_sum += row->weight_sum;
    record->log_tokens += log((double)n);
    if (n >= 2) {
        record->relative_rows += 1;
        record->relative_entropy += row->entropy / log((double)n);
        record->previous_rows += 1;
        record->previous_mass += row->previous;
    }
}

void norm__head_record_add(norm_head_record *record, const norm_head_view *view, uint64_t first, uint64_t count)
{
    const int32_t level = norm__cpu_level(0);
    const struct norm__kernels *kernels = norm__kernels_get(level);
    const struct norm__sum_functions *sums = norm__sum_functions(level);
    for (uint64_t r = first; r < first + count; r++) {
        const size_t n = (size_t)view->visible[r];
        const float *scores = view->scores != NULL ? view->scores + (int64_t)r * view->score_stride : NULL;
        const double most = scores != NULL ? sums->max(scores, n) : NAN;
        struct norm__row_measures row;
        if (most > record->max_score)
            record->max_score = most;
        switch (norm__row_measure(kernels, sums, view->weights + (int64_t)r * view->weight_stride, n, &row)) {
        case NORM__ROW_COUNTED:
            add_row(record, &row, n);
            record->row_max_score += most;
            break;
        case NORM__ROW_ALL_ZERO:
            record->empty_rows += 1;
            break;
        case NORM__ROW_NOT_NUMBERS:
            record->nan_rows += 1;
            break;
        }
    }
}

norm_status norm_head_record_add(norm_head_record *record, const norm_head_view *view, norm_error *ret_error)
{
    norm_head_record own;
    norm_head_view seen;
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = norm__head_record_read(&own, record, ret_error);
    if (status == LIBNORM_OK)
        status = norm__head_view_read(&seen, view, ret_error);
    if (status != LIBNORM_OK)
        return status;
    norm__head_record_add(&own, &seen, 0, seen.rows);
    norm__struct_write(record, &own, sizeof own);
    return LIBNORM_OK;
}
