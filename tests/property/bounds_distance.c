/* SPDX-License-Identifier: MIT */
#include "bounds_draw.h"

enum { MOST = 24, DIMS = 12, TRIALS = 12000 };

struct row {
    size_t n, dim, chosen;
    double w[MOST], x[MOST * DIMS], s[DIMS], each[MOST], distance, scale;
    uint8_t set[MOST];
};

/* scale: what rounding is measured by. */
static void measure(struct row *row)
{
    DONE(norm_bound_distance_value(row->n, row->dim, row->w, row->x, 0, row->set, row->s, row->each, &row->distance,
                                   &error));
    row->scale = 0;
    row->chosen = 0;
    for (size_t i = 0; i < row->n; i++) {
        row->scale += (double)row->n * fabs(row->w[i]) * draw_length(row->x + i * row->dim, row->dim);
        row->chosen += row->set[i] != 0;
    }
    row->scale *= 1e-13;
}

/* top: weights that sum to one and their N largest; else any set, and weights of any sum and sign. */
static void draw(struct support_random *r, struct row *row, int top)
{
    row->n = 1 + support_below(r, MOST);
    row->dim = 1 + support_below(r, DIMS);
    draw_weights(r, row->n, row->w);
    draw_tokens(r, row->n, row->dim, row->x);
    if (top) {
        DONE(norm_bound_select_top(row->n, row->w, 1 + support_below(r, row->n), row->set, &error));
    } else {
        double factor = support_uniform(r, 0, 3);
        int signs = support_below(r, 2) == 0;
        for (size_t i = 0; i < row->n; i++) {
            row->set[i] = support_below(r, 3) == 0;
            row->w[i] *= signs && support_below(r, 2) == 0 ? -factor : factor;
        }
    }
    measure(row);
}

static void holds(double low, const struct row *row, double high, uint64_t seed)
{
    HOLDS(low <= row->distance + row->scale && row->distance <= high + row->scale,
          "%.17g not in [%.17g, %.17g], seed %llu", row->distance, low, high, (unsigned long long)seed);
}

#define ROW row.n, row.dim, row.w, row.x, 0, row.set

START_TEST(all_three_hold_for_the_largest_weights)
{
    uint64_t seed = support_seed(1);
    struct support_random r = {seed};
    for (int trial = 0; trial < TRIALS; trial++) {
        struct row row;
        draw(&r, &row, 1);
        double low[3] = {0}, high[3] = {0}, theorem = 0, printed = 0;
        DONE(norm_bound_distance_theorem(ROW, &theorem, &error));
        DONE(norm_bound_distance_published(ROW, &printed, &error));
        DONE(norm_bound_distance_sandwich(ROW, &low[1], &high[1], &error));
        DONE(norm_bound_distance_moments(ROW, &low[2], &high[2], &error));
        DONE(norm_bound_distance(ROW, &low[0], &high[0], &error));
        holds(0, &row, theorem, seed);
        TRUE(fabs(theorem - printed) <= 10 * row.scale + 1e-12 * theorem);
        for (size_t k = 0; k < 3; k++)
            holds(low[k], &row, high[k], seed);
        TRUE(low[0] == fmax(low[1], low[2]) && high[0] == fmin(fmin(high[1], high[2]), theorem));
    }
}
END_TEST

START_TEST(all_hold_for_any_set_and_any_weights)
{
    uint64_t seed = support_seed(2);
    struct support_random r = {seed};
    int theorems = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        struct row row;
        draw(&r, &row, 0);
        double low = 0, high = 0;
        DONE(norm_bound_distance_sandwich(ROW, &low, &high, &error));
        holds(low, &row, high, seed);
        DONE(norm_bound_distance_moments(ROW, &low, &high, &error));
        holds(low, &row, high, seed);
        DONE(norm_bound_distance(ROW, &low, &high, &error));
        holds(low, &row, high, seed);
        int positive = 1;
        for (size_t i = 0; i < row.n; i++)
            positive &= row.w[i] >= 0;
        norm_status status = norm_bound_distance_theorem(ROW, &high, &error);
        ck_assert_int_eq(status, positive && row.chosen > 0 ? LIBNORM_OK : LIBNORM_E_ARGUMENT);
        if (status == LIBNORM_OK)
            holds(0, &row, high, seed);
        theorems += status == LIBNORM_OK;
    }
    ck_assert_int_gt(theorems, TRIALS / 4);
}
END_TEST

