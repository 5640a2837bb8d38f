/* SPDX-License-Identifier: MIT */
/* The reference kernels against values worked out with more digits, and at the edges. */
#include "kernels/kernels.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include <libnorm/exec.h>

#include "support/support.h"

static const struct norm__kernels *const k = &norm__kernels_scalar;

START_TEST(softmax_of_known_rows)
{
    struct norm__softmax_scale one = norm__softmax_scale(1), two = norm__softmax_scale(2);
    struct norm__softmax_sums sums;
    const double z[3] = {1, 2, 3}, expect[3] = {0.09003057317038046, 0.24472847105479764, 0.6652409557748218};
    double w[3];
    ck_assert_int_eq(k->softmax_f64(z, 3, &one, w, &sums), NORM__ROW_ORDINARY);
    for (int i = 0; i < 3; i++)
        ck_assert_uint_le(support_ulp_f64(w[i], expect[i]), 1);
    ck_assert_double_eq(sums.max, 3);
    ck_assert_double_eq_tol(sums.sum, 1.5032147244080551, 4e-16); /* 1 + 1/e + 1/e^2 */
    const float zf[3] = {2, 4, 6};
    float wf[3];
    ck_assert_int_eq(k->softmax_f32(zf, 3, &two, wf, &sums), NORM__ROW_ORDINARY);
    for (int i = 0; i < 3; i++)
        ck_assert_float_eq(wf[i], (float)expect[i]);
    ck_assert_int_eq(k->log_softmax_f64(z, 3, &one, w, &sums), NORM__ROW_ORDINARY);
    ck_assert_double_eq_tol(w[0], -2.4076059644443806, 5e-16);
    ck_assert_double_eq_tol(w[2], -0.40760596444438056, 2e-16);
}
END_TEST

START_TEST(rows_that_are_not_ordinary_are_named_and_left)
{
    struct norm__softmax_scale one = norm__softmax_scale(1);
    const float rows[][3] = {
        {-INFINITY, -INFINITY, -INFINITY}, {0, INFINITY, 1}, {INFINITY, NAN, 1}, {0, -INFINITY, 0}};
    const int kinds[] = {NORM__ROW_EMPTY, NORM__ROW_POS_INF, NORM__ROW_NAN, NORM__ROW_ORDINARY};
    for (size_t r = 0; r < 4; r++) {
        double z[3], w[3] = {7, 7, 7};
        float wf[3] = {7, 7, 7};
        struct norm__softmax_sums sums = {-1, -1};
        for (int i = 0; i < 3; i++)
            z[i] = rows[r][i];
        ck_assert_int_eq(k->softmax_f32(rows[r], 3, &one, wf, &sums), kinds[r]);
        ck_assert_int_eq(k->log_softmax_f64(z, 3, &one, w, &sums), kinds[r]);
        if (kinds[r] == NORM__ROW_ORDINARY)
            ck_assert(wf[0] == 0.5f && wf[1] == 0 && wf[2] == 0.5f && w[1] == -INFINITY);
        else
            ck_assert(wf[0] == 7 && wf[1] == 7 && wf[2] == 7 && w[0] == 7 && w[2] == 7 && sums.sum == -1);
    }
}
END_TEST

START_TEST(weights_below_the_smallest_normal_are_zero_and_their_logarithms_finite)
{
    struct norm__softmax_scale one = norm__softmax_scale(1), cold = norm__softmax_scale(5e-324);
    struct norm__softmax_sums sums;
    const float z[5] = {0, -1e30f, -87.4f, -100, -87.3f};
    float w[5];
    ck_assert_int_eq(k->softmax_f32(z, 5, &one, w, &sums), NORM__ROW_ORDINARY);
    ck_assert(w[0] == 1 && w[1] == 0 && w[2] == 0 && w[3] == 0 && w[4] >= FLT_MIN);
    ck_assert_int_eq(k->log_softmax_f32(z, 5, &one, w, &sums), NORM__ROW_ORDINARY);
    ck_assert(w[0] == 0 && w[1] == -1e30f && w[2] == -87.4f && w[3] == -100);
    ck_assert_int_eq(k->log_softmax_f32(z, 5, &cold, w, &sums), NORM__ROW_ORDINARY);
    ck_assert(w[0] == 0 && w[1] == -FLT_MAX && w[4] == -FLT_MAX);
    ck_assert_int_eq(k->softmax_f32(z, 5, &cold, w, &sums), NORM__ROW_ORDINARY);
    ck_assert(w[0] == 1 && w[1] == 0 && w[4] == 0);
}
END_TEST

START_TEST(gradients_and_entropy_of_known_rows)
{
    const double w[3] = {0.5, 0.25, 0.25}, g[3] = {1, 2, -4};
    double d[3];
    k->softmax_vjp_f64(w, g, 3, 2, d); /* w.g = 0 */
    ck_assert(d[0] == 0.25 && d[1] == 0.25 && d[2] == -0.5);
    k->log_softmax_vjp_f64(w, g, 3, 2, d); /* sum g = -1 */
    ck_assert(d[0] == 0.75 && d[1] == 1.125 && d[2] == -1.875);
    ck_assert_double_eq_tol(k->entropy_f64(w, 3), 1.5 * 0.6931471805599453, 2e-16);
    const float one_hot[3] = {0, 1, 0};
    ck_assert(k->entropy_f32(one_hot, 3) == 0 && !signbit(k->entropy_f32(one_hot, 3)));
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("scalar");
    TCase *tests = tcase_create("scalar");
    tcase_add_test(tests, softmax_of_known_rows);
    tcase_add_test(tests, rows_that_are_not_ordinary_are_named_and_left);
    tcase_add_test(tests, weights_below_the_smallest_normal_are_zero_and_their_logarithms_finite);
    tcase_add_test(tests, gradients_and_entropy_of_known_rows);
    suite_add_tcase(suite, tests);
    return suite;
}
