/* SPDX-License-Identifier: MIT */
/* Rows measured by hand, by other functions and by enumeration. */
#include <libnorm/norm.h>

#include <math.h>
#include <string.h>

#include "support/allocator.h"
#include "support/support.h"

static norm_error error = {sizeof error, 0, 0, ""};
#define DONE(call) ck_assert_msg((call) == LIBNORM_OK, "%s", error.text)
#define ALL                                                                                                            \
    (LIBNORM_DISTANCE_BOUNDS | LIBNORM_DISTANCE_EXPECTED | LIBNORM_DISTANCE_SEPARABLE | LIBNORM_DISTANCE_UNIT)

static void same(double got, double want, double tolerance)
{
    ck_assert_msg(fabs(got - want) <= tolerance * fmax(1, fabs(want)), "%.17g, expected %.17g", got, want);
}

static const double tokens[8] = {1, 0, 0, 1, 1, 1, -1, .5};

static void worked_weights(double w[4])
{
    static const double z[4] = {1, 2, 3, .5};
    double sum = 0;
    for (size_t i = 0; i < 4; i++)
        sum += w[i] = exp(z[i]);
    for (size_t i = 0; i < 4; i++)
        w[i] /= sum;
}

START_TEST(the_worked_geometry)
{
    double w[4];
    norm_row_distance row = {.struct_size = sizeof row};
    worked_weights(w);
    DONE(norm_measure_distance(4, 2, w, tokens, 0, 2, LIBNORM_DISTANCE_BOUNDS | LIBNORM_DISTANCE_EXPECTED, &row, NULL,
                               &error));
    ck_assert(row.tokens == 4 && row.selected == 2 && row.flags == 0);
    same(row.distance, 2.100792842429, 1e-12);
    same(row.mean, 2.100792842429 / 2, 1e-12);
    same(row.radius, 1.020786091467, 1e-12);
    ck_assert(row.inside == 1);
    same(row.context, hypot(.630795543247, .862852255191), 1e-11);
    same(row.mass, .862852255191, 1e-11);
    same(row.lower, 2.096987812803, 1e-12);
    same(row.upper, 2.101627382129, 1e-12);
    same(row.theorem, 2.529295841554, 1e-12);
    same(row.expected_lower, 1.338798354095, 1e-12);
    same(row.expected_upper, 1.519964484766, 1e-12);
    ck_assert(isnan(row.separable_lower) && isnan(row.separable_upper) && isnan(row.separable_published));
}
END_TEST

START_TEST(what_is_not_asked_for_is_not_a_number)
{
    double w[4];
    norm_row_distance row = {.struct_size = sizeof row};
    worked_weights(w);
    DONE(norm_measure_distance(4, 2, w, tokens, 0, 2, 0, &row, NULL, &error));
    same(row.distance, 2.100792842429, 1e-12);
    ck_assert(isnan(row.lower) && isnan(row.upper) && isnan(row.theorem) && isnan(row.expected_lower) &&
              isnan(row.expected_upper));
    /* Signed weights have a distance and two bounds, but not the theorem's. */
    w[0] = -w[0];
    DONE(norm_measure_distance(4, 2, w, tokens, 0, 2, ALL, &row, NULL, &error));
    ck_assert(row.lower <= row.distance && row.distance <= row.upper && isnan(row.theorem));
    ck_assert(isnan(row.separable_upper) && !isnan(row.expected_upper));
}
END_TEST

