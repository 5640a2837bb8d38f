/* SPDX-License-Identifier: MIT */
/* From ids to the residual stream after the last layer. Products go through the BLAS with its own threads; what lies
 * between them is fused into as few sweeps as there can be and runs on ours. */
#include <math.h>
#include <string.h>

#include "blas/blas.h"
#include "gpt2/pass.h"

/* A sweep over rows: what run_... below needs. */
struct sweep {
    const struct norm__pass *pass;
    const float *bias, *weight, *norm_bias;
    size_t first;
    const uint64_t *positions;
};

static size_t width(const struct norm__pass *p)
{
    return (size_t)p->model->shape.n_embd;
}

static void embed_row(const void *arg, size_t row)
{
    const struct norm__pass *p = ((const struct sweep *)arg)->pass;
    const size_t n = width(p);
    float *x = p->x + row * n;
    memcpy(x, p->model->wpe + row * n, n * sizeof *x);
    p->rows->add(n, p->model->wte + (size_t)p->ids[row] * n, x);
}

/* x += bias, where there is one; h = layer norm of x */
static void norm_row(const void *arg, size_t row)
{
    const struct sweep *s = arg;
    const struct norm__pass *p = s->pass;
    const size_t n = width(p);
    float *x = p->x + row * n;
    if (s->bias != NULL)
        p->rows->add(n, s->bias, x);
    p->rows->layer_norm(n, x, s->weight, s->norm_bias, p->model->shape.layer_norm_epsilon, p->h + row * n);
}

static void add_bias_row(const void *arg, size_t row)
{
    const struct sweep *s = arg;
    s->pass->rows->add(width(s->pass), s->bias, s->pass->x + row * width(s->pass));
}

static void final_row(const void *arg, size_t row)
{
    const struct sweep *s = arg;
    const struct norm__pass *p = s->pass;
    const size_t n = width(p), from = s->positions != NULL ? (size_t)s->positions[row] : s->first + row;
    p->rows->layer_norm(n, p->x + from * n, s->weight, s->norm_bias, p->model->shape.layer_norm_epsilon,
                        p->h + row * n);
}

/* The product that follows adds to it: that costs less than a sweep after it. */
static void fill_row(const void *arg, size_t row)
{
    const struct sweep *s = arg;
    memcpy(s->pass->wide + row * 3 * width(s->pass), s->bias, 3 * width(s->pass) * sizeof(float));
}

static void gelu_row(const void *arg, size_t row)
{
    const struct sweep *s = arg;
    const struct norm__pass *p = s->pass;
    const size_t n = (size_t)p->model->shape.n_inner;
    if (p->model->shape.activation == LIBNORM_GPT2_GELU_ERF)
        p->rows->gelu_erf(n, s->bias, p->wide + row * n);
    else
        p->rows->gelu_tanh(n, s->bias, p->wide + row * n);
}

static float score_scale(const norm_gpt2_shape *shape, size_t layer)
{
    double scale = 1;
    if (shape->scale_attn_weights)
        scale /= sqrt((double)(shape->n_embd / shape->n_head));
    if (shape->scale_attn_by_inverse_layer_idx)
        scale /= (double)(layer + 1);
    return (float)scale;
}

/* h = attention over wide, which holds q, k and v */
static norm_status attend(struct norm__pass *p, size_t layer)
{
    const norm_gpt2_shape *shape = &p->model->shape;
    const size_t n = width(p), head_width = n / (size_t)shape->n_head;
    struct norm__head head = {
        .rows = p->count,
        .width = head_width,
        .value_width = head_width,
        .q_stride = 3 * n,
        .k_stride = 3 * n,
        .v_stride = 3 * n,
        .out_stride = n,
        .scale = score_scale(shape, layer),
        .observer = p->run.observer,
        .observer_user = p->run.observer_user,
        .layer_index = (int32_t)layer,
    };
    for (size_t i = 0; i < (size_t)shape->n_head; i++) {
        head.q = p->wide + i * head_width;
        head.k = head.q + n;
        head.v = head.k + n;
        head.ret_out = p->h + i * head_width;
        head.normalizer = norm__pass_normalizer(p, layer, i);
        head.head_index = (int32_t)i;
        norm_status status = norm__head_forward(&head, &p->heads, &p->exec, p->error);
        if (status != LIBNORM_OK)
            return status;
    }
    return LIBNORM_OK;
}

