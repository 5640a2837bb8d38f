/* SPDX-License-Identifier: MIT */
/* The matrix products of a forward pass and nothing else, through the BLAS that libnorm uses: what the pass cannot do
 * without. Numbers of its own, as many of them as the model has. */
#ifndef NORMLAB_PRODUCTS_H
#define NORMLAB_PRODUCTS_H

#include <stdbool.h>
#include <stddef.h>

#include <libnorm/gpt2.h>

/* CBLAS, by its own numbers for row-major and transposed. */
typedef void products_sgemm(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                            const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);
typedef void products_sgemv(int order, int transpose, int m, int n, float alpha, const float *a, int lda,
                            const float *x, int step_x, float beta, float *y, int step_y);

struct products {
    products_sgemm *sgemm;
    products_sgemv *sgemv; /* for a single row, as libnorm does */
    norm_gpt2_shape shape;
    size_t tokens, logits; /* rows; of logits that are asked for */
    double flops;          /* of one pass */
    float *weights;        /* of all layers, and the output's */
    float *x, *wide;       /* what is multiplied: never written, so that numbers stay as they were drawn */
    float *result, *scores, *logit;
};

enum products_open { PRODUCTS_FINE, PRODUCTS_NO_BLAS, PRODUCTS_FAILED /* said */ };
enum products_open products_open(struct products *ret_products, const norm_gpt2_shape *shape, size_t tokens,
                                 size_t logits);
void products_close(struct products *products);

/* A contender of a contest: user is a struct products. */
bool products_run(void *user, size_t passes);

#endif
