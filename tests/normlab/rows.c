/* SPDX-License-Identifier: MIT */
/* apply, vjp and list: rows of numbers in, rows of numbers out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "support/support.h"

/* Worked by hand in the documentation of the formulas: z and g of all golden values. */
#define Z "1 2 3 0.5\n"
#define G "0.3 -0.2 0.5 0.1\n"

START_TEST(softmax_of_the_golden_row)
{
    const double at_1[] = {.085368893510, .232056711943, .630795543247, .051778851299};
    const double at_half[] = {.015784052550, .116629249761, .861780069258, .005806628432};
    struct run run = normlab(Z, "apply", "softmax", "--f64");
    ck_fine(&run);
    ck_near(run.out, 4, at_1, 1e-12);
    run_free(&run);
    run = normlab(Z, "apply", "softmax:temperature=0.5", "--f64");
    ck_near(run.out, 4, at_half, 1e-12);
    run_free(&run);
    run = normlab(Z, "apply", "softmax");
    ck_near(run.out, 4, at_1, 1e-7);
    run_free(&run);
}
END_TEST

START_TEST(gradient_of_the_golden_row)
{
    const double at_1[] = {.000019209502, -.115976139131, .126301048737, -.010344119108};
    const double at_half[] = {-.003563409701, -.142959483948, .150156450192, -.003633556542};
    struct run run = normlab(Z G, "vjp", "softmax", "--f64");
    ck_fine(&run);
    ck_near(run.out, 4, at_1, 1e-12);
    run_free(&run);
    run = normlab(Z G Z G, "vjp", "softmax:temperature=0.5", "--f64");
    const double twice[] = {at_half[0], at_half[1], at_half[2], at_half[3],
                            at_half[0], at_half[1], at_half[2], at_half[3]};
    ck_near(run.out, 8, twice, 1e-12);
    run_free(&run);
    run = normlab(Z G, "vjp", "softmax");
    ck_near(run.out, 4, at_1, 1e-7);
    run_free(&run);
}
END_TEST

START_TEST(hidden_entries_are_printed_as_zero_and_not_counted)
{
    struct run run = normlab("1 2 _ 3 _ 0.5\n", "apply", "softmax", "--f64");
    const double expected[] = {.085368893510, .232056711943, 0, .630795543247, 0, .051778851299};
    ck_fine(&run);
    ck_near(run.out, 6, expected, 1e-12);
    run_free(&run);
    run = normlab("1 2 _ 3 0.5\n0.3 -0.2 _ 0.5 0.1\n_ 1 2\n9e9 0 0\n", "vjp", "softmax", "--f64");
    const double gradient[] = {.000019209502, -.115976139131, 0, .126301048737, -.010344119108, 0, 0, 0};
    ck_fine(&run);
    ck_near(run.out, 8, gradient, 1e-12);
    run_free(&run);
    run = normlab("_ _ _\n", "apply", "softmax");
    ck_assert_str_eq(run.out, "0 0 0\n");
    run_free(&run);
}
END_TEST

START_TEST(infinite_scores_mean_the_limit)
{
    struct run run = normlab("inf 1 2\ninf inf 0\n-inf 0 -Inf\n-inf -inf\n+inf _\n", "apply", "softmax");
    ck_fine(&run);
    ck_assert_str_eq(run.out, "1 0 0\n0.5 0.5 0\n0 1 0\n0 0\n1 0\n");
    run_free(&run);
}
END_TEST

START_TEST(a_nan_takes_the_whole_row_and_only_that)
{
    struct run run = normlab("1 nan 2\n0 0\nnan _\n_ 5\n", "apply", "softmax");
    ck_fine(&run);
    ck_assert_str_eq(run.out, "nan nan nan\n0.5 0.5\nnan 0\n0 1\n");
    run_free(&run);
}
END_TEST

START_TEST(an_empty_line_is_an_empty_row)
{
    struct run run = normlab("\n0 0\n\n \t \n7", "apply", "softmax");
    ck_fine(&run);
    ck_assert_str_eq(run.out, "\n0.5 0.5\n\n\n1\n");
    run_free(&run);
    run = normlab("", "apply", "softmax");
    ck_fine(&run);
    ck_assert_str_eq(run.out, "");
    run_free(&run);
    run = normlab("\n\n1\n1\n", "vjp", "softmax");
    ck_assert_str_eq(run.out, "\n0\n");
    run_free(&run);
    run = normlab("0 0\r\n\r\n", "apply", "softmax");
    ck_assert_str_eq(run.out, "0.5 0.5\n\n");
    run_free(&run);
}
END_TEST