/* Two unit axes and a duplicate: 3/4 of the weight on (3,0), 1/8 each on (0,5) and (0,7). */
START_TEST(unit_vectors_by_hand)
{
    const double w[3] = {.75, .125, .125}, x[9] = {3, 0, 9, 0, 5, 9, 0, 7, 9};
    norm_row_distance row = {.struct_size = sizeof row};
    DONE(norm_measure_distance(3, 2, w, x, 3, 1, ALL, &row, NULL, &error));
    same(row.distance, 2 * hypot(.75, .125), 1e-15);
    same(row.radius, hypot(.75, .125), 1e-15);
    ck_assert(row.inside == 1 && row.mass == .75 && row.context == .75);
    ck_assert(row.separable_lower > 1 - 1e-14 && row.separable_upper == 1);
    /* The second of two equal contributions is outside: it is as near as the first, which is then not inside. */
    DONE(norm_measure_distance(3, 2, w, x, 3, 2, ALL, &row, NULL, &error));
    same(row.distance, .75, 1e-15); /* y = (0, 1/8), s = (3/4, 1/8) */
    ck_assert(row.inside == .5);    /* ||y_1 - s|| = 1/8 is, ||y_2 - s|| = 3/4 is not */
    /* A vector without a direction. */
    const double zero[9] = {3, 0, 9, 0, 0, 9, 0, 7, 9};
    ck_assert_int_eq(norm_measure_distance(3, 2, w, zero, 3, 1, ALL, &row, NULL, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "x[1] has length 0: expected a direction");
    same(row.distance, .75, 1e-15);
}
END_TEST

START_TEST(published_separability_takes_the_smallest_distance)
{
    double w[4], unit[8], got = 0;
    norm_row_distance row = {.struct_size = sizeof row};
    worked_weights(w);
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 2; k++)
            unit[2 * i + k] = tokens[2 * i + k] / hypot(tokens[2 * i], tokens[2 * i + 1]);
    DONE(norm_measure_distance(4, 2, w, tokens, 0, 2, ALL, &row, NULL, &error));
    /* (1,1) and (0,1) are 45 degrees apart: the smallest angle, as (1,0) is too. */
    const double delta = 2 * sin(atan(1) / 2), chosen[2] = {w[2], w[1]};
    DONE(norm_bound_separable_upper_published(2, chosen, 1, delta, row.radius, &got, &error));
    same(row.separable_published, got, 1e-13);
    double s[2] = {0, 0}, each[4], sum = 0;
    const uint8_t set[4] = {0, 1, 1, 0};
    DONE(norm_bound_distance_value(4, 2, w, unit, 0, set, s, each, &sum, &error));
    same(row.distance, sum, 1e-14);
}
END_TEST

START_TEST(inside_for_a_radius)
{
    double w[4];
    size_t inside = 9, joint = 9;
    worked_weights(w); /* distances of the selected .892, .232; of the others 1.0208, 1.0800 */
    DONE(norm_measure_inside(4, 2, w, tokens, 0, 2, .9, &inside, &joint, NULL, &error));
    ck_assert(inside == 2 && joint == 2);
    DONE(norm_measure_inside(4, 2, w, tokens, 0, 2, .5, &inside, &joint, NULL, &error));
    ck_assert(inside == 1 && joint == 1);
    DONE(norm_measure_inside(4, 2, w, tokens, 0, 2, 1.05, &inside, &joint, NULL, &error));
    ck_assert(inside == 2 && joint == 0); /* one of the others is inside */
    norm_row_distance row = {.struct_size = sizeof row};
    DONE(norm_measure_distance(4, 2, w, tokens, 0, 2, 0, &row, NULL, &error));
    DONE(norm_measure_inside(4, 2, w, tokens, 0, 2, row.radius, NULL, &joint, NULL, &error));
    ck_assert(joint == 2); /* that one lies on the ball, which is open */
}
END_TEST

START_TEST(order_is_that_of_sorting)
{
    struct support_random r = {support_seed(3)};
    for (int trial = 0; trial < 3000; trial++) {
        double w[50];
        size_t n = 1 + support_below(&r, 50), count = 1 + support_below(&r, n), order[50];
        for (size_t i = 0; i < n; i++)
            w[i] = support_below(&r, 2) ? (double)support_below(&r, 5) - 2 : support_normal(&r);
        w[support_below(&r, n)] = -0.0;
        DONE(norm_measure_order(n, w, count, order, &error));
        for (size_t k = 0; k < count; k++) {
            size_t before = 0; /* how many stand before it, by definition */
            for (size_t i = 0; i < n; i++)
                before += w[i] > w[order[k]] || (w[i] == w[order[k]] && i < order[k]);
            ck_assert_uint_eq(before, k);
        }
    }
}
END_TEST

