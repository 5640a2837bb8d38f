/* SPDX-License-Identifier: MIT */
/* Faults that users of other libraries reported, as values: each of a kind that every normalizer could have. */
#include <float.h>
#include <math.h>

#include <libnorm/norm.h>

#include "support/one_row.h"
#include "support/support.h"

#define INF ((double)INFINITY)
#define NOT ((double)NAN)

enum { longest = 64 };

/* Those whose weights sum to one and that share a row of +inf equally. */
static const char *const simplex[] = {"softmax", "sparsemax", "entmax:alpha=1", "entmax:alpha=1.0000001",
                                      "entmax:alpha=1.25", "entmax", "entmax:alpha=2", "entmax:alpha=3",
                                      "normmax", "normmax:gamma=1.5", "ssmax", "asentmax", "adaptive", "softplus",
                                      "elu1", "lssa", "lssar"};
#define COUNT(a) (sizeof(a) / sizeof(a)[0])

START_TEST(a_row_with_nothing_to_see_is_zero_with_gradient_zero)
{
    const double masked[3] = {1, NOT, INF}, low[3] = {-INF, -INF, -INF}, zero[3] = {0, 0, 0}, g[3] = {1, -2, NOT};
    const double gradient[3] = {1, -2, 3};
    const uint8_t none[3] = {0, 0, 0};
    for (size_t s = 0; s < COUNT(simplex); s++) {
        norm_normalizer *n = one_row_parse(simplex[s]);
        const norm_rows rows = one_row_of(3);
        norm_row_outputs outputs = {.struct_size = sizeof outputs};
        double w[3], log_w[3];
        ck_weights(simplex[s], 3, masked, none, zero, 0);
        ck_vjp(simplex[s], 3, masked, none, g, zero, 0);
        if (norm_normalizer_supports(n, LIBNORM_OPERATION_LOG_APPLY)) {
            ck_assert_int_eq(norm_log_apply_f64(n, &rows, low, log_w, NULL, NULL, NULL), LIBNORM_OK);
            ck_assert(log_w[0] == -INF && log_w[1] == -INF && log_w[2] == -INF);
        }
        ck_weights(simplex[s], 3, low, NULL, zero, 0);
        ck_vjp(simplex[s], 3, low, NULL, gradient, zero, 0);
        ck_assert_int_eq(norm_apply_f64(n, &rows, low, w, &outputs, NULL, NULL), LIBNORM_OK);
        ck_assert_uint_eq(outputs.empty_rows, 1);
        norm_normalizer_free(n);
    }
}
END_TEST

START_TEST(plus_infinity_is_a_limit_on_every_path)
{
    const double one[3] = {INF, 1, 2}, two[3] = {INF, INF, 0}, g[3] = {1, 2, -1}, zero[3] = {0, 0, 0};
    for (size_t s = 0; s < COUNT(simplex); s++) {
        ck_weights(simplex[s], 3, one, NULL, (double[]){1, 0, 0}, 0);
        ck_weights(simplex[s], 3, two, NULL, (double[]){.5, .5, 0}, 0);
        ck_vjp(simplex[s], 3, one, NULL, g, zero, 0);
        ck_vjp(simplex[s], 3, two, NULL, g, zero, 0);
    }
}
END_TEST

/* In the body of a vector and in its tail; hidden, it does not matter. */
START_TEST(nan_shows_wherever_it_stands_and_nowhere_when_hidden)
{
    for (size_t s = 0; s < COUNT(simplex); s++)
        for (size_t n = 2; n < 40; n += 5)
            for (size_t at = 0; at < n; at++) {
                double z[longest], all_nan[longest], rest[longest], g[longest], w[longest] = {0};
                uint8_t mask[longest];
                size_t k = 0;
                norm_normalizer *normalizer = one_row_parse(simplex[s]);
                const norm_rows rows = one_row_of(n - 1);
                for (size_t i = 0; i < n; i++) {
                    z[i] = i == at ? NOT : 0.1 * (double)i;
                    g[i] = (double)i;
                    all_nan[i] = NOT;
                    mask[i] = i != at;
                    if (i != at)
                        rest[k++] = z[i];
                }
                ck_assert_int_eq(norm_apply_f64(normalizer, &rows, rest, rest, NULL, NULL, NULL), LIBNORM_OK);
                for (size_t i = 0; i < n; i++)
                    w[i] = i == at ? 0 : rest[i - (i > at)];
                ck_weights(simplex[s], n, z, NULL, all_nan, 0);
                ck_vjp(simplex[s], n, z, NULL, g, all_nan, 0);
                ck_weights(simplex[s], n, z, mask, w, 1e-15);
                norm_normalizer_free(normalizer);
            }
}
END_TEST

START_TEST(no_score_is_too_large_for_the_exponential)
{
    ck_weights("softmax", 3, (double[]){90, 2, -2}, NULL, (double[]){1, 6.05460189e-39, 1.10893944e-40}, 1e-15);
    ck_weights("softmax", 3, (double[]){-200, -201, -202}, NULL,
               (double[]){.6652409557748218, .2447284710547976, .0900305731703805}, 1e-15);
}
END_TEST

