/* SPDX-License-Identifier: MIT */
/* A user whose locale writes a decimal comma, and a preloaded library that switches the whole process to it. */
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "support/locale.h"
#include "support/support.h"

#define Z "0.25 1.5\n"
#define SOFTER "softmax:temperature=0.5"

/* The preloaded library ends the process with 99 where the comma is not in force, so that this cannot pass idly. */
static void switch_commas(const char *locale)
{
    const char *preload = getenv("NORMLAB_TEST_LOCALE");
    ck_assert_msg(preload != NULL, "NORMLAB_TEST_LOCALE is not set: run through meson test");
    setenv("LC_ALL", locale, 1);
    setenv("LD_PRELOAD", preload, 1);
}

START_TEST(numbers_are_written_with_a_point)
{
    const double e = 12.182493960703473, expected[] = {1 / (1 + e), e / (1 + e)};
    switch_commas("comma");
    struct run run = normlab(Z, "apply", SOFTER, "--f64");
    ck_fine(&run);
    ck_near(run.out, 2, expected, 1e-15);
    run_free(&run);
    run = normlab(Z, "apply", SOFTER, "--json");
    ck_fine(&run);
    ck_assert(strstr(run.out, "{\"normalizer\": \"softmax:temperature=0.5\", \"weights\": [\n  [0.07") == run.out);
    run_free(&run);
    run = normlab("", "list");
    ck_fine(&run);
    run_free(&run);
}
END_TEST

START_TEST(numbers_are_read_with_a_point)
{
    switch_commas("comma");
    ck_fails(normlab("0,25\n", "apply", "softmax"), 1, "'0,25' is not a number");
    struct run run = normlab("0.5 0.5\n", "apply", "softmax");
    ck_assert_str_eq(run.out, "0.5 0.5\n");
    run_free(&run);
}
END_TEST

START_TEST(a_report_is_the_same)
{
    size_t size, again_size;
    char model[4096];
    strcpy(model, support_source("examples/data/gpt2-tiny"));
    scratch_make();
    scratch_write("text", "It was a dark and stormy night.", 31);
    struct run run =
        normlab("", "report", "--model", model, "--text", scratch("text"), "--out", scratch("out"), "--no-restart");
    ck_fine(&run);
    run_free(&run);
    char *html = support_read(scratch("out/report.html"), &size), *csv = support_read(scratch("out/heads.csv"), &size);
    switch_commas("comma");
    run = normlab("", "report", "--model", model, "--text", scratch("text"), "--out", scratch("out"), "--no-restart");
    unsetenv("LD_PRELOAD");
    ck_fine(&run);
    run_free(&run);
    char *html_again = support_read(scratch("out/report.html"), &again_size);
    ck_assert_str_eq(html, html_again);
    char *csv_again = support_read(scratch("out/heads.csv"), &again_size);
    ck_assert_str_eq(csv, csv_again);
    free(html);
    free(csv);
    free(html_again);
    free(csv_again);
    scratch_remove();
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("normlab-comma");
    TCase *tests = tcase_create("comma");
    support_locales();
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, numbers_are_written_with_a_point);
    tcase_add_test(tests, numbers_are_read_with_a_point);
    tcase_add_test(tests, a_report_is_the_same);
    suite_add_tcase(suite, tests);
    return suite;
}
