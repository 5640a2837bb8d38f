/* SPDX-License-Identifier: MIT */
/* A build without a CBLAS. */
#include "blas/blas.h"

void norm__gemm_f32(bool transpose_a, bool transpose_b, size_t m, size_t n, size_t k, float alpha, const float *a,
                    size_t lda, const float *b, size_t ldb, float beta, float *c, size_t ldc)
{
    norm__gemm_plain_f32(transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
