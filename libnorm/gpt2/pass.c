/* SPDX-License-Identifier: MIT */
/* Asking, checking and taking memory: everything that can fail before the first layer. */
#include "gpt2/pass.h"

#include <string.h>

#include "base/cpu.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/structs.h"

static norm_status check_normalizers(const struct norm__pass *p)
{
    const norm_gpt2_shape *shape = &p->model->shape;
    const uint64_t given = p->run.normalizer_count, heads = shape->n_layer * shape->n_head;
    if (given != 0 && given != 1 && given != shape->n_layer && given != heads)
        return norm__fail(p->error, LIBNORM_E_ARGUMENT, -1,
                          "norm_gpt2_run.normalizer_count is %llu: expected 0, 1, %llu (layers) or %llu (heads)",
                          (unsigned long long)given, (unsigned long long)shape->n_layer, (unsigned long long)heads);
    if (given != 0 && p->run.normalizers == NULL)
        return norm__fail(p->error, LIBNORM_E_ARGUMENT, -1, "norm_gpt2_run.normalizers is NULL");
    for (uint64_t i = 0; i < given; i++)
        if (p->run.normalizers[i] == NULL)
            return norm__fail(p->error, LIBNORM_E_ARGUMENT, -1, "norm_gpt2_run.normalizers[%llu] is NULL",
                              (unsigned long long)i);
    return LIBNORM_OK;
}

static norm_status check_run(const struct norm__pass *p)
{
    const norm_gpt2_run *run = &p->run;
    if (run->logits < LIBNORM_GPT2_LOGITS_LAST || run->logits > LIBNORM_GPT2_LOGITS_NONE)
        return norm__fail(p->error, LIBNORM_E_ARGUMENT, -1,
                          "norm_gpt2_run.logits is %d: expected LIBNORM_GPT2_LOGITS_...", (int)run->logits);
    if (run->reserved != 0)
        return norm__fail(p->error, LIBNORM_E_ARGUMENT, -1, "norm_gpt2_run.reserved is %d: expected 0",
                          (int)run->reserved);
    if (run->logits == LIBNORM_GPT2_LOGITS_CHOSEN && run->position_count != 0 && run->positions == NULL)
        return norm__fail(p->error, LIBNORM_E_ARGUMENT, -1, "norm_gpt2_run.positions is NULL");
    return check_normalizers(p);
}

static norm_status check_ids(const struct norm__pass *p)
{
    const norm_gpt2_shape *shape = &p->model->shape;
    for (size_t i = 0; i < p->count; i++)
        if (p->ids[i] < 0 || (uint64_t)p->ids[i] >= shape->vocab_size)
            return norm__fail(p->error, LIBNORM_E_ARGUMENT, (int64_t)i, "ids[%zu] is %d: expected 0 to %llu", i,
                              (int)p->ids[i], (unsigned long long)shape->vocab_size - 1);
    if (p->run.logits != LIBNORM_GPT2_LOGITS_CHOSEN)
        return LIBNORM_OK;
    for (uint64_t i = 0; i < p->run.position_count; i++)
        if (p->run.positions[i] >= p->count)
            return norm__fail(p->error, LIBNORM_E_ARGUMENT, -1,
                              "norm_gpt2_run.positions[%llu] is %llu: expected 0 to %zu", (unsigned long long)i,
                              (unsigned long long)p->run.positions[i], p->count - 1);
    return LIBNORM_OK;
}

norm_status norm__pass_read(struct norm__pass *p, const char *function, const norm_gpt2 *model, const int32_t *ids,
                            size_t count, const norm_gpt2_run *run, bool logits, const norm_exec *exec,
                            norm_error *error)
{
    const size_t first = offsetof(norm_gpt2_run, observer_user) + sizeof p->run.observer_user;
    memset(p, 0, sizeof *p);
    p->model = model;
    p->ids = ids;
    p->count = count;
    p->error = error;
    if (model == NULL)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "%s: model is NULL", function);
    norm_status status = norm__exec_read(&p->exec, exec, error);
    if (status == LIBNORM_OK)
        status = norm__struct_read(&p->run, sizeof p->run, run, first, 0, "norm_gpt2_run", error);
    if (status != LIBNORM_OK)
        return status;
    if (!logits)
        p->run.logits = LIBNORM_GPT2_LOGITS_NONE;
    if (count == 0)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "%s: count is 0: expected 1 to %llu ids", function,
                          (unsigned long long)model->shape.n_positions);
    if (count > model->shape.n_positions)
        return norm__fail(error, LIBNORM_E_FULL, -1, "%s: %zu ids, but the model has n_positions = %llu", function,
                          count, (unsigned long long)model->shape.n_positions);
    status = check_run(p);
    return status != LIBNORM_OK || ids == NULL ? status : check_ids(p);
}

const norm_normalizer *norm__pass_normalizer(const struct norm__pass *p, size_t layer, size_t head)
{
    const uint64_t given = p->run.normalizer_count;
    if (given == 0)
        return p->softmax;
    if (given == 1)
        return p->run.normalizers[0];
    return p->run.normalizers[given == p->model->shape.n_layer ? layer : layer * p->model->shape.n_head + head];
}

/* The rows of logits that the loss hands to softmax at once. */
static norm_status loss_normalizer_bytes(const struct norm__pass *p, size_t *ret_bytes)
{
    const norm_rows rows = {.struct_size = sizeof rows, .batch = 1, .rows = p->count, .cols = p->wide_cols};
    norm_exec exec = p->exec;
    exec.workspace = NULL;
    exec.workspace_size = 0;
    return norm_apply_workspace(p->softmax, &rows, &exec, ret_bytes);
}

