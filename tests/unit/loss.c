/* SPDX-License-Identifier: MIT */
#include <libnorm/norm.h>

#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "support/support.h"

enum { longest = 16 };

static norm_normalizer *make(const char *spec)
{
    norm_error error = {sizeof error, 0, 0, ""};
    norm_normalizer *n = NULL;
    ck_assert_msg(norm_normalizer_parse(spec, strlen(spec), NULL, &n, &error) == LIBNORM_OK, "%s", error.text);
    return n;
}

static norm_rows one_row(size_t n)
{
    return (norm_rows){.struct_size = sizeof(norm_rows), .batch = 1, .rows = 1, .cols = n};
}

/* Loss of one row; the gradient goes to d, if given. */
static double loss(const char *spec, const double *z, size_t n, int64_t target, double *d)
{
    norm_normalizer *normalizer = make(spec);
    const norm_rows rows = one_row(n);
    double result = -77;
    ck_assert_int_eq(norm_loss_f64(normalizer, &rows, z, &target, &result, d, NULL, NULL), LIBNORM_OK);
    norm_normalizer_free(normalizer);
    return result;
}

static void close_to(double got, double wanted, double relative)
{
    ck_assert_msg(fabs(got - wanted) <= relative * fabs(wanted), "%.17g, expected %.17g", got, wanted);
}

START_TEST(softmax_loss_is_the_cross_entropy)
{
    const double even[] = {.5, .5}, z[] = {1, 2, 3, .5};
    double d[4];
    close_to(loss("softmax", even, 2, 0, d), log(2), 1e-15);
    close_to(d[0], -.5, 1e-15);
    close_to(d[1], .5, 1e-15);
    close_to(loss("softmax", z, 4, 1, d), -log(.232056711943), 1e-12);
    close_to(d[1], .232056711943 - 1, 1e-12);
    close_to(loss("softmax:temperature=0.5", z, 4, 1, d), -log(.116629249761), 1e-11);
    close_to(d[2], 2 * .861780069258, 1e-11);
    close_to(loss("ssmax", z, 4, 2, NULL), -log(.480812250824), 1e-11);
}
END_TEST

START_TEST(sparsemax_loss_by_its_own_formula)
{
    /* (1/2) sum over the support of (z_j^2 - tau^2) - z_k + 1/2 */
    const double z[] = {.1, .2, .3, .05}, tau = -.0875;
    double sum = 0, d[4];
    for (int i = 0; i < 4; i++)
        sum += (z[i] * z[i] - tau * tau) / 2;
    for (int k = 0; k < 4; k++)
        close_to(loss("sparsemax", z, 4, k, d), sum - z[k] + .5, 1e-14);
    close_to(d[3], .1375 - 1, 1e-14);
    const double far[] = {5, 1, 0};
    ck_assert_double_eq(loss("sparsemax", far, 3, 0, d), 0); /* a margin of 1 is enough */
    ck_assert_double_eq(d[0], 0);
    close_to(loss("sparsemax", far, 3, 1, d), 4, 1e-15);
    ck_assert_double_eq(d[0], 1);
    ck_assert_double_eq(d[1], -1);
}
END_TEST

START_TEST(small_losses_keep_their_digits)
{
    const double z[] = {20, -20};
    close_to(loss("softmax", z, 2, 0, NULL), log1p(exp(-40)), 1e-14);
    /* weights 1 - e and e, e = (1 - gap)/2: the loss is e^2 */
    const double near[] = {1 - 0x1p-29, 0};
    close_to(loss("sparsemax", near, 2, 0, NULL), 0x1p-60, 1e-9);
    close_to(loss("softmax", (double[]){0, -2000}, 2, 1, NULL), 2000, 1e-15); /* the weight underflowed */
    close_to(loss("entmax:alpha=1.0000001", (double[]){0, -800}, 2, 1, NULL),
             loss("softmax", (double[]){0, -800}, 2, 1, NULL), 1e-4);
}
END_TEST

