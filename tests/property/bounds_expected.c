/* SPDX-License-Identifier: MIT */
/* The expected distance over all sets of N tokens, against every one of these sets. */
#include "bounds_draw.h"

enum { MOST = 8, DIMS = 4, TRIALS = 2200 };

struct row {
    size_t n, dim;
    double w[MOST], x[MOST * DIMS], along[MOST], across[MOST], scale;
    norm_random_set set;
};

static void prepare(struct row *row)
{
    row->set = (norm_random_set){.struct_size = sizeof row->set};
    DONE(norm_bound_random_set(row->n, row->dim, row->w, row->x, 0, row->along, row->across, &row->set, &error));
    row->scale = 1e-13 * (double)row->n * row->set.length;
}

static void draw(struct support_random *r, struct row *row)
{
    row->n = 1 + support_below(r, MOST);
    row->dim = 1 + support_below(r, DIMS);
    draw_weights(r, row->n, row->w);
    draw_tokens(r, row->n, row->dim, row->x);
    if (support_below(r, 3) == 0)
        for (size_t i = 0; i < row->n; i++)
            row->w[i] *= support_uniform(r, -2, 2);
    prepare(row);
}

/* Mean distance, or mean sum of squared distances, over all sets of chosen tokens. */
static double enumerate(const struct row *row, size_t chosen, int squared)
{
    double sum = 0, sets = 0;
    for (unsigned bits = 0; bits < 1u << row->n; bits++) {
        uint8_t set[MOST];
        size_t count = 0;
        for (size_t i = 0; i < row->n; i++)
            count += set[i] = (uint8_t)(bits >> i & 1u);
        if (count != chosen)
            continue;
        double s[DIMS], each[MOST], d = 0;
        DONE(norm_bound_distance_value(row->n, row->dim, row->w, row->x, 0, set, s, each, &d, &error));
        sets++;
        if (!squared)
            sum += d;
        for (size_t i = 0; squared && i < row->n; i++)
            sum += set[i] ? 0 : each[i] * each[i];
    }
    return sum / sets;
}

START_TEST(interval_holds_over_all_sets)
{
    uint64_t seed = support_seed(1);
    struct support_random r = {seed};
    int cases = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        struct row row;
        draw(&r, &row);
        for (size_t n = 0; n <= row.n; n++, cases++) {
            double e = enumerate(&row, n, 0), low = 0, high = 0, additive = 0, cap = 0, slack = row.scale;
            DONE(norm_bound_expected_distance(&row.set, n, &low, &high, &error));
            DONE(norm_bound_expected_distance_additive(&row.set, n, &additive, &error));
            DONE(norm_bound_expected_distance_cap(&row.set, n, &cap, &error));
            HOLDS(low <= e + slack && e <= high + slack && high <= additive + slack && e <= cap + slack,
                  "N %zu of %zu: %.17g <= %.17g <= %.17g <= %.17g, %.17g, seed %llu", n, row.n, low, e, high, additive,
                  cap, (unsigned long long)seed);
            if (n == 0 || n + 1 >= row.n)
                TRUE(fabs(low - e) <= slack && fabs(high - e) <= slack);
        }
    }
    ck_assert_int_gt(cases, 10000);
}
END_TEST

START_TEST(squares_are_exact)
{
    struct support_random r = {support_seed(2)};
    for (int trial = 0; trial < TRIALS / 4; trial++) {
        struct row row;
        draw(&r, &row);
        for (size_t n = 0; n <= row.n; n++) {
            double e = enumerate(&row, n, 1), value = 0;
            DONE(norm_bound_expected_square(&row.set, n, &value, &error));
            TRUE(fabs(value - e) <= 1e-12 * (double)(row.n * row.n) * row.set.length * row.set.length);
        }
    }
}
END_TEST

