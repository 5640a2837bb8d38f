/* SPDX-License-Identifier: MIT */
/* From the residual stream to logits of the positions asked for, and to losses without keeping logits. */
#include <math.h>

#include "base/error.h"
#include "blas/blas.h"
#include "gpt2/pass.h"

/* ret[i] = logits[first ... first + cols - 1] of row i of h */
static void head_product(const struct norm__pass *p, size_t rows, size_t first, size_t cols, float *ret, size_t stride)
{
    const size_t n = (size_t)p->model->shape.n_embd;
    norm__gemm_f32(false, true, rows, cols, n, 1.0f, p->h, n, p->model->lm_head + first * n, n, 0.0f, ret, stride);
}

norm_status norm__pass_logits(struct norm__pass *p, float *ret_logits)
{
    const size_t vocabulary = (size_t)p->model->shape.vocab_size;
    const double row_work = (double)vocabulary * (double)p->model->shape.n_embd;
    const uint64_t *positions = NULL;
    size_t first = 0, rows = 0;
    switch (p->run.logits) {
    case LIBNORM_GPT2_LOGITS_LAST:
        first = p->count - 1;
        rows = 1;
        break;
    case LIBNORM_GPT2_LOGITS_ALL:
        rows = p->count;
        break;
    case LIBNORM_GPT2_LOGITS_CHOSEN:
        positions = p->run.positions;
        rows = (size_t)p->run.position_count;
        break;
    default:
        break;
    }
    p->work += row_work * (double)rows;
    norm_status status = norm__pass_layers(p);
    /* More positions than ids can be asked for, some of them twice. */
    for (size_t i = 0; status == LIBNORM_OK && i < rows; i += p->count) {
        const size_t part = rows - i < p->count ? rows - i : p->count;
        norm__pass_final(p, positions != NULL ? positions + i : NULL, first, part);
        head_product(p, part, 0, vocabulary, ret_logits + i * vocabulary, vocabulary);
        status = norm__pass_progress(p, row_work * (double)part);
    }
    return status;
}

/* log(e^a + e^b) */
static double add_logs(double a, double b)
{
    const double high = a < b ? b : a, low = a < b ? a : b;
    if (isnan(a) || isnan(b))
        return a + b;
    return isinf(high) ? high : high + log1p(exp(low - high));
}

/* Takes logits first ... first + cols - 1 of all rows, in wide, into log_sum and target. */
static norm_status add_slice(struct norm__pass *p, size_t rows, size_t first, size_t cols)
{
    const norm_rows packed = {.struct_size = sizeof packed, .batch = 1, .rows = rows, .cols = cols};
    norm_row_outputs outputs = {.struct_size = sizeof outputs, .log_sum = p->slice_log_sum};
    norm_exec exec = p->exec;
    exec.progress = NULL;
    exec.workspace = p->normalizer_bytes != 0 ? p->heads.normalizer_workspace : NULL;
    exec.workspace_size = p->normalizer_bytes;
    for (size_t i = 0; i < rows; i++) {
        const size_t next = (size_t)p->ids[i + 1];
        if (next >= first && next - first < cols)
            p->target[i] = p->wide[i * cols + next - first];
    }
    norm_status status = norm_apply_f32(p->softmax, &packed, p->wide, p->wide, &outputs, &exec, p->error);
    for (size_t i = 0; status == LIBNORM_OK && i < rows; i++)
        p->log_sum[i] = add_logs(p->log_sum[i], p->slice_log_sum[i]);
    return status;
}

norm_status norm__pass_loss(struct norm__pass *p, double *ret_loss)
{
    const size_t vocabulary = (size_t)p->model->shape.vocab_size, rows = p->count - 1;
    const double row_work = (double)vocabulary * (double)p->model->shape.n_embd;
    p->work += row_work * (double)rows;
    norm_status status = norm__pass_layers(p);
    if (status != LIBNORM_OK || rows == 0)
        return status;
    norm__pass_final(p, NULL, 0, rows);
    for (size_t i = 0; i < rows; i++)
        p->log_sum[i] = -INFINITY;
    /* All positions and a slice of the vocabulary at a time: the matrix of the output, which is the large one, is then
     * read once, and the slice fits where the inner layer was. */
    for (size_t first = 0; first < vocabulary; first += p->wide_cols) {
        const size_t cols = vocabulary - first < p->wide_cols ? vocabulary - first : p->wide_cols;
        head_product(p, rows, first, cols, p->wide, cols);
        status = add_slice(p, rows, first, cols);
        if (status == LIBNORM_OK)
            status = norm__pass_progress(p, (double)cols * (double)p->model->shape.n_embd * (double)rows);
        if (status != LIBNORM_OK)
            return status;
    }
    for (size_t i = 0; i < rows; i++)
        ret_loss[i] = p->log_sum[i] - (double)p->target[i];
    return LIBNORM_OK;
}