/* Omega(p) + the conjugate, from the definition, without care for cancellation. */
static double by_definition(const char *spec, double alpha, const double *z, const double *y, size_t n)
{
    norm_normalizer *normalizer = make(spec);
    const norm_rows rows = one_row(n);
    double p[longest], sum = 0;
    ck_assert_int_eq(norm_apply_f64(normalizer, &rows, z, p, NULL, NULL, NULL), LIBNORM_OK);
    norm_normalizer_free(normalizer);
    for (size_t i = 0; i < n; i++) {
        sum += (p[i] - y[i]) * z[i];
        if (alpha == 1)
            sum += (y[i] > 0 ? y[i] * log(y[i]) : 0) - (p[i] > 0 ? p[i] * log(p[i]) : 0);
        else
            sum += (pow(y[i], alpha) - pow(p[i], alpha)) / (alpha * (alpha - 1));
    }
    return sum;
}

static const struct {
    const char *spec;
    double alpha;
} family[] = {{"softmax", 1},           {"entmax:alpha=1", 1}, {"entmax:alpha=1.05", 1.05}, {"entmax:alpha=1.25", 1.25},
              {"entmax", 1.5},          {"entmax:alpha=2", 2}, {"sparsemax", 2},            {"entmax:alpha=2.5", 2.5},
              {"entmax:alpha=3.5", 3.5}};

START_TEST(losses_agree_with_their_definition)
{
    const uint64_t seed = support_seed(41);
    struct support_random r = {seed};
    for (size_t f = 0; f < sizeof family / sizeof family[0]; f++) {
        norm_normalizer *normalizer = make(family[f].spec);
        for (int trial = 0; trial < 200; trial++) {
            const size_t n = 1 + support_below(&r, longest);
            double z[longest], y[longest] = {0}, total = 0, got, d[longest], p[longest];
            const int64_t k = (int64_t)support_below(&r, n);
            for (size_t i = 0; i < n; i++)
                z[i] = support_uniform(&r, 0, 2) * support_normal(&r);
            y[k] = 1;
            double wanted = by_definition(family[f].spec, family[f].alpha, z, y, n);
            got = loss(family[f].spec, z, n, k, d);
            ck_assert_msg(fabs(got - wanted) <= 1e-12 * (1 + wanted), "%s: %.17g, expected %.17g (TEST_SEED=%llu)",
                          family[f].spec, got, wanted, (unsigned long long)seed);
            const norm_rows rows = one_row(n);
            ck_assert_int_eq(norm_apply_f64(normalizer, &rows, z, p, NULL, NULL, NULL), LIBNORM_OK);
            for (size_t i = 0; i < n; i++)
                ck_assert_double_eq_tol(d[i], p[i] - y[i], 1e-15);
            for (size_t i = 0; i < n; i++)
                total += y[i] = support_below(&r, 3) == 0 ? 0 : support_uniform(&r, 0.01, 1);
            for (size_t i = 0; i < n; i++)
                y[i] = total > 0 ? y[i] / total : i == 0;
            wanted = by_definition(family[f].spec, family[f].alpha, z, y, n);
            ck_assert_int_eq(norm_loss_against_f64(normalizer, &rows, z, y, &got, d, NULL, NULL), LIBNORM_OK);
            ck_assert_msg(fabs(got - wanted) <= 1e-12 * (1 + wanted), "%s, distribution: %.17g, expected %.17g",
                          family[f].spec, got, wanted);
            /* the weights themselves as the target: no loss */
            ck_assert_int_eq(norm_loss_against_f64(normalizer, &rows, z, p, &got, d, NULL, NULL), LIBNORM_OK);
            ck_assert_msg(fabs(got) <= 1e-14, "%s: %g", family[f].spec, got);
        }
        norm_normalizer_free(normalizer);
    }
}
END_TEST

START_TEST(gradients_agree_with_central_differences)
{
    struct support_random r = {support_seed(42)};
    static const char *const specs[] = {"softmax:temperature=0.7", "ssmax:s=0.3,b=0.5",
                                        "entmax:alpha=1.3,temperature=2", "asentmax", "sparsemax:temperature=1.5"};
    for (size_t f = 0; f < sizeof specs / sizeof specs[0]; f++) {
        for (int trial = 0; trial < 50; trial++) {
            double z[5], d[5], moved[5];
            for (int i = 0; i < 5; i++)
                z[i] = support_normal(&r);
            const int64_t k = (int64_t)support_below(&r, 5);
            loss(specs[f], z, 5, k, d);
            for (int i = 0; i < 5; i++) {
                const double step = 1e-6;
                memcpy(moved, z, sizeof z);
                moved[i] = z[i] + step;
                const double up = loss(specs[f], moved, 5, k, NULL);
                moved[i] = z[i] - step;
                const double down = loss(specs[f], moved, 5, k, NULL);
                ck_assert_double_eq_tol((up - down) / (2 * step), d[i], 1e-6); /* the loss has a continuous gradient */
            }
        }
    }
}
END_TEST

