/* SPDX-License-Identifier: MIT */
#include "bench/blas.h"

#include "machine.h"

enum { ROW_MAJOR = 101, AS_IT_IS = 111, TRANSPOSED = 112 };

bool blas_find(struct blas *ret_blas)
{
    *ret_blas = (struct blas){.flops = 0};
    return machine_find("cblas_sgemm", &ret_blas->sgemm) && machine_find("cblas_sgemv", &ret_blas->sgemv);
}

void blas_multiply(struct blas *blas, bool transpose, size_t m, size_t n, size_t k, const float *a, size_t lda,
                   const float *b, size_t ldb, float *c, size_t ldc)
{
    blas->flops += 2.0 * (double)m * (double)n * (double)k;
    if (m == 1 && transpose)
        blas->sgemv(ROW_MAJOR, AS_IT_IS, (int)n, (int)k, 1, b, (int)ldb, a, 1, 0, c, 1);
    else if (m == 1)
        blas->sgemv(ROW_MAJOR, TRANSPOSED, (int)k, (int)n, 1, b, (int)ldb, a, 1, 0, c, 1);
    else
        blas->sgemm(ROW_MAJOR, AS_IT_IS, transpose ? TRANSPOSED : AS_IT_IS, (int)m, (int)n, (int)k, 1, a, (int)lda, b,
                    (int)ldb, 0, c, (int)ldc);
}

void blas_attend(struct blas *blas, size_t rows, size_t width, const float *q, const float *k, const float *v,
                 size_t stride, float *scores, float *ret_out, size_t out_stride)
{
    for (size_t first = 0; first < rows; first += BLAS_BLOCK) {
        const size_t block = rows - first < BLAS_BLOCK ? rows - first : BLAS_BLOCK, cols = first + block;
        blas_multiply(blas, true, block, cols, width, q + first * stride, stride, k, stride, scores, rows);
        blas_multiply(blas, false, block, width, cols, scores, rows, v, stride, ret_out + first * out_stride,
                      out_stride);
    }
}
