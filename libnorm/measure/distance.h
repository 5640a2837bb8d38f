/* SPDX-License-Identifier: MIT */
/* What measuring rows directly, measuring whole heads and keeping records share. */
#ifndef NORM_MEASURE_DISTANCE_H
#define NORM_MEASURE_DISTANCE_H

#include <stdbool.h>
#include <stddef.h>

#include <libnorm/distance.h>

/* Sizes of the first release, frozen. */
#define NORM__ROW_DISTANCE_FIRST (offsetof(norm_row_distance, separable_published) + sizeof(double))
#define NORM__DISTANCE_RECORD_FIRST (offsetof(norm_distance_record, separable_published) + sizeof(double))
#define NORM__DISTANCE_SUMMARY_FIRST (offsetof(norm_distance_summary, separable_published) + sizeof(double))

/* Pieces of a norm__workspace for one row; dim 0 where there are no vectors. */
norm_status norm__measure_bytes(size_t tokens, size_t dim, size_t *ret_bytes, norm_error *error);

norm_status norm__distance_parts(uint32_t parts, norm_error *error);
/* Everything that may be left out is NaN. */
norm_row_distance norm__row_distance_empty(size_t tokens, size_t selected);

/* x over its length; false: it has none. */
bool norm__unit_vector(const double *x, size_t dim, double *ret_unit);

/* The bounds on N_s/N of unit vectors, from row->radius and the selected weights, all >= 0. */
norm_status norm__add_separable(size_t selected, const double *chosen, size_t dim, double delta,
                                norm_row_distance *row, norm_error *error);

/* A row of the record's N joins its sums. */
void norm__distance_record_add(norm_distance_record *record, const norm_row_distance *row);
void norm__distance_record_empty(norm_distance_record *own, int32_t layer, int32_t head, double window, double length,
                                 double selected);
norm_status norm__distance_record_read(norm_distance_record *own, const norm_distance_record *given, norm_error *error);

#endif
