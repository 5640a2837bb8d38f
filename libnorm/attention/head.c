/* SPDX-License-Identifier: MIT */
#include "attention/head.h"

#include <string.h>

#include "attention/attention.h"
#include "base/error.h"
#include "base/memory.h"
#include "blas/blas.h"

/* Rows start on a cache line; the line between them keeps them from falling 4096 bytes apart, on the same cache set. */
static size_t score_stride(size_t keys)
{
    const size_t line = NORM__ALIGN / sizeof(float);
    return (keys + line - 1) / line * line + line;
}

static size_t block_rows(size_t rows)
{
    return rows < NORM__HEAD_ROWS ? rows : NORM__HEAD_ROWS;
}

size_t norm__head_bytes(size_t rows, size_t keys, int observed, size_t normalizer_bytes)
{
    size_t scores, total;
    if (keys > SIZE_MAX / 4 || !norm__mul(score_stride(keys), block_rows(rows) * sizeof(float), &scores))
        return SIZE_MAX;
    scores = norm__piece(scores);
    total = norm__piece(normalizer_bytes);
    if (!norm__add(total, scores, &total) || (observed && !norm__add(total, scores, &total)) ||
        !norm__add(total, norm__piece(block_rows(rows) * sizeof(uint64_t)), &total))
        return SIZE_MAX;
    return total;
}

/* The rows of a block as the normalizer is told them. */
static norm_rows describe_rows(size_t rows, size_t first, size_t cols, size_t stride)
{
    norm_rows r = {.struct_size = sizeof r, .flags = LIBNORM_ROWS_CAUSAL, .batch = 1, .rows = rows, .cols = cols};
    r.z_stride[0] = r.w_stride[0] = (int64_t)(rows * stride);
    r.z_stride[1] = r.w_stride[1] = (int64_t)stride;
    r.z_stride[2] = r.w_stride[2] = 1;
    r.causal_offset = (int64_t)first;
    return r;
}

/* What of the caller's exec the normalizer gets. */
static norm_exec inner_exec(const norm_exec *exec, void *workspace, size_t workspace_size)
{
    norm_exec inner = {.struct_size = sizeof inner};
    if (exec != NULL) {
        inner.cpu_level = exec->cpu_level;
        inner.allocator = exec->allocator;
        /* A block is done sooner than a thread has started; the host's own threads are there already. */
        if (exec->parallel_for != NULL) {
            inner.threads = exec->threads;
            inner.parallel_user = exec->parallel_user;
            inner.parallel_for = exec->parallel_for;
        }
    }
    if (workspace_size != 0) {
        inner.workspace = workspace;
        inner.workspace_size = workspace_size;
    }
    return inner;
}

norm_status norm__head_normalizer_bytes(const norm_normalizer *normalizer, size_t rows, size_t keys,
                                        const norm_exec *exec, size_t *ret_bytes)
{
    const norm_rows block = describe_rows(block_rows(rows), keys - block_rows(rows), keys, score_stride(keys));
    const norm_exec inner = inner_exec(exec, NULL, 0);
    return norm_apply_workspace(normalizer, &block, &inner, ret_bytes);
}

struct norm__head_scratch norm__head_scratch(struct norm__workspace *workspace, size_t rows, size_t keys, int observed,
                                             size_t normalizer_bytes)
{
    struct norm__head_scratch s = {.keys = keys, .stride = score_stride(keys)};
    const size_t bytes = block_rows(rows) * s.stride * sizeof(float);
    s.scores = norm__workspace_take(workspace, bytes);
    s.weights = observed ? norm__workspace_take(workspace, bytes) : s.scores;
    s.visible = norm__workspace_take(workspace, block_rows(rows) * sizeof *s.visible);
    s.normalizer_workspace = norm__workspace_take(workspace, normalizer_bytes);
    s.normalizer_workspace_size = normalizer_bytes;
    return s;
}

