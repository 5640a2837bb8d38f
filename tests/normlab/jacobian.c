/* SPDX-License-Identifier: MIT */
/* normlab jacobian: matrices, norms, masks, JSON, and what it refuses. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "support/support.h"

#define Z "1 2 3 0.5\n"

START_TEST(the_matrix_of_softmax)
{
    const double w[4] = {.085368893510, .232056711943, .630795543247, .051778851299};
    double expected[16];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            expected[4 * i + j] = i == j ? w[i] * (1 - w[i]) : -w[i] * w[j];
    struct run run = normlab(Z, "jacobian", "softmax");
    ck_fine(&run);
    ck_near(run.out, 16, expected, 1e-12);
    size_t lines = 0;
    for (const char *c = run.out; *c != '\0'; c++)
        lines += *c == '\n';
    ck_assert_uint_eq(lines, 5); /* four, and an empty one */
    ck_assert(run.out_size > 2 && strcmp(run.out + run.out_size - 2, "\n\n") == 0);
    run_free(&run);
}
END_TEST

START_TEST(hidden_scores_have_lines_and_places_of_zero)
{
    struct run run = normlab("1 _ 3\n0 0\n", "jacobian", "relu:decay=0", "--f64");
    ck_fine(&run);
    const double relu[] = {1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0};
    ck_near(run.out, 13, relu, 0);
    run_free(&run);
    run = normlab("0 0\n", "jacobian", "softmax");
    ck_assert_str_eq(run.out, "0.25 -0.25\n-0.25 0.25\n\n");
    run_free(&run);
    run = normlab("\n5\n", "jacobian", "softmax");
    ck_assert_str_eq(run.out, "\n0\n\n");
    run_free(&run);
}
END_TEST

START_TEST(norms_on_one_line)
{
    static const struct {
        const char *spec;
        double spectral, frobenius, constant;
    } golden[] = {
        {"softmax", .358502005936, .382627942761, .5},
        {"entmax:alpha=1.25", .462661920776, NAN, 1},
        {"sparsemax", 0, 0, 1},
        {"normmax", NAN, NAN, 4},
        {"softpick", NAN, NAN, INFINITY},
    };
    for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++) {
        double got[4];
        struct run run = normlab(Z, "jacobian", golden[i].spec, "--norms");
        ck_fine(&run);
        ck_numbers(run.out, 4, got);
        ck_assert(isnan(golden[i].spectral) || fabs(got[0] - golden[i].spectral) < 1e-12);
        ck_assert(isnan(golden[i].frobenius) || fabs(got[1] - golden[i].frobenius) < 1e-12);
        ck_assert(got[0] <= got[1] * (1 + 1e-12) && got[0] <= got[2] * (1 + 1e-12) && got[2] <= got[3]);
        ck_assert(got[3] == golden[i].constant);
        run_free(&run);
    }
}
END_TEST

START_TEST(json_is_whole)
{
    struct run run = normlab("0 0\n\n1\n", "jacobian", "softmax", "--json");
    ck_fine(&run);
    ck_assert_str_eq(run.out, "{\"normalizer\": \"softmax:temperature=1\", \"jacobians\": [\n  [[0.25, -0.25],\n"
                              "   [-0.25, 0.25]],\n  [],\n  [[0]]]}\n");
    run_free(&run);
    run = normlab("0 0\nnan 1\n", "jacobian", "sasoftmax", "--norms", "--json");
    ck_fine(&run);
    ck_assert_str_eq(run.out,
                     "{\"normalizer\": \"sasoftmax:temperature=1,variant=1\", \"norms\": [\n"
                     "  {\"spectral\": 0.5, \"frobenius\": 0.7071067811865476, \"bound\": 1, \"constant\": null},\n"
                     "  {\"spectral\": null, \"frobenius\": null, \"bound\": null, \"constant\": null}]}\n");
    run_free(&run);
}
END_TEST

START_TEST(what_is_refused)
{
    ck_fails(normlab(Z, "jacobian"), 2, "a normalizer is missing");
    ck_fails(normlab(Z, "jacobian", "softmux"), 2, "softmax");
    ck_fails(normlab(Z, "jacobian", "own.mine"), 2, "a normalizer of a program's own");
    ck_fails(normlab(Z, "jacobian", "softmax", "--norm"), 2, "unknown option --norm");
    ck_fails(normlab("x\n", "jacobian", "softmax"), 1, "line 1, entry 1: 'x'");
    ck_fails(normlab("0 0\nx\n", "jacobian", "softmax", "--json"), 1, "line 2");
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("normlab-jacobian");
    TCase *tests = tcase_create("jacobian");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, the_matrix_of_softmax);
    tcase_add_test(tests, hidden_scores_have_lines_and_places_of_zero);
    tcase_add_test(tests, norms_on_one_line);
    tcase_add_test(tests, json_is_whole);
    tcase_add_test(tests, what_is_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
