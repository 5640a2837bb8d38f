/* SPDX-License-Identifier: MIT */
/* GPT-2 as its authors wrote it down, one position, one head, one number at a time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/gpt2.h"
#include "support/support.h"

static const float *tensor(const struct support_gpt2 *m, size_t layer, const char *name)
{
    char full[64];
    snprintf(full, sizeof full, "h.%zu.%s", layer, name);
    return support_gpt2_tensor(m, full);
}

/* y = x w + b, w in x out */
static void affine(size_t in, size_t out, const double *x, const float *w, const float *b, double *y)
{
    for (size_t j = 0; j < out; j++) {
        double sum = (double)b[j];
        for (size_t i = 0; i < in; i++)
            sum += x[i] * (double)w[i * out + j];
        y[j] = sum;
    }
}

static void layer_norm(size_t n, const double *x, const float *w, const float *b, double epsilon, double *y)
{
    double mean = 0, square = 0;
    for (size_t i = 0; i < n; i++)
        mean += x[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        square += (x[i] - mean) * (x[i] - mean) / (double)n;
    for (size_t i = 0; i < n; i++)
        y[i] = (x[i] - mean) / sqrt(square + epsilon) * (double)w[i] + (double)b[i];
}

static double gelu(const char *kind, double x)
{
    if (strcmp(kind, "gelu") == 0)
        return 0.5 * x * (1 + erf(x / sqrt(2)));
    return 0.5 * x * (1 + tanh(sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x)));
}

/* scores and weights of query t over keys 0 ... t */
static void attend(size_t t, size_t width, size_t stride, const double *q, const double *k, double scale,
                   double temperature, double *scores, double *weights)
{
    double max = -INFINITY, sum = 0;
    for (size_t u = 0; u <= t; u++) {
        scores[u] = 0;
        for (size_t i = 0; i < width; i++)
            scores[u] += scale * q[t * stride + i] * k[u * stride + i];
        max = fmax(max, scores[u]);
    }
    for (size_t u = 0; u <= t; u++)
        sum += weights[u] = exp((scores[u] - max) / temperature);
    for (size_t u = 0; u <= t; u++)
        weights[u] /= sum;
}

/* One layer: x in place; scores and weights of its heads. */
static void run_layer(const struct support_gpt2 *m, size_t layer, size_t count, const double *temperature, double *x,
                      double *scores, double *weights)
{
    const size_t n = m->embd, width = n / m->heads;
    double *h = calloc(n, sizeof *h), *qkv = calloc(count * 3 * n, sizeof *qkv), *mixed = calloc(n, sizeof *mixed);
    double *wide = calloc(m->inner, sizeof *wide), *y = calloc(n, sizeof *y);
    const double scale = (m->scale ? 1 / sqrt((double)width) : 1) / (m->inverse_layer ? (double)layer + 1 : 1);
    for (size_t t = 0; t < count; t++) {
        layer_norm(n, x + t * n, tensor(m, layer, "ln_1.weight"), tensor(m, layer, "ln_1.bias"), m->epsilon, h);
        affine(n, 3 * n, h, tensor(m, layer, "attn.c_attn.weight"), tensor(m, layer, "attn.c_attn.bias"),
               qkv + t * 3 * n);
    }
    for (size_t t = 0; t < count; t++) {
        for (size_t i = 0; i < n; i++)
            mixed[i] = 0;
        for (size_t head = 0; head < m->heads; head++) {
            double *s = scores + (head * count + t) * count, *w = weights + (head * count + t) * count;
            attend(t, width, 3 * n, qkv + head * width, qkv + n + head * width, scale,
                   temperature != NULL ? temperature[layer * m->heads + head] : 1, s, w);
            for (size_t u = 0; u <= t; u++)
                for (size_t i = 0; i < width; i++)
                    mixed[head * width + i] += w[u] * qkv[u * 3 * n + 2 * n + head * width + i];
        }
        affine(n, n, mixed, tensor(m, layer, "attn.c_proj.weight"), tensor(m, layer, "attn.c_proj.bias"), y);
        for (size_t i = 0; i < n; i++)
            x[t * n + i] += y[i];
        layer_norm(n, x + t * n, tensor(m, layer, "ln_2.weight"), tensor(m, layer, "ln_2.bias"), m->epsilon, h);
        affine(n, m->inner, h, tensor(m, layer, "mlp.c_fc.weight"), tensor(m, layer, "mlp.c_fc.bias"), wide);
        for (size_t i = 0; i < m->inner; i++)
            wide[i] = gelu(m->activation, wide[i]);
        affine(m->inner, n, wide, tensor(m, layer, "mlp.c_proj.weight"), tensor(m, layer, "mlp.c_proj.bias"), y);
        for (size_t i = 0; i < n; i++)
            x[t * n + i] += y[i];
    }
    free(h);
    free(qkv);
    free(mixed);
    free(wide);
    free(y);
}

void support_gpt2_reference(const struct support_gpt2 *m, const int32_t *ids, size_t count, const double *temperature,
                            double *ret_logits, double *ret_scores, double *ret_weights)
{
    const size_t n = m->embd, block = m->heads * count * count;
    const float *wte = support_gpt2_tensor(m, "wte.weight"), *wpe = support_gpt2_tensor(m, "wpe.weight");
    const float *head = m->tied ? wte : support_gpt2_tensor(m, "lm_head.weight");
    double *x = calloc(count * n, sizeof *x), *h = calloc(n, sizeof *h);
    double *scores = calloc(m->layers * block, sizeof *scores), *weights = calloc(m->layers * block, sizeof *weights);
    for (size_t t = 0; t < count; t++)
        for (size_t i = 0; i < n; i++)
            x[t * n + i] = (double)wte[(size_t)ids[t] * n + i] + (double)wpe[t * n + i];
    for (size_t layer = 0; layer < m->layers; layer++)
        run_layer(m, layer, count, temperature, x, scores + layer * block, weights + layer * block);
    for (size_t t = 0; t < count; t++) {
        layer_norm(n, x + t * n, support_gpt2_tensor(m, "ln_f.weight"), support_gpt2_tensor(m, "ln_f.bias"),
                   m->epsilon, h);
        for (size_t v = 0; v < m->vocab; v++) {
            ret_logits[t * m->vocab + v] = 0;
            for (size_t i = 0; i < n; i++)
                ret_logits[t * m->vocab + v] += h[i] * (double)head[v * n + i];
        }
    }
    if (ret_scores != NULL)
        memcpy(ret_scores, scores, m->layers * block * sizeof *scores);
    if (ret_weights != NULL)
        memcpy(ret_weights, weights, m->layers * block * sizeof *weights);
    free(x);
    free(h);
    free(scores);
    free(weights);
}
