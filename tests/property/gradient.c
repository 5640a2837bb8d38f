/* SPDX-License-Identifier: MIT */
/* The gradient checker passes what is right, finds what is wrong where it is wrong, and tells a kink from a slope. */
#include <math.h>
#include <string.h>

#include "property/own_members.h"
#include "property/specs.h"
#include "support/allocator.h"
#include "support/support.h"

enum { rows_ = 3, cols = 7, cells = rows_ * cols };

static double z[cells];
static uint8_t visible[cells];
static norm_rows rows;
static norm_error error;

static void setup(void)
{
    struct support_random random = {support_seed(9)};
    rows = (norm_rows){.struct_size = sizeof rows, .batch = 1, .rows = rows_, .cols = cols, .visible = visible};
    rows.visible_stride[1] = cols;
    rows.visible_stride[2] = 1;
    for (size_t i = 0; i < cells; i++) {
        z[i] = support_normal(&random);
        visible[i] = i % cols != 2;
    }
    error = (norm_error){sizeof error, 0, 0, ""};
}

static norm_gradient_check check(const norm_normalizer *n)
{
    norm_gradient_check c = {.struct_size = sizeof c};
    ck_assert_int_eq(norm_check_gradients(n, &rows, z, &c, NULL, &error), LIBNORM_OK);
    return c;
}

static void passes(const norm_normalizer *n, const char *name)
{
    const norm_gradient_check c = check(n);
    ck_assert_msg(c.passed == 1, "%s: operation %d, row %d, column %d, %s: got %.12g, expected %.12g, error %g", name,
                  (int)c.operation, (int)c.row, (int)c.column, c.key, c.got, c.expected, c.error);
    ck_assert_msg(c.compared > 2 * c.skipped && c.compared >= 20, "%s: %d compared, %d skipped", name, (int)c.compared,
                  (int)c.skipped);
}

START_TEST(every_normalizer_passes)
{
    char text[128];
    for (size_t s = 0; s < specs_count(); s++) {
        norm_normalizer *n = specs_get(s, text);
        passes(n, text);
        norm_normalizer_free(n);
    }
    for (size_t p = 0; p < own_pairs_count; p++) {
        norm_normalizer *n = own_pair_make(&own_pairs[p]), *cold = NULL;
        passes(n, own_pairs[p].spec);
        ck_assert_int_eq(norm_normalizer_with(n, "temperature", 0.3, &cold, NULL), LIBNORM_OK);
        passes(cold, own_pairs[p].spec);
        norm_normalizer_free(cold);
        norm_normalizer_free(n);
    }
}
END_TEST

/* F = exp with something wrong above 5. */
static int32_t right(void *user, size_t n, const double *t, double *ret)
{
    (void)user;
    for (size_t i = 0; i < n; i++)
        ret[i] = exp(t[i]);
    return 0;
}

static int32_t wrong(void *user, size_t n, const double *t, double *ret)
{
    right(user, n, t, ret);
    for (size_t i = 0; i < n; i++)
        ret[i] *= t[i] > 5 ? 1.001 : 1;
    return 0;
}

static norm_gradient_check check_family(norm_family family)
{
    norm_normalizer *n = NULL;
    family.struct_size = sizeof family;
    ck_assert_int_eq(norm_normalizer_from_family(&family, NULL, NULL, &n, &error), LIBNORM_OK);
    const norm_gradient_check c = check(n);
    norm_normalizer_free(n);
    return c;
}

