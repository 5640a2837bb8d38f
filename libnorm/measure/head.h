/* SPDX-License-Identifier: MIT */
/* What recording and observing heads share. Records are read into one of our own, changed, and written back. */
#ifndef NORM_MEASURE_HEAD_H
#define NORM_MEASURE_HEAD_H

#include <stddef.h>

#include <libnorm/measure.h>

/* Sizes of the first release, frozen. */
#define NORM__HEAD_RECORD_FIRST (offsetof(norm_head_record, row_max_score) + sizeof(double))
#define NORM__HEAD_SUMMARY_FIRST (offsetof(norm_head_summary, row_max_score) + sizeof(double))

norm_status norm__head_record_read(norm_head_record *own, const norm_head_record *given, norm_error *error);
void norm__head_record_empty(norm_head_record *own, int32_t layer, int32_t head, double window, double length);

/* The view, checked: visible never more than cols, pointers where they are needed. */
norm_status norm__head_view_read(norm_head_view *own, const norm_head_view *given, norm_error *error);
/* Rows first ... first + count - 1 of the view, counted within it. */
void norm__head_record_add(norm_head_record *record, const norm_head_view *view, uint64_t first, uint64_t count);

#endif
