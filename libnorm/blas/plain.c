/* SPDX-License-Identifier: MIT */
/* The product in plain C. Both factors are copied, a piece at a time, into the order in which the innermost loop reads
 * them, so that it runs over consecutive numbers whatever the layout was; the copies live on the stack and in cache. */
#include "blas/blas.h"

#include "base/memory.h"

enum {
    tile_rows = 4, /* of c held in registers: 4 x 8 floats fill half of the 16 vector registers of plain x86-64 */
    tile_cols = 8,
    block_rows = 32,  /* of a packed at once: 32 KB with block_depth */
    block_depth = 256 /* of the inner length: 8 KB of b */
};

struct matrix {
    const float *data;
    size_t row, col; /* distances of rows and of columns */
};

static struct matrix view(const float *data, size_t ld, bool transpose)
{
    return (struct matrix){data, transpose ? 1 : ld, transpose ? ld : 1};
}

/* rows x depth of a as tiles: for each tile, for each p, tile_rows numbers; zeros where there are no more rows. */
static void pack_a(struct matrix a, size_t rows, size_t depth, float *packed)
{
    for (size_t i = 0; i < rows; i += tile_rows) {
        const size_t count = rows - i < tile_rows ? rows - i : tile_rows;
        for (size_t p = 0; p < depth; p++)
            for (size_t r = 0; r < tile_rows; r++)
                packed[p * tile_rows + r] = r < count ? a.data[(i + r) * a.row + p * a.col] : 0.0f;
        packed += depth * tile_rows;
    }
}

/* depth x cols of b, cols at most tile_cols. */
static void pack_b(struct matrix b, size_t depth, size_t cols, float *packed)
{
    for (size_t p = 0; p < depth; p++)
        for (size_t c = 0; c < tile_cols; c++)
            packed[p * tile_cols + c] = c < cols ? b.data[p * b.row + c * b.col] : 0.0f;
}

static void multiply_tile(size_t depth, const float *restrict a, const float *restrict b,
                          float sum[restrict tile_rows][tile_cols])
{
    float s[tile_rows][tile_cols] = {{0}};
    for (size_t p = 0; p < depth; p++)
        for (size_t r = 0; r < tile_rows; r++)
            for (size_t c = 0; c < tile_cols; c++)
                s[r][c] += a[p * tile_rows + r] * b[p * tile_cols + c];
    for (size_t r = 0; r < tile_rows; r++)
        for (size_t c = 0; c < tile_cols; c++)
            sum[r][c] = s[r][c];
}

static void add_tile(size_t rows, size_t cols, float alpha, float sum[tile_rows][tile_cols], float beta, float *c,
                     size_t ldc)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++) {
            float *to = &c[i * ldc + j];
            *to = alpha * sum[i][j] + (beta == 0.0f ? 0.0f : beta * *to);
        }
}

static void scale(size_t m, size_t n, float beta, float *c, size_t ldc)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++)
            c[i * ldc + j] = beta == 0.0f ? 0.0f : beta * c[i * ldc + j];
}

/* rows (at most block_rows) of c, depth (at most block_depth) of the inner length. */
static void multiply_block(struct matrix a, struct matrix b, size_t rows, size_t n, size_t depth, float alpha,
                           float beta, float *c, size_t ldc)
{
    _Alignas(NORM__ALIGN) float packed_a[block_rows * block_depth], packed_b[block_depth * tile_cols];
    float sum[tile_rows][tile_cols];
    pack_a(a, rows, depth, packed_a);
    for (size_t j = 0; j < n; j += tile_cols) {
        const size_t cols = n - j < tile_cols ? n - j : tile_cols;
        pack_b((struct matrix){b.data + j * b.col, b.row, b.col}, depth, cols, packed_b);
        for (size_t i = 0; i < rows; i += tile_rows) {
            multiply_tile(depth, packed_a + i * depth, packed_b, sum);
            add_tile(rows - i < tile_rows ? rows - i : tile_rows, cols, alpha, sum, beta, c + i * ldc + j, ldc);
        }
    }
}

void norm__gemm_plain_f32(bool transpose_a, bool transpose_b, size_t m, size_t n, size_t k, float alpha,
                          const float *a, size_t lda, const float *b, size_t ldb, float beta, float *c, size_t ldc)
{
    if (m == 0 || n == 0)
        return;
    if (alpha == 0.0f || k == 0) {
        if (beta != 1.0f)
            scale(m, n, beta, c, ldc);
        return;
    }
    const struct matrix all_a = view(a, lda, transpose_a), all_b = view(b, ldb, transpose_b);
    for (size_t p = 0; p < k; p += block_depth) {
        const size_t depth = k - p < block_depth ? k - p : block_depth;
        for (size_t i = 0; i < m; i += block_rows) {
            const struct matrix part_a = {all_a.data + i * all_a.row + p * all_a.col, all_a.row, all_a.col};
            const struct matrix part_b = {all_b.data + p * all_b.row, all_b.row, all_b.col};
            multiply_block(part_a, part_b, m - i < block_rows ? m - i : block_rows, n, depth, alpha,
                           p == 0 ? beta : 1.0f, c + i * ldc, ldc);
        }
    }
}
