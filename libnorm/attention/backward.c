/* SPDX-License-Identifier: MIT */
/* Gradients in q, k and v: weights are computed again, block by block, and the keys' gradients summed over blocks and
 * over the heads that share them. */
#include <string.h>

#include "attention/attention.h"
#include "attention/call.h"
#include "blas/blas.h"

/* Where the gradients of a block go. */
struct target {
    float *dq, *dk, *dv;
    size_t dq_stride, dk_stride, dv_stride;
    const float *up;
    size_t up_stride;
};

/* From the gradient in the scores, t->upstream, and the weights. */
static void spread(const struct norm__attention *t, const struct norm__block *b, const struct target *to)
{
    const size_t width = (size_t)t->a.head_dim, values = (size_t)t->a.value_dim, stride = t->score_stride;
    const float scale = (float)t->a.scale;
    norm__gemm_f32(false, false, b->rows, width, b->cols, scale, t->upstream, stride, b->k, b->k_stride, 0.0f, to->dq,
                   to->dq_stride);
    norm__gemm_f32(true, false, b->cols, width, b->rows, scale, t->upstream, stride, b->q, b->q_stride, 1.0f, to->dk,
                   to->dk_stride);
    if (values != 0)
        norm__gemm_f32(true, false, b->cols, values, b->rows, 1.0f, t->weights, stride, to->up, to->up_stride, 1.0f,
                       to->dv, to->dv_stride);
}

/* The same, of what is seen alone, for numbers that are not finite: 0 times one of them is not 0. */
static void spread_by_hand(const struct norm__attention *t, const struct norm__block *b, const struct target *to)
{
    const size_t width = (size_t)t->a.head_dim, values = (size_t)t->a.value_dim;
    const float scale = (float)t->a.scale;
    for (size_t i = 0; i < b->rows; i++) {
        memset(to->dq + i * to->dq_stride, 0, width * sizeof(float));
        for (size_t key = 0; key < b->cols; key++) {
            if (!norm__block_sees(t, b, i, key))
                continue;
            const float d = scale * t->upstream[i * t->score_stride + key];
            const float w = t->weights[i * t->score_stride + key];
            for (size_t j = 0; j < width; j++) {
                to->dq[i * to->dq_stride + j] += d * b->k[key * b->k_stride + j];
                to->dk[key * to->dk_stride + j] += d * b->q[i * b->q_stride + j];
            }
            for (size_t j = 0; j < values; j++)
                to->dv[key * to->dv_stride + j] += w * to->up[i * to->up_stride + j];
        }
    }
}

static norm_status run_block(struct norm__attention *t, struct norm__block *b)
{
    const size_t width = (size_t)t->a.head_dim, values = (size_t)t->a.value_dim;
    const size_t shared = b->head / (size_t)(t->a.heads / t->a.kv_heads);
    const struct norm__plane *dq = &t->plane[NORM__DQ], *dk = &t->plane[NORM__DK], *dv = &t->plane[NORM__DV];
    const struct norm__plane *up = &t->plane[NORM__UP];
    struct target to = {.dq = norm__plane_row(dq, b->batch, b->head, b->first), .dq_stride = (size_t)dq->stride[2]};
    if (b->cols == 0) {
        for (size_t i = 0; i < b->rows; i++)
            memset(to.dq + i * to.dq_stride, 0, width * sizeof(float));
        return LIBNORM_OK;
    }
    to.dk = norm__plane_row(dk, b->batch, shared, b->lo);
    to.dk_stride = (size_t)dk->stride[2];
    if (values != 0) {
        to.dv = norm__plane_row(dv, b->batch, shared, b->lo);
        to.dv_stride = (size_t)dv->stride[2];
        to.up = norm__plane_row(up, b->batch, b->head, b->first);
        to.up_stride = (size_t)up->stride[2];
    }
    norm__block_scores(t, b);
    norm_status status = norm__block_weights(t, b, false);
    if (status != LIBNORM_OK)
        return status;
    norm__gemm_f32(false, true, b->rows, b->cols, values, 1.0f, to.up, to.up_stride, b->v, b->v_stride, 0.0f,
                   t->upstream, t->score_stride);
    status = norm__block_vjp(t, b);
    if (status != LIBNORM_OK)
        return status;
    if (b->finite && norm__all_finite_f32(b->q, b->q_stride, b->rows, width) &&
        (values == 0 || norm__all_finite_f32(to.up, to.up_stride, b->rows, values)))
        spread(t, b, &to);
    else
        spread_by_hand(t, b, &to);
    if (t->a.flags & LIBNORM_ATTENTION_UNIT_LENGTH)
        norm__unit_gradient(t->unit_q, t->q_length, b->rows, width, to.dq, to.dq_stride);
    return LIBNORM_OK;
}

