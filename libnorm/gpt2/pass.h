/* SPDX-License-Identifier: MIT */
/* One run of one sequence through a model: what was asked for, and the memory it needs, all taken before it starts. */
#ifndef NORM_GPT2_PASS_H
#define NORM_GPT2_PASS_H

#include "attention/head.h"
#include "base/memory.h"
#include "gpt2/model.h"
#include "gpt2/rows.h"

struct norm__pass {
    const norm_gpt2 *model;
    const int32_t *ids;
    size_t count;
    norm_gpt2_run run;
    norm_exec exec;
    norm_error *error; /* of the caller */

    norm_normalizer *softmax; /* for heads without a normalizer of their own, and for losses */
    size_t normalizer_bytes;
    const struct norm__row_functions *rows;

    struct norm__workspace workspace;
    float *x; /* count x n_embd: the residual stream */
    float *h; /* count x n_embd: what a product reads, what attention writes */
    float *wide; /* count x wide_cols: q, k and v; the inner layer; a slice of logits */
    size_t wide_cols;
    double *log_sum, *slice_log_sum; /* count: for losses */
    float *target; /* count */
    struct norm__head_scratch heads;

    double work, done; /* for progress: multiplications, all and so far */
};

/* Reads and checks everything but what results go to. ids NULL: not looked at (asking for sizes). logits: what the run
 * says of them counts. function: the name for messages. */
norm_status norm__pass_read(struct norm__pass *p, const char *function, const norm_gpt2 *model, const int32_t *ids,
                            size_t count, const norm_gpt2_run *run, bool logits, const norm_exec *exec,
                            norm_error *error);

/* The rest of the preparation; norm__pass_close undoes it, also after a failure. _size: without taking memory. */
norm_status norm__pass_size(struct norm__pass *p, size_t *ret_bytes);
norm_status norm__pass_open(struct norm__pass *p);
void norm__pass_close(struct norm__pass *p);

/* The normalizer of a head. */
const norm_normalizer *norm__pass_normalizer(const struct norm__pass *p, size_t layer, size_t head);

/* Counts work as done and tells the caller; LIBNORM_E_CANCELLED when that says so. */
norm_status norm__pass_progress(struct norm__pass *p, double work);

/* Runs function on rows 0 ... rows - 1, in pieces that do not depend on the number of threads; width: of a row. Never
 * around products. */
void norm__pass_rows(const struct norm__pass *p, size_t rows, size_t width,
                     void (*function)(const void *arg, size_t row), const void *arg);

/* x after the last layer, with all that happens on the way. */
norm_status norm__pass_layers(struct norm__pass *p);

/* h[i] = final layer norm of x[positions[i]], or of x[first + i] when positions is NULL. */
void norm__pass_final(const struct norm__pass *p, const uint64_t *positions, size_t first, size_t rows);

norm_status norm__pass_logits(struct norm__pass *p, float *ret_logits);
norm_status norm__pass_loss(struct norm__pass *p, double *ret_loss);

#endif
