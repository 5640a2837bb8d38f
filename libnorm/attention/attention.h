/* SPDX-License-Identifier: MIT */
/* Attention as the public calls run it: arguments read and checked once, memory taken once, then block by block. */
#ifndef NORM_ATTENTION_ATTENTION_H
#define NORM_ATTENTION_ATTENTION_H

#include <stdbool.h>

#include <libnorm/attention.h>

#include "base/memory.h"

/* Queries of a block. Backward keeps three arrays of a block's scores where forward keeps one. */
enum { norm__forward_rows = 64, norm__backward_rows = 16 };

/* One array: rows x width for each batch and head. */
struct norm__plane {
    const char *name; /* for messages; NULL: not used */
    float *data;      /* written only where written is set */
    bool written;
    size_t heads, rows, width;
    int64_t stride[3];
};

enum { NORM__Q, NORM__K, NORM__V, NORM__OUT, NORM__WEIGHTS, NORM__UP, NORM__DQ, NORM__DK, NORM__DV, NORM__PLANES };

struct norm__attention {
    norm_attention a; /* defaults filled in */
    norm_attention_outputs outputs;
    const char *call; /* the function's name */
    norm_exec exec, inner; /* of the call, and what the normalizer gets */
    norm_error *error;
    struct norm__plane plane[NORM__PLANES];
    norm_normalizer *softmax; /* where none was given */
    bool backward, empty;     /* empty: nothing to write */
    size_t block_rows;
    size_t score_stride;
    /* Memory. */
    struct norm__workspace workspace;
    float *scores, *weights, *upstream; /* block_rows x score_stride; forward: the first two are the same */
    float *unit_q, *unit_k;             /* block_rows and keys x head_dim, with UNIT_LENGTH */
    double *q_length, *k_length;
    float *gathered; /* keys x value_dim, for sparse normalizers */
    uint32_t *columns;
    int64_t *begin, *end; /* of a block's rows, from lo */
    void *normalizer_workspace;
    size_t normalizer_bytes;
};

/* A block of queries of one head, as it is worked on. */
struct norm__block {
    size_t batch, head, first, rows;
    size_t lo, cols; /* the keys that one of its queries sees lie in [lo, lo + cols) */
    const norm_normalizer *normalizer;
    const float *q, *k, *v; /* first row of the block; key lo */
    size_t q_stride, k_stride, v_stride;
    bool finite; /* k and v hold no NaN and no infinity in all keys */
};

/* Reads, checks and takes memory. Close it whatever was returned. */
norm_status norm__attention_open(struct norm__attention *t, const char *call, const norm_attention *attention,
                                 bool backward, const float *const inputs[3], const norm_exec *exec,
                                 norm_error *error);
norm_status norm__attention_output(struct norm__attention *t, int plane, const char *name, const float *data,
                                   bool written);
norm_status norm__attention_start(struct norm__attention *t);
void norm__attention_close(struct norm__attention *t);

static inline float *norm__plane_row(const struct norm__plane *p, size_t batch, size_t head, size_t row)
{
    return p->data + ((int64_t)batch * p->stride[0] + (int64_t)head * p->stride[1] + (int64_t)row * p->stride[2]);
}

/* block.c: the block from query first on; and its weights, from scores in t->scores. */
void norm__block_find(struct norm__attention *t, size_t batch, size_t head, size_t first, struct norm__block *ret);
bool norm__block_sees(const struct norm__attention *t, const struct norm__block *b, size_t row, size_t key);
norm_status norm__block_weights(struct norm__attention *t, const struct norm__block *b, bool tell);
norm_status norm__block_vjp(struct norm__attention *t, const struct norm__block *b);
/* Scores of the block's queries with its keys. */
void norm__block_scores(struct norm__attention *t, const struct norm__block *b);
/* Before the blocks of a head that brings new keys: their lengths, and whether they are finite. */
bool norm__keys_prepare(struct norm__attention *t, size_t batch, size_t kv_head);

/* unit.c: rows divided by their length, and the gradient's way back through that, in place. */
void norm__unit_rows(const float *x, size_t stride, size_t rows, size_t width, float *ret_unit, double *ret_length);
void norm__unit_gradient(const float *unit, const double *length, size_t rows, size_t width, float *d, size_t stride);

/* finite.c: no NaN and no infinity. */
bool norm__all_finite_f32(const float *x, size_t stride, size_t rows, size_t cols);

norm_status norm__attention_progress(struct norm__attention *t, size_t done, size_t total);

#endif
