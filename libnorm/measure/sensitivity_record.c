/* SPDX-License-Identifier: MIT */
/* Sums of sensitivities over rows, and means over windows in their order. */
#include <libnorm/sensitivity.h>

#include <math.h>
#include <stddef.h>

#include "base/error.h"
#include "base/number.h"
#include "base/structs.h"
#include "bounds/check.h"

/* Sizes of the first release, frozen. */
#define ROW_FIRST (offsetof(norm_row_sensitivity, balanced) + sizeof(double))
#define RECORD_FIRST (offsetof(norm_sensitivity_record, largest_spectral) + sizeof(double))
#define SUMMARY_FIRST (offsetof(norm_sensitivity_summary, largest_spectral) + sizeof(double))

static norm_status read_record(norm_sensitivity_record *own, const norm_sensitivity_record *given, norm_error *error)
{
    if (given == NULL)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "norm_sensitivity_record is NULL");
    return norm__struct_read(own, sizeof *own, given, RECORD_FIRST, 0, "norm_sensitivity_record", error);
}

norm_status norm_sensitivity_record_init(norm_sensitivity_record *record, int32_t layer, int32_t head, double window,
                                         double temperature, double step, norm_error *ret_error)
{
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = norm__struct_writable(record, RECORD_FIRST, "norm_sensitivity_record", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_number(temperature, NORM__POSITIVE, "temperature", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_number(step, NORM__POSITIVE, "step", ret_error);
    if (status != LIBNORM_OK)
        return status;
    const norm_sensitivity_record own = {.struct_size = sizeof own,
                                         .layer = layer,
                                         .head = head,
                                         .window = window,
                                         .temperature = temperature,
                                         .step = step};
    norm__struct_write(record, &own, sizeof own);
    return LIBNORM_OK;
}

static norm_status check_member(double value, const char *name, norm_error *error)
{
    if (isnan(value) || (value >= 0 && value < INFINITY))
        return LIBNORM_OK;
    return norm__fail(error, LIBNORM_E_ARGUMENT, -1,
                      "norm_row_sensitivity.%s is %s: expected a finite number >= 0, or NaN", name,
                      norm__text_f64(value).text);
}

static double larger(double a, double b)
{
    return b > a ? b : a;
}

norm_status norm_sensitivity_record_add(norm_sensitivity_record *record, const norm_row_sensitivity *row,
                                        norm_error *ret_error)
{
    norm_sensitivity_record own;
    norm_row_sensitivity seen;
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = read_record(&own, record, ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_pointer(row, "norm_row_sensitivity", ret_error);
    if (status == LIBNORM_OK)
        status = norm__struct_read(&seen, sizeof seen, row, ROW_FIRST, 0, "norm_row_sensitivity", ret_error);
    if (status == LIBNORM_OK)
        status = check_member(seen.sensitivity, "sensitivity", ret_error);
    if (status == LIBNORM_OK)
        status = check_member(seen.spectral, "spectral", ret_error);
    if (status == LIBNORM_OK)
        status = check_member(seen.balanced, "balanced", ret_error);
    if (status != LIBNORM_OK)
        return status;
    own.rows += 1;
    own.sensitivity += seen.sensitivity;
    own.spectral += seen.spectral;
    own.balanced += seen.balanced;
    own.largest_sensitivity = larger(own.largest_sensitivity, seen.sensitivity);
    own.largest_spectral = larger(own.largest_spectral, seen.spectral);
    norm__struct_write(record, &own, sizeof own);
    return LIBNORM_OK;
}

static const norm_sensitivity_record *record_at(const norm_sensitivity_record *records, size_t i)
{
    return (const norm_sensitivity_record *)(const void *)((const unsigned char *)records +
                                                           i * records->struct_size);
}

static norm_status check_next(const norm_sensitivity_record *sum, const norm_sensitivity_record *next, double last,
                              size_t i, norm_error *error)
{
    if (next->layer != sum->layer || next->head != sum->head)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1,
                          "record %zu is of layer %d, head %d: expected layer %d, head %d, as the first", i,
                          (int)next->layer, (int)next->head, (int)sum->layer, (int)sum->head);
    if (next->temperature != sum->temperature || next->step != sum->step)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1,
                          "record %zu has temperature %s, step %s: expected %s, %s, as the first", i,
                          norm__text_f64(next->temperature).text, norm__text_f64(next->step).text,
                          norm__text_f64(sum->temperature).text, norm__text_f64(sum->step).text);
    if (!(next->window > last))
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "record %zu is of window %s: expected one after %s", i,
                          norm__text_f64(next->window).text, norm__text_f64(last).text);
    return LIBNORM_OK;
}

static void join(norm_sensitivity_record *sum, const norm_sensitivity_record *next)
{
    sum->rows += next->rows;
    sum->nan_rows += next->nan_rows;
    sum->sensitivity += next->sensitivity;
    sum->spectral += next->spectral;
    sum->balanced += next->balanced;
    sum->largest_sensitivity = larger(sum->largest_sensitivity, next->largest_sensitivity);
    sum->largest_spectral = larger(sum->largest_spectral, next->largest_spectral);
}

static norm_sensitivity_summary summarize(const norm_sensitivity_record *sum, size_t count)
{
    const double rows = sum->rows > 0 ? sum->rows : (double)NAN;
    return (norm_sensitivity_summary){.struct_size = sizeof(norm_sensitivity_summary),
                                      .layer = sum->layer,
                                      .head = sum->head,
                                      .windows = (double)count,
                                      .temperature = sum->temperature,
                                      .step = sum->step,
                                      .rows = sum->rows,
                                      .nan_rows = sum->nan_rows,
                                      .sensitivity = sum->sensitivity / rows,
                                      .spectral = sum->spectral / rows,
                                      .balanced = sum->balanced / rows,
                                      .largest_sensitivity = sum->largest_sensitivity,
                                      .largest_spectral = sum->largest_spectral};
}

norm_status norm_sensitivity_summarize(const norm_sensitivity_record *records, size_t count,
                                       norm_sensitivity_summary *ret_summary, norm_error *ret_error)
{
    norm_sensitivity_record sum = {0}, next;
    double last = -INFINITY;
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    if (records == NULL || count == 0)
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "norm_sensitivity_summarize: no records");
    norm_status status = norm__struct_writable(ret_summary, SUMMARY_FIRST, "norm_sensitivity_summary", ret_error);
    for (size_t i = 0; i < count && status == LIBNORM_OK; i++) {
        const norm_sensitivity_record *record = record_at(records, i);
        if (record->struct_size != records->struct_size)
            return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "record %zu has the struct_size %u: expected %u", i,
                              (unsigned)record->struct_size, (unsigned)records->struct_size);
        status = read_record(&next, record, ret_error);
        if (status == LIBNORM_OK && i == 0)
            sum = (norm_sensitivity_record){.layer = next.layer,
                                            .head = next.head,
                                            .temperature = next.temperature,
                                            .step = next.step};
        if (status == LIBNORM_OK)
            status = check_next(&sum, &next, last, i, ret_error);
        if (status == LIBNORM_OK) {
            join(&sum, &next);
            last = next.window;
        }
    }
    if (status != LIBNORM_OK)
        return status;
    const norm_sensitivity_summary own = summarize(&sum, count);
    norm__struct_write(ret_summary, &own, sizeof own);
    return LIBNORM_OK;
}
