/* SPDX-License-Identifier: MIT */
/* Golden norms, layouts, special rows, refusals of the Jacobian calls. */
#include <libnorm/norm.h>

#include <math.h>
#include <string.h>

#include "support/support.h"

static const double z[4] = {1, 2, 3, 0.5};
static norm_error error;

static void setup(void)
{
    error = (norm_error){sizeof error, 0, 0, ""};
}

static norm_normalizer *parse(const char *spec)
{
    norm_normalizer *n = NULL;
    ck_assert_int_eq(norm_normalizer_parse(spec, strlen(spec), NULL, &n, NULL), LIBNORM_OK);
    return n;
}

static norm_rows packed(size_t rows, size_t cols)
{
    return (norm_rows){.struct_size = sizeof(norm_rows), .batch = 1, .rows = rows, .cols = cols};
}

static double spectral_of(const char *spec, const double *scores, size_t cols)
{
    norm_normalizer *n = parse(spec);
    const norm_rows rows = packed(1, cols);
    double got = 77;
    const norm_jacobian_norms to = {sizeof to, 0, &got, NULL, NULL, NULL};
    ck_assert_int_eq(norm_jacobian_norms_f64(n, &rows, scores, &to, NULL, &error), LIBNORM_OK);
    norm_normalizer_free(n);
    return got;
}

START_TEST(golden_norms)
{
    norm_normalizer *softmax = parse("softmax");
    const norm_rows rows = packed(1, 4);
    double spectral, frobenius, bound, constant;
    const norm_jacobian_norms to = {sizeof to, 0, &spectral, &frobenius, &bound, &constant};
    ck_assert_int_eq(norm_jacobian_norms_f64(softmax, &rows, z, &to, NULL, &error), LIBNORM_OK);
    ck_assert(fabs(spectral - .358502005936) < 1e-12 && fabs(frobenius - .382627942761) < 1e-12);
    ck_assert(bound >= spectral && bound <= constant && constant == .5);
    const float zf[4] = {1, 2, 3, 0.5f};
    ck_assert_int_eq(norm_jacobian_norms_f32(softmax, &rows, zf, &to, NULL, &error), LIBNORM_OK);
    ck_assert(fabs(spectral - .358502005936) < 1e-12); /* these scores are floats: double all the way */
    norm_normalizer_free(softmax);
    ck_assert(fabs(spectral_of("entmax:alpha=1.25", z, 4) - .462661920776) < 1e-12);
    const double even[2] = {3, 3}, one_wins[3] = {0, 5, 1}, zeros[50] = {0};
    ck_assert(spectral_of("softmax", even, 2) == .5);
    ck_assert(spectral_of("sparsemax", even, 2) == 1 && spectral_of("sparsemax:temperature=0.5", even, 2) == 2);
    ck_assert(spectral_of("sparsemax", one_wins, 3) == 0);
    double all[50];
    memcpy(all, zeros, sizeof all);
    all[0] = 0.9999; /* normmax: one entry dominates, the others sit just above the threshold */
    ck_assert(spectral_of("normmax", all, 50) > 45);
    /* Near one-hot the norm keeps its digits: J of (1 - e, e) is e (1 - e) times a matrix of norm 2. */
    const double far[2] = {0, -50}, e = exp(-50);
    ck_assert(fabs(spectral_of("softmax", far, 2) - 2 * e) < 1e-14 * e);
}
END_TEST

