/* SPDX-License-Identifier: MIT */
/* The only file that includes cblas.h, and so the only one that knows its 32-bit lengths. */
#include "blas/blas.h"

#include <cblas.h>
#include <limits.h>
#include <string.h>

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

void norm__gemm_pieces_f32(size_t longest, bool transpose_a, bool transpose_b, size_t m, size_t n, size_t k,
                           float alpha, const float *a, size_t lda, const float *b, size_t ldb, float beta, float *c,
                           size_t ldc)
{
    for (size_t i = 0; i < m; i += longest)
        for (size_t j = 0; j < n; j += longest)
            for (size_t p = 0; p < k; p += longest)
                cblas_sgemm(CblasRowMajor, transpose_a ? CblasTrans : CblasNoTrans,
                            transpose_b ? CblasTrans : CblasNoTrans, (int)least(m - i, longest),
                            (int)least(n - j, longest), (int)least(k - p, longest), alpha,
                            transpose_a ? a + p * lda + i : a + i * lda + p, (int)lda,
                            transpose_b ? b + j * ldb + p : b + p * ldb + j, (int)ldb, p == 0 ? beta : 1.0f,
                            c + i * ldc + j, (int)ldc);
}

/* m = 1. Reads b once and in place, where a product of matrices would copy it first. */
static void row_times_matrix(bool transpose_b, size_t n, size_t k, float alpha, const float *a, size_t a_step,
                             const float *b, size_t ldb, float beta, float *c)
{
    /* Some implementations multiply what c held by a beta of 0, NaN included, instead of leaving it unread. */
    if (beta == 0.0f)
        memset(c, 0, n * sizeof *c);
    if (transpose_b)
        cblas_sgemv(CblasRowMajor, CblasNoTrans, (int)n, (int)k, alpha, b, (int)ldb, a, (int)a_step, beta, c, 1);
    else
        cblas_sgemv(CblasRowMajor, CblasTrans, (int)k, (int)n, alpha, b, (int)ldb, a, (int)a_step, beta, c, 1);
}

void norm__gemm_f32(bool transpose_a, bool transpose_b, size_t m, size_t n, size_t k, float alpha, const float *a,
                    size_t lda, const float *b, size_t ldb, float beta, float *c, size_t ldc)
{
    /* A length an int holds, and a multiple of every vector's. */
    const size_t longest = (size_t)INT_MAX - 63;
    /* Rows further apart than an int can say cannot be handed over, and some vendors leave c as it is, instead of
     * scaling it, when there is no inner length. */
    if (lda > longest || ldb > longest || ldc > longest || k == 0)
        norm__gemm_plain_f32(transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    else if (m == 1 && n <= longest && k <= longest)
        row_times_matrix(transpose_b, n, k, alpha, a, transpose_a ? lda : 1, b, ldb, beta, c);
    else
        norm__gemm_pieces_f32(longest, transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