/* From h = first layer norm of x to x with its last bias still to be added. */
static norm_status run_layer(struct norm__pass *p, size_t index)
{
    const struct norm__layer *layer = &p->model->layers[index];
    const size_t rows = p->count, n = width(p), inner = (size_t)p->model->shape.n_inner;
    const double d = (double)n, t = (double)rows;
    struct sweep s = {.pass = p, .bias = layer->attn_b};
    norm__pass_rows(p, rows, 3 * n, fill_row, &s);
    norm__gemm_f32(false, false, rows, 3 * n, n, 1.0f, p->h, n, layer->attn_w, 3 * n, 1.0f, p->wide, 3 * n);
    norm_status status = attend(p, index);
    if (status != LIBNORM_OK)
        return status;
    norm__gemm_f32(false, false, rows, n, n, 1.0f, p->h, n, layer->proj_w, n, 1.0f, p->x, n);
    status = norm__pass_progress(p, 4 * d * d * t + d * t * t);
    if (status != LIBNORM_OK)
        return status;

    s = (struct sweep){.pass = p, .bias = layer->proj_b, .weight = layer->ln_2_weight, .norm_bias = layer->ln_2_bias};
    norm__pass_rows(p, rows, n, norm_row, &s);
    norm__gemm_f32(false, false, rows, inner, n, 1.0f, p->h, n, layer->fc_w, inner, 0.0f, p->wide, inner);
    s = (struct sweep){.pass = p, .bias = layer->fc_b};
    norm__pass_rows(p, rows, inner, gelu_row, &s);
    norm__gemm_f32(false, false, rows, n, inner, 1.0f, p->wide, inner, layer->out_w, n, 1.0f, p->x, n);
    return norm__pass_progress(p, 2 * d * (double)inner * t);
}

norm_status norm__pass_layers(struct norm__pass *p)
{
    const norm_gpt2_shape *shape = &p->model->shape;
    const size_t layers = (size_t)shape->n_layer;
    const double d = (double)shape->n_embd, t = (double)p->count;
    p->work += (double)layers * (4 * d * d * t + d * t * t + 2 * d * (double)shape->n_inner * t);
    norm_status status = norm__pass_progress(p, 0);
    struct sweep s = {.pass = p};
    if (status == LIBNORM_OK)
        norm__pass_rows(p, p->count, width(p), embed_row, &s);
    for (size_t i = 0; status == LIBNORM_OK && i < layers; i++) {
        const struct norm__layer *layer = &p->model->layers[i];
        s = (struct sweep){.pass = p, .weight = layer->ln_1_weight, .norm_bias = layer->ln_1_bias};
        s.bias = i > 0 ? layer[-1].out_b : NULL;
        norm__pass_rows(p, p->count, width(p), norm_row, &s);
        status = run_layer(p, i);
    }
    if (status == LIBNORM_OK && layers != 0) {
        s = (struct sweep){.pass = p, .bias = p->model->layers[layers - 1].out_b};
        norm__pass_rows(p, p->count, width(p), add_bias_row, &s);
    }
    return status;
}

void norm__pass_final(const struct norm__pass *p, const uint64_t *positions, size_t first, size_t rows)
{
    const struct sweep s = {.pass = p,
                            .weight = p->model->ln_f_weight,
                            .norm_bias = p->model->ln_f_bias,
                            .first = first,
                            .positions = positions};
    norm__pass_rows(p, rows, width(p), final_row, &s);
}
