/* SPDX-License-Identifier: MIT */
/* Means over windows. The sums are added in window order, so a summary depends on the records alone. */
#include <math.h>

#include "base/error.h"
#include "base/number.h"
#include "base/structs.h"
#include "measure/head.h"

static const norm_head_record *record_at(const norm_head_record *records, size_t i)
{
    return (const norm_head_record *)(const void *)((const unsigned char *)records + i * records->struct_size);
}

static void add_record(norm_head_record *sum, const norm_head_record *r)
{
    sum->rows += r->rows;
    sum->empty_rows += r->empty_rows;
    sum->nan_rows += r->nan_rows;
    sum->entropy += r->entropy;
    sum->relative_rows += r->relative_rows;
    sum->relative_entropy += r->relative_entropy;
    sum->exp_entropy += r->exp_entropy;
    sum->inverse_square += r->inverse_square;
    sum->max_weight += r->max_weight;
    sum->first_mass += r->first_mass;
    sum->self_mass += r->self_mass;
    sum->previous_rows += r->previous_rows;
    sum->previous_mass += r->previous_mass;
    sum->distance += r->distance;
    sum->support += r->support;
    sum->weight_sum += r->weight_sum;
    sum->row_max_score += r->row_max_score;
    sum->log_tokens += r->log_tokens;
    sum->length = r->length > sum->length ? r->length : sum->length;
    if (r->max_score > sum->max_score)
        sum->max_score = r->max_score;
}

static double mean(double sum, double rows)
{
    return rows > 0 ? sum / rows : NAN;
}

static void summarize(norm_head_summary *own, const norm_head_record *sum, double windows)
{
    *own = (norm_head_summary){
        .struct_size = sizeof *own,
        .layer = sum->layer,
        .head = sum->head,
        .windows = windows,
        .rows = sum->rows,
        .empty_rows = sum->empty_rows,
        .nan_rows = sum->nan_rows,
        .entropy = mean(sum->entropy, sum->rows),
        .relative_entropy = mean(sum->relative_entropy, sum->relative_rows),
        .exp_entropy = mean(sum->exp_entropy, sum->rows),
        .inverse_square = mean(sum->inverse_square, sum->rows),
        .max_weight = mean(sum->max_weight, sum->rows),
        .first_mass = mean(sum->first_mass, sum->rows),
        .self_mass = mean(sum->self_mass, sum->rows),
        .previous_mass = mean(sum->previous_mass, sum->previous_rows),
        .distance = mean(sum->distance, sum->rows),
        .support = mean(sum->support, sum->rows),
        .weight_sum = mean(sum->weight_sum, sum->rows),
        .max_score = sum->max_score,
        .row_max_score = mean(sum->row_max_score, sum->rows),
        .length = sum->length,
        .log_tokens = mean(sum->log_tokens, sum->rows),
    };
}

static norm_status check_next(const norm_head_record *sum, const norm_head_record *last, const norm_head_record *next,
                              size_t i, norm_error *error)
{
    if (next->layer != sum->layer || next->head != sum->head)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1,
                          "record %zu is of layer %d, head %d: expected layer %d, head %d, as the first", i,
                          (int)next->layer, (int)next->head, (int)sum->layer, (int)sum->head);
    if (isnan(next->window) || (i > 0 && !(next->window >= last->window)) ||
        (i > 0 && next->window == last->window && next->length == 0))
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "record %zu is of window %s: expected one after %s", i,
                          norm__text_f64(next->window).text, norm__text_f64(last->window).text);
    if (i > 0 && next->window == last->window && !(next->length > last->length))
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "record %zu is of length %s: expected one above %s", i,
                          norm__text_f64(next->length).text, norm__text_f64(last->length).text);
    return LIBNORM_OK;
}

norm_status norm_head_summarize(const norm_head_record *records, size_t count, norm_head_summary *ret_summary,
                                norm_error *ret_error)
{
    norm_head_record sum, next, last = {0};
    norm_head_summary own;
    double windows = 0;
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    if (records == NULL || count == 0)
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "norm_head_summarize: no records");
    norm_status status = norm__struct_writable(ret_summary, NORM__HEAD_SUMMARY_FIRST, "norm_head_summary", ret_error);
    for (size_t i = 0; i < count && status == LIBNORM_OK; i++) {
        const norm_head_record *record = record_at(records, i);
        if (record->struct_size != records->struct_size)
            return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "record %zu has the struct_size %u: expected %u", i,
                              (unsigned)record->struct_size, (unsigned)records->struct_size);
        status = norm__head_record_read(&next, record, ret_error);
        if (status == LIBNORM_OK && i == 0)
            norm__head_record_empty(&sum, next.layer, next.head, next.window, 0);
        if (status == LIBNORM_OK)
            status = check_next(&sum, &last, &next, i, ret_error);
        if (status == LIBNORM_OK) {
            add_record(&sum, &next);
            windows += i == 0 || next.window != last.window;
            last = next;
        }
    }
    if (status != LIBNORM_OK)
        return status;
    summarize(&own, &sum, windows);
    norm__struct_write(ret_summary, &own, sizeof own);
    return LIBNORM_OK;
}
