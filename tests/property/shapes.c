/* SPDX-License-Identifier: MIT */
/* Rows of every kind: equal, one-hot, steps, ties, huge and tiny, long, and one row among two thousand. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "property/specs.h"
#include "support/support.h"

enum { longest = 1 << 20, batch = 2048 };

static char text[128];
static uint64_t seed;
static float *narrow_z, *narrow_w;
static double *z, *w;

static void take_memory(void)
{
    narrow_z = malloc(longest * sizeof *narrow_z);
    narrow_w = malloc(longest * sizeof *narrow_w);
    z = malloc(longest * sizeof *z);
    w = malloc(longest * sizeof *w);
    ck_assert(narrow_z != NULL && narrow_w != NULL && z != NULL && w != NULL);
}

static void give_back(void)
{
    free(narrow_z);
    free(narrow_w);
    free(z);
    free(w);
}

static bool is(const char *name)
{
    const size_t length = strlen(name);
    return strncmp(text, name, length) == 0 && (text[length] == '\0' || text[length] == ':');
}

/* Both widths of the row in z (made float), and what must hold for it whatever it is. Check is asked once a row, not
 * once a score: it writes to a pipe each time. */
static void check_row(const norm_normalizer *normalizer, size_t n, const char *shape)
{
    const norm_rows rows = {.struct_size = sizeof rows, .batch = 1, .rows = 1, .cols = n};
    const uint64_t properties = norm_normalizer_properties(normalizer);
    long double narrow_sum = 0, sum = 0; /* a million terms would tell more of this sum than of the weights */
    double largest = 1;
    size_t nan = n, subnormal = n, apart = n;
    for (size_t i = 0; i < n; i++) {
        narrow_z[i] = (float)z[i];
        z[i] = (double)narrow_z[i];
    }
    ck_assert_int_eq(norm_apply_f32(normalizer, &rows, narrow_z, narrow_w, NULL, NULL, NULL), LIBNORM_OK);
    ck_assert_int_eq(norm_apply_f64(normalizer, &rows, z, w, NULL, NULL, NULL), LIBNORM_OK);
    for (size_t i = 0; i < n; i++) {
        if (isnan(w[i]) || isnan(narrow_w[i]))
            nan = i;
        if ((w[i] != 0 && fabs(w[i]) < DBL_MIN) || (narrow_w[i] != 0 && fabsf(narrow_w[i]) < FLT_MIN))
            subnormal = i;
        /* What does not fit into float is infinite there. */
        largest = fmax(largest, fabs(w[i]) <= (double)FLT_MAX ? fabs(w[i]) : 1);
        sum += (long double)w[i];
        narrow_sum += (long double)narrow_w[i];
    }
    for (size_t i = 0; i < n; i++)
        if (!(fabs((double)narrow_w[i] - w[i]) <= 1e-6 * largest) &&
            !(isinf(narrow_w[i]) && fabs(w[i]) >= (double)FLT_MAX * (1 - 1e-6)))
            apart = i;
    ck_assert_msg(nan == n, "%s, %s of %zu: NaN at %zu", text, shape, n, nan);
    ck_assert_msg(subnormal == n, "%s, %s of %zu: subnormal at %zu", text, shape, n, subnormal);
    ck_assert_msg(apart == n, "%s, %s of %zu at %zu: %.9g in float, %.17g in double", text, shape, n, apart,
                  apart < n ? (double)narrow_w[apart] : 0, apart < n ? w[apart] : 0);
    if (properties & LIBNORM_PROPERTY_SIMPLEX) {
        ck_assert_msg(fabsl(sum - 1) <= 1e-13L, "%s, %s of %zu: sum %.17Lg", text, shape, n, sum);
        ck_assert_msg(fabsl(narrow_sum - 1) <= 1e-6L, "%s, %s of %zu: float sum %.9Lg", text, shape, n,
                      narrow_sum);
    }
}

#define FOR_ALL                                                                                                        \
    seed = support_seed(20250204);                                                                                     \
    for (size_t s = 0; s < specs_count(); s++)

static void equal(size_t n, double x)
{
    for (size_t i = 0; i < n; i++)
        z[i] = x;
}

/* From the largest down: by equal steps, or each step half of the one before. */
static void arithmetic(size_t n, double step)
{
    for (size_t i = 0; i < n; i++)
        z[i] = -step * (double)((i * 7919) % n);
}

static void geometric(size_t n, double ratio)
{
    for (size_t i = 0; i < n; i++)
        z[i] = -pow(ratio, (double)(i % 64)) + 1;
}

START_TEST(equal_scores_share_equally)
{
    static const double values[] = {0, 1, -3, 1e-30, 1e30, -1e30};
    FOR_ALL
    {
        norm_normalizer *normalizer = specs_get(s, text);
        const bool simplex = norm_normalizer_properties(normalizer) & LIBNORM_PROPERTY_SIMPLEX;
        for (size_t v = 0; v < sizeof values / sizeof values[0]; v++)
            for (size_t n = 1; n <= 40; n++) {
                equal(n, values[v]);
                check_row(normalizer, n, "equal scores");
                for (size_t i = 0; i < n && !is("topk"); i++) {
                    ck_assert_msg(w[i] == w[0] && narrow_w[i] == narrow_w[0], "%s: %zu equal scores", text, n);
                    if (simplex)
                        ck_assert_double_eq_tol(w[i], 1 / (double)n, 1e-15);
                }
            }
        norm_normalizer_free(normalizer);
    }
}
END_TEST