/* Every set of N of 7 tokens: the expected distance lies between the two bounds. */
START_TEST(expected_distance_of_every_set)
{
    struct support_random r = {support_seed(4)};
    for (int trial = 0; trial < 200; trial++) {
        double w[7], x[21], s[3], distance = 0, sum = 0, sets = 0;
        uint8_t set[7];
        const size_t n = 1 + support_below(&r, 6);
        for (size_t i = 0; i < 7; i++)
            w[i] = exp(2 * support_normal(&r));
        for (size_t i = 0; i < 21; i++)
            x[i] = support_normal(&r);
        for (unsigned mask = 0; mask < 128; mask++) {
            size_t chosen = 0;
            for (size_t i = 0; i < 7; i++)
                chosen += set[i] = mask >> i & 1;
            if (chosen != n)
                continue;
            DONE(norm_bound_distance_value(7, 3, w, x, 0, set, s, NULL, &distance, &error));
            sum += distance;
            sets++;
        }
        norm_row_distance row = {.struct_size = sizeof row};
        DONE(norm_measure_distance(7, 3, w, x, 0, n, LIBNORM_DISTANCE_EXPECTED, &row, NULL, &error));
        const double mean = sum / sets, slack = 1e-12 * mean;
        ck_assert_msg(row.expected_lower <= mean + slack && mean <= row.expected_upper + slack, "%zu: %g, %g, %g", n,
                      row.expected_lower, mean, row.expected_upper);
        if (n == 6) /* one token is left out: no freedom but which */
            ck_assert(fabs(row.expected_lower - mean) <= slack && fabs(row.expected_upper - mean) <= slack);
    }
}
END_TEST

static void refused(norm_status status, const char *text, const norm_row_distance *row, int line)
{
    ck_assert_msg(status == LIBNORM_E_ARGUMENT, "line %d: %d", line, (int)status);
    ck_assert_msg(strstr(error.text, text) != NULL, "line %d: '%s' lacks '%s'", line, error.text, text);
    ck_assert_msg(row->distance == 42 && row->tokens == 0, "line %d: written", line);
    error.text[0] = '\0';
}
#define REFUSED(text, call) refused(call, text, &row, __LINE__)