/* out = weights v for rows at positions first ... first + rows - 1. Weights of keys a row does not see are 0, but 0
 * times a NaN or an infinity is not: where a value that only later rows see is one, that part is summed by hand. */
static void weigh_values(const struct norm__head *h, const float *weights, size_t stride, size_t first, size_t rows,
                         float *out)
{
    const size_t width = h->value_width;
    const float *later = h->v + first * h->v_stride;
    if (norm__all_finite_f32(later + h->v_stride, h->v_stride, rows - 1, width)) {
        norm__gemm_f32(false, false, rows, width, first + rows, 1.0f, weights, stride, h->v, h->v_stride, 0.0f, out,
                       h->out_stride);
        return;
    }
    norm__gemm_f32(false, false, rows, width, first, 1.0f, weights, stride, h->v, h->v_stride, 0.0f, out,
                   h->out_stride);
    for (size_t i = 0; i < rows; i++)
        for (size_t key = 0; key <= i; key++)
            for (size_t j = 0; j < width; j++)
                out[i * h->out_stride + j] += weights[i * stride + first + key] * later[key * h->v_stride + j];
}

static norm_status observe(const struct norm__head *h, const struct norm__head_scratch *s, size_t first, size_t rows,
                           norm_error *error)
{
    for (size_t i = 0; i < rows; i++)
        s->visible[i] = first + i + 1;
    const norm_head_view view = {
        .struct_size = sizeof view,
        .layer = h->layer_index,
        .head = h->head_index,
        .first_row = first,
        .rows = rows,
        .cols = first + rows,
        .head_dim = h->value_width,
        .scores = s->scores,
        .weights = s->weights,
        .values = h->v,
        .score_stride = (int64_t)s->stride,
        .weight_stride = (int64_t)s->stride,
        .value_stride = (int64_t)h->v_stride,
        .visible = s->visible,
    };
    const int32_t code = h->observer(h->observer_user, &view);
    if (code != 0)
        return norm__fail(error, LIBNORM_E_CALLBACK, code, "the observer stopped layer %d, head %d, row %zu with %d",
                          (int)h->layer_index, (int)h->head_index, first, (int)code);
    return LIBNORM_OK;
}

/* The normalizer's failure, with the place it happened at. */
static norm_status fail_at(const struct norm__head *h, size_t first, const norm_error *inner, norm_status status,
                           norm_error *error)
{
    return norm__fail(error, status, inner->where, "layer %d, head %d, rows from %zu: %s", (int)h->layer_index,
                      (int)h->head_index, first, inner->text);
}

norm_status norm__head_forward(const struct norm__head *h, const struct norm__head_scratch *s, const norm_exec *exec,
                               norm_error *error)
{
    const norm_exec inner = inner_exec(exec, s->normalizer_workspace, s->normalizer_workspace_size);
    for (size_t at = 0; at < h->rows; at += NORM__HEAD_ROWS) {
        const size_t rows = block_rows(h->rows - at), first = h->first + at, cols = first + rows;
        norm__gemm_f32(false, true, rows, cols, h->width, h->scale, h->q + at * h->q_stride, h->q_stride, h->k,
                       h->k_stride, 0.0f, s->scores, s->stride);
        const norm_rows block = describe_rows(rows, first, cols, s->stride);
        norm_error inner_error = {sizeof inner_error, LIBNORM_OK, -1, ""};
        norm_status status = norm_apply_f32(h->normalizer, &block, s->scores, s->weights, NULL, &inner, &inner_error);
        if (status != LIBNORM_OK)
            return fail_at(h, first, &inner_error, status, error);
        if (h->observer != NULL) {
            status = observe(h, s, first, rows, error);
            if (status != LIBNORM_OK)
                return status;
        }
        weigh_values(h, s->weights, s->stride, first, rows, h->ret_out + at * h->out_stride);
    }
    return LIBNORM_OK;
}
