/* SPDX-License-Identifier: MIT */
/* Sums of measured rows, and means over windows. The sums are added in the order of the records, so a summary depends
 * on the records alone. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/structs.h"
#include "bounds/check.h"
#include "measure/distance.h"

/* The members that are sums lie side by side, in the same order in row, record and summary. */
#define VALUES(type)                                                                                                   \
    ((offsetof(type, separable_published) - offsetof(type, distance)) / sizeof(double) + 1)
enum { COUNT = VALUES(norm_distance_record) };
_Static_assert(VALUES(norm_row_distance) == COUNT && VALUES(norm_distance_summary) == COUNT, "the same members");

static void load(double values[COUNT], const void *own, size_t offset)
{
    memcpy(values, (const unsigned char *)own + offset, COUNT * sizeof(double));
}

static void store(void *own, size_t offset, const double values[COUNT])
{
    memcpy((unsigned char *)own + offset, values, COUNT * sizeof(double));
}

norm_status norm__distance_record_read(norm_distance_record *own, const norm_distance_record *given, norm_error *error)
{
    if (given == NULL)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "norm_distance_record is NULL");
    return norm__struct_read(own, sizeof *own, given, NORM__DISTANCE_RECORD_FIRST, 0, "norm_distance_record", error);
}

void norm__distance_record_empty(norm_distance_record *own, int32_t layer, int32_t head, double window, double length,
                                 double selected)
{
    *own = (norm_distance_record){.struct_size = sizeof *own,
                                  .layer = layer,
                                  .head = head,
                                  .window = window,
                                  .length = length,
                                  .selected = selected};
}

norm_status norm_distance_record_init(norm_distance_record *record, int32_t layer, int32_t head, double window,
                                      uint64_t length, uint64_t selected, norm_error *ret_error)
{
    norm_distance_record own;
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    norm_status status =
        norm__struct_writable(record, NORM__DISTANCE_RECORD_FIRST, "norm_distance_record", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_count((size_t)length, 2, SIZE_MAX, "length", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_count((size_t)selected, 1, SIZE_MAX, "selected", ret_error);
    if (status != LIBNORM_OK)
        return status;
    norm__distance_record_empty(&own, layer, head, window, (double)length, (double)selected);
    norm__struct_write(record, &own, sizeof own);
    return LIBNORM_OK;
}

void norm__distance_record_add(norm_distance_record *record, const norm_row_distance *row)
{
    double sums[COUNT], values[COUNT];
    load(sums, record, offsetof(norm_distance_record, distance));
    load(values, row, offsetof(norm_row_distance, distance));
    for (size_t k = 0; k < COUNT; k++)
        sums[k] += values[k];
    store(record, offsetof(norm_distance_record, distance), sums);
    record->rows += 1;
    record->tokens += (double)row->tokens;
}

norm_status norm_distance_record_add(norm_distance_record *record, const norm_row_distance *row, norm_error *ret_error)
{
    norm_distance_record own;
    norm_row_distance seen;
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = norm__distance_record_read(&own, record, ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_pointer(row, "norm_row_distance", ret_error);
    if (status == LIBNORM_OK)
        status = norm__struct_read(&seen, sizeof seen, row, NORM__ROW_DISTANCE_FIRST, 0, "norm_row_distance",
                                   ret_error);
    if (status != LIBNORM_OK)
        return status;
    if ((double)seen.selected != own.selected)
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "norm_row_distance.selected is %llu: expected %s",
                          (unsigned long long)seen.selected, norm__text_f64(own.selected).text);
    if (seen.tokens <= seen.selected || (double)seen.tokens > own.length)
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1,
                          "norm_row_distance.tokens is %llu: expected more than selected and at most length, %s",
                          (unsigned long long)seen.tokens, norm__text_f64(own.length).text);
    norm__distance_record_add(&own, &seen);
    norm__struct_write(record, &own, sizeof own);
    return LIBNORM_OK;
}

static const norm_distance_record *record_at(const norm_distance_record *records, size_t i)
{
    return (const norm_distance_record *)(const void *)((const unsigned char *)records + i * records->struct_size);
}

static norm_status check_next(const norm_distance_record *first, const norm_distance_record *last,
                              const norm_distance_record *next, size_t i, norm_error *error)
{
    if (next->layer != first->layer || next->head != first->head)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1,
                          "record %zu is of layer %d, head %d: expected layer %d, head %d, as the first", i,
                          (int)next->layer, (int)next->head, (int)first->layer, (int)first->head);
    if (next->selected != first->selected)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "record %zu has selected %s: expected %s, as the first", i,
                          norm__text_f64(next->selected).text, norm__text_f64(first->selected).text);
    if (i > 0 && !(next->window > last->window || (next->window == last->window && next->length > last->length)))
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1,
                          "record %zu is of window %s, length %s: expected one after window %s, length %s", i,
                          norm__text_f64(next->window).text, norm__text_f64(next->length).text,
                          norm__text_f64(last->window).text, norm__text_f64(last->length).text);
    return LIBNORM_OK;
}

