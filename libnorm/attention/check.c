/* SPDX-License-Identifier: MIT */
/* Reading and checking what attention is asked, and the memory for it: all that can fail before the first row. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attention/call.h"
#include "base/structs.h"

/* The first release's sizes, frozen: up to and with the last field. */
#define ATTENTION_FIRST (offsetof(norm_attention, normalizer_count) + sizeof(uint64_t))
#define OUTPUTS_FIRST (offsetof(norm_attention_outputs, entropy) + sizeof(double *))

static norm_status refuse(const struct norm__attention *t, const char *what, uint64_t value, const char *expected)
{
    return norm__fail(t->error, LIBNORM_E_ARGUMENT, -1, "%s: norm_attention.%s is %llu: expected %s", t->call, what,
                      (unsigned long long)value, expected);
}

static norm_status read_shape(struct norm__attention *t)
{
    norm_attention *a = &t->a;
    uint64_t n;
    if (a->kv_heads == 0)
        a->kv_heads = a->heads;
    if (a->value_dim == 0)
        a->value_dim = a->head_dim;
    if (a->heads != 0 && a->heads % a->kv_heads != 0)
        return refuse(t, "kv_heads", a->kv_heads, "a divisor of heads");
    if (a->head_dim == 0 && a->queries != 0 && a->keys != 0)
        return refuse(t, "head_dim", 0, "at least 1");
    if (!isfinite(a->scale))
        return norm__fail(t->error, LIBNORM_E_ARGUMENT, -1, "%s: norm_attention.scale is not finite", t->call);
    if (a->scale == 0)
        a->scale = 1 / sqrt((double)a->head_dim);
    const uint64_t given = a->normalizer_count;
    if (given > 1 && given != a->heads)
        return refuse(t, "normalizer_count", given, "0, 1 or the number of heads");
    if (given != 0 && a->normalizers == NULL)
        return norm__fail(t->error, LIBNORM_E_ARGUMENT, -1, "%s: norm_attention.normalizers is NULL", t->call);
    for (uint64_t i = 0; i < given; i++)
        if (a->normalizers[i] == NULL)
            return norm__fail(t->error, LIBNORM_E_ARGUMENT, -1, "%s: norm_attention.normalizers[%llu] is NULL",
                              t->call, (unsigned long long)i);
    if (__builtin_mul_overflow(a->batch, a->heads, &n) || __builtin_mul_overflow(n, a->queries, &n) ||
        n > PTRDIFF_MAX / sizeof(double) || a->keys > PTRDIFF_MAX / 1024 || a->head_dim > PTRDIFF_MAX / 1024 ||
        a->value_dim > PTRDIFF_MAX / 1024)
        return norm__fail(t->error, LIBNORM_E_ARGUMENT, -1, "%s: these extents do not fit the address space",
                          t->call);
    t->empty = n == 0;
    return LIBNORM_OK;
}

/* [low, high) in bytes; false: outside the address space. */
static bool range(const struct norm__plane *p, size_t batch, uintptr_t *low, uintptr_t *high)
{
    const size_t extent[3] = {batch, p->heads, p->rows};
    int64_t below = 0, above = (int64_t)p->width - 1, bytes;
    for (int i = 0; i < 3; i++) {
        int64_t span;
        if (__builtin_mul_overflow((int64_t)extent[i] - 1, p->stride[i], &span) ||
            __builtin_add_overflow(span < 0 ? below : above, span, span < 0 ? &below : &above))
            return false;
    }
    if (__builtin_sub_overflow(above, below, &bytes) || __builtin_add_overflow(bytes, 1, &bytes) ||
        bytes > PTRDIFF_MAX / (int64_t)sizeof(float))
        return false;
    const uintptr_t before = (uintptr_t)-below * sizeof(float), at = (uintptr_t)p->data;
    if (before > at || (uintptr_t)bytes * sizeof(float) > UINTPTR_MAX - (at - before))
        return false;
    *low = at - before;
    *high = *low + (uintptr_t)bytes * sizeof(float);
    return true;
}

