/* SPDX-License-Identifier: MIT */
/* One row of a gradient check. */
#ifndef NORM_NORMALIZERS_CHECK_ROW_H
#define NORM_NORMALIZERS_CHECK_ROW_H

#include <libnorm/exec.h>

#include "normalizers/kind.h"

/* The worst entry of one operation. */
struct norm__finding {
    double got, expected, error; /* error < 0: nothing compared */
    uint64_t batch, row;
    size_t entry; /* among the visible ones; after the row, its column */
    size_t key;
    bool fresh;   /* found in the row at hand */
};

struct norm__check {
    const norm_normalizer *handle;
    const norm_exec *exec;
    norm_error *error;
    double tolerance;
    uint64_t random;
    uint64_t compared, skipped;
    struct norm__finding found[LIBNORM_OPERATION_PARAM_VJP + 1]; /* by operation */

    size_t n;       /* visible entries of the row */
    double *z;      /* their scores, finite */
    double *memory; /* NORM__CHECK_WORK x n more */
};

#define NORM__CHECK_WORK (8 + 7)

/* Compares one operation on the row; a status of failure comes from a call that failed. */
norm_status norm__check_row(struct norm__check *c, int32_t operation);

#endif