START_TEST(a_hidden_score_above_the_largest_does_not_matter)
{
    const double z[3] = {1, 1, 100}, g[3] = {1, -3, 7};
    const uint8_t mask[3] = {1, 1, 0};
    for (size_t s = 0; s < COUNT(simplex); s++) {
        norm_normalizer *n = one_row_parse(simplex[s]);
        const norm_rows two = one_row_of(2);
        double d[3] = {0};
        ck_weights(simplex[s], 3, z, mask, (double[]){.5, .5, 0}, 1e-15);
        ck_assert_int_eq(norm_vjp_f64(n, &two, z, NULL, g, d, NULL, NULL), LIBNORM_OK);
        ck_assert(isfinite(d[0]) && isfinite(d[1]));
        ck_vjp(simplex[s], 3, z, mask, g, d, 1e-15);
        norm_normalizer_free(n);
    }
}
END_TEST

START_TEST(the_gradient_may_take_the_place_of_weights_or_upstream)
{
    norm_normalizer *n = one_row_parse("softmax");
    const norm_rows rows = one_row_of(2);
    const double z[2] = {0, log(3)};
    double y[2] = {.25, .75}, g[2] = {1, 0};
    ck_assert_int_eq(norm_vjp_f64(n, &rows, z, y, g, y, NULL, NULL), LIBNORM_OK);
    ck_assert(one_row_near(y[0], .1875, 1e-16) && one_row_near(y[1], -.1875, 1e-16));
    y[0] = .25;
    y[1] = .75;
    ck_assert_int_eq(norm_vjp_f64(n, &rows, z, y, g, g, NULL, NULL), LIBNORM_OK);
    ck_assert(one_row_near(g[0], .1875, 1e-16) && one_row_near(g[1], -.1875, 1e-16));
    double shifted[3] = {.25, .75, 5};
    ck_assert_int_eq(norm_vjp_f64(n, &rows, z, shifted, (double[]){1, 0}, shifted + 1, NULL, NULL),
                     LIBNORM_E_OVERLAP);
    ck_assert(shifted[0] == .25 && shifted[1] == .75 && shifted[2] == 5);
    norm_normalizer_free(n);
}
END_TEST

START_TEST(minus_infinity_has_no_share)
{
    double low[10], zero[10] = {0}, g[10];
    for (int i = 0; i < 10; i++) {
        low[i] = -INF;
        g[i] = i;
    }
    for (size_t s = 0; s < COUNT(simplex); s++) {
        ck_weights(simplex[s], 10, low, NULL, zero, 0);
        ck_vjp(simplex[s], 10, low, NULL, g, zero, 0);
    }
    for (size_t s = 0; s < COUNT(simplex); s++) {
        norm_normalizer *n = one_row_parse(simplex[s]);
        double d[3];
        const norm_rows rows = one_row_of(3);
        ck_weights(simplex[s], 3, (double[]){0, 0, -INF}, NULL, (double[]){.5, .5, 0}, 1e-15);
        ck_assert_int_eq(norm_vjp_f64(n, &rows, (double[]){0, 0, -INF}, NULL, (double[]){1, 2, 5}, d, NULL, NULL),
                         LIBNORM_OK);
        ck_assert_msg(d[2] == 0 && isfinite(d[0]) && isfinite(d[1]), "%s: %g %g %g", simplex[s], d[0], d[1], d[2]);
        norm_normalizer_free(n);
    }
}
END_TEST

/* The log weight follows the score all the way down: at -inf its gradient is that of -300. */
START_TEST(the_log_form_at_minus_infinity_has_the_gradient_of_the_limit)
{
    static const char *const smooth[] = {"softmax", "softmax1", "entmax:alpha=1", "ssmax", "sigmoid", "softplus",
                                         "elu1",    "lssa"};
    const double g[3] = {1, 2, 5};
    const norm_rows rows = one_row_of(3);
    for (size_t s = 0; s < COUNT(smooth); s++) {
        norm_normalizer *n = one_row_parse(smooth[s]);
        double at[3], near_by[3];
        ck_assert_int_eq(norm_log_vjp_f64(n, &rows, (double[]){.5, 1, -INF}, NULL, g, at, NULL, NULL), LIBNORM_OK);
        ck_assert_int_eq(norm_log_vjp_f64(n, &rows, (double[]){.5, 1, -300}, NULL, g, near_by, NULL, NULL),
                         LIBNORM_OK);
        for (int i = 0; i < 3; i++)
            ck_assert_msg(one_row_near(at[i], near_by[i], 1e-13), "%s, entry %d: %g, not %g", smooth[s], i, at[i],
                          near_by[i]);
        ck_assert(at[2] != 0);
        norm_normalizer_free(n);
    }
}
END_TEST