START_TEST(corollary_holds_with_its_errors_and_fails_without)
{
    struct support_random r = {support_seed(3)};
    int cases = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        struct row row;
        draw(&r, &row);
        for (size_t n = 0; n <= row.n; n++, cases++) {
            double e = enumerate(&row, n, 0), limit = 0, lower_error = 0, bound = 0, low = 0, high = 0;
            DONE(norm_bound_expected_distance_limit(&row.set, n, &limit, &lower_error, &bound, &error));
            DONE(norm_bound_expected_distance(&row.set, n, &low, &high, &error));
            TRUE(fabs(e - limit) <= bound + row.scale && fabs(low - limit) <= lower_error + row.scale);
        }
    }
    ck_assert_int_gt(cases, 10000);
    /* Equal unit vectors and weights, N = 5: the expectation is near 4, the printed limit 1, for every L. */
    enum { L = 1000 };
    static double w[L], x[L], along[L], across[L];
    for (size_t i = 0; i < L; i++) {
        w[i] = 1.0 / L;
        x[i] = 1;
    }
    norm_random_set set = {.struct_size = sizeof set};
    double low = 0, high = 0, printed = 0, cap = 0;
    DONE(norm_bound_random_set(L, 1, w, x, 0, along, across, &set, &error));
    DONE(norm_bound_expected_distance(&set, 5, &low, &high, &error));
    DONE(norm_bound_expected_distance_limit_published(&set, &printed, &error));
    DONE(norm_bound_expected_distance_cap(&set, 5, &cap, &error));
    TRUE(fabs(low - 3.98) < 1e-9 && fabs(high - 3.98) < 1e-9 && fabs(printed - 1) < 1e-12 && cap >= high);
}
END_TEST

START_TEST(printed_expectation_grows_like_the_length)
{
    struct support_random r = {support_seed(4)};
    enum { D = 16, L = 512 };
    static double w[L], x[L * D], along[L], across[L], z[L];
    double ratio[2];
    for (int k = 0; k < 2; k++) {
        size_t n = k == 0 ? 32 : L;
        for (size_t i = 0; i < n; i++) {
            z[i] = support_normal(&r);
            for (size_t d = 0; d < D; d++)
                x[i * D + d] = support_normal(&r) / 4 + 0.5; /* the mean of the tokens is not 0 */
        }
        draw_softmax(n, z, 1, w);
        norm_random_set set = {.struct_size = sizeof set};
        double low = 0, high = 0, printed = 0;
        DONE(norm_bound_random_set(n, D, w, x, 0, along, across, &set, &error));
        DONE(norm_bound_expected_distance(&set, 5, &low, &high, &error));
        DONE(norm_bound_expected_distance_published(n, D, w, x, 0, 5, &printed, NULL, &error));
        ratio[k] = printed / high;
    }
    HOLDS(ratio[0] > 3 && ratio[1] > 10 * ratio[0], "%g %g", ratio[0], ratio[1]);
}
END_TEST

START_TEST(workspace_of_the_stated_size_suffices)
{
    static const double w[3] = {.5, .3, .2}, x[6] = {1, 0, 0, 1, 1, 1};
    size_t bytes = 0;
    DONE(norm_bound_workspace(3, 2, &bytes, &error));
    struct support_guard guard = support_guard_new(bytes, 3);
    norm_exec exec = {.struct_size = sizeof exec, .workspace = guard.data, .workspace_size = bytes};
    double a = 0, b = 0;
    DONE(norm_bound_expected_distance_published(3, 2, w, x, 0, 1, &a, &exec, &error));
    DONE(norm_bound_expected_distance_published(3, 2, w, x, 0, 1, &b, NULL, &error));
    TRUE(a == b && support_guard_intact(&guard));
    exec.workspace_size = 8;
    ck_assert_int_eq(norm_bound_expected_distance_published(3, 2, w, x, 0, 1, &a, &exec, &error), LIBNORM_E_ARGUMENT);
    support_guard_free(&guard);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("bounds on the expected distance");
    TCase *tests = tcase_create("expected");
    tcase_add_test(tests, interval_holds_over_all_sets);
    tcase_add_test(tests, squares_are_exact);
    tcase_add_test(tests, corollary_holds_with_its_errors_and_fails_without);
    tcase_add_test(tests, printed_expectation_grows_like_the_length);
    tcase_add_test(tests, workspace_of_the_stated_size_suffices);
    suite_add_tcase(suite, tests);
    return suite;
}
