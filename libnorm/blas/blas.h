/* SPDX-License-Identifier: MIT */
/* Matrix products: one door, behind it a CBLAS or the plain C product. */
#ifndef NORM_BLAS_BLAS_H
#define NORM_BLAS_BLAS_H

#include <stdbool.h>
#include <stddef.h>

/* c = alpha op(a) op(b) + beta c, row-major: op(a) is m x k, op(b) is k x n, c is m x n; op transposes where asked.
 * lda, ldb, ldc are the distances of rows as stored, at least the length of a row. c must not overlap a or b.
 * beta 0: c is not read, so it may hold anything. alpha 0 or k 0: a and b are not read. m or n 0: nothing happens.
 *
 * Never call it from inside norm__parallel: a CBLAS may thread by itself. Takes any length a size_t holds. */
void norm__gemm_f32(bool transpose_a, bool transpose_b, size_t m, size_t n, size_t k, float alpha, const float *a,
                    size_t lda, const float *b, size_t ldb, float beta, float *c, size_t ldc);

/* The same in plain C: what a CBLAS is tested against, and what stands in where there is none. Sums of each element run
 * in one fixed order. */
void norm__gemm_plain_f32(bool transpose_a, bool transpose_b, size_t m, size_t n, size_t k, float alpha,
                          const float *a, size_t lda, const float *b, size_t ldb, float beta, float *c, size_t ldc);

/* Through the CBLAS, no length handed over above longest. Not there in builds without a CBLAS. */
void norm__gemm_pieces_f32(size_t longest, bool transpose_a, bool transpose_b, size_t m, size_t n, size_t k,
                           float alpha, const float *a, size_t lda, const float *b, size_t ldb, float beta, float *c,
                           size_t ldc);

#endif