START_TEST(blocks_lie_where_the_strides_say)
{
    norm_normalizer *softmax = parse("softmax");
    norm_rows rows = packed(2, 3);
    const double scores[6] = {1, 2, 4, 0, 0, 3};
    const int64_t begin[2] = {0, 1}, stride[3] = {40, 1, 8}; /* transposed, gaps between */
    double whole[18], spread[80];
    rows.begin = begin;
    rows.interval_stride[1] = 1;
    for (int i = 0; i < 80; i++)
        spread[i] = 77;
    ck_assert_int_eq(norm_jacobian_f64(softmax, &rows, scores, NULL, whole, NULL, &error), LIBNORM_OK);
    ck_assert_int_eq(norm_jacobian_f64(softmax, &rows, scores, stride, spread, NULL, &error), LIBNORM_OK);
    int written = 0;
    for (int r = 0; r < 2; r++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                ck_assert(spread[r * 40 + i + 8 * j] == whole[r * 9 + i * 3 + j]);
    for (int i = 0; i < 80; i++)
        written += spread[i] != 77;
    ck_assert_int_eq(written, 18);
    for (int i = 0; i < 3; i++)
        ck_assert(whole[9 + i] == 0 && whole[9 + 3 * i] == 0);
    ck_assert(whole[9 + 4] > 0 && whole[9 + 5] == -whole[9 + 4]);
    const norm_exec exec = {.struct_size = sizeof exec, .threads = 2};
    double again[18];
    ck_assert_int_eq(norm_jacobian_f64(softmax, &rows, scores, NULL, again, &exec, &error), LIBNORM_OK);
    ck_assert_mem_eq(again, whole, sizeof whole);
    norm_normalizer_free(softmax);
}
END_TEST

START_TEST(special_rows)
{
    norm_normalizer *softmax = parse("softmax"), *sasoftmax = parse("sasoftmax");
    const double scores[12] = {-INFINITY, -INFINITY, -INFINITY, INFINITY, 1, 0, NAN, 1, 2, NAN, 3, 3};
    const int64_t begin[4] = {0, 0, 1, 1}, end[4] = {3, 3, 3, 3};
    norm_rows rows = packed(4, 3);
    double j[36], spectral[4], frobenius[4], bound[4], constant[4];
    const norm_jacobian_norms to = {sizeof to, 0, spectral, frobenius, bound, constant};
    rows.begin = begin;
    rows.end = end;
    rows.interval_stride[1] = 1;
    ck_assert_int_eq(norm_jacobian_f64(softmax, &rows, scores, NULL, j, NULL, &error), LIBNORM_OK);
    ck_assert_int_eq(norm_jacobian_norms_f64(softmax, &rows, scores, &to, NULL, &error), LIBNORM_OK);
    for (int i = 0; i < 18; i++)
        ck_assert(j[i] == 0);
    ck_assert(spectral[0] == 0 && spectral[1] == 0 && spectral[2] > 0 && spectral[3] == .5 && bound[1] == 0);
    ck_assert(constant[0] == .5 && constant[3] == .5 && frobenius[3] == .5);
    rows.begin = NULL;
    ck_assert_int_eq(norm_jacobian_f64(sasoftmax, &rows, scores, NULL, j, NULL, &error), LIBNORM_OK);
    ck_assert_int_eq(norm_jacobian_norms_f64(sasoftmax, &rows, scores, &to, NULL, &error), LIBNORM_OK);
    for (int i = 18; i < 27; i++)
        ck_assert(isnan(j[i]));
    ck_assert(isnan(spectral[2]) && isnan(frobenius[2]) && isnan(bound[2]) && constant[2] == INFINITY);
    rows = packed(2, 0);
    ck_assert_int_eq(norm_jacobian_norms_f64(softmax, &rows, NULL, &to, NULL, &error), LIBNORM_OK);
    ck_assert(spectral[0] == 0 && spectral[1] == 0 && constant[0] == 0);
    ck_assert_int_eq(norm_jacobian_f64(softmax, &rows, NULL, NULL, NULL, NULL, &error), LIBNORM_OK);
    norm_normalizer_free(softmax);
    norm_normalizer_free(sasoftmax);
}
END_TEST

START_TEST(what_is_refused)
{
    norm_normalizer *softmax = parse("softmax");
    norm_rows rows = packed(2, 4);
    double memory[64];
    const int64_t twice[3] = {4, 4, 1};
    memcpy(memory, z, sizeof z);
    memcpy(memory + 4, z, sizeof z);
    ck_assert_int_eq(norm_jacobian_f64(softmax, &rows, memory, NULL, memory, NULL, &error), LIBNORM_E_OVERLAP);
    ck_assert_str_eq(error.text, "norm_jacobian_f64: ret_j overlaps z: expected no common element");
    ck_assert_int_eq(norm_jacobian_f64(softmax, &rows, memory, twice, memory + 8, NULL, &error), LIBNORM_E_ARGUMENT);
    ck_assert_int_eq(norm_jacobian_f64(softmax, &rows, memory, NULL, NULL, NULL, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_jacobian_f64: ret_j is NULL");
    ck_assert_int_eq(norm_jacobian_norms_f64(softmax, &rows, memory, NULL, NULL, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_jacobian_norms_f64: ret_norms is NULL");
    norm_jacobian_norms to = {sizeof to, 0, memory + 20, memory + 20, NULL, NULL};
    ck_assert_int_eq(norm_jacobian_norms_f64(softmax, &rows, memory, &to, NULL, &error), LIBNORM_E_OVERLAP);
    to.frobenius = memory;
    ck_assert_int_eq(norm_jacobian_norms_f64(softmax, &rows, memory, &to, NULL, &error), LIBNORM_E_OVERLAP);
    to.flags = 1;
    ck_assert_int_eq(norm_jacobian_norms_f64(softmax, &rows, memory, &to, NULL, &error), LIBNORM_E_ARGUMENT);
    ck_assert(memory[0] == 1 && memory[1] == 2);
    norm_normalizer_free(softmax);
}
END_TEST

START_TEST(the_workspace_asked_for_suffices)
{
    static const char *const specs[] = {"softmax", "topk:k=2", "normmax", "softpick", "square1"};
    const norm_rows rows = packed(1, 4);
    static double workspace[4096];
    for (size_t s = 0; s < sizeof specs / sizeof specs[0]; s++) {
        norm_normalizer *n = parse(specs[s]);
        norm_exec exec = {.struct_size = sizeof exec, .workspace = workspace};
        size_t bytes;
        double j[16], norms[2];
        const norm_jacobian_norms to = {sizeof to, 0, &norms[0], &norms[1], NULL, NULL};
        ck_assert_int_eq(norm_apply_workspace(n, &rows, NULL, &bytes), LIBNORM_OK);
        ck_assert(bytes <= sizeof workspace);
        exec.workspace_size = bytes;
        ck_assert_int_eq(norm_jacobian_f64(n, &rows, z, NULL, j, &exec, &error), LIBNORM_OK);
        ck_assert_int_eq(norm_jacobian_norms_f64(n, &rows, z, &to, &exec, &error), LIBNORM_OK);
        norm_normalizer_free(n);
    }
}
END_TEST

/* A row too long for a matrix: sparse and smooth members without a closed form. */
START_TEST(long_rows_take_no_matrix)
{
    enum { n = 20000 };
    static double scores[n];
    struct support_random random = {5};
    for (size_t i = 0; i < n; i++)
        scores[i] = support_normal(&random);
    const double softmax = spectral_of("softmax", scores, n), softplus = spectral_of("softplus", scores, n);
    ck_assert(softmax > 0 && softmax <= .5 && softplus > 0 && softplus <= .5);
    scores[7] = 12; /* F = 13 of about 13000, F' = 1: what its own column has */
    ck_assert(spectral_of("elu1", scores, n) > 0);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("jacobian");
    TCase *tests = tcase_create("jacobian");
    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, golden_norms);
    tcase_add_test(tests, blocks_lie_where_the_strides_say);
    tcase_add_test(tests, special_rows);
    tcase_add_test(tests, what_is_refused);
    tcase_add_test(tests, the_workspace_asked_for_suffices);
    tcase_add_test(tests, long_rows_take_no_matrix);
    suite_add_tcase(suite, tests);
    return suite;
}
