/* SPDX-License-Identifier: MIT */
#include <libnorm/norm.h>

#include <math.h>
#include <string.h>

#include "support/support.h"

static norm_error error = {sizeof error, 0, 0, ""};
#define DONE(call) ck_assert_msg((call) == LIBNORM_OK, "%s", error.text)

static void same(double got, double want, double tolerance)
{
    ck_assert_msg(fabs(got - want) <= tolerance * fabs(want), "%.17g, expected %.17g", got, want);
}

/* Two scores one step apart: weights move from 1/2 to the logistic of a, a = step sqrt(2)/T. */
START_TEST(two_equal_scores)
{
    const double z[2] = {7, 7}, v[2] = {sqrt(.5), -sqrt(.5)};
    for (double step = 1e-9; step < 100; step *= 10)
        for (double t = .01; t < 20; t *= 3) {
            double g = 0, cap = 0;
            DONE(norm_measure_sensitivity(2, z, v, t, step, &g, NULL, &error));
            same(g, sqrt(2) * tanh(step / (sqrt(2) * t)) / 2 / step, 1e-12);
            DONE(norm_bound_softmax_sensitivity(t, step, &cap, &error));
            ck_assert(g <= cap * (1 + 1e-12));
        }
}
END_TEST

START_TEST(the_change_of_computed_weights)
{
    const double before[3] = {.5, .25, .25}, after[3] = {.4, .45, .15};
    double g = 0;
    DONE(norm_measure_change(3, before, after, .5, &g, &error));
    same(g, sqrt(.01 + .04 + .01) / .5, 1e-14);
    DONE(norm_measure_change(3, before, before, .5, &g, &error));
    ck_assert(g == 0);
    DONE(norm_measure_change(2, (double[]){0, 0}, (double[]){3e-200, 4e-200}, 1, &g, &error));
    same(g, 5e-200, 1e-14);
}
END_TEST

/* For a small step the worst direction answers with the norm of the Jacobian, any other with less. */
START_TEST(spectral_is_the_worst_direction)
{
    const double z[4] = {1, 2, 3, .5};
    double norm = 0, worst = 0;
    DONE(norm_measure_spectral(4, z, 1, &norm, NULL, &error));
    same(norm, .358502005936, 1e-11);
    for (uint64_t k = 0; k < 2000; k++) {
        double v[4], g = 0;
        DONE(norm_measure_direction(5, k, 4, v, &error));
        DONE(norm_measure_sensitivity(4, z, v, 1, 1e-7, &g, NULL, &error));
        worst = fmax(worst, g);
    }
    ck_assert(worst <= norm * (1 + 1e-6) && worst > .97 * norm);
    DONE(norm_measure_spectral(2, (double[]){3, 3}, .25, &norm, NULL, &error));
    same(norm, 2, 1e-14); /* 1/(2T): twice the published constant */
}
END_TEST

START_TEST(balanced_mass_by_hand)
{
    double low = 0, high = 0;
    DONE(norm_measure_balanced(4, (double[]){.45, .3, .2, .05}, &low, &high, NULL, &error));
    same(low, 1, 1e-14);
    same(high, 1, 1e-14);
    DONE(norm_measure_balanced(3, (double[]){.9, .7, .4}, &low, &high, NULL, &error)); /* over 2: .45, .35, .2 */
    same(low, .99, 1e-14);
    same(high, .99, 1e-14);
    DONE(norm_measure_balanced(3, (double[]){3, 0, 0}, &low, NULL, NULL, &error));
    ck_assert(low == 0);
    DONE(norm_measure_balanced(4, (double[]){7, 1, 1, 1}, NULL, &high, NULL, &error));
    same(high, 4 * .7 * .3, 1e-14);
}
END_TEST

START_TEST(directions_are_unit_repeatable_and_uniform)
{
    enum { COUNT = 33, STREAMS = 4000 };
    double v[COUNT], again[COUNT], mean[COUNT] = {0}, fourth = 0, product = 0, last[COUNT] = {0};
    for (uint64_t k = 0; k < STREAMS; k++) {
        double square = 0;
        DONE(norm_measure_direction(1, k, COUNT, v, &error));
        DONE(norm_measure_direction(1, k, COUNT, again, &error));
        ck_assert_mem_eq(v, again, sizeof v);
        for (size_t i = 0; i < COUNT; i++) {
            square += v[i] * v[i];
            mean[i] += v[i] / STREAMS;
            fourth += v[i] * v[i] * v[i] * v[i] / STREAMS;
            product += v[i] * last[i] / STREAMS;
        }
        memcpy(last, v, sizeof v);
        ck_assert(fabs(square - 1) < 1e-14);
    }
    /* On the sphere of R^n: E v_i = 0, sum E v_i^4 = 3/(n + 2); neighbouring streams do not know of each other. */
    for (size_t i = 0; i < COUNT; i++)
        ck_assert(fabs(mean[i]) < 5 / sqrt(COUNT * (double)STREAMS));
    ck_assert(fabs(fourth * (COUNT + 2) / 3 - 1) < .03);
    ck_assert(fabs(product) < 5 / sqrt(COUNT * (double)STREAMS));
    DONE(norm_measure_direction(2, 0, COUNT, again, &error));
    ck_assert(memcmp(last, again, sizeof last) != 0);
    DONE(norm_measure_direction(2, 0, 1, v, &error));
    ck_assert(fabs(v[0]) == 1);
}
END_TEST

