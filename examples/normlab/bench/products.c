/* SPDX-License-Identifier: MIT */
#include "bench/products.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bench/draw.h"
#include "machine.h"
#include "say.h"

enum { ROW_MAJOR = 101, AS_IT_IS = 111, TRANSPOSED = 112, BLOCK = 64 /* rows of attention, as libnorm cuts them */ };

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
    if (!machine_find("cblas_sgemm", &p->sgemm) || !machine_find("cblas_sgemv", &p->sgemv) || wide > INT_MAX ||
        shape->vocab_size > INT_MAX || tokens > INT_MAX)
        return PRODUCTS_NO_BLAS;
    p->weights = make((size_t)(shape->n_layer * layer_weights(shape) + shape->vocab_size * shape->n_embd), &fine);
    p->x = make(tokens * (size_t)shape->n_embd, &fine);
    p->wide = make(tokens * (size_t)wide, &fine);
    p->result = make(tokens * (size_t)wide, &fine);
    p->scores = make(BLOCK * tokens, &fine);
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

/* c = a op(b); op(b) is k x n. */
static void multiply(struct products *p, bool transpose, size_t m, size_t n, size_t k, const float *a, size_t lda,
                     const float *b, size_t ldb, float *c, size_t ldc)
{
    p->flops += 2.0 * (double)m * (double)n * (double)k;
    if (m == 1 && transpose)
        p->sgemv(ROW_MAJOR, AS_IT_IS, (int)n, (int)k, 1, b, (int)ldb, a, 1, 0, c, 1);
    else if (m == 1)
        p->sgemv(ROW_MAJOR, TRANSPOSED, (int)k, (int)n, 1, b, (int)ldb, a, 1, 0, c, 1);
    else
        p->sgemm(ROW_MAJOR, AS_IT_IS, transpose ? TRANSPOSED : AS_IT_IS, (int)m, (int)n, (int)k, 1, a, (int)lda, b,
                 (int)ldb, 0, c, (int)ldc);
}

/* The half of the scores that is seen, in blocks of rows. */
static void attend(struct products *p, size_t head)
{
    const size_t d = (size_t)p->shape.n_embd, width = d / (size_t)p->shape.n_head, stride = 3 * d;
    const float *q = p->wide + head * width, *k = q + d, *v = k + d;
    for (size_t first = 0; first < p->tokens; first += BLOCK) {
        const size_t rows = p->tokens - first < BLOCK ? p->tokens - first : BLOCK, cols = first + rows;
        multiply(p, true, rows, cols, width, q + first * stride, stride, k, stride, p->scores, p->tokens);
        multiply(p, false, rows, width, cols, p->scores, p->tokens, v, stride,
                 p->result + first * d + head * width, d);
    }
}

static void pass(struct products *p)
{
    const size_t d = (size_t)p->shape.n_embd, inner = (size_t)p->shape.n_inner, rows = p->tokens;
    const float *weights = p->weights;
    p->flops = 0;
    for (uint64_t layer = 0; layer < p->shape.n_layer; layer++, weights += layer_weights(&p->shape)) {
        const float *out = weights + 3 * d * d, *up = out + d * d, *down = up + d * inner;
        multiply(p, false, rows, 3 * d, d, p->x, d, weights, 3 * d, p->result, 3 * d);
        for (uint64_t head = 0; head < p->shape.n_head; head++)
            attend(p, (size_t)head);
        multiply(p, false, rows, d, d, p->x, d, out, d, p->result, d);
        multiply(p, false, rows, inner, d, p->x, d, up, inner, p->result, inner);
        multiply(p, false, rows, d, inner, p->wide, inner, down, d, p->result, d);
    }
    if (p->logits > 0)
        multiply(p, true, p->logits, (size_t)p->shape.vocab_size, d, p->x, d, weights, d, p->logit,
                 (size_t)p->shape.vocab_size);
}

bool products_run(void *user, size_t passes)
{
    while (passes-- > 0)
        pass(user);
    return true;
}