START_TEST(special_rows_have_the_losses_that_are_promised)
{
    const double inf = INFINITY;
    double d[3] = {7, 7, 7};
    ck_assert_double_eq(loss("softmax", (double[]){1, -inf, 2}, 3, 1, d), inf);
    ck_assert_double_eq(d[1], -1);
    close_to(loss("softmax", (double[]){inf, 1, inf}, 3, 0, d), log(2), 1e-15);
    ck_assert_double_eq(d[0], 0);
    ck_assert_double_eq(loss("entmax", (double[]){inf, 1, 0}, 3, 0, d), 0);
    ck_assert_double_eq(loss("entmax", (double[]){inf, 1, 0}, 3, 1, d), inf);
    ck_assert_double_eq(loss("sparsemax", (double[]){-inf, -inf, -inf}, 3, 0, d), inf);
    ck_assert_double_eq(d[0], 0);
    ck_assert(isnan(loss("sparsemax", (double[]){1, (double)NAN, 2}, 3, 0, d)));
    ck_assert(isnan(d[0]) && isnan(d[2]));
    ck_assert_double_eq(loss("softmax", (double[]){1, 2, 3}, 3, -1, d), 0);
    ck_assert_double_eq(d[2], 0);
    ck_assert_double_eq(loss("ssmax", (double[]){4}, 1, 0, d), 0);
}
END_TEST