static void refused(norm_status status, const char *text, double result, int line)
{
    ck_assert_msg(status == LIBNORM_E_ARGUMENT, "line %d: %d", line, (int)status);
    ck_assert_msg(strstr(error.text, text) != NULL, "line %d: '%s' lacks '%s'", line, error.text, text);
    ck_assert_msg(result == 42, "line %d: written", line);
    error.text[0] = '\0';
}
#define REFUSED(text, call) refused(call, text, g, __LINE__)

START_TEST(bad_arguments_are_refused_by_name)
{
    const double z[3] = {1, 2, 3}, v[3] = {1, 0, 0}, bad[3] = {1, NAN, 3}, minus[3] = {1, -1, 0}, none[3] = {0, 0, 0};
    double g = 42;
    REFUSED("count = 0", norm_measure_sensitivity(0, z, v, 1, 1, &g, NULL, &error));
    REFUSED("count = 1: expected at least 2", norm_measure_sensitivity(1, z, v, 1, 1, &g, NULL, &error));
    REFUSED("temperature = 0", norm_measure_sensitivity(3, z, v, 0, 1, &g, NULL, &error));
    REFUSED("temperature = -1", norm_measure_sensitivity(3, z, v, -1, 1, &g, NULL, &error));
    REFUSED("temperature = nan", norm_measure_sensitivity(3, z, v, NAN, 1, &g, NULL, &error));
    REFUSED("step = 0", norm_measure_sensitivity(3, z, v, 1, 0, &g, NULL, &error));
    REFUSED("scores[1] = nan", norm_measure_sensitivity(3, bad, v, 1, 1, &g, NULL, &error));
    REFUSED("direction[1] = nan", norm_measure_sensitivity(3, z, bad, 1, 1, &g, NULL, &error));
    REFUSED("direction has the length 0: expected 1", norm_measure_sensitivity(3, z, none, 1, 1, &g, NULL, &error));
    REFUSED("direction has the length 3.74", norm_measure_sensitivity(3, z, z, 1, 1, &g, NULL, &error));
    REFUSED("ret_sensitivity is NULL", norm_measure_sensitivity(3, z, v, 1, 1, NULL, NULL, &error));
    REFUSED("count = 0", norm_measure_change(0, z, v, 1, &g, &error));
    REFUSED("before[1] = nan", norm_measure_change(3, bad, v, 1, &g, &error));
    REFUSED("after[1] = nan", norm_measure_change(3, z, bad, 1, &g, &error));
    REFUSED("step = -1", norm_measure_change(3, z, v, -1, &g, &error));
    REFUSED("count = 1", norm_measure_spectral(1, z, 1, &g, NULL, &error));
    REFUSED("temperature = 0", norm_measure_spectral(3, z, 0, &g, NULL, &error));
    REFUSED("ret_norm is NULL", norm_measure_spectral(3, z, 1, NULL, NULL, &error));
    REFUSED("count = 1", norm_measure_balanced(1, z, &g, NULL, NULL, &error));
    REFUSED("weights[1] = -1", norm_measure_balanced(3, minus, &g, NULL, NULL, &error));
    REFUSED("weights[1] = nan", norm_measure_balanced(3, bad, &g, NULL, NULL, &error));
    REFUSED("weights sum to 0", norm_measure_balanced(3, none, &g, NULL, NULL, &error));
    REFUSED("ret_upper is NULL", norm_measure_balanced(3, z, NULL, NULL, NULL, &error));
    REFUSED("count = 0", norm_measure_direction(1, 1, 0, &g, &error));
    REFUSED("ret_direction is NULL", norm_measure_direction(1, 1, 3, NULL, &error));
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("measure_sensitivity");
    TCase *tests = tcase_create("measure_sensitivity");
    tcase_add_test(tests, two_equal_scores);
    tcase_add_test(tests, the_change_of_computed_weights);
    tcase_add_test(tests, spectral_is_the_worst_direction);
    tcase_add_test(tests, balanced_mass_by_hand);
    tcase_add_test(tests, directions_are_unit_repeatable_and_uniform);
    tcase_add_test(tests, bad_arguments_are_refused_by_name);
    suite_add_tcase(suite, tests);
    return suite;
}
