/* SPDX-License-Identifier: MIT */
/* A block of queries of one head: which keys it sees, its scores, its weights and their gradient. */
#include "attention/attention.h"
#include "base/error.h"
#include "blas/blas.h"

static int64_t cut(int64_t key, size_t keys)
{
    return key < 0 ? 0 : key > (int64_t)keys ? (int64_t)keys : key;
}

/* Keys [begin, end) of a query, bytes apart. */
static void interval(const struct norm__attention *t, size_t batch, size_t head, size_t query, int64_t *begin,
                     int64_t *end)
{
    const norm_attention *a = &t->a;
    const int64_t *stride = a->interval_stride;
    const int64_t at = (int64_t)batch * stride[0] + (int64_t)head * stride[1] + (int64_t)query * stride[2];
    *begin = a->begin != NULL ? cut(a->begin[at], (size_t)a->keys) : 0;
    *end = a->end != NULL ? cut(a->end[at], (size_t)a->keys) : (int64_t)a->keys;
    int64_t causal;
    if ((a->flags & LIBNORM_ATTENTION_CAUSAL) && /* beyond the range of int64_t there is nothing to cut */
        !__builtin_add_overflow(a->causal_offset, (int64_t)query + 1, &causal)) {
        causal = cut(causal, (size_t)a->keys);
        *end = causal < *end ? causal : *end;
    }
    if (*end < *begin)
        *end = *begin;
}

void norm__block_find(struct norm__attention *t, size_t batch, size_t head, size_t first, struct norm__block *b)
{
    const norm_attention *a = &t->a;
    const size_t left = (size_t)a->queries - first, shared = head / (size_t)(a->heads / a->kv_heads);
    int64_t lo = (int64_t)a->keys, hi = 0;
    b->batch = batch;
    b->head = head;
    b->first = first;
    b->rows = left < t->block_rows ? left : t->block_rows;
    b->normalizer = a->normalizer_count == 0 ? t->softmax : a->normalizers[a->normalizer_count == 1 ? 0 : head];
    for (size_t i = 0; i < b->rows; i++) {
        interval(t, batch, head, first + i, &t->begin[i], &t->end[i]);
        if (t->begin[i] < t->end[i]) {
            lo = t->begin[i] < lo ? t->begin[i] : lo;
            hi = t->end[i] > hi ? t->end[i] : hi;
        }
    }
    b->lo = lo < hi ? (size_t)lo : 0;
    b->cols = lo < hi ? (size_t)(hi - lo) : 0;
    for (size_t i = 0; i < b->rows; i++) {
        t->begin[i] -= (int64_t)b->lo;
        t->end[i] -= (int64_t)b->lo;
    }
    b->q_stride = (size_t)t->plane[NORM__Q].stride[2];
    b->k_stride = (size_t)t->plane[NORM__K].stride[2];
    b->v_stride = (size_t)t->plane[NORM__V].stride[2];
    if (b->cols == 0)
        return;
    b->q = norm__plane_row(&t->plane[NORM__Q], batch, head, first);
    b->k = norm__plane_row(&t->plane[NORM__K], batch, shared, b->lo);
    b->v = a->value_dim != 0 ? norm__plane_row(&t->plane[NORM__V], batch, shared, b->lo) : NULL;
    if (a->flags & LIBNORM_ATTENTION_UNIT_LENGTH) {
        const size_t width = (size_t)a->head_dim;
        norm__unit_rows(b->q, b->q_stride, b->rows, width, t->unit_q, t->q_length);
        b->q = t->unit_q;
        b->k = t->unit_k + b->lo * width;
        b->q_stride = b->k_stride = width;
    }
}

bool norm__keys_prepare(struct norm__attention *t, size_t batch, size_t kv_head)
{
    const norm_attention *a = &t->a;
    const size_t keys = (size_t)a->keys, width = (size_t)a->head_dim, values = (size_t)a->value_dim;
    const struct norm__plane *k = &t->plane[NORM__K], *v = &t->plane[NORM__V];
    if (keys == 0)
        return true;
    const float *first_k = norm__plane_row(k, batch, kv_head, 0);
    if (a->flags & LIBNORM_ATTENTION_UNIT_LENGTH)
        norm__unit_rows(first_k, (size_t)k->stride[2], keys, width, t->unit_k, t->k_length);
    return norm__all_finite_f32(first_k, (size_t)k->stride[2], keys, width) &&
           (values == 0 ||
            norm__all_finite_f32(norm__plane_row(v, batch, kv_head, 0), (size_t)v->stride[2], keys, values));
}