START_TEST(a_wrong_derivative_is_found_where_it_is)
{
    for (size_t i = 0; i < cols; i++)
        z[cols + i] = i == 4 ? 5.5 : 4 + 0.2 * tanh(z[cols + i]); /* column 4 of row 1 alone lies above 5 */
    norm_gradient_check c = check_family((norm_family){.f = right, .df = wrong, .d2f = right});
    ck_assert(c.passed == 0 && c.operation == LIBNORM_OPERATION_VJP && c.batch == 0 && c.row == 1 && c.column == 4);
    ck_assert(fabs(c.got / c.expected - 1.001) < 1e-6 && c.error > 1e-4 && c.error < 1.1e-3 && c.key[0] == '\0');
    c = check_family((norm_family){.f = right, .df = right, .d2f = wrong});
    ck_assert(c.passed == 0 && c.operation == LIBNORM_OPERATION_HVP && c.row == 1 && c.column == 4);
    c = check_family((norm_family){.f = right, .df = right, .d2f = right});
    ck_assert(c.passed == 1 && c.error < 1e-8);
    norm_gradient_check lax = {.struct_size = sizeof lax, .tolerance = 0.01, .operations = 1u << LIBNORM_OPERATION_VJP};
    norm_normalizer *n = NULL;
    const norm_family family = {.struct_size = sizeof family, .f = right, .df = wrong};
    ck_assert_int_eq(norm_normalizer_from_family(&family, NULL, NULL, &n, &error), LIBNORM_OK);
    ck_assert_int_eq(norm_check_gradients(n, &rows, z, &lax, NULL, &error), LIBNORM_OK);
    ck_assert(lax.passed == 1 && lax.error > 1e-4 && lax.column == 4 && lax.compared == rows_ * (cols - 1));
    norm_normalizer_free(n);
}
END_TEST

/* 2 z as a row function whose pieces are wrong by turns. */
static int32_t twice(void *user, size_t n, const double *t, double *ret)
{
    (void)user;
    for (size_t i = 0; i < n; i++)
        ret[i] = 2 * t[i];
    return 0;
}

static int32_t twice_vjp(void *user, size_t n, const double *t, const double *w, const double *g, double *ret)
{
    (void)t;
    (void)w;
    return twice(user, n, g, ret);
}

static int32_t twice_jvp(void *user, size_t n, const double *t, const double *w, const double *v, double *ret)
{
    twice_vjp(user, n, t, w, v, ret);
    ret[n - 1] = (double)NAN;
    return 0;
}

START_TEST(a_wrong_jvp_of_a_row_function_is_found)
{
    norm_normalizer *n = NULL;
    norm_row_function f = {.struct_size = sizeof f, .apply = twice, .vjp = twice_vjp, .jvp = twice_jvp};
    ck_assert_int_eq(norm_normalizer_from_row_function(&f, NULL, NULL, &n, &error), LIBNORM_OK);
    norm_gradient_check c = {.struct_size = sizeof c};
    c.operations = 1u << LIBNORM_OPERATION_VJP | 1u << LIBNORM_OPERATION_JVP | 1u << LIBNORM_OPERATION_PARAM_VJP;
    ck_assert_int_eq(norm_check_gradients(n, &rows, z, &c, NULL, &error), LIBNORM_OK);
    ck_assert(c.passed == 0 && c.operation == LIBNORM_OPERATION_JVP && c.column == cols - 1 && c.error == INFINITY);
    c.operations = 1u << LIBNORM_OPERATION_HVP;
    ck_assert_int_eq(norm_check_gradients(n, &rows, z, &c, NULL, &error), LIBNORM_E_UNSUPPORTED);
    ck_assert_str_eq(error.text, "norm_check_gradients: own.row does not have operation 6");
    norm_normalizer_free(n);
}
END_TEST

START_TEST(kinks_and_jumps_are_skipped)
{
    static const char *const specs[] = {"relu", "sparsemax", "topk:k=2", "entmax:alpha=2.5"};
    static const double scores[4][4] = {{0, 1, -1, 2}, {1, 0, 0, -5}, {1, 3, 1, 0}, {1, 0.1, -1, 0.9}};
    norm_rows one = {.struct_size = sizeof one, .batch = 1, .rows = 1, .cols = 4};
    for (size_t s = 0; s < sizeof specs / sizeof specs[0]; s++) {
        norm_normalizer *n = NULL;
        norm_gradient_check c = {.struct_size = sizeof c};
        ck_assert_int_eq(norm_normalizer_parse(specs[s], strlen(specs[s]), NULL, &n, NULL), LIBNORM_OK);
        ck_assert_int_eq(norm_check_gradients(n, &one, scores[s], &c, NULL, &error), LIBNORM_OK);
        ck_assert_msg(c.passed == 1, "%s: operation %d, column %d: got %g, expected %g", specs[s], (int)c.operation,
                      (int)c.column, c.got, c.expected);
        ck_assert_msg(s == 3 || c.skipped > 0, "%s: nothing skipped", specs[s]);
        norm_normalizer_free(n);
    }
}
END_TEST

