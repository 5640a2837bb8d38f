/* SPDX-License-Identifier: MIT */
#include "measure/sums.h"

#include <float.h>
#include <libnorm/exec.h>
#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "support/support.h"

static const int32_t levels[] = {LIBNORM_CPU_SCALAR, LIBNORM_CPU_NEON, LIBNORM_CPU_AVX2, LIBNORM_CPU_AVX512};

/* Weights with zeros among them, and one that is the largest. */
static void fill(struct support_random *random, float *w, size_t n)
{
    for (size_t i = 0; i < n; i++)
        w[i] = support_below(random, 3) == 0 ? 0 : (float)exp(3 * support_normal(random));
}

START_TEST(sums_are_what_they_say)
{
    struct support_random random = {support_seed(5)};
    const struct norm__sum_functions *f = norm__sum_functions(norm__cpu_level(0));
    for (size_t n = 0; n < 300; n++) {
        float w[300];
        fill(&random, w, n);
        struct norm__sums sums = {1, 2, 3};
        double weight = 1, square = 2, distance = 3, max = -INFINITY;
        size_t support = 0, found = 99;
        const size_t beyond = support_below(&random, 50);
        for (size_t i = 0; i < n; i++) {
            weight += w[i];
            square += (double)w[i] * w[i];
            distance += w[i] * (double)(n - 1 - i + beyond);
            support += w[i] != 0;
            max = fmax(max, w[i]);
        }
        f->add(&sums, w, n, (double)(n + beyond) - 1);
        ck_assert_double_eq_tol(sums.weight, weight, 1e-13 * weight);
        ck_assert_double_eq_tol(sums.square, square, 1e-13 * square);
        ck_assert_double_eq_tol(sums.distance, distance, 1e-13 * distance);
        ck_assert(f->count(w, n, &found));
        ck_assert_uint_eq(found, support);
        ck_assert_double_eq(f->max(w, n), max);
        for (size_t i = 0; i < n; i++) {
            size_t first = 0;
            while (w[first] != w[i])
                first++;
            ck_assert_uint_eq(f->find(w, n, w[i]), first);
        }
    }
}
END_TEST

START_TEST(what_is_no_weight_is_seen_wherever_it_is)
{
    static const float bad[] = {NAN, -1, -FLT_TRUE_MIN, -INFINITY};
    const struct norm__sum_functions *f = norm__sum_functions(norm__cpu_level(0));
    for (size_t n = 1; n < 70; n++)
        for (size_t i = 0; i < n; i++)
            for (size_t b = 0; b < sizeof bad / sizeof bad[0]; b++) {
                float w[70] = {0};
                size_t support;
                w[i] = bad[b];
                ck_assert(!f->count(w, n, &support));
                w[i] = -0.0f;
                ck_assert(f->count(w, n, &support) && support == 0);
                w[i] = INFINITY;
                ck_assert(f->count(w, n, &support) && support == 1);
            }
}
END_TEST

START_TEST(the_largest_passes_over_nan)
{
    const struct norm__sum_functions *f = norm__sum_functions(norm__cpu_level(0));
    for (size_t n = 2; n < 70; n++)
        for (size_t i = 0; i < n; i++) {
            float x[70];
            for (size_t j = 0; j < n; j++)
                x[j] = NAN;
            x[i] = -3;
            ck_assert_double_eq(f->max(x, n), -3);
            x[(i + 1) % n] = -INFINITY;
            ck_assert_double_eq(f->max(x, n), -3);
        }
    ck_assert_double_eq(f->max(NULL, 0), -INFINITY);
}
END_TEST

START_TEST(all_levels_give_the_same_bits)
{
    struct support_random random = {support_seed(6)};
    const struct norm__sum_functions *plain = norm__sum_functions(LIBNORM_CPU_SCALAR);
    for (size_t n = 0; n < 600; n++) {
        float w[600];
        struct norm__sums want = {0, 0, 0};
        fill(&random, w, n);
        plain->add(&want, w, n, (double)n);
        for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
            const struct norm__sum_functions *f = norm__sum_functions(norm__cpu_level(levels[i]));
            struct norm__sums got = {0, 0, 0};
            f->add(&got, w, n, (double)n);
            ck_assert_mem_eq(&got, &want, sizeof want);
            ck_assert_double_eq(f->max(w, n), plain->max(w, n));
        }
    }
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("sums");
    TCase *tests = tcase_create("sums");
    tcase_add_test(tests, sums_are_what_they_say);
    tcase_add_test(tests, what_is_no_weight_is_seen_wherever_it_is);
    tcase_add_test(tests, the_largest_passes_over_nan);
    tcase_add_test(tests, all_levels_give_the_same_bits);
    suite_add_tcase(suite, tests);
    return suite;
}