/* The largest workspace any normalizer of this pass wants. */
static norm_status find_normalizer_bytes(struct norm__pass *p)
{
    norm_status status = LIBNORM_OK;
    size_t bytes = 0;
    if (p->softmax == NULL) {
        status = norm_normalizer_parse("softmax", 7, p->exec.allocator, &p->softmax, p->error);
        if (status != LIBNORM_OK)
            return status;
    }
    status = loss_normalizer_bytes(p, &p->normalizer_bytes);
    const uint64_t given = p->run.normalizer_count;
    for (uint64_t i = 0; status == LIBNORM_OK && i < (given != 0 ? given : 1); i++) {
        status = norm__head_normalizer_bytes(given != 0 ? p->run.normalizers[i] : p->softmax, p->count, p->count,
                                             &p->exec, &bytes);
        if (status == LIBNORM_OK && bytes > p->normalizer_bytes)
            p->normalizer_bytes = bytes;
    }
    if (status != LIBNORM_OK)
        return norm__fail(p->error, status, -1, "the workspace of the normalizers is not known");
    return LIBNORM_OK;
}

norm_status norm__pass_size(struct norm__pass *p, size_t *ret_bytes)
{
    const norm_gpt2_shape *shape = &p->model->shape;
    const uint64_t widest = shape->n_inner > 3 * shape->n_embd ? shape->n_inner : 3 * shape->n_embd;
    size_t stream, wide, total = 0;
    p->wide_cols = (size_t)widest;
    norm_status status = find_normalizer_bytes(p);
    if (status != LIBNORM_OK)
        return status;
    const size_t heads = norm__head_bytes(p->count, p->count, p->run.observer != NULL, p->normalizer_bytes);
    if (!norm__mul(p->count, (size_t)shape->n_embd * sizeof(float), &stream) ||
        !norm__mul(p->count, p->wide_cols * sizeof(float), &wide) || !norm__add(total, norm__piece(stream), &total) ||
        !norm__add(total, norm__piece(stream), &total) || !norm__add(total, norm__piece(wide), &total) ||
        !norm__add(total, 2 * norm__piece(p->count * sizeof(double)), &total) ||
        !norm__add(total, norm__piece(p->count * sizeof(float)), &total) || !norm__add(total, heads, &total))
        return norm__fail(p->error, LIBNORM_E_NOMEM, -1, "the workspace for %zu ids does not fit into memory",
                          p->count);
    *ret_bytes = total;
    return LIBNORM_OK;
}

norm_status norm__pass_open(struct norm__pass *p)
{
    size_t bytes;
    norm_status status = norm__pass_size(p, &bytes);
    if (status == LIBNORM_OK)
        status = norm__workspace_open(&p->workspace, &p->exec, bytes, p->error);
    if (status != LIBNORM_OK)
        return status;
    const size_t stream = p->count * (size_t)p->model->shape.n_embd * sizeof(float);
    p->x = norm__workspace_take(&p->workspace, stream);
    p->h = norm__workspace_take(&p->workspace, stream);
    p->wide = norm__workspace_take(&p->workspace, p->count * p->wide_cols * sizeof(float));
    p->log_sum = norm__workspace_take(&p->workspace, p->count * sizeof(double));
    p->slice_log_sum = norm__workspace_take(&p->workspace, p->count * sizeof(double));
    p->target = norm__workspace_take(&p->workspace, p->count * sizeof(float));
    p->heads = norm__head_scratch(&p->workspace, p->count, p->count, p->run.observer != NULL, p->normalizer_bytes);
    p->rows = norm__row_functions(norm__cpu_level(p->exec.cpu_level));
    return LIBNORM_OK;
}

void norm__pass_close(struct norm__pass *p)
{
    norm__workspace_close(&p->workspace);
    norm_normalizer_free(p->softmax);
    p->softmax = NULL;
}

norm_status norm__pass_progress(struct norm__pass *p, double work)
{
    p->done += work;
    if (p->exec.progress == NULL)
        return LIBNORM_OK;
    const double done = p->done < p->work ? p->done / p->work : 1;
    const int32_t code = p->exec.progress(p->exec.progress_user, done);
    if (code != 0)
        return norm__fail(p->error, LIBNORM_E_CANCELLED, code, "cancelled by the progress callback with %d",
                          (int)code);
    return LIBNORM_OK;
}

struct row_loop {
    size_t rows, piece;
    void (*function)(const void *arg, size_t row);
    const void *arg;
};

static void run_piece(void *arg, size_t index)
{
    const struct row_loop *loop = arg;
    const size_t first = index * loop->piece;
    const size_t end = loop->rows - first < loop->piece ? loop->rows : first + loop->piece;
    for (size_t row = first; row < end; row++)
        loop->function(loop->arg, row);
}

void norm__pass_rows(const struct norm__pass *p, size_t rows, size_t width,
                     void (*function)(const void *arg, size_t row), const void *arg)
{
    /* Enough for a thread to be worth its start. */
    const size_t numbers = (size_t)1 << 16;
    struct row_loop loop = {rows, width < numbers ? numbers / width : 1, function, arg};
    if (rows != 0)
        norm__parallel(&p->exec, (rows + loop.piece - 1) / loop.piece, run_piece, &loop);
}
