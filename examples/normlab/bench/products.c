/* SPDX-License-Identifier: MIT */
#include "bench/products.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bench/draw.h"
#include "say.h"

static size_t layer_weights(const norm_gpt2_shape *s)
{
    return (size_t)(s->n_embd * (4 * s->n_embd + 2 * s->n_inner));
}

/* Anything but 0, subnormal or infinite takes as long as anything else. */
static float *make(size_t count, bool *fine)
{
    uint64_t state = 1;
    float *numbers = count < SIZE_MAX / sizeof(float) ? malloc((count + 1) * sizeof *numbers) : NULL;
    if (numbers == NULL)
        *fine = false;
    for (size_t i = 0; numbers != NULL && i < count; i++)
        numbers[i] = (float)(draw_bits(&state) >> 40) * 0x1p-24f - .5f;
    return numbers;
}

enum products_open products_open(struct products *ret_products, const norm_gpt2_shape *shape, size_t tokens,
                                 size_t logits)
{
    struct products *p = ret_products;
    const uint64_t wide = shape->n_inner > 3 * shape->n_embd ? shape->n_inner : 3 * shape->n_embd;
    bool fine = true;
    *p = (struct products){.shape = *shape, .tokens = tokens, .logits = logits};
    if (!blas_find(&p->blas) || wide > INT_MAX || shape->vocab_size > INT_MAX || tokens > INT_MAX)
        return PRODUCTS_NO_BLAS;
    p->weights = make((size_t)(shape->n_layer * layer_weights(shape) + shape->vocab_size * shape->n_embd), &fine);
    p->x = make(tokens * (size_t)shape->n_embd, &fine);
    p->wide = make(tokens * (size_t)wide, &fine);
    p->result = make(tokens * (size_t)wide, &fine);
    p->scores = make(BLAS_BLOCK * tokens, &fine);
    p->logit = make(logits * (size_t)shape->vocab_size, &fine);
    if (fine)
        return PRODUCTS_FINE;
    products_close(p);
    say_no_memory();
    return PRODUCTS_FAILED;
}

void products_close(struct products *p)
{
    free(p->weights);
    free(p->x);
    free(p->wide);
    free(p->result);
    free(p->scores);
    free(p->logit);
    p->weights = p->x = p->wide = p->result = p->scores = p->logit = NULL;
}

static void attend(struct products *p, size_t head)
{
    const size_t d = (size_t)p->shape.n_embd, width = d / (size_t)p->shape.n_head;
    const float *q = p->wide + head * width;
    blas_attend(&p->blas, p->tokens, width, q, q + d, q + 2 * d, 3 * d, p->scores, p->result + head * width, d);
}

static void pass(struct products *p)
{
    const size_t d = (size_t)p->shape.n_embd, inner = (size_t)p->shape.n_inner, rows = p->tokens;
    const float *weights = p->weights;
    p->blas.flops = 0;
    for (uint64_t layer = 0; layer < p->shape.n_layer; layer++, weights += layer_weights(&p->shape)) {
        const float *out = weights + 3 * d * d, *up = out + d * d, *down = up + d * inner;
        blas_multiply(&p->blas, false, rows, 3 * d, d, p->x, d, weights, 3 * d, p->result, 3 * d);
        for (uint64_t head = 0; head < p->shape.n_head; head++)
            attend(p, (size_t)head);
        blas_multiply(&p->blas, false, rows, d, d, p->x, d, out, d, p->result, d);
        blas_multiply(&p->blas, false, rows, inner, d, p->x, d, up, inner, p->result, inner);
        blas_multiply(&p->blas, false, rows, d, inner, p->wide, inner, down, d, p->result, d);
    }
    if (p->logits > 0)
        blas_multiply(&p->blas, true, p->logits, (size_t)p->shape.vocab_size, d, p->x, d, weights, d, p->logit,
                      (size_t)p->shape.vocab_size);
}

bool products_run(void *user, size_t passes)
{
    while (passes-- > 0)
        pass(user);
    return true;
}