/* Each larger stride steps over all that the smaller ones reach. */
static bool writes_once(const struct norm__plane *p, size_t batch)
{
    const size_t extent[3] = {batch, p->heads, p->rows};
    uint64_t reach = p->width;
    bool used[3] = {false, false, false};
    for (int i = 0; i < 3; i++) {
        int least = -1;
        for (int j = 0; j < 3; j++)
            if (!used[j] && (least < 0 || llabs(p->stride[j]) < llabs(p->stride[least])))
                least = j;
        used[least] = true;
        if (extent[least] == 1)
            continue;
        if ((uint64_t)llabs(p->stride[least]) < reach)
            return false;
        reach += (extent[least] - 1) * (uint64_t)llabs(p->stride[least]);
    }
    return true;
}

static norm_status open_plane(struct norm__attention *t, int which, const char *name, const float *data, bool written,
                              size_t heads, size_t rows, size_t width, const int64_t stride[3])
{
    struct norm__plane *p = &t->plane[which];
    *p = (struct norm__plane){name, (float *)(uintptr_t)data, written, heads, rows, width,
                              {stride[0], stride[1], stride[2]}};
    if (rows == 0 || width == 0 || heads == 0 || t->a.batch == 0) {
        p->name = NULL;
        return LIBNORM_OK;
    }
    if (data == NULL)
        return norm__fail(t->error, LIBNORM_E_ARGUMENT, -1, "%s: %s is NULL", t->call, name);
    if ((uintptr_t)data % sizeof(float) != 0)
        return norm__fail(t->error, LIBNORM_E_ARGUMENT, -1, "%s: %s is not aligned to its elements of 4 bytes",
                          t->call, name);
    if (stride[0] == 0 && stride[1] == 0 && stride[2] == 0) {
        p->stride[2] = (int64_t)width;
        if (__builtin_mul_overflow(p->stride[2], (int64_t)rows, &p->stride[1]) ||
            __builtin_mul_overflow(p->stride[1], (int64_t)heads, &p->stride[0]))
            p->stride[0] = INT64_MAX; /* found to be too far below */
    }
    const size_t extent[3] = {(size_t)t->a.batch, heads, rows};
    for (int i = 0; i < 3; i++)
        if (extent[i] == 1)
            p->stride[i] = i == 2 ? (int64_t)width : 0;
    uintptr_t low, high;
    if (p->stride[2] < (int64_t)width)
        return norm__fail(t->error, LIBNORM_E_ARGUMENT, -1,
                          "%s: the row stride of %s is %lld: expected at least its width, %zu", t->call, name,
                          (long long)p->stride[2], width);
    if (!range(p, extent[0], &low, &high))
        return norm__fail(t->error, LIBNORM_E_ARGUMENT, -1, "%s: %s with these strides does not fit the address space",
                          t->call, name);
    if (written && !writes_once(p, extent[0]))
        return norm__fail(t->error, LIBNORM_E_ARGUMENT, -1,
                          "%s: strides %lld, %lld, %lld of %s (batch, head, row) would write an element twice", t->call,
                          (long long)p->stride[0], (long long)p->stride[1], (long long)p->stride[2], name);
    return LIBNORM_OK;
}

norm_status norm__attention_output(struct norm__attention *t, int which, const char *name, const float *data,
                                   bool written)
{
    const norm_attention *a = &t->a;
    const size_t heads = (size_t)a->heads, shared = (size_t)a->kv_heads, queries = (size_t)a->queries;
    const size_t keys = (size_t)a->keys, width = (size_t)a->head_dim, values = (size_t)a->value_dim;
    switch (which) {
    case NORM__Q:
    case NORM__DQ:
        return open_plane(t, which, name, data, written, heads, queries, width, a->q_stride);
    case NORM__K:
    case NORM__DK:
        return open_plane(t, which, name, data, written, shared, keys, width, a->k_stride);
    case NORM__V:
    case NORM__DV:
        return open_plane(t, which, name, data, written, shared, keys, values, a->v_stride);
    case NORM__WEIGHTS:
        return open_plane(t, which, name, data, written, heads, queries, keys, a->weight_stride);
    default:
        return open_plane(t, which, name, data, written, heads, queries, values, a->out_stride);
    }
}

