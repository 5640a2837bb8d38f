/* SPDX-License-Identifier: MIT */
/* One attention head: scores, normalizer, values, a block of rows at a time, so that nothing L x L is kept. */
#ifndef NORM_ATTENTION_HEAD_H
#define NORM_ATTENTION_HEAD_H

#include <libnorm/normalizer.h>
#include <libnorm/observer.h>

/* Rows of one block. Part of what a result's bits depend on. */
#define NORM__HEAD_ROWS ((size_t)64)

/* Query i sits at position first + i of a sequence of first + rows keys and sees those up to itself. Strides are the
 * distances of rows, in elements; columns lie side by side. */
struct norm__head {
    size_t rows, first;
    size_t width, value_width;
    const float *q, *k, *v;
    size_t q_stride, k_stride, v_stride;
    float *ret_out; /* rows x value_width; not q, k or v */
    size_t out_stride;
    float scale; /* of the scores */
    const norm_normalizer *normalizer;
    norm_observer observer; /* NULL: none */
    void *observer_user;
    int32_t layer_index, head_index; /* for observer and messages */
};

/* Memory for heads of up to keys keys, shared by any number of them, one after the other. */
struct norm__head_scratch {
    size_t keys;
    size_t stride; /* of rows of scores and weights */
    float *scores, *weights; /* NORM__HEAD_ROWS rows each; the same when nobody looks on */
    uint64_t *visible;
    void *normalizer_workspace;
    size_t normalizer_workspace_size;
};

/* How much memory that is, in pieces of norm__workspace. normalizer_bytes: the largest of norm__head_normalizer_bytes
 * of the normalizers that will be used. SIZE_MAX when it does not fit. */
size_t norm__head_bytes(size_t rows, size_t keys, int observed, size_t normalizer_bytes);
norm_status norm__head_normalizer_bytes(const norm_normalizer *normalizer, size_t rows, size_t keys,
                                        const norm_exec *exec, size_t *ret_bytes);

struct norm__workspace;
struct norm__head_scratch norm__head_scratch(struct norm__workspace *workspace, size_t rows, size_t keys, int observed,
                                             size_t normalizer_bytes);

/* out = weights v, row by row: what a row does not see cannot reach it, NaN and infinity included. Products run through
 * the BLAS, so never inside norm__parallel. exec: its own workspace and progress are not used. */
norm_status norm__head_forward(const struct norm__head *head, const struct norm__head_scratch *scratch,
                               const norm_exec *exec, norm_error *error);

#endif