START_TEST(one_score_far_above_the_others_takes_all)
{
    FOR_ALL
    {
        norm_normalizer *normalizer = specs_get(s, text);
        const uint64_t properties = norm_normalizer_properties(normalizer);
        for (size_t n = 2; n <= 33; n++) {
            const size_t place = (n * 5) % n;
            equal(n, 0);
            z[place] = 1e30;
            check_row(normalizer, n, "one-hot");
            /* elu1, square1 and softplus grow no faster than their score: only a score this large takes all. */
            if (properties & LIBNORM_PROPERTY_SIMPLEX)
                ck_assert_double_eq_tol(w[place], 1, 1e-15);
            if (properties & LIBNORM_PROPERTY_SPARSE && properties & LIBNORM_PROPERTY_SIMPLEX)
                ck_assert_msg(w[place] == 1 && narrow_w[place] == 1, "%s: %.17g", text, w[place]);
        }
        norm_normalizer_free(normalizer);
    }
}
END_TEST

START_TEST(steps_and_ties)
{
    static const double steps[] = {1e-6, 1e-3, 0.1, 1, 30};
    FOR_ALL
    {
        norm_normalizer *normalizer = specs_get(s, text);
        struct support_random random = {seed + s};
        for (size_t n = 1; n <= 300; n = n * 2 + 1) {
            for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
                arithmetic(n, steps[k]);
                check_row(normalizer, n, "arithmetic steps");
            }
            geometric(n, 0.5);
            check_row(normalizer, n, "falling steps");
            geometric(n, 1.5);
            check_row(normalizer, n, "growing steps");
            for (size_t i = 0; i < n; i++)
                z[i] = (double)support_below(&random, 3);
            check_row(normalizer, n, "three levels");
        }
        norm_normalizer_free(normalizer);
    }
}
END_TEST

START_TEST(scores_from_1e_minus_30_to_1e30)
{
    FOR_ALL
    {
        norm_normalizer *normalizer = specs_get(s, text);
        struct support_random random = {seed + s};
        for (int exponent = -30; exponent <= 30; exponent += 3)
            for (size_t n = 1; n <= 65; n = n * 2 + 1) {
                for (size_t i = 0; i < n; i++)
                    z[i] = pow(10, exponent) * support_normal(&random);
                check_row(normalizer, n, "scores of any size");
                for (size_t i = 0; i < n; i++)
                    z[i] = pow(10, support_uniform(&random, -30, 30)) * (support_below(&random, 2) ? 1 : -1);
                check_row(normalizer, n, "scores of mixed size");
            }
        norm_normalizer_free(normalizer);
    }
}
END_TEST

/* With the defaults, k of topk apart. */
START_TEST(a_million_scores)
{
    seed = support_seed(20250205);
    for (size_t r = 0; r < norm_registry_count(); r++) {
        norm_normalizer_info info = {.struct_size = sizeof info};
        norm_normalizer *normalizer = NULL;
        struct support_random random = {seed + r};
        ck_assert_int_eq(norm_registry_get(r, &info, NULL), LIBNORM_OK);
        strcpy(text, info.name);
        if (is("topk"))
            strcpy(text, "topk:k=1000");
        ck_assert_int_eq(norm_normalizer_parse(text, strlen(text), NULL, &normalizer, NULL), LIBNORM_OK);
        for (size_t i = 0; i < longest; i++)
            z[i] = support_normal(&random);
        check_row(normalizer, longest, "normal scores");
        norm_normalizer_free(normalizer);
    }
}
END_TEST

START_TEST(a_row_among_2048_has_the_bits_it_has_alone)
{
    FOR_ALL
    {
        enum { n = 37 };
        norm_normalizer *normalizer = specs_get(s, text);
        struct support_random random = {seed + s};
        const norm_rows all = {.struct_size = sizeof all, .batch = batch / 64, .rows = 64, .cols = n};
        const norm_rows one = {.struct_size = sizeof one, .batch = 1, .rows = 1, .cols = n};
        float alone[n];
        double wide[n];
        for (size_t i = 0; i < batch * n; i++) {
            narrow_z[i] = (float)(3 * support_normal(&random));
            z[i] = (double)narrow_z[i];
        }
        ck_assert_int_eq(norm_apply_f32(normalizer, &all, narrow_z, narrow_w, NULL, NULL, NULL), LIBNORM_OK);
        ck_assert_int_eq(norm_apply_f64(normalizer, &all, z, w, NULL, NULL, NULL), LIBNORM_OK);
        for (size_t k = 0; k < 24; k++) {
            const size_t row = k == 0 ? 0 : k == 1 ? batch - 1 : support_below(&random, batch);
            ck_assert_int_eq(norm_apply_f32(normalizer, &one, narrow_z + row * n, alone, NULL, NULL, NULL),
                             LIBNORM_OK);
            ck_assert_int_eq(norm_apply_f64(normalizer, &one, z + row * n, wide, NULL, NULL, NULL), LIBNORM_OK);
            ck_assert_msg(memcmp(alone, narrow_w + row * n, sizeof alone) == 0, "%s: row %zu in float", text, row);
            ck_assert_msg(memcmp(wide, w + row * n, sizeof wide) == 0, "%s: row %zu in double", text, row);
        }
        norm_normalizer_free(normalizer);
    }
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("shapes");
    TCase *tests = tcase_create("shapes");
    tcase_set_timeout(tests, 120);
    tcase_add_unchecked_fixture(tests, take_memory, give_back);
    tcase_add_test(tests, equal_scores_share_equally);
    tcase_add_test(tests, one_score_far_above_the_others_takes_all);
    tcase_add_test(tests, steps_and_ties);
    tcase_add_test(tests, scores_from_1e_minus_30_to_1e30);
    tcase_add_test(tests, a_million_scores);
    tcase_add_test(tests, a_row_among_2048_has_the_bits_it_has_alone);
    suite_add_tcase(suite, tests);
    return suite;
}