/* sums of rows to means of rows. */
static norm_distance_summary summarize(const norm_distance_record *sum, double windows)
{
    double values[COUNT];
    norm_distance_summary own = {.struct_size = sizeof own,
                                 .layer = sum->layer,
                                 .head = sum->head,
                                 .windows = windows,
                                 .length = sum->length,
                                 .selected = sum->selected,
                                 .rows = sum->rows,
                                 .short_rows = sum->short_rows,
                                 .nan_rows = sum->nan_rows,
                                 .tokens = sum->rows > 0 ? sum->tokens / sum->rows : (double)NAN};
    load(values, sum, offsetof(norm_distance_record, distance));
    for (size_t k = 0; k < COUNT; k++)
        values[k] = sum->rows > 0 ? values[k] / sum->rows : (double)NAN;
    store(&own, offsetof(norm_distance_summary, distance), values);
    return own;
}

static void join(norm_distance_record *sum, const norm_distance_record *next)
{
    double sums[COUNT], values[COUNT];
    load(sums, sum, offsetof(norm_distance_record, distance));
    load(values, next, offsetof(norm_distance_record, distance));
    for (size_t k = 0; k < COUNT; k++)
        sums[k] += values[k];
    store(sum, offsetof(norm_distance_record, distance), sums);
    sum->rows += next->rows;
    sum->short_rows += next->short_rows;
    sum->nan_rows += next->nan_rows;
    sum->tokens += next->tokens;
    sum->length = next->length > sum->length ? next->length : sum->length;
}

norm_status norm_distance_summarize(const norm_distance_record *records, size_t count,
                                    norm_distance_summary *ret_summary, norm_error *ret_error)
{
    norm_distance_record sum = {0}, next = {0}, last = {0};
    double windows = 0;
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    if (records == NULL || count == 0)
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "norm_distance_summarize: no records");
    norm_status status =
        norm__struct_writable(ret_summary, NORM__DISTANCE_SUMMARY_FIRST, "norm_distance_summary", ret_error);
    for (size_t i = 0; i < count && status == LIBNORM_OK; i++, last = next) {
        const norm_distance_record *record = record_at(records, i);
        if (record->struct_size != records->struct_size)
            return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "record %zu has the struct_size %u: expected %u", i,
                              (unsigned)record->struct_size, (unsigned)records->struct_size);
        status = norm__distance_record_read(&next, record, ret_error);
        if (status == LIBNORM_OK && i == 0)
            norm__distance_record_empty(&sum, next.layer, next.head, next.window, 0, next.selected);
        if (status == LIBNORM_OK)
            status = check_next(&sum, &last, &next, i, ret_error);
        if (status == LIBNORM_OK) {
            windows += i == 0 || next.window != last.window;
            join(&sum, &next);
        }
    }
    if (status != LIBNORM_OK)
        return status;
    const norm_distance_summary own = summarize(&sum, windows);
    norm__struct_write(ret_summary, &own, sizeof own);
    return LIBNORM_OK;
}