START_TEST(printed_numbers_read_back)
{
    /* Weights that are what they are: softmax of one score more or less. */
    struct run run = normlab("0 0 0\n", "apply", "softmax", "--f64"), back;
    double values[3];
    ck_numbers(run.out, 3, values);
    ck_assert(values[0] == 1.0 / 3 && values[2] == 1.0 / 3);
    run_free(&run);
    run = normlab("0 0 0\n", "apply", "softmax");
    ck_assert_str_eq(run.out, "0.33333334 0.33333334 0.33333334\n");
    run_free(&run);
    back = normlab("0 -80 -700\n", "apply", "softmax", "--f64");
    ck_numbers(back.out, 3, values);
    ck_assert(values[0] == 1 && fabs(values[1] / exp(-80) - 1) < 1e-14 && fabs(values[2] / exp(-700) - 1) < 1e-12);
    run_free(&back);
}
END_TEST

START_TEST(json_is_whole_and_writes_null_for_what_is_not_finite)
{
    struct run run = normlab("0 0\n\n1 nan\n", "apply", "softmax", "--json");
    ck_fine(&run);
    ck_assert_str_eq(run.out, "{\"normalizer\": \"softmax:temperature=1\", \"weights\": [\n  [0.5, 0.5],\n  [],\n"
                              "  [null, null]]}\n");
    run_free(&run);
    run = normlab("0 0\n1 -1\n", "vjp", "softmax:temperature=2", "--json");
    ck_assert_str_eq(run.out, "{\"normalizer\": \"softmax:temperature=2\", \"gradients\": [\n  [0.25, -0.25]]}\n");
    run_free(&run);
    ck_fails(normlab("0 0\nx\n", "apply", "softmax", "--json"), 1, "line 2");
}
END_TEST

START_TEST(bad_rows_are_named_by_line_and_entry)
{
    static const struct {
        const char *text, *needle;
    } bad[] = {
        {"1 x\n", "line 1, entry 2: 'x'"},
        {"1,5 2\n", "line 1, entry 1: '1,5'"},
        {"0x10\n", "'0x10'"},
        {"1e\n", "'1e'"},
        {"1e39\n", "'1e39' is too large"},
        {"-\n", "'-'"},
        {"__\n", "'__'"},
        {"nan(1)\n", "'nan(1)'"},
        {"1 2 3 \x01\n", "'\\x01'"},
        {"1..2\n", "'1..2'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        ck_fails(normlab(bad[i].text, "apply", "softmax"), 1, bad[i].needle);
    ck_fails(normlab("1e309\n", "apply", "softmax", "--f64"), 1, "'1e309' is too large");
    ck_fails(normlab_in("1 \0 2\n", 6, "apply", "softmax", (char *)NULL), 1, "entry 2");
    ck_fails(normlab("1 2\n", "vjp", "softmax"), 1, "line 1: a row of scores without");
    ck_fails(normlab("1 2\n1\n", "vjp", "softmax"), 1, "line 2: 1 gradients for the 2 scores of line 1");
    ck_fails(normlab("1 2\n1 _\n", "vjp", "softmax"), 1, "line 2, entry 2");
    /* Rows before the bad one are passed on, as by any filter. */
    struct run run = normlab("0 0\nx\n", "apply", "softmax");
    ck_assert(run.code == 1);
    ck_assert_str_eq(run.out, "0.5 0.5\n");
    run_free(&run);
}
END_TEST

START_TEST(a_long_row_is_one_row)
{
    size_t count = 100000, size = 0;
    char *text = malloc(count * 8);
    for (size_t i = 0; i < count; i++)
        size += (size_t)sprintf(text + size, "%zu%c", i % 2, i + 1 < count ? ' ' : '\n');
    struct run run = normlab_in(text, size, "apply", "softmax", "--f64", (char *)NULL);
    double *values = malloc(count * sizeof *values), sum = 0;
    ck_fine(&run);
    ck_numbers(run.out, count, values);
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    ck_assert(fabs(sum - 1) < 1e-12);
    ck_assert(fabs(values[1] / values[0] - exp(1)) < 1e-12);
    run_free(&run);
    free(values);
    free(text);
}
END_TEST

START_TEST(list_tells_keys_and_ranges)
{
    struct run run = normlab("", "list");
    ck_fine(&run);
    ck_assert(strncmp(run.out, "softmax\n", 8) == 0);
    ck_assert(strstr(run.out, "0 < temperature, default 1") != NULL);
    run_free(&run);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("normlab-rows");
    TCase *tests = tcase_create("rows");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, softmax_of_the_golden_row);
    tcase_add_test(tests, gradient_of_the_golden_row);
    tcase_add_test(tests, hidden_entries_are_printed_as_zero_and_not_counted);
    tcase_add_test(tests, infinite_scores_mean_the_limit);
    tcase_add_test(tests, a_nan_takes_the_whole_row_and_only_that);
    tcase_add_test(tests, an_empty_line_is_an_empty_row);
    tcase_add_test(tests, printed_numbers_read_back);
    tcase_add_test(tests, json_is_whole_and_writes_null_for_what_is_not_finite);
    tcase_add_test(tests, bad_rows_are_named_by_line_and_entry);
    tcase_add_test(tests, a_long_row_is_one_row);
    tcase_add_test(tests, list_tells_keys_and_ranges);
    suite_add_tcase(suite, tests);
    return suite;
}
