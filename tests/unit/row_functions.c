/* SPDX-License-Identifier: MIT */
#include "gpt2/rows.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <libnorm/exec.h>

#include "support/support.h"

static const int32_t levels[] = {LIBNORM_CPU_BASELINE, LIBNORM_CPU_AVX2, LIBNORM_CPU_AVX512};
enum { n_levels = sizeof levels / sizeof levels[0], longest = 300 };

/* NULL where the machine lacks the level. */
static const struct norm__row_functions *at_level(int i)
{
    return levels[i] <= norm_cpu_level() || levels[i] == LIBNORM_CPU_BASELINE ? norm__row_functions(levels[i]) : NULL;
}

static double gelu(int erf_form, double x)
{
    if (erf_form)
        return 0.5 * x * erfc(-x / sqrt(2));
    return x / (1 + exp(-2 * sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x)));
}

START_TEST(gelu_is_as_exact_as_float_allows)
{
    const struct norm__row_functions *f = at_level(_i);
    if (f == NULL)
        return;
    for (int erf_form = 0; erf_form <= 1; erf_form++) {
        double worst = 0, worst_at = 0;
        for (float start = -14; start < 14; start += 0.01f) {
            float x[64], zero[64] = {0}, y[64];
            for (int i = 0; i < 64; i++)
                y[i] = x[i] = start + (float)i * 0x1.3p-13f;
            (erf_form ? f->gelu_erf : f->gelu_tanh)(64, zero, y);
            for (int i = 0; i < 64; i++) {
                double error = fabs((double)y[i] - gelu(erf_form, (double)x[i])) / fmax(1, fabs((double)x[i]));
                if (error > worst) {
                    worst = error;
                    worst_at = (double)x[i];
                }
            }
        }
        ck_assert_msg(worst <= 0x1p-22, "form %d: error %.3g at %.9g", erf_form, worst, worst_at);
    }
}
END_TEST

START_TEST(gelu_at_the_ends)
{
    const struct norm__row_functions *f = at_level(_i);
    if (f == NULL)
        return;
    const float given[] = {NAN, -NAN, INFINITY, 0, -0.0f, 1e30f, FLT_MAX, -1e30f, -FLT_MAX, -INFINITY, -100, 1e-20f};
    enum { n = sizeof given / sizeof given[0] };
    for (int erf_form = 0; erf_form <= 1; erf_form++) {
        float x[n], zero[n] = {0};
        memcpy(x, given, sizeof x);
        (erf_form ? f->gelu_erf : f->gelu_tanh)(n, zero, x);
        ck_assert(isnan(x[0]) && isnan(x[1]));
        ck_assert(x[2] == INFINITY && x[3] == 0 && x[4] == 0 && x[5] == 1e30f && x[6] == FLT_MAX);
        for (int i = 7; i <= 10; i++)
            ck_assert_msg(x[i] <= 0 && x[i] > -1e-20f && (x[i] == 0 || isnormal(x[i])), "%.9g gives %.9g",
                          (double)given[i], (double)x[i]);
        ck_assert_msg(fabs((double)x[11] - 0.5e-20) < 1e-27, "%.9g", (double)x[11]);
    }
}
END_TEST

START_TEST(bias_comes_before_gelu)
{
    const struct norm__row_functions *f = at_level(_i);
    if (f == NULL)
        return;
    float x[3] = {1, 2, 3}, bias[3] = {-0.5f, 0, 1};
    f->gelu_tanh(3, bias, x);
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq_tol((double)x[i], gelu(0, i + 1 + (double)bias[i]), 1e-6);
}
END_TEST

START_TEST(layer_norm_agrees_with_the_formula)
{
    const struct norm__row_functions *f = at_level(_i);
    if (f == NULL)
        return;
    struct support_random r = {support_seed(4)};
    float x[longest], w[longest], b[longest], y[longest];
    for (size_t n = 1; n <= longest; n++) {
        /* A mean a thousand times the deviation: what cancels must cancel in double. */
        const double offset = n % 3 == 0 ? 1000 : 0;
        double mean = 0, variance = 0;
        for (size_t i = 0; i < n; i++) {
            x[i] = (float)(offset + support_normal(&r));
            w[i] = (float)support_normal(&r);
            b[i] = (float)support_normal(&r);
            mean += (double)x[i] / (double)n;
        }
        for (size_t i = 0; i < n; i++)
            variance += ((double)x[i] - mean) * ((double)x[i] - mean) / (double)n;
        f->layer_norm(n, x, w, b, 1e-5, y);
        for (size_t i = 0; i < n; i++) {
            double z = ((double)x[i] - mean) / sqrt(variance + 1e-5) * (double)w[i], expected = z + (double)b[i];
            ck_assert_msg(fabs((double)y[i] - expected) <= 0x1p-22 * (fabs(z) + fabs((double)b[i])),
                          "n %zu [%zu]: %.9g, not %.9g", n, i, (double)y[i], expected);
        }
    }
}
END_TEST

START_TEST(all_levels_give_the_same_bits)
{
    struct support_random r = {support_seed(5)};
    for (size_t n = 0; n <= longest; n++) {
        float x[3][longest] = {{0}}, bias[longest], weight[longest];
        for (size_t i = 0; i < n; i++) {
            x[0][i] = (float)(3 * support_normal(&r));
            bias[i] = (float)support_normal(&r);
            weight[i] = (float)support_normal(&r);
        }
        for (int i = 1; i < n_levels; i++)
            memcpy(x[i], x[0], sizeof x[0]);
        for (int i = 0; i < n_levels; i++) {
            const struct norm__row_functions *f = at_level(i);
            if (f == NULL)
                continue;
            f->gelu_erf(n, bias, x[i]);
            f->add(n, bias, x[i]);
            f->gelu_tanh(n, weight, x[i]);
            if (n != 0)
                f->layer_norm(n, x[i], weight, bias, 1e-5, x[i]);
            ck_assert_msg(memcmp(x[i], x[0], sizeof x[0]) == 0, "level %d differs at n = %zu", (int)levels[i], n);
        }
    }
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("row_functions");
    TCase *tests = tcase_create("row_functions");
    tcase_add_loop_test(tests, gelu_is_as_exact_as_float_allows, 0, n_levels);
    tcase_add_loop_test(tests, gelu_at_the_ends, 0, n_levels);
    tcase_add_loop_test(tests, bias_comes_before_gelu, 0, n_levels);
    tcase_add_loop_test(tests, layer_norm_agrees_with_the_formula, 0, n_levels);
    tcase_add_test(tests, all_levels_give_the_same_bits);
    suite_add_tcase(suite, tests);
    return suite;
}