START_TEST(bad_rows_are_refused_by_name)
{
    double w[4], bad[8];
    norm_row_distance row = {.struct_size = sizeof row, .distance = 42};
    size_t count = 42, order[4] = {42, 42, 42, 42};
    worked_weights(w);
    REFUSED("tokens = 0", norm_measure_distance(0, 2, w, tokens, 0, 1, 0, &row, NULL, &error));
    REFUSED("tokens = 1: expected at least 2", norm_measure_distance(1, 2, w, tokens, 0, 1, 0, &row, NULL, &error));
    REFUSED("selected = 0: expected 1 to 3", norm_measure_distance(4, 2, w, tokens, 0, 0, 0, &row, NULL, &error));
    REFUSED("selected = 4: expected 1 to 3", norm_measure_distance(4, 2, w, tokens, 0, 4, 0, &row, NULL, &error));
    REFUSED("selected = 5", norm_measure_distance(4, 2, w, tokens, 0, 5, 0, &row, NULL, &error));
    REFUSED("dim = 0", norm_measure_distance(4, 0, w, tokens, 0, 1, 0, &row, NULL, &error));
    REFUSED("weights is NULL", norm_measure_distance(4, 2, NULL, tokens, 0, 1, 0, &row, NULL, &error));
    REFUSED("x is NULL", norm_measure_distance(4, 2, w, NULL, 0, 1, 0, &row, NULL, &error));
    REFUSED("parts has unknown bits 0x10", norm_measure_distance(4, 2, w, tokens, 0, 1, 16, &row, NULL, &error));
    REFUSED("needs LIBNORM_DISTANCE_UNIT",
            norm_measure_distance(4, 2, w, tokens, 0, 1, LIBNORM_DISTANCE_SEPARABLE, &row, NULL, &error));
    REFUSED("norm_row_distance is NULL", norm_measure_distance(4, 2, w, tokens, 0, 1, 0, NULL, NULL, &error));
    memcpy(bad, tokens, sizeof bad);
    bad[5] = NAN;
    REFUSED("x[2][1] = nan", norm_measure_distance(4, 2, w, bad, 0, 1, 0, &row, NULL, &error));
    w[1] = INFINITY;
    REFUSED("weights[1] = inf", norm_measure_distance(4, 2, w, tokens, 0, 1, 0, &row, NULL, &error));
    worked_weights(w);
    REFUSED("r = 0: expected a finite number > 0",
            norm_measure_inside(4, 2, w, tokens, 0, 2, 0, &count, &count, NULL, &error));
    REFUSED("r = nan", norm_measure_inside(4, 2, w, tokens, 0, 2, NAN, &count, NULL, NULL, &error));
    REFUSED("selected = 4", norm_measure_inside(4, 2, w, tokens, 0, 4, 1, &count, NULL, NULL, &error));
    REFUSED("ret_joint is NULL", norm_measure_inside(4, 2, w, tokens, 0, 2, 1, NULL, NULL, NULL, &error));
    REFUSED("count = 0", norm_measure_order(4, w, 0, order, &error));
    REFUSED("count = 5: expected 1 to 4", norm_measure_order(4, w, 5, order, &error));
    REFUSED("tokens = 0", norm_measure_order(0, w, 1, order, &error));
    w[2] = NAN;
    REFUSED("weights[2] = nan", norm_measure_order(4, w, 1, order, &error));
    worked_weights(w);
    ck_assert_int_eq(norm_measure_order(4, w, 4, (size_t *)(void *)(w + 3), &error), LIBNORM_E_OVERLAP);
    REFUSED("tokens = 0", norm_measure_workspace(0, 1, &count, &error));
    ck_assert(count == 42 && order[0] == 42);
}
END_TEST

START_TEST(memory_is_the_callers_or_none)
{
    double w[4], buffer[400];
    size_t bytes = 0;
    norm_row_distance row = {.struct_size = sizeof row, .distance = 42};
    worked_weights(w);
    DONE(norm_measure_workspace(4, 2, &bytes, &error));
    ck_assert(bytes < sizeof buffer - 1);
    norm_exec exec = {.struct_size = sizeof exec, .workspace = (char *)buffer + 1, .workspace_size = bytes};
    DONE(norm_measure_distance(4, 2, w, tokens, 0, 2, ALL, &row, &exec, &error));
    exec.workspace_size = 64;
    row.distance = 42;
    ck_assert_int_eq(norm_measure_distance(4, 2, w, tokens, 0, 2, ALL, &row, &exec, &error), LIBNORM_E_ARGUMENT);
    ck_assert(row.distance == 42);
    struct support_allocator books;
    for (size_t fail = 0; fail < 2; fail++) {
        support_allocator_init(&books, fail);
        const norm_exec counted = {.struct_size = sizeof counted, .allocator = &books.allocator};
        ck_assert_int_eq(norm_measure_distance(4, 2, w, tokens, 0, 2, ALL, &row, &counted, &error),
                         fail ? LIBNORM_E_NOMEM : LIBNORM_OK);
        ck_assert(books.calls == 1 && books.live == 0 && books.wrong == 0);
        ck_assert(row.distance != 42);
    }
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("measure_distance");
    TCase *tests = tcase_create("measure_distance");
    tcase_add_test(tests, the_worked_geometry);
    tcase_add_test(tests, what_is_not_asked_for_is_not_a_number);
    tcase_add_test(tests, unit_vectors_by_hand);
    tcase_add_test(tests, published_separability_takes_the_smallest_distance);
    tcase_add_test(tests, inside_for_a_radius);
    tcase_add_test(tests, order_is_that_of_sorting);
    tcase_add_test(tests, expected_distance_of_every_set);
    tcase_add_test(tests, bad_rows_are_refused_by_name);
    tcase_add_test(tests, memory_is_the_callers_or_none);
    suite_add_tcase(suite, tests);
    return suite;
}