norm_status norm__attention_open(struct norm__attention *t, const char *call, const norm_attention *attention,
                                 bool backward, const float *const inputs[3], const norm_exec *exec,
                                 norm_error *error)
{
    static const char *const names[3] = {"q", "k", "v"};
    memset(t, 0, sizeof *t);
    t->call = call;
    t->error = error;
    t->backward = backward;
    if (attention == NULL)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "%s: attention is NULL", call);
    norm_status status =
        norm__struct_read(&t->a, sizeof t->a, attention, ATTENTION_FIRST,
                          LIBNORM_ATTENTION_CAUSAL | LIBNORM_ATTENTION_UNIT_LENGTH, "norm_attention", error);
    if (status == LIBNORM_OK)
        status = norm__exec_read(&t->exec, exec, error);
    if (status == LIBNORM_OK)
        status = read_shape(t);
    for (int i = 0; i < 3 && status == LIBNORM_OK && inputs != NULL; i++)
        status = norm__attention_output(t, NORM__Q + i, names[i], inputs[i], false);
    return status;
}

norm_status norm__attention_read_outputs(struct norm__attention *t, const norm_attention_outputs *outputs)
{
    if (outputs == NULL)
        return LIBNORM_OK;
    return norm__struct_read(&t->outputs, sizeof t->outputs, outputs, OUTPUTS_FIRST, 0, "norm_attention_outputs",
                             t->error);
}

/* Side arrays of doubles may meet nothing either. */
static norm_status check_overlap(const struct norm__attention *t)
{
    struct {
        const char *name;
        uintptr_t low, high;
        bool written;
    } all[NORM__PLANES + 4];
    size_t count = 0;
    for (int i = 0; i < NORM__PLANES; i++) {
        const struct norm__plane *p = &t->plane[i];
        if (p->name == NULL)
            continue;
        all[count].name = p->name;
        all[count].written = p->written;
        range(p, (size_t)t->a.batch, &all[count].low, &all[count].high);
        count++;
    }
    const struct {
        const char *name;
        double *data;
    } side[4] = {{"log_sum", t->outputs.log_sum},
                 {"threshold", t->outputs.threshold},
                 {"support", t->outputs.support},
                 {"entropy", t->outputs.entropy}};
    for (int i = 0; i < 4; i++) {
        if (side[i].data == NULL)
            continue;
        if ((uintptr_t)side[i].data % _Alignof(double) != 0)
            return norm__fail(t->error, LIBNORM_E_ARGUMENT, -1, "%s: %s is not aligned to its elements", t->call,
                              side[i].name);
        const size_t doubles = (size_t)(t->a.batch * t->a.heads * t->a.queries);
        all[count].name = side[i].name;
        all[count].written = true;
        all[count].low = (uintptr_t)side[i].data;
        all[count].high = all[count].low + doubles * sizeof(double);
        count++;
    }
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            if (i != j && all[i].written && all[i].low < all[j].high && all[j].low < all[i].high)
                return norm__fail(t->error, LIBNORM_E_OVERLAP, -1, "%s: %s overlaps %s: expected no common element",
                                  t->call, all[i].name, all[j].name);
    return LIBNORM_OK;
}

/* What of the caller's exec the normalizer gets. A block is done sooner than a thread has started; the host's own
 * threads are there already. */
static void make_inner_exec(struct norm__attention *t)
{
    t->inner = (norm_exec){.struct_size = sizeof t->inner, .cpu_level = t->exec.cpu_level,
                           .allocator = t->exec.allocator};
    if (t->exec.parallel_for != NULL) {
        t->inner.threads = t->exec.threads;
        t->inner.parallel_user = t->exec.parallel_user;
        t->inner.parallel_for = t->exec.parallel_for;
    }
}

static norm_status find_normalizer_bytes(struct norm__attention *t)
{
    static const int64_t zero;
    const norm_attention *a = &t->a;
    norm_status status = LIBNORM_OK;
    if (a->normalizer_count == 0)
        status = norm_normalizer_parse("softmax", 7, t->exec.allocator, &t->softmax, t->error);
    norm_rows rows = {.struct_size = sizeof rows, .batch = 1, .rows = t->block_rows, .cols = a->keys};
    for (int i = 0; i < 2; i++) {
        const int64_t stride = i == 0 ? (int64_t)(t->block_rows * t->score_stride) : (int64_t)t->score_stride;
        rows.z_stride[i] = rows.w_stride[i] = rows.g_stride[i] = rows.d_stride[i] = stride;
    }
    rows.z_stride[2] = rows.w_stride[2] = rows.g_stride[2] = rows.d_stride[2] = 1;
    rows.begin = rows.end = &zero;
    rows.visible = a->visible;
    rows.visible_stride[2] = a->visible_stride[3];
    for (uint64_t i = 0; status == LIBNORM_OK && i < (a->normalizer_count != 0 ? a->normalizer_count : 1); i++) {
        size_t bytes;
        status = norm_apply_workspace(a->normalizer_count != 0 ? a->normalizers[i] : t->softmax, &rows, &t->inner,
                                      &bytes);
        if (status != LIBNORM_OK)
            return norm__fail(t->error, status, -1, "%s: the workspace of the normalizers is not known", t->call);
        t->normalizer_bytes = bytes > t->normalizer_bytes ? bytes : t->normalizer_bytes;
    }
    return status;
}