START_TEST(bad_targets_are_refused_before_anything_is_written)
{
    norm_error error = {sizeof error, 0, 0, ""};
    norm_normalizer *n = make("softmax"), *none = make("sigmoid");
    norm_rows rows = one_row(3);
    rows.rows = 2;
    const float z[6] = {0};
    const int64_t target[2] = {1, 3};
    double result[2] = {7, 7};
    ck_assert_int_eq(norm_loss_f32(n, &rows, z, target, result, NULL, NULL, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_loss_f32: target[1] is 3: expected a column, 0 to 2, or a negative number to "
                                 "leave the row out");
    ck_assert_double_eq(result[0], 7);
    ck_assert_int_eq(norm_loss_f32(n, &rows, z, NULL, result, NULL, NULL, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_loss_f32: target is NULL");
    ck_assert_int_eq(norm_loss_f32(n, &rows, z, target, NULL, NULL, NULL, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_loss_f32: ret_loss is NULL");
    ck_assert_int_eq(norm_loss_against_f32(n, &rows, z, NULL, result, NULL, NULL, &error), LIBNORM_E_ARGUMENT);
    ck_assert_int_eq(norm_loss_f32(none, &rows, z, (int64_t[]){0, 0}, result, NULL, NULL, &error),
                     LIBNORM_E_UNSUPPORTED);
    norm_normalizer_free(n);
    norm_normalizer_free(none);
}
END_TEST

START_TEST(masked_rows_count_visible_entries_only)
{
    norm_normalizer *n = make("softmax");
    norm_rows rows = one_row(4);
    const uint8_t visible[4] = {1, 0, 1, 1};
    rows.visible = visible;
    rows.visible_stride[2] = 1;
    const float z[4] = {1, 100, 2, 3};
    float d[4] = {7, 7, 7, 7};
    double got;
    ck_assert_int_eq(norm_loss_f32(n, &rows, z, (int64_t[]){2}, &got, d, NULL, NULL), LIBNORM_OK);
    close_to(got, log(exp(-1) + 1 + exp(1)), 1e-14);
    ck_assert_float_eq(d[1], 0);
    close_to((double)d[2], 1 / (exp(-1) + 1 + exp(1)) - 1, 1e-7);
    ck_assert_int_eq(norm_loss_f32(n, &rows, z, (int64_t[]){1}, &got, d, NULL, NULL), LIBNORM_OK);
    ck_assert_double_eq(got, INFINITY);
    norm_normalizer_free(n);
}
END_TEST

START_TEST(one_line_calls)
{
    const float z[] = {0, .5f, 1};
    float w[3];
    double value, wd[3];
    ck_assert_int_eq(norm_sparsemax_f32(z, 3, w), LIBNORM_OK);
    ck_assert(w[0] == 0 && w[1] == .25f && w[2] == .75f);
    ck_assert_int_eq(norm_softmax_f32(z, 3, w), LIBNORM_OK);
    close_to((double)w[0], 1 / (1 + exp(.5) + exp(1)), 2e-7);
    ck_assert_int_eq(norm_sparsemax_f64((double[]){1e30, 1e30 - 1e23}, 2, wd), LIBNORM_OK);
    ck_assert(wd[0] == 1 && wd[1] == 0);
    ck_assert_int_eq(norm_softmax_f64((double[]){-200, -201, -202}, 3, wd), LIBNORM_OK);
    close_to(wd[1], .244728471054797646, 1e-14);
    ck_assert_int_eq(norm_softmax_f32(NULL, 0, NULL), LIBNORM_OK);
    ck_assert_int_eq(norm_softmax_f32(NULL, 3, w), LIBNORM_E_ARGUMENT);
    ck_assert_int_eq(norm_log_sum_exp_f64((double[]){1000, 1000}, 2, &value), LIBNORM_OK);
    close_to(value, 1000 + log(2), 1e-15);
    ck_assert_int_eq(norm_log_sum_exp_f32(NULL, 0, &value), LIBNORM_OK);
    ck_assert_double_eq(value, -INFINITY);
    ck_assert_int_eq(norm_log_sum_exp_f32((float[]){1, INFINITY, -INFINITY}, 3, &value), LIBNORM_OK);
    ck_assert_double_eq(value, INFINITY);
    ck_assert_int_eq(norm_log_sum_exp_f32((float[]){1, INFINITY, NAN}, 3, &value), LIBNORM_OK);
    ck_assert(isnan(value));
    ck_assert_int_eq(norm_log_sum_exp_f32(z, 3, NULL), LIBNORM_E_ARGUMENT);
}
END_TEST

START_TEST(log_sum_exp_of_long_rows_in_any_order)
{
    enum { n = 5000 };
    static double z[n];
    static float f[n];
    for (int order = 0; order < 2; order++) {
        double sum = 0, value;
        for (int i = 0; i < n; i++) {
            z[i] = 0.05 * (order == 0 ? i : n - i);
            f[i] = (float)z[i];
            sum += exp(z[i] - 250);
        }
        ck_assert_int_eq(norm_log_sum_exp_f64(z, n, &value), LIBNORM_OK);
        close_to(value, 250 + log(sum), 1e-14);
        ck_assert_int_eq(norm_log_sum_exp_f32(f, n, &value), LIBNORM_OK);
        close_to(value, 250 + log(sum), 1e-7);
    }
}
END_TEST

START_TEST(errno_is_left_alone)
{
    double z[] = {0, -2000, -DBL_MAX}, w[3], value;
    errno = 1234;
    ck_assert_int_eq(norm_softmax_f64(z, 3, w), LIBNORM_OK);
    loss("entmax:alpha=1.2", z, 3, 1, w);
    ck_assert_int_eq(norm_log_sum_exp_f64(z, 3, &value), LIBNORM_OK);
    ck_assert_int_eq(errno, 1234);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("loss");
    TCase *tests = tcase_create("loss");
    tcase_add_test(tests, softmax_loss_is_the_cross_entropy);
    tcase_add_test(tests, sparsemax_loss_by_its_own_formula);
    tcase_add_test(tests, small_losses_keep_their_digits);
    tcase_add_test(tests, losses_agree_with_their_definition);
    tcase_add_test(tests, gradients_agree_with_central_differences);
    tcase_add_test(tests, special_rows_have_the_losses_that_are_promised);
    tcase_add_test(tests, bad_targets_are_refused_before_anything_is_written);
    tcase_add_test(tests, masked_rows_count_visible_entries_only);
    tcase_add_test(tests, one_line_calls);
    tcase_add_test(tests, log_sum_exp_of_long_rows_in_any_order);
    tcase_add_test(tests, errno_is_left_alone);
    suite_add_tcase(suite, tests);
    return suite;
}
