/* SPDX-License-Identifier: MIT */
/* Matrix products through the BLAS that libnorm uses, found by name: what its passes cannot do without. */
#ifndef NORMLAB_BLAS_H
#define NORMLAB_BLAS_H

#include <stdbool.h>
#include <stddef.h>

struct blas {
    /* CBLAS; it numbers row-major and transposed. */
    void (*sgemm)(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha, const float *a,
                  int lda, const float *b, int ldb, float beta, float *c, int ldc);
    void (*sgemv)(int order, int transpose, int m, int n, float alpha, const float *a, int lda, const float *x,
                  int step_x, float beta, float *y, int step_y); /* for a single row, as libnorm does */
    double flops; /* of what was multiplied */
};

/* False: there is none. */
bool blas_find(struct blas *ret_blas);

/* c = a b, or a b^T where transpose; b is k x n when it is multiplied. Lengths an int holds. */
void blas_multiply(struct blas *blas, bool transpose, size_t m, size_t n, size_t k, const float *a, size_t lda,
                   const float *b, size_t ldb, float *c, size_t ldc);

/* Of one head: the scores that are seen where each of rows sees those up to itself, and the same part of weights times
 * values, in blocks of 64 rows as libnorm cuts them. scores has room for 64 x rows; they stand in for the weights. */
void blas_attend(struct blas *blas, size_t rows, size_t width, const float *q, const float *k, const float *v,
                 size_t stride, float *scores, float *ret_out, size_t out_stride);
#define BLAS_BLOCK ((size_t)64)

#endif
