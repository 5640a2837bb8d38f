/* SPDX-License-Identifier: MIT */
#include "blas/blas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "norm_config.h"
#include "support/support.h"

typedef void gemm(bool transpose_a, bool transpose_b, size_t m, size_t n, size_t k, float alpha, const float *a,
                  size_t lda, const float *b, size_t ldb, float beta, float *c, size_t ldc);

#if NORM__WITH_BLAS
static void in_small_pieces(bool transpose_a, bool transpose_b, size_t m, size_t n, size_t k, float alpha,
                            const float *a, size_t lda, const float *b, size_t ldb, float beta, float *c, size_t ldc)
{
    norm__gemm_pieces_f32(24, transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
#endif

static const struct {
    const char *name;
    gemm *function;
} product[] = {
    {"in use", norm__gemm_f32},
    {"plain", norm__gemm_plain_f32},
#if NORM__WITH_BLAS
    {"in pieces", in_small_pieces},
#endif
};
enum { products = sizeof product / sizeof product[0] };

/* rows x cols random numbers with NaN between the rows, which nothing may read. */
static float *matrix(struct support_random *r, size_t rows, size_t cols, size_t ld)
{
    float *x = malloc((rows * ld + 1) * sizeof *x);
    for (size_t i = 0; i < rows * ld; i++)
        x[i] = i % ld < cols ? (float)support_normal(r) : NAN;
    return x;
}

struct problem {
    bool transpose_a, transpose_b;
    size_t m, n, k, lda, ldb, ldc;
    float alpha, beta;
};

static void compare(gemm *function, const char *name, const struct problem *p, struct support_random *r)
{
    float *a = matrix(r, p->transpose_a ? p->k : p->m, p->transpose_a ? p->m : p->k, p->lda);
    float *b = matrix(r, p->transpose_b ? p->n : p->k, p->transpose_b ? p->k : p->n, p->ldb);
    float *c = matrix(r, p->m, p->n, p->ldc), *before = malloc((p->m * p->ldc + 1) * sizeof *before);
    if (p->beta == 0)
        for (size_t i = 0; i < p->m * p->ldc; i++)
            c[i] = NAN; /* must not be read */
    memcpy(before, c, p->m * p->ldc * sizeof *c);
    function(p->transpose_a, p->transpose_b, p->m, p->n, p->k, p->alpha, a, p->lda, b, p->ldb, p->beta, c, p->ldc);
    for (size_t i = 0; i < p->m; i++) {
        for (size_t j = 0; j < p->n; j++) {
            double sum = 0, magnitude = 0;
            for (size_t q = 0; q < p->k; q++) {
                double term = (double)(p->transpose_a ? a[q * p->lda + i] : a[i * p->lda + q]) *
                              (double)(p->transpose_b ? b[j * p->ldb + q] : b[q * p->ldb + j]);
                sum += term;
                magnitude += fabs(term);
            }
            double expected = (double)p->alpha * sum, old = (double)before[i * p->ldc + j];
            magnitude *= fabs((double)p->alpha);
            if (p->beta != 0) {
                expected += (double)p->beta * old;
                magnitude += fabs((double)p->beta * old);
            }
            double bound = ((double)p->k + 4) * 0x1p-24 * magnitude, got = (double)c[i * p->ldc + j];
            ck_assert_msg(fabs(got - expected) <= bound,
                          "%s: %zu x %zu x %zu, transposed %d %d: [%zu][%zu] is %.9g, not %.9g", name, p->m,
                          p->n, p->k, p->transpose_a, p->transpose_b, i, j, got, expected);
        }
        for (size_t j = p->n; j < p->ldc && i + 1 < p->m; j++)
            ck_assert_msg(isnan(c[i * p->ldc + j]), "%s wrote between rows", name);
    }
    free(a);
    free(b);
    free(c);
    free(before);
}

START_TEST(agrees_with_sums_in_double)
{
    static const size_t lengths[] = {1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 65, 257};
    static const float factors[] = {0, 1, -0.5f};
    enum { n_lengths = sizeof lengths / sizeof lengths[0] };
    struct support_random r = {support_seed(2)};
    for (int i = 0; i < 1200; i++) {
        struct problem p = {.transpose_a = i & 1, .transpose_b = i & 2};
        p.m = lengths[support_below(&r, n_lengths - 2)];
        p.n = lengths[support_below(&r, n_lengths - 2)];
        p.k = i % 40 == 0 ? 0 : lengths[support_below(&r, n_lengths)];
        p.alpha = factors[i % 50 == 0 ? 0 : 1 + support_below(&r, 2)];
        p.beta = factors[support_below(&r, 3)];
        p.lda = (p.transpose_a ? p.m : p.k) + support_below(&r, 3) + (p.k == 0);
        p.ldb = (p.transpose_b ? p.k : p.n) + support_below(&r, 3) + (p.k == 0);
        p.ldc = p.n + support_below(&r, 3);
        if (strcmp(product[_i].name, "in pieces") == 0 && p.k == 0)
            continue;
        compare(product[_i].function, product[_i].name, &p, &r);
    }
}
END_TEST

START_TEST(nothing_to_do_touches_nothing)
{
    float c[4] = {1, 2, 3, 4};
    product[_i].function(false, false, 0, 2, 2, 1, NULL, 2, NULL, 2, 0, c, 2);
    product[_i].function(false, false, 2, 0, 2, 1, NULL, 2, NULL, 2, 0, c, 2);
    ck_assert(c[0] == 1 && c[1] == 2 && c[2] == 3 && c[3] == 4);
}
END_TEST

START_TEST(long_inner_length_keeps_its_error)
{
    struct support_random r = {support_seed(3)};
    struct problem p = {false, true, 5, 6, 5000, 5000, 5000, 6, 1, 0};
    compare(product[_i].function, product[_i].name, &p, &r);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("gemm");
    TCase *tests = tcase_create("gemm");
    tcase_add_loop_test(tests, agrees_with_sums_in_double, 0, products);
    tcase_add_loop_test(tests, nothing_to_do_touches_nothing, 0, products);
    tcase_add_loop_test(tests, long_inner_length_keeps_its_error, 0, products);
    suite_add_tcase(suite, tests);
    return suite;
}