static int32_t fails(void *user, size_t n, const double *t, double *ret)
{
    size_t *left = user;
    right(NULL, n, t, ret);
    return (*left)-- == 0 ? 99 : 0;
}

static int32_t stop(void *user, double done)
{
    (void)user;
    return done > 0.5;
}

START_TEST(failures_leave_the_result_alone_and_leak_nothing)
{
    norm_normalizer *n = NULL;
    size_t left = 40;
    const norm_family family = {.struct_size = sizeof family, .user = &left, .f = fails, .df = right};
    struct support_allocator a;
    norm_gradient_check c = {.struct_size = sizeof c, .passed = 5};
    support_allocator_init(&a, 0);
    norm_exec exec = {.struct_size = sizeof exec, .allocator = &a.allocator};
    ck_assert_int_eq(norm_normalizer_from_family(&family, NULL, &a.allocator, &n, &error), LIBNORM_OK);
    ck_assert_int_eq(norm_check_gradients(n, &rows, z, &c, &exec, &error), LIBNORM_E_CALLBACK);
    ck_assert(error.where == 99 && c.passed == 5 && a.wrong == 0);
    exec.progress = stop;
    ck_assert_int_eq(norm_check_gradients(n, &rows, z, &c, &exec, &error), LIBNORM_E_CANCELLED);
    ck_assert(c.passed == 5);
    norm_normalizer_free(n);
    ck_assert(a.live == 0);
    exec.progress = NULL;
    norm_normalizer *softmax = NULL;
    ck_assert_int_eq(norm_normalizer_parse("softmax", 7, NULL, &softmax, NULL), LIBNORM_OK);
    for (size_t at = 1; at <= 3; at++) {
        support_allocator_init(&a, at);
        ck_assert_int_eq(norm_check_gradients(softmax, &rows, z, &c, &exec, &error), LIBNORM_E_NOMEM);
        ck_assert(a.live == 0 && c.passed == 5);
    }
    c.tolerance = 1e-12;
    ck_assert_int_eq(norm_check_gradients(softmax, &rows, z, &c, NULL, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_check_gradients: tolerance is 1e-12: expected 1e-08 to 1, or 0 for 1e-06");
    c.tolerance = 0;
    c.operations = 2;
    ck_assert_int_eq(norm_check_gradients(softmax, &rows, z, &c, NULL, &error), LIBNORM_E_ARGUMENT);
    ck_assert_int_eq(norm_check_gradients(softmax, &rows, z, NULL, NULL, &error), LIBNORM_E_ARGUMENT);
    ck_assert_int_eq(norm_check_gradients(NULL, &rows, z, &c, NULL, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_check_gradients: n is NULL");
    c.operations = 0;
    z[0] = INFINITY;
    z[cols] = NAN;
    memset(visible + 2 * cols, 0, cols);
    ck_assert_int_eq(norm_check_gradients(softmax, &rows, z, &c, NULL, &error), LIBNORM_OK);
    ck_assert(c.passed == 1 && c.operation == 0 && c.compared == 0 && c.skipped == 2 * (cols - 1));
    norm_normalizer_free(softmax);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("gradient");
    TCase *tests = tcase_create("gradient");
    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, every_normalizer_passes);
    tcase_add_test(tests, a_wrong_derivative_is_found_where_it_is);
    tcase_add_test(tests, a_wrong_jvp_of_a_row_function_is_found);
    tcase_add_test(tests, kinks_and_jumps_are_skipped);
    tcase_add_test(tests, failures_leave_the_result_alone_and_leak_nothing);
    suite_add_tcase(suite, tests);
    return suite;
}
