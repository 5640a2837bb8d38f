/* SPDX-License-Identifier: MIT */
/* What a finite step of the scores does to softmax weights. */
#include "bounds_draw.h"

enum { MOST = 32, TRIALS = 12000 };

START_TEST(change_stays_under_the_curve)
{
    uint64_t seed = support_seed(1);
    struct support_random r = {seed};
    int above_printed = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        size_t n = 2 + support_below(&r, MOST - 1);
        double z[MOST], v[MOST], change[MOST], t = exp(support_uniform(&r, -4, 2)), sum = 0;
        double step = exp(support_uniform(&r, -8, 3)), min = INFINITY, max = -INFINITY;
        draw_scores(&r, n, z);
        for (size_t i = 0; i < n; i++)
            v[i] = trial % 3 == 0 && i > 1 ? 0 : support_normal(&r);
        double length = draw_length(v, n);
        for (size_t i = 0; i < n; i++) {
            v[i] /= length;
            min = fmin(min, v[i]);
            max = fmax(max, v[i]);
        }
        DONE(norm_bound_softmax_difference(n, z, v, t, step, change, &error));
        for (size_t i = 0; i < n; i++)
            sum += fabs(change[i]) / 2;
        double g = draw_length(change, n) / step, variation = 0, two = 0, wide = 0, narrow = 0, simple = 0, k = 0;
        DONE(norm_bound_softmax_change(step * (max - min), t, &variation, &two, &error));
        DONE(norm_bound_softmax_sensitivity(t, step, &wide, &error));
        DONE(norm_bound_softmax_sensitivity_range(t, step, max - min, &narrow, &error));
        DONE(norm_bound_softmax_gradient(t, &k, &error));
        DONE(norm_bound_simplex_sensitivity(k, step, &simple, &error));
        double up = 1 + 1e-12;
        HOLDS(sum <= variation * up && g * step <= two * up && g <= narrow * up && narrow <= wide * up &&
                  wide <= simple * up,
              "n %zu t %g step %g, seed %llu", n, t, step, (unsigned long long)seed);
        DONE(norm_bound_softmax_gradient_published(t, &simple, &error));
        above_printed += g > simple;
    }
    ck_assert_int_gt(above_printed, 100);
}
END_TEST

START_TEST(two_tokens_attain_the_curve)
{
    for (double step = 1e-8; step < 1e3; step *= 7)
        for (double t = 1e-2; t < 1e2; t *= 9) {
            double half = step / 2 * sqrt(0.5), v[2] = {sqrt(0.5), -sqrt(0.5)}, z[2] = {-half, half}, change[2],
                   high = 0;
            DONE(norm_bound_softmax_difference(2, z, v, t, step, change, &error));
            DONE(norm_bound_softmax_sensitivity(t, step, &high, &error));
            HOLDS(fabs(draw_length(change, 2) / step / high - 1) < 1e-12, "step %g t %g", step, t);
        }
}
END_TEST

START_TEST(curve_has_no_bad_corner)
{
    double value = 0, small = 0x1p-1074, large = 1e308;
    DONE(norm_bound_softmax_sensitivity(1, small, &value, &error));
    TRUE(fabs(value - 0.5) < 1e-15);
    DONE(norm_bound_softmax_sensitivity(large, small, &value, &error));
    TRUE(fabs(value / (0.5 / large) - 1) < 1e-12);
    DONE(norm_bound_softmax_sensitivity(1e-300, 1e-300, &value, &error));
    TRUE(isfinite(value) && value <= 0.5e300);
    DONE(norm_bound_softmax_sensitivity(small, large, &value, &error));
    TRUE(fabs(value / (sqrt(2) / large) - 1) < 1e-12);
    DONE(norm_bound_simplex_sensitivity(INFINITY, 2, &value, &error));
    TRUE(value == sqrt(2) / 2);
}
END_TEST

/* The slope of log softplus(c z) lies in [0, c] and differs from entry to entry: the range must reach to 0. */
START_TEST(softplus_needs_the_wider_range)
{
    uint64_t seed = support_seed(2);
    struct support_random r = {seed};
    int broken = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        size_t n = 2 + support_below(&r, 6);
        double z[MOST], v[MOST], w[2][MOST], change[MOST], c = exp(support_uniform(&r, -1, 2));
        double min = INFINITY, max = -INFINITY, step = exp(support_uniform(&r, -4, 2)), high = 0;
        draw_scores(&r, n, z);
        for (size_t i = 0; i < n; i++)
            v[i] = support_normal(&r) + (trial % 2 ? 2 : 0);
        double length = draw_length(v, n);
        for (size_t i = 0; i < n; i++) {
            v[i] /= length;
            min = fmin(min, v[i]);
            max = fmax(max, v[i]);
        }
        for (int k = 0; k < 2; k++) {
            double sum = 0;
            for (size_t i = 0; i < n; i++) {
                double x = c * (z[i] + (k == 0 ? 0 : step * v[i]));
                sum += w[k][i] = x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
            }
            for (size_t i = 0; i < n; i++)
                w[k][i] = sum > 0 ? w[k][i] / sum : 0;
        }
        for (size_t i = 0; i < n; i++)
            change[i] = w[1][i] - w[0][i];
        double g = draw_length(change, n) / step, slack = 1e-12 + 1e-14 / step;
        DONE(norm_bound_softmax_sensitivity_range(1 / c, step, fmax(max, 0) - fmin(min, 0), &high, &error));
        HOLDS(g <= high + slack, "%g > %g, seed %llu", g, high, (unsigned long long)seed);
        DONE(norm_bound_softmax_sensitivity_range(1 / c, step, max - min, &high, &error));
        broken += g > high + slack;
    }
    ck_assert_int_gt(broken, 0);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("bounds on finite changes");
    TCase *tests = tcase_create("change");
    tcase_add_test(tests, change_stays_under_the_curve);
    tcase_add_test(tests, two_tokens_attain_the_curve);
    tcase_add_test(tests, curve_has_no_bad_corner);
    tcase_add_test(tests, softplus_needs_the_wider_range);
    suite_add_tcase(suite, tests);
    return suite;
}
