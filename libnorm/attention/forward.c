/* SPDX-License-Identifier: MIT */
/* out = weights v, block by block. */
#include <string.h>

#include "attention/attention.h"
#include "attention/call.h"
#include "blas/blas.h"

/* The columns in which some row has weight: their numbers, and how many. */
static size_t find_columns(const struct norm__attention *t, const struct norm__block *b)
{
    size_t count = 0;
    for (size_t j = 0; j < b->cols; j++) {
        float any = 0;
        for (size_t i = 0; i < b->rows; i++)
            any = t->weights[i * t->score_stride + j] != 0 ? 1 : any;
        if (any != 0)
            t->columns[count++] = (uint32_t)j;
    }
    return count;
}

/* Weights of those columns side by side, and their value rows one below the other. */
static void gather(const struct norm__attention *t, const struct norm__block *b, size_t count)
{
    const size_t width = (size_t)t->a.value_dim;
    for (size_t i = 0; i < b->rows; i++)
        for (size_t k = 0; k < count; k++) /* columns ascend: what is overwritten has been read */
            t->weights[i * t->score_stride + k] = t->weights[i * t->score_stride + t->columns[k]];
    for (size_t k = 0; k < count; k++)
        memcpy(t->gathered + k * width, b->v + t->columns[k] * b->v_stride, width * sizeof(float));
}

/* Where a value is not finite, 0 times it is not 0: only what is seen is summed. */
static void weigh_by_hand(const struct norm__attention *t, const struct norm__block *b, float *out, size_t stride)
{
    for (size_t i = 0; i < b->rows; i++) {
        memset(out + i * stride, 0, (size_t)t->a.value_dim * sizeof *out);
        for (size_t key = 0; key < b->cols; key++)
            if (norm__block_sees(t, b, i, key))
                for (size_t j = 0; j < t->a.value_dim; j++)
                    out[i * stride + j] += t->weights[i * t->score_stride + key] * b->v[key * b->v_stride + j];
    }
}

static void weigh(struct norm__attention *t, const struct norm__block *b, float *out, size_t stride)
{
    const size_t width = (size_t)t->a.value_dim;
    if (!b->finite) {
        weigh_by_hand(t, b, out, stride);
        return;
    }
    if ((norm_normalizer_properties(b->normalizer) & LIBNORM_PROPERTY_SPARSE) && b->cols <= UINT32_MAX) {
        const size_t count = find_columns(t, b);
        if (count < b->cols / 2) { /* else the copies cost more than they save */
            gather(t, b, count);
            norm__gemm_f32(false, false, b->rows, width, count, 1.0f, t->weights, t->score_stride, t->gathered, width,
                           0.0f, out, stride);
            return;
        }
    }
    norm__gemm_f32(false, false, b->rows, width, b->cols, 1.0f, t->weights, t->score_stride, b->v, b->v_stride, 0.0f,
                   out, stride);
}

static void copy_weights(struct norm__attention *t, const struct norm__block *b)
{
    const struct norm__plane *to = &t->plane[NORM__WEIGHTS];
    if (to->name == NULL)
        return;
    for (size_t i = 0; i < b->rows; i++) {
        float *row = norm__plane_row(to, b->batch, b->head, b->first + i);
        memset(row, 0, to->width * sizeof *row);
        memcpy(row + b->lo, t->weights + i * t->score_stride, b->cols * sizeof *row);
    }
}

/* Queries that see no key: the normalizer is not asked, an empty row tells the same of every one. */
static void tell_empty(struct norm__attention *t, const struct norm__block *b)
{
    const size_t at = (size_t)((b->batch * t->a.heads + b->head) * t->a.queries + b->first);
    for (size_t i = 0; i < b->rows; i++) {
        if (t->outputs.log_sum != NULL)
            t->outputs.log_sum[at + i] = -(double)__builtin_inf();
        if (t->outputs.threshold != NULL)
            t->outputs.threshold[at + i] = (double)__builtin_nan("");
        if (t->outputs.support != NULL)
            t->outputs.support[at + i] = 0;
        if (t->outputs.entropy != NULL)
            t->outputs.entropy[at + i] = 0;
    }
}

