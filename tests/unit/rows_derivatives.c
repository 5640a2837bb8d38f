/* SPDX-License-Identifier: MIT */
/* JVP, second derivative and gradients in keys: golden values, and the rules of rows. */
#include <libnorm/norm.h>

#include <math.h>
#include <string.h>

#include "support/support.h"

#define ROW(n) {.struct_size = sizeof(norm_rows), .batch = 1, .rows = 1, .cols = (n)}

static const double z[4] = {1, 2, 3, 0.5}, g[4] = {0.3, -0.2, 0.5, 0.1}, v[4] = {1, 0, -1, .5};
static norm_normalizer *softmax;

static void setup(void)
{
    ck_assert_int_eq(norm_normalizer_parse("softmax", 7, NULL, &softmax, NULL), LIBNORM_OK);
}

static void teardown(void)
{
    norm_normalizer_free(softmax);
}

static void to_float(const double *x, size_t n, float *ret)
{
    for (size_t i = 0; i < n; i++)
        ret[i] = (float)x[i];
}

START_TEST(second_derivative_of_softmax)
{
    const double wanted[4] = {.011251263441, -.029749161860, .022237581022, -.003739682603};
    const norm_rows rows = ROW(4);
    double dz[4], dg[4], jvp[4];
    ck_assert_int_eq(norm_hvp_f64(softmax, &rows, z, g, v, dz, dg, NULL, NULL), LIBNORM_OK);
    ck_assert_int_eq(norm_jvp_f64(softmax, &rows, z, NULL, v, jvp, NULL, NULL), LIBNORM_OK);
    for (int i = 0; i < 4; i++) {
        ck_assert(fabs(dz[i] - wanted[i]) < 1e-12);
        ck_assert(dg[i] == jvp[i]);
    }
    float zf[4], gf[4], vf[4], dzf[4], dgf[4];
    to_float(z, 4, zf);
    to_float(g, 4, gf);
    to_float(v, 4, vf);
    ck_assert_int_eq(norm_hvp_f32(softmax, &rows, zf, gf, vf, dzf, dgf, NULL, NULL), LIBNORM_OK);
    for (int i = 0; i < 4; i++)
        ck_assert(fabs((double)dzf[i] - wanted[i]) < 1e-8 && fabs((double)dgf[i] - dg[i]) < 1e-7);
    /* Cross-entropy's Hessian through the log form: logits (1/2, 1/2), J = diag(p) - p p^T is not zero. */
    const double even[2] = {.5, .5}, unit[2] = {1, 0};
    const norm_rows two = ROW(2);
    ck_assert_int_eq(norm_jvp_f64(softmax, &two, even, NULL, unit, jvp, NULL, NULL), LIBNORM_OK);
    ck_assert(jvp[0] == .25 && jvp[1] == -.25);
}
END_TEST

