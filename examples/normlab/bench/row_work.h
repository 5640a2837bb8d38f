/* SPDX-License-Identifier: MIT */
/* What is measured on rows, and against what: contenders of a contest, each taking so many slices of the ring. */
#ifndef NORMLAB_ROW_WORK_H
#define NORMLAB_ROW_WORK_H

#include "bench/row_set.h"

struct row_work {
    struct row_set *set;
    const norm_normalizer *normalizer;
    const norm_exec *exec;
    size_t arrays; /* of memcpy: as many bytes as an operation on so many arrays reads and writes */
};

/* user is a struct row_work. False: said. */
bool row_work_forward(void *user, size_t slices); /* z -> w */
bool row_work_vjp(void *user, size_t slices);     /* z, w, g -> d, the weights given */
bool row_work_copy(void *user, size_t slices);    /* memcpy in memory of its own */
bool row_work_product(void *user, size_t slices); /* d = w g */

#endif