static norm_status run_block(struct norm__attention *t, struct norm__block *b, bool tell)
{
    const struct norm__plane *out = &t->plane[NORM__OUT];
    if (b->cols == 0) {
        if (tell)
            tell_empty(t, b);
        copy_weights(t, b);
        for (size_t i = 0; i < b->rows && out->name != NULL; i++)
            memset(norm__plane_row(out, b->batch, b->head, b->first + i), 0, out->width * sizeof(float));
        return LIBNORM_OK;
    }
    norm__block_scores(t, b);
    const norm_status status = norm__block_weights(t, b, tell);
    if (status != LIBNORM_OK)
        return status;
    copy_weights(t, b);
    if (out->name != NULL)
        weigh(t, b, norm__plane_row(out, b->batch, b->head, b->first), (size_t)out->stride[2]);
    return LIBNORM_OK;
}

static norm_status run_heads(struct norm__attention *t)
{
    const size_t heads = (size_t)t->a.heads, batch = (size_t)t->a.batch;
    const size_t group = heads / (size_t)t->a.kv_heads;
    const norm_attention_outputs *o = &t->outputs;
    const bool tell = o->log_sum != NULL || o->threshold != NULL || o->support != NULL || o->entropy != NULL;
    struct norm__block b = {.finite = true};
    for (size_t i = 0; i < batch * heads; i++) {
        const size_t head = i % heads;
        if (head % group == 0)
            b.finite = norm__keys_prepare(t, i / heads, head / group);
        for (size_t first = 0; first < t->a.queries; first += t->block_rows) {
            norm__block_find(t, i / heads, head, first, &b);
            const norm_status status = run_block(t, &b, tell);
            if (status != LIBNORM_OK)
                return status;
        }
        const norm_status status = norm__attention_progress(t, i + 1, batch * heads);
        if (status != LIBNORM_OK)
            return status;
    }
    return LIBNORM_OK;
}

norm_status norm_attention_forward_f32(const norm_attention *attention, const float *q, const float *k, const float *v,
                                       float *ret_out, float *ret_weights, const norm_attention_outputs *outputs,
                                       const norm_exec *exec, norm_error *ret_error)
{
    struct norm__attention t;
    const float *const inputs[3] = {q, k, v};
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    norm_status status =
        norm__attention_open(&t, "norm_attention_forward_f32", attention, false, inputs, exec, ret_error);
    if (status == LIBNORM_OK)
        status = norm__attention_read_outputs(&t, outputs);
    if (status == LIBNORM_OK)
        status = norm__attention_output(&t, NORM__OUT, "ret_out", ret_out, true);
    if (status == LIBNORM_OK && ret_weights != NULL)
        status = norm__attention_output(&t, NORM__WEIGHTS, "ret_weights", ret_weights, true);
    if (status == LIBNORM_OK)
        status = norm__attention_start(&t);
    if (status == LIBNORM_OK && !t.empty)
        status = run_heads(&t);
    norm__attention_close(&t);
    return status;
}

norm_status norm_attention_workspace(const norm_attention *attention, const norm_exec *exec, size_t *ret_bytes,
                                     norm_error *ret_error)
{
    size_t most = 0;
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    if (ret_bytes == NULL)
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "norm_attention_workspace: ret_bytes is NULL");
    for (int backward = 0; backward < 2; backward++) {
        struct norm__attention t;
        size_t bytes = 0;
        norm_status status =
            norm__attention_open(&t, "norm_attention_workspace", attention, backward, NULL, exec, ret_error);
        if (status == LIBNORM_OK && !t.empty)
            status = norm__attention_size(&t, &bytes);
        norm__attention_close(&t);
        if (status != LIBNORM_OK)
            return status;
        bytes = bytes != 0 ? bytes + NORM__ALIGN : 0;
        most = bytes > most ? bytes : most;
    }
    *ret_bytes = most;
    return LIBNORM_OK;
}