START_TEST(gradient_in_the_temperature)
{
    const norm_rows rows = ROW(4);
    double got = 77;
    norm_error error = {sizeof error, 0, 0, ""};
    ck_assert_int_eq(norm_param_vjp_f64(softmax, &rows, z, NULL, g, "temperature", &got, NULL, NULL), LIBNORM_OK);
    ck_assert(fabs(got + .14179801789735) < 1e-12);
    /* Large scores: what is subtracted first costs no digit. */
    double far[4];
    for (int i = 0; i < 4; i++)
        far[i] = z[i] + 1048576;
    ck_assert_int_eq(norm_param_vjp_f64(softmax, &rows, far, NULL, g, "temperature", &got, NULL, NULL), LIBNORM_OK);
    ck_assert(fabs(got + .14179801789735) < 1e-12);
    got = 77;
    ck_assert_int_eq(norm_param_vjp_f64(softmax, &rows, z, NULL, g, "alpha", &got, NULL, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "softmax has no key 'alpha': its keys are temperature");
    ck_assert_int_eq(norm_param_vjp_f64(softmax, &rows, z, NULL, g, NULL, &got, NULL, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_param_vjp_f64: key is NULL");
    ck_assert_int_eq(norm_param_vjp_f64(softmax, &rows, z, NULL, g, "temperature", NULL, NULL, &error),
                     LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_param_vjp_f64: ret_per_row is NULL");
    ck_assert(got == 77);
}
END_TEST

START_TEST(special_rows_have_derivative_zero_or_nan)
{
    /* Empty, +inf, NaN, hidden beside ordinary. */
    const double scores[12] = {-INFINITY, -INFINITY, -INFINITY, INFINITY, INFINITY, 0, 1, NAN, 2, NAN, 3, 3};
    const double up[12] = {NAN, 1, 1, 1, 2, 3, 1, 1, 1, NAN, 1, 0}, along[12] = {1, 1, 1, 1, 1, 0, 1, 1, 1, NAN, 1, 0};
    const int64_t begin[4] = {0, 0, 0, 1};
    norm_rows rows = {.struct_size = sizeof rows, .batch = 1, .rows = 4, .cols = 3, .begin = begin};
    rows.interval_stride[1] = 1;
    double dz[12], dg[12], jvp[12], per_row[4];
    ck_assert_int_eq(norm_hvp_f64(softmax, &rows, scores, up, along, dz, dg, NULL, NULL), LIBNORM_OK);
    ck_assert_int_eq(norm_jvp_f64(softmax, &rows, scores, NULL, along, jvp, NULL, NULL), LIBNORM_OK);
    ck_assert_int_eq(norm_param_vjp_f64(softmax, &rows, scores, NULL, up, "temperature", per_row, NULL, NULL),
                     LIBNORM_OK);
    for (int i = 0; i < 6; i++)
        ck_assert(dz[i] == 0 && dg[i] == 0 && jvp[i] == 0);
    for (int i = 6; i < 9; i++)
        ck_assert(isnan(dz[i]) && isnan(dg[i]) && isnan(jvp[i]));
    ck_assert(dz[9] == 0 && dg[9] == 0 && jvp[9] == 0);
    ck_assert(jvp[10] == .25 && jvp[11] == -.25 && dg[10] == .25 && dz[10] == 0);
    ck_assert(per_row[0] == 0 && per_row[1] == 0 && isnan(per_row[2]) && per_row[3] == 0);
}
END_TEST

START_TEST(results_may_stand_where_inputs_stood)
{
    const norm_rows rows = ROW(4);
    double dz[4], dg[4], a[4], b[4];
    norm_error error = {sizeof error, 0, 0, ""};
    ck_assert_int_eq(norm_hvp_f64(softmax, &rows, z, g, v, dz, dg, NULL, NULL), LIBNORM_OK);
    memcpy(a, g, sizeof a);
    memcpy(b, v, sizeof b);
    ck_assert_int_eq(norm_hvp_f64(softmax, &rows, z, a, b, a, b, NULL, NULL), LIBNORM_OK);
    ck_assert_mem_eq(a, dz, sizeof a);
    ck_assert_mem_eq(b, dg, sizeof b);
    memcpy(a, z, sizeof a);
    ck_assert_int_eq(norm_hvp_f64(softmax, &rows, a, g, v, b, a, NULL, NULL), LIBNORM_OK);
    ck_assert_mem_eq(b, dz, sizeof b);
    ck_assert_mem_eq(a, dg, sizeof a);
    ck_assert_int_eq(norm_hvp_f64(softmax, &rows, z, g, v, a, a, NULL, &error), LIBNORM_E_OVERLAP);
    ck_assert_str_eq(error.text, "norm_hvp_f64: ret_dz overlaps ret_dg: expected the same address and strides, or no "
                                 "common element");
    ck_assert_mem_eq(a, dg, sizeof a);
    ck_assert_int_eq(norm_hvp_f64(softmax, &rows, z, g, v, NULL, NULL, NULL, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_hvp_f64: ret_dz is NULL");
}
END_TEST

START_TEST(softmax_supports_every_operation_and_no_other)
{
    for (int32_t operation = LIBNORM_OPERATION_APPLY; operation <= LIBNORM_OPERATION_JACOBIAN_NORMS; operation++)
        ck_assert_int_eq(norm_normalizer_supports(softmax, operation), 1);
    ck_assert_int_eq(norm_normalizer_supports(softmax, 0), 0);
    ck_assert_int_eq(norm_normalizer_supports(softmax, LIBNORM_OPERATION_JACOBIAN_NORMS + 1), 0);
    ck_assert_int_eq(norm_normalizer_supports(NULL, LIBNORM_OPERATION_APPLY), 0);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("rows_derivatives");
    TCase *tests = tcase_create("rows_derivatives");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, second_derivative_of_softmax);
    tcase_add_test(tests, gradient_in_the_temperature);
    tcase_add_test(tests, special_rows_have_derivative_zero_or_nan);
    tcase_add_test(tests, results_may_stand_where_inputs_stood);
    tcase_add_test(tests, softmax_supports_every_operation_and_no_other);
    suite_add_tcase(suite, tests);
    return suite;
}
