/* SPDX-License-Identifier: MIT */
/* The example programs do what they say. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "support/support.h"

static struct run run_example(const char *variable, const char *const *argv)
{
    const char *path = getenv(variable);
    ck_assert_msg(path != NULL, "%s is not set: run through meson test", variable);
    return run_program(path, argv, "", 0, NULL);
}

START_TEST(softmax_at_half_temperature)
{
    const char *argv[] = {"softmax", NULL};
    struct run run = run_example("EXAMPLE_SOFTMAX", argv);
    /* e^-6, e^-4, e^-2, 1 over their sum. */
    double sum = exp(-6) + exp(-4) + exp(-2) + 1;
    const double expected[] = {exp(-6) / sum, exp(-4) / sum, exp(-2) / sum, 1 / sum};
    ck_fine(&run);
    ck_near(run.out, 4, expected, 1e-6);
    run_free(&run);
}
END_TEST

START_TEST(attention_is_sparser_with_sparsemax)
{
    const char *argv[] = {"attention", NULL};
    struct run run = run_example("EXAMPLE_ATTENTION", argv);
    ck_fine(&run);
    /* By hand: the third query has scores (1, 1, 2, ...)/sqrt(2) with the keys before it, and so on. */
    ck_assert(strstr(run.out, "softmax\ntoken 0 looks at 1: 1.000  ->  1.000 0.000\n"
                              "token 1 looks at 2: 0.500 0.500  ->  0.500 0.500\n") == run.out);
    ck_assert(strstr(run.out, "sparsemax\n") != NULL);
    ck_assert(strstr(run.out, "token 3 looks at 2: 0.000 0.000 0.500 0.500  ->  -0.500 -0.500\n") != NULL);
    run_free(&run);
}
END_TEST

START_TEST(own_is_checked_and_used)
{
    const char *argv[] = {"own", NULL}, *line;
    struct run run = run_example("EXAMPLE_OWN", argv);
    const double scores[5] = {1, 2, 3, 0.5, -1};
    double f[5], sum = 0, got[5];
    ck_fine(&run);
    ck_assert(strncmp(run.out, "derivatives: right, ", 20) == 0);
    for (int i = 0; i < 5; i++)
        sum += f[i] = exp(scores[i]) / sqrt(1 + exp(scores[i]));
    line = strstr(run.out, "weights:");
    ck_assert(line != NULL && sscanf(line, "weights: %lf %lf %lf %lf %lf", &got[0], &got[1], &got[2], &got[3],
                                     &got[4]) == 5);
    for (int i = 0; i < 5; i++)
        ck_assert(fabs(got[i] - f[i] / sum) < 1e-6);
    run_free(&run);
}
END_TEST

START_TEST(tokenize_shows_every_piece)
{
    char model[4096];
    snprintf(model, sizeof model, "%s", support_source("examples/data/gpt2-tiny"));
    const char *argv[] = {"tokenize", model, "the war", NULL}, *missing[] = {"tokenize", "/nowhere", "x", NULL};
    struct run run = run_example("EXAMPLE_TOKENIZE", argv);
    ck_fine(&run);
    ck_assert(strstr(run.out, " [ war]\n") != NULL);
    run_free(&run);
    run = run_example("EXAMPLE_TOKENIZE", missing);
    ck_assert_int_eq(run.code, 1);
    ck_assert(strstr(run.error, "/nowhere") != NULL);
    run_free(&run);
}
END_TEST

START_TEST(heads_shows_where_each_token_looks)
{
    char model[4096];
    snprintf(model, sizeof model, "%s", support_source("examples/data/gpt2-tiny"));
    const char *argv[] = {"heads", model, "0", "1", "the prince and the war", NULL};
    struct run run = run_example("EXAMPLE_HEADS", argv);
    ck_fine(&run);
    /* The first token sees itself alone. */
    char *end = strchr(run.out, '\n');
    ck_assert(end != NULL);
    *end = '\0';
    ck_assert_str_eq(run.out, "[the] -> [the] 1.000");
    size_t lines = 1;
    for (const char *c = end + 1; *c != '\0'; c++)
        lines += *c == '\n';
    ck_assert(lines >= 5);
    run_free(&run);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("normlab-examples");
    TCase *tests = tcase_create("examples");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, softmax_at_half_temperature);
    tcase_add_test(tests, attention_is_sparser_with_sparsemax);
    tcase_add_test(tests, own_is_checked_and_used);
    tcase_add_test(tests, tokenize_shows_every_piece);
    tcase_add_test(tests, heads_shows_where_each_token_looks);
    suite_add_tcase(suite, tests);
    return suite;
}