START_TEST(printed_form_fails_for_other_sets)
{
    struct support_random r = {support_seed(3)};
    int broken = 0;
    for (int trial = 0; trial < 2000; trial++) {
        struct row row;
        double printed = 0;
        draw(&r, &row, 1);
        for (size_t i = 0; i < row.n; i++)
            row.set[i] = support_below(&r, 2) == 0;
        measure(&row);
        if (row.chosen > 0 && norm_bound_distance_published(ROW, &printed, &error) == LIBNORM_OK)
            broken += row.distance > printed + row.scale;
    }
    ck_assert_int_gt(broken, 100);
    /* One by hand: all the weight outside the set. Distance 1, printed 1 - 2 + ... < 1. */
    static const double w[3] = {0, 0, 1}, x[3] = {1, 1, 1};
    static const uint8_t set[3] = {1, 0, 0};
    double s, d = 0, printed = 0, right = 0;
    DONE(norm_bound_distance_value(3, 1, w, x, 0, set, &s, NULL, &d, &error));
    DONE(norm_bound_distance_published(3, 1, w, x, 0, set, &printed, &error));
    DONE(norm_bound_distance_theorem(3, 1, w, x, 0, set, &right, &error));
    TRUE(d == 1 && printed == -1 && right == 1);
}
END_TEST

START_TEST(equal_tokens_attain_theorem_and_moments)
{
    struct support_random r = {support_seed(4)};
    for (int trial = 0; trial < 2000; trial++) {
        struct row row;
        draw(&r, &row, 1);
        for (size_t i = 1; i < row.n; i++)
            for (size_t k = 0; k < row.dim; k++)
                row.x[i * row.dim + k] = row.x[k];
        measure(&row);
        double high = 0, low = 0;
        DONE(norm_bound_distance_theorem(ROW, &high, &error));
        TRUE(fabs(high - row.distance) <= row.scale);
        for (size_t i = 0; i < row.n; i++) /* equal contributions: y_i all the same */
            row.w[i] = 1 / (double)row.n;
        measure(&row);
        DONE(norm_bound_distance_moments(ROW, &low, &high, &error));
        TRUE(fabs(high - row.distance) <= row.scale && fabs(low - row.distance) <= row.scale);
    }
}
END_TEST

START_TEST(strides_and_guards)
{
    struct support_random r = {support_seed(5)};
    struct row row;
    do
        draw(&r, &row, 1);
    while (row.n < 4 || row.dim < 2);
    struct support_guard guard = support_guard_new(row.n * sizeof(double), 8);
    double wide[MOST * (DIMS + 3)], back[MOST * DIMS], d = 0;
    for (size_t i = 0; i < row.n; i++)
        for (size_t k = 0; k < row.dim; k++) {
            wide[i * (row.dim + 3) + k] = row.x[i * row.dim + k];
            back[(row.n - 1 - i) * row.dim + k] = row.x[i * row.dim + k];
        }
    DONE(norm_bound_distance_value(row.n, row.dim, row.w, wide, (int64_t)row.dim + 3, row.set, row.s, guard.data, &d,
                                   &error));
    TRUE(d == row.distance && support_guard_intact(&guard));
    DONE(norm_bound_distance_value(row.n, row.dim, row.w, back + (row.n - 1) * row.dim, -(int64_t)row.dim, row.set,
                                   row.s, NULL, &d, &error));
    TRUE(d == row.distance);
    ck_assert_int_eq(norm_bound_distance_value(row.n, row.dim, row.w, back + (row.n - 1) * row.dim, -(int64_t)row.dim,
                                               row.set, back, NULL, &d, &error),
                     LIBNORM_E_OVERLAP);
    support_guard_free(&guard);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("bounds on the distance");
    TCase *tests = tcase_create("distance");
    tcase_add_test(tests, all_three_hold_for_the_largest_weights);
    tcase_add_test(tests, all_hold_for_any_set_and_any_weights);
    tcase_add_test(tests, printed_form_fails_for_other_sets);
    tcase_add_test(tests, equal_tokens_attain_theorem_and_moments);
    tcase_add_test(tests, strides_and_guards);
    suite_add_tcase(suite, tests);
    return suite;
}