static void clear_keys(struct norm__attention *t, size_t batch, size_t kv_head)
{
    const struct norm__plane *planes[2] = {&t->plane[NORM__DK], &t->plane[NORM__DV]};
    for (int i = 0; i < 2; i++)
        for (size_t key = 0; key < t->a.keys && planes[i]->name != NULL; key++)
            memset(norm__plane_row(planes[i], batch, kv_head, key), 0, planes[i]->width * sizeof(float));
}

static norm_status run_heads(struct norm__attention *t)
{
    const size_t heads = (size_t)t->a.heads, batch = (size_t)t->a.batch;
    const size_t group = heads / (size_t)t->a.kv_heads;
    const struct norm__plane *dk = &t->plane[NORM__DK];
    struct norm__block b = {.finite = true};
    for (size_t i = 0; i < batch * heads; i++) {
        const size_t head = i % heads, at = i / heads;
        if (head % group == 0) {
            b.finite = norm__keys_prepare(t, at, head / group);
            clear_keys(t, at, head / group);
        }
        for (size_t first = 0; first < t->a.queries && t->a.keys != 0; first += t->block_rows) {
            norm__block_find(t, at, head, first, &b);
            const norm_status status = run_block(t, &b);
            if (status != LIBNORM_OK)
                return status;
        }
        if (head % group == group - 1 && (t->a.flags & LIBNORM_ATTENTION_UNIT_LENGTH) && t->a.keys != 0)
            norm__unit_gradient(t->unit_k, t->k_length, (size_t)t->a.keys, (size_t)t->a.head_dim,
                                norm__plane_row(dk, at, head / group, 0), (size_t)dk->stride[2]);
        const norm_status status = norm__attention_progress(t, i + 1, batch * heads);
        if (status != LIBNORM_OK)
            return status;
    }
    return LIBNORM_OK;
}

/* Without a key or without a query the others' gradient is zero all the same. */
static void clear_all(struct norm__attention *t)
{
    const size_t batch = (size_t)t->a.batch;
    for (int which = NORM__DQ; which <= NORM__DV; which++) {
        const struct norm__plane *p = &t->plane[which];
        for (size_t i = 0; p->name != NULL && i < batch * p->heads; i++)
            for (size_t row = 0; row < p->rows; row++)
                memset(norm__plane_row(p, i / p->heads, i % p->heads, row), 0, p->width * sizeof(float));
    }
}

static norm_status check_normalizers(const struct norm__attention *t)
{
    for (uint64_t i = 0; i < t->a.normalizer_count; i++)
        if (!norm_normalizer_supports(t->a.normalizers[i], LIBNORM_OPERATION_VJP))
            return norm__fail(t->error, LIBNORM_E_UNSUPPORTED, -1, "%s: normalizer %llu has no VJP", t->call,
                              (unsigned long long)i);
    return LIBNORM_OK;
}

norm_status norm_attention_backward_f32(const norm_attention *attention, const float *q, const float *k,
                                        const float *v, const float *upstream, float *ret_dq, float *ret_dk,
                                        float *ret_dv, const norm_exec *exec, norm_error *ret_error)
{
    struct norm__attention t;
    const float *const inputs[3] = {q, k, v};
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    norm_status status =
        norm__attention_open(&t, "norm_attention_backward_f32", attention, true, inputs, exec, ret_error);
    if (status == LIBNORM_OK)
        status = check_normalizers(&t);
    if (status == LIBNORM_OK)
        status = norm__attention_output(&t, NORM__UP, "upstream", upstream, false);
    if (status == LIBNORM_OK)
        status = norm__attention_output(&t, NORM__DQ, "ret_dq", ret_dq, true);
    if (status == LIBNORM_OK)
        status = norm__attention_output(&t, NORM__DK, "ret_dk", ret_dk, true);
    if (status == LIBNORM_OK)
        status = norm__attention_output(&t, NORM__DV, "ret_dv", ret_dv, true);
    if (status == LIBNORM_OK)
        status = norm__attention_start(&t);
    if (status == LIBNORM_OK) {
        if (t.empty || t.a.keys == 0)
            clear_all(&t);
        else
            status = run_heads(&t);
    }
    norm__attention_close(&t);
    return status;
}
