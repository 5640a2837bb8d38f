/* SPDX-License-Identifier: MIT */
/* The observer that fills one record a head. */
#include "measure/head.h"

#include "base/structs.h"

/* Element i of records whose size is the caller's, not ours. */
static norm_head_record *record_at(norm_head_record *records, uint64_t i)
{
    return (norm_head_record *)(void *)((unsigned char *)records + (size_t)i * records->struct_size);
}

int32_t norm_head_observe(void *user, const norm_head_view *view)
{
    const size_t first = offsetof(norm_head_observer, records) + sizeof(norm_head_record *);
    norm_head_observer observer;
    norm_head_view seen;
    norm_head_record own;
    if (user == NULL)
        return LIBNORM_E_ARGUMENT;
    norm_status status = norm__struct_read(&observer, sizeof observer, user, first, 0, "norm_head_observer", NULL);
    if (status == LIBNORM_OK)
        status = norm__head_view_read(&seen, view, NULL);
    if (status != LIBNORM_OK)
        return status;
    if (observer.records == NULL || seen.layer < 0 || (uint64_t)seen.layer >= observer.n_layer || seen.head < 0 ||
        (uint64_t)seen.head >= observer.n_head)
        return LIBNORM_E_ARGUMENT;
    norm_head_record *record =
        record_at(observer.records, (uint64_t)seen.layer * observer.n_head + (uint64_t)seen.head);
    if (record->struct_size != observer.records->struct_size)
        return LIBNORM_E_ARGUMENT;
    if (seen.first_row == 0) { /* whatever the record held */
        status = norm__struct_writable(record, NORM__HEAD_RECORD_FIRST, "norm_head_record", NULL);
        norm__head_record_empty(&own, seen.layer, seen.head, observer.window);
    } else {
        status = norm__head_record_read(&own, record, NULL);
        if (status == LIBNORM_OK &&
            (own.layer != seen.layer || own.head != seen.head || own.window != observer.window ||
             own.rows + own.empty_rows + own.nan_rows != (double)seen.first_row))
            return LIBNORM_E_ARGUMENT;
    }
    if (status != LIBNORM_OK)
        return status;
    norm__head_record_add(&own, &seen);
    norm__struct_write(record, &own, sizeof own);
    return LIBNORM_OK;
}
