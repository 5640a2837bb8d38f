/* SPDX-License-Identifier: MIT */
/* The observer that fills one record a head, or one a head and length. */
#include "measure/head.h"

#include "base/structs.h"

/* Element i of records whose size is the caller's, not ours. */
static norm_head_record *record_at(norm_head_record *records, uint64_t i)
{
    return (norm_head_record *)(void *)((unsigned char *)records + (size_t)i * records->struct_size);
}

static uint64_t count_of(const norm_head_observer *observer)
{
    return observer->length_count > 0 ? observer->length_count : 1;
}

static norm_status check(const norm_head_observer *observer, const norm_head_view *view)
{
    if (observer->records == NULL || view->layer < 0 || (uint64_t)view->layer >= observer->n_layer || view->head < 0 ||
        (uint64_t)view->head >= observer->n_head || (observer->length_count > 0 && observer->lengths == NULL))
        return LIBNORM_E_ARGUMENT;
    for (uint64_t k = 0; k < observer->length_count; k++)
        if (observer->lengths[k] <= (k == 0 ? 0 : observer->lengths[k - 1]))
            return LIBNORM_E_ARGUMENT;
    return LIBNORM_OK;
}

/* The record, read, or emptied at a head's first row. *rows grows by the rows it has seen. */
static norm_status open_record(const norm_head_observer *observer, const norm_head_view *view, uint64_t k,
                               norm_head_record *record, norm_head_record *own, double *rows)
{
    const double length = observer->length_count > 0 ? (double)observer->lengths[k] : 0;
    if (record->struct_size != observer->records->struct_size)
        return LIBNORM_E_ARGUMENT;
    if (view->first_row == 0) { /* whatever the record held */
        norm__head_record_empty(own, view->layer, view->head, observer->window, length);
        return norm__struct_writable(record, NORM__HEAD_RECORD_FIRST, "norm_head_record", NULL);
    }
    norm_status status = norm__head_record_read(own, record, NULL);
    if (status == LIBNORM_OK && (own->layer != view->layer || own->head != view->head ||
                                 own->window != observer->window || own->length != length))
        status = LIBNORM_E_ARGUMENT;
    *rows += own->rows + own->empty_rows + own->nan_rows;
    return status;
}

/* Rows of the view that belong to record k: from *ret_first on, counted within the view. */
static uint64_t rows_of(const norm_head_observer *observer, const norm_head_view *view, uint64_t k,
                        uint64_t *ret_first)
{
    *ret_first = 0;
    if (observer->length_count == 0)
        return view->rows;
    const uint64_t low = k == 0 ? 0 : observer->lengths[k - 1], high = observer->lengths[k];
    const uint64_t first = view->first_row > low ? view->first_row : low, last = view->first_row + view->rows;
    const uint64_t end = last < high ? last : high; /* row r sees r + 1 tokens */
    if (first >= end)
        return 0;
    *ret_first = first - view->first_row;
    return end - first;
}

int32_t norm_head_observe(void *user, const norm_head_view *view)
{
    const size_t first = offsetof(norm_head_observer, records) + sizeof(norm_head_record *);
    norm_head_observer observer;
    norm_head_view seen;
    double before = 0;
    if (user == NULL)
        return LIBNORM_E_ARGUMENT;
    norm_status status = norm__struct_read(&observer, sizeof observer, user, first, 0, "norm_head_observer", NULL);
    if (status == LIBNORM_OK)
        status = norm__head_view_read(&seen, view, NULL);
    if (status == LIBNORM_OK)
        status = check(&observer, &seen);
    if (status != LIBNORM_OK)
        return status;
    const uint64_t count = count_of(&observer), index = (uint64_t)seen.layer * observer.n_head + (uint64_t)seen.head;
    for (uint64_t k = 0; k < count && status == LIBNORM_OK; k++) {
        norm_head_record own;
        status = open_record(&observer, &seen, k, record_at(observer.records, index * count + k), &own, &before);
    }
    double expected = (double)seen.first_row;
    if (observer.length_count > 0 && expected > (double)observer.lengths[count - 1])
        expected = (double)observer.lengths[count - 1];
    if (status == LIBNORM_OK && before != expected)
        status = LIBNORM_E_ARGUMENT;
    for (uint64_t k = 0; k < count && status == LIBNORM_OK; k++) {
        norm_head_record *record = record_at(observer.records, index * count + k), own;
        uint64_t at, rows = rows_of(&observer, &seen, k, &at);
        status = open_record(&observer, &seen, k, record, &own, &before);
        norm__head_record_add(&own, &seen, at, rows);
        norm__struct_write(record, &own, sizeof own);
    }
    return status;
}