/* Pieces in the order they are taken. Returns the sum, SIZE_MAX where it does not fit. */
static size_t lay_out(struct norm__attention *t, bool take)
{
    const norm_attention *a = &t->a;
    const size_t keys = (size_t)a->keys, width = (size_t)a->head_dim;
    const bool unit = (a->flags & LIBNORM_ATTENTION_UNIT_LENGTH) != 0;
    size_t scores, unit_k, gathered, total = 0;
    if (!norm__mul(t->score_stride, t->block_rows * sizeof(float), &scores) ||
        !norm__mul(keys, width * sizeof(float), &unit_k) ||
        !norm__mul(keys, (size_t)a->value_dim * sizeof(float), &gathered))
        return SIZE_MAX;
    const struct {
        void **to;
        size_t bytes;
    } piece[] = {
        {(void **)&t->scores, scores},
        {(void **)&t->weights, t->backward ? scores : 0},
        {(void **)&t->upstream, t->backward ? scores : 0},
        {(void **)&t->unit_q, unit ? t->block_rows * width * sizeof(float) : 0},
        {(void **)&t->unit_k, unit ? unit_k : 0},
        {(void **)&t->q_length, unit ? t->block_rows * sizeof(double) : 0},
        {(void **)&t->k_length, unit ? keys * sizeof(double) : 0},
        {(void **)&t->gathered, t->backward ? 0 : gathered},
        {(void **)&t->columns, t->backward ? 0 : keys * sizeof(uint32_t)},
        {(void **)&t->begin, t->block_rows * sizeof(int64_t)},
        {(void **)&t->end, t->block_rows * sizeof(int64_t)},
        {&t->normalizer_workspace, t->normalizer_bytes},
    };
    for (size_t i = 0; i < sizeof piece / sizeof piece[0]; i++) {
        if (piece[i].bytes == 0)
            continue;
        if (take)
            *piece[i].to = norm__workspace_take(&t->workspace, piece[i].bytes);
        if (!norm__add(total, norm__piece(piece[i].bytes), &total))
            return SIZE_MAX;
    }
    return total;
}

norm_status norm__attention_size(struct norm__attention *t, size_t *ret_bytes)
{
    const size_t line = NORM__ALIGN / sizeof(float), most = t->backward ? norm__backward_rows : norm__forward_rows;
    const size_t queries = (size_t)t->a.queries, keys = (size_t)t->a.keys;
    t->block_rows = queries < most ? queries : most;
    /* Rows start on a cache line; the line between keeps them from falling on the same cache set. */
    t->score_stride = (keys + line - 1) / line * line + line;
    make_inner_exec(t);
    norm_status status = find_normalizer_bytes(t);
    if (status != LIBNORM_OK)
        return status;
    *ret_bytes = lay_out(t, false);
    if (*ret_bytes > SIZE_MAX - NORM__ALIGN)
        return norm__fail(t->error, LIBNORM_E_NOMEM, -1, "%s: the workspace does not fit into memory", t->call);
    return LIBNORM_OK;
}

norm_status norm__attention_start(struct norm__attention *t)
{
    size_t bytes;
    norm_status status = check_overlap(t);
    if (status != LIBNORM_OK || t->empty)
        return status;
    status = norm__attention_size(t, &bytes);
    if (status == LIBNORM_OK)
        status = norm__workspace_open(&t->workspace, &t->exec, bytes, t->error);
    if (status != LIBNORM_OK)
        return status;
    lay_out(t, true);
    if (!t->backward)
        t->weights = t->scores;
    if (t->normalizer_bytes != 0) {
        t->inner.workspace = t->normalizer_workspace;
        t->inner.workspace_size = t->normalizer_bytes;
    }
    return LIBNORM_OK;
}

void norm__attention_close(struct norm__attention *t)
{
    norm__workspace_close(&t->workspace);
    norm_normalizer_free(t->softmax);
}