START_TEST(nothing_is_success)
{
    for (size_t s = 0; s < COUNT(simplex); s++) {
        norm_normalizer *n = one_row_parse(simplex[s]);
        float w = 7;
        const norm_rows no_columns = {.struct_size = sizeof no_columns, .batch = 1, .rows = 10, .cols = 0};
        const norm_rows no_rows = {.struct_size = sizeof no_rows, .batch = 1, .rows = 0, .cols = 5};
        ck_assert_int_eq(norm_apply_f32(n, &no_columns, &w, &w, NULL, NULL, NULL), LIBNORM_OK);
        ck_assert_int_eq(norm_apply_f32(n, &no_rows, NULL, NULL, NULL, NULL, NULL), LIBNORM_OK);
        ck_assert_int_eq(norm_vjp_f32(n, &no_rows, NULL, NULL, NULL, NULL, NULL, NULL), LIBNORM_OK);
        ck_assert(w == 7);
        norm_normalizer_free(n);
    }
}
END_TEST

START_TEST(next_to_nothing_is_nothing)
{
    const double z[5] = {0, -1e30, -87.4, -100, -104};
    for (size_t s = 0; s < COUNT(simplex); s++) {
        norm_normalizer *n = one_row_parse(simplex[s]);
        const norm_rows rows = one_row_of(5);
        float zf[5], w[5];
        for (int i = 0; i < 5; i++)
            zf[i] = (float)z[i];
        ck_assert_int_eq(norm_apply_f32(n, &rows, zf, w, NULL, NULL, NULL), LIBNORM_OK);
        for (int i = 0; i < 5; i++)
            ck_assert_msg(w[i] == 0 || w[i] >= FLT_MIN, "%s: %g is subnormal", simplex[s], (double)w[i]);
        norm_normalizer_free(n);
    }
    ck_weights("softmax", 2, (double[]){0, -1e30}, NULL, (double[]){1, 0}, 0);
}
END_TEST

/* Cross-entropy of logits (.5, .5) with the label (1, 0): gradient and Hessian by hand. */
START_TEST(the_second_derivative_is_not_zero)
{
    norm_normalizer *n = one_row_parse("softmax");
    const norm_rows rows = one_row_of(2);
    const double z[2] = {.5, .5};
    const int64_t target = 0;
    double loss, d[2], dg[2];
    ck_assert_int_eq(norm_loss_f64(n, &rows, z, &target, &loss, d, NULL, NULL), LIBNORM_OK);
    ck_assert(one_row_near(d[0], -.5, 1e-16) && one_row_near(d[1], .5, 1e-16));
    for (int i = 0; i < 2; i++) {
        /* The gradient is p - y, so the Hessian is the Jacobian of p: J h for the unit vectors h. */
        const double h[2] = {i == 0, i == 1}, g[2] = {0, 0};
        ck_assert_int_eq(norm_hvp_f64(n, &rows, z, g, h, NULL, dg, NULL, NULL), LIBNORM_OK);
        ck_assert(one_row_near(dg[i], .25, 1e-16) && one_row_near(dg[1 - i], -.25, 1e-16));
    }
    norm_normalizer_free(n);
}
END_TEST

/* -FLT_MAX from a mask that was added is a score as any other; two of them add up to -inf, which is hidden on wish. */
START_TEST(added_masks_are_arithmetic)
{
    norm_normalizer *n = one_row_parse("softmax");
    norm_rows rows = one_row_of(2);
    float w[2];
    ck_assert_int_eq(norm_apply_f32(n, &rows, (float[]){-FLT_MAX, -FLT_MAX}, w, NULL, NULL, NULL), LIBNORM_OK);
    ck_assert(w[0] == 0.5f && w[1] == 0.5f);
    const float sum = -1e32f + -FLT_MAX;
    norm_normalizer *ssmax = one_row_parse("ssmax:s=1");
    rows.flags = LIBNORM_ROWS_NEG_INF_HIDDEN;
    ck_assert_int_eq(norm_apply_f32(ssmax, &rows, (float[]){2 * sum, 3}, w, NULL, NULL, NULL), LIBNORM_OK);
    ck_assert(w[0] == 0 && w[1] == 1);
    norm_normalizer_free(ssmax);
    norm_normalizer_free(n);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("known_faults");
    TCase *tests = tcase_create("known faults");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, a_row_with_nothing_to_see_is_zero_with_gradient_zero);
    tcase_add_test(tests, plus_infinity_is_a_limit_on_every_path);
    tcase_add_test(tests, nan_shows_wherever_it_stands_and_nowhere_when_hidden);
    tcase_add_test(tests, no_score_is_too_large_for_the_exponential);
    tcase_add_test(tests, a_hidden_score_above_the_largest_does_not_matter);
    tcase_add_test(tests, the_gradient_may_take_the_place_of_weights_or_upstream);
    tcase_add_test(tests, minus_infinity_has_no_share);
    tcase_add_test(tests, the_log_form_at_minus_infinity_has_the_gradient_of_the_limit);
    tcase_add_test(tests, nothing_is_success);
    tcase_add_test(tests, next_to_nothing_is_nothing);
    tcase_add_test(tests, the_second_derivative_is_not_zero);
    tcase_add_test(tests, added_masks_are_arithmetic);
    suite_add_tcase(suite, tests);
    return suite;
}