static const uint8_t *bytes_at(const struct norm__attention *t, const struct norm__block *b, size_t row)
{
    const int64_t *stride = t->a.visible_stride;
    return t->a.visible + ((int64_t)b->batch * stride[0] + (int64_t)b->head * stride[1] +
                           (int64_t)(b->first + row) * stride[2] + (int64_t)b->lo * stride[3]);
}

bool norm__block_sees(const struct norm__attention *t, const struct norm__block *b, size_t row, size_t key)
{
    return (int64_t)key >= t->begin[row] && (int64_t)key < t->end[row] &&
           (t->a.visible == NULL || bytes_at(t, b, row)[(int64_t)key * t->a.visible_stride[3]] != 0);
}

void norm__block_scores(struct norm__attention *t, const struct norm__block *b)
{
    norm__gemm_f32(false, true, b->rows, b->cols, (size_t)t->a.head_dim, (float)t->a.scale, b->q, b->q_stride, b->k,
                   b->k_stride, 0.0f, t->scores, t->score_stride);
}

static norm_rows describe(const struct norm__attention *t, const struct norm__block *b)
{
    norm_rows r = {.struct_size = sizeof r, .batch = 1, .rows = b->rows, .cols = b->cols};
    const int64_t stride = (int64_t)t->score_stride;
    const int64_t strides[3] = {(int64_t)b->rows * stride, stride, 1};
    for (int i = 0; i < 3; i++)
        r.z_stride[i] = r.w_stride[i] = r.g_stride[i] = r.d_stride[i] = strides[i];
    r.begin = t->begin;
    r.end = t->end;
    r.interval_stride[1] = 1;
    if (t->a.visible != NULL) {
        r.visible = bytes_at(t, b, 0);
        r.visible_stride[1] = t->a.visible_stride[2];
        r.visible_stride[2] = t->a.visible_stride[3];
    }
    return r;
}

/* The normalizer's failure, with the place it happened at. */
static norm_status fail_at(const struct norm__attention *t, const struct norm__block *b, norm_status status,
                           const norm_error *inner)
{
    return norm__fail(t->error, status, inner->where, "%s: batch %zu, head %zu, queries from %zu: %s", t->call,
                      b->batch, b->head, b->first, inner->text);
}

norm_status norm__block_weights(struct norm__attention *t, const struct norm__block *b, bool tell)
{
    const norm_rows rows = describe(t, b);
    norm_error inner = {sizeof inner, LIBNORM_OK, -1, ""};
    norm_row_outputs out = {.struct_size = sizeof out};
    const size_t at = (size_t)((b->batch * t->a.heads + b->head) * t->a.queries + b->first);
    if (tell) {
        out.log_sum = t->outputs.log_sum != NULL ? t->outputs.log_sum + at : NULL;
        out.threshold = t->outputs.threshold != NULL ? t->outputs.threshold + at : NULL;
        out.support = t->outputs.support != NULL ? t->outputs.support + at : NULL;
        out.entropy = t->outputs.entropy != NULL ? t->outputs.entropy + at : NULL;
    }
    const norm_status status =
        norm_apply_f32(b->normalizer, &rows, t->scores, t->weights, tell ? &out : NULL, &t->inner, &inner);
    return status == LIBNORM_OK ? status : fail_at(t, b, status, &inner);
}

norm_status norm__block_vjp(struct norm__attention *t, const struct norm__block *b)
{
    const norm_rows rows = describe(t, b);
    norm_error inner = {sizeof inner, LIBNORM_OK, -1, ""};
    const norm_status status = norm_vjp_f32(b->normalizer, &rows, t->scores, t->weights, t->upstream, t->upstream,
                                            &t->inner, &inner);
    return status == LIBNORM_OK ? status : fail_at(t, b, status, &inner);
}

norm_status norm__attention_progress(struct norm__attention *t, size_t done, size_t total)
{
    if (t->exec.progress == NULL)
        return LIBNORM_OK;
    const int32_t code = t->exec.progress(t->exec.progress_user, (double)done / (double)total);
    if (code != 0)
        return norm__fail(t->error, LIBNORM_E_CANCELLED, code, "%s: cancelled by norm_exec.progress with %d", t->call,
                          (int)code);
    return LIBNORM_OK;
}
