/* SPDX-License-Identifier: MIT */
/* Help, wrong usage, and what the environment changes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"
#include "support/support.h"

START_TEST(help_names_every_command)
{
    static const char *const names[] = {"list",       "apply",  "vjp",        "jacobian", "tokenize",
                                        "detokenize", "logits", "perplexity", "swap",     "report",   "bench",
                                        "help",       "version"};
    struct run all = normlab("", "help"), dashes = normlab("", "--help");
    ck_fine(&all);
    ck_assert_str_eq(all.out, dashes.out);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char word[32];
        snprintf(word, sizeof word, "\n  %s ", names[i]);
        ck_assert_msg(strstr(all.out, word) != NULL, "%s", names[i]);
        struct run one = normlab("", "help", names[i]), option = normlab("", names[i], "--help");
        ck_fine(&one);
        ck_fine(&option);
        ck_assert_str_eq(one.out, option.out);
        snprintf(word, sizeof word, "normlab %s ", names[i]);
        ck_assert(strncmp(one.out, word, strlen(word)) == 0);
        run_free(&one);
        run_free(&option);
    }
    run_free(&all);
    run_free(&dashes);
}
END_TEST

START_TEST(wrong_usage_is_exit_2_and_one_line)
{
    ck_fails(normlab_in("", 0, NULL, (char *)NULL), 2, "a command is missing");
    ck_fails(normlab("", "aply"), 2, "unknown command aply");
    ck_fails(normlab("", "help", "aply"), 2, "unknown command aply");
    ck_fails(normlab("", "apply"), 2, "a normalizer is missing");
    ck_fails(normlab("", "apply", "softmax", "more"), 2, "'more'");
    ck_fails(normlab("", "apply", "softmax", "--f32"), 2, "unknown option --f32");
    ck_fails(normlab("", "apply", "softmax", "--f64=1"), 2, "--f64 takes no value");
    ck_fails(normlab("", "apply", "softermax"), 2, "softermax");
    ck_fails(normlab("", "apply", "softmax:temperature=0"), 2, "temperature");
    ck_fails(normlab("", "apply", "softmax:heat=1"), 2, "heat");
    ck_fails(normlab("", "apply", "softmax:temperature=1,5"), 2, "'5'");
    ck_fails(normlab("", "tokenize", "--model"), 2, "--model needs a value");
    ck_fails(normlab("", "logits", "--threads", "0"), 2, "--threads 0");
    ck_fails(normlab("", "logits", "--threads", "two"), 2, "--threads two");
    ck_fails(normlab("", "logits", "--normalizer", "nosuch"), 2, "nosuch");
    ck_fails(normlab("", "report"), 2, "--out DIR is missing");
    ck_fails(normlab("", "report", "--out", "x", "--window", "0"), 2, "--window 0");
    ck_fails(normlab("", "perplexity", "--normalizer", "softmax", "softmax:temperature=1"), 2, "given before");
}
END_TEST

START_TEST(version_names_library_level_and_blas)
{
    struct run run = normlab("", "--version");
    ck_fine(&run);
    ck_assert(strncmp(run.out, "normlab 0.", 10) == 0);
    ck_assert(strstr(run.out, "\nlibnorm 0.") != NULL && strstr(run.out, "\nCPU level ") != NULL &&
              strstr(run.out, "\nBLAS ") != NULL);
    run_free(&run);
}
END_TEST

START_TEST(cpu_level_is_read_from_the_environment)
{
    setenv("LIBNORM_CPU", "scalar", 1);
    struct run run = normlab("", "--version");
    ck_fine(&run);
    ck_assert(strstr(run.out, "\nCPU level scalar\n") != NULL);
    run_free(&run);
    run = normlab("0 0\n", "apply", "softmax");
    ck_assert_str_eq(run.out, "0.5 0.5\n");
    run_free(&run);
    setenv("LIBNORM_CPU", "sse9", 1);
    ck_fails(normlab("0 0\n", "apply", "softmax"), 2, "LIBNORM_CPU");
    ck_fails(normlab("0 0\n", "apply", "softmax"), 2, "sse9");
    setenv("LIBNORM_CPU", "", 1);
    run = normlab("0 0\n", "apply", "softmax");
    ck_fine(&run);
    run_free(&run);
}
END_TEST

START_TEST(a_full_standard_output_is_said)
{
    const char *argv[] = {"normlab", "apply", "softmax", NULL};
    const char *list[] = {"normlab", "list", NULL}, *help[] = {"normlab", "help", NULL};
    if (access("/dev/full", W_OK) != 0)
        return;
    ck_assert(getenv("NORMLAB") != NULL);
    struct run run = run_program(getenv("NORMLAB"), argv, "0 0\n", 4, "/dev/full");
    ck_assert_int_eq(run.code, 1);
    ck_assert_str_eq(run.error, "normlab: cannot write to standard output: No space left on device\n");
    run_free(&run);
    run = run_program(getenv("NORMLAB"), list, "", 0, "/dev/full");
    ck_assert_int_eq(run.code, 1);
    run_free(&run);
    run = run_program(getenv("NORMLAB"), help, "", 0, "/dev/full");
    ck_assert_int_eq(run.code, 1);
    run_free(&run);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("normlab-usage");
    TCase *tests = tcase_create("usage");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, help_names_every_command);
    tcase_add_test(tests, wrong_usage_is_exit_2_and_one_line);
    tcase_add_test(tests, version_names_library_level_and_blas);
    tcase_add_test(tests, cpu_level_is_read_from_the_environment);
    tcase_add_test(tests, a_full_standard_output_is_said);
    suite_add_tcase(suite, tests);
    return suite;
}
