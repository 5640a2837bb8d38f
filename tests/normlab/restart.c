/* SPDX-License-Identifier: MIT */
/* Where OpenBLAS is older than the processor, normlab starts itself again with a kernel that fits: once, before it has
 * read anything, and only if the user did not choose. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "support/support.h"

static char model[4096];

static void pretend(void)
{
    const char *preload = getenv("NORMLAB_TEST_PRESCOTT");
    ck_assert_msg(preload != NULL, "NORMLAB_TEST_PRESCOTT is not set: run through meson test");
    setenv("LD_PRELOAD", preload, 1);
}

START_TEST(it_starts_again_once_and_keeps_its_input)
{
    struct run plain = normlab("7 8 9", "logits", "--model", model, "--no-restart"), again;
    double values[4096], right[4096];
    ck_fine(&plain);
    pretend();
    again = normlab("7 8 9", "logits", "--model", model);
    unsetenv("LD_PRELOAD");
    ck_assert_int_eq(again.code, 0);
    static const char said[] = "normlab: OpenBLAS does not know this processor and uses its slow Prescott kernels: "
                               "starting again with OPENBLAS_CORETYPE=";
    ck_assert_msg(strncmp(again.error, said, strlen(said)) == 0, "said: %s", again.error);
    ck_assert(strchr(again.error, '\n') == again.error + again.error_size - 1);
    /* Another kernel may round another way. */
    ck_numbers(plain.out, 4096, right);
    ck_numbers(again.out, 4096, values);
    for (size_t i = 0; i < 4096; i++)
        ck_assert(values[i] - right[i] < 1e-4 && right[i] - values[i] < 1e-4);
    run_free(&plain);
    run_free(&again);
}
END_TEST

START_TEST(it_does_not_where_the_user_chose)
{
    pretend();
    struct run run = normlab("7 8 9", "logits", "--model", model, "--no-restart");
    ck_fine(&run);
    run_free(&run);
    setenv("OPENBLAS_CORETYPE", "Haswell", 1);
    run = normlab("7 8 9", "logits", "--model", model);
    ck_fine(&run);
    run_free(&run);
}
END_TEST

START_TEST(it_does_not_where_no_model_runs)
{
    pretend();
    struct run run = normlab("0 0\n", "apply", "softmax");
    ck_fine(&run);
    run_free(&run);
    run = normlab("", "--version");
    ck_fine(&run);
    ck_assert(strstr(run.out, "kernel Prescott (slow on this processor; OPENBLAS_CORETYPE=") != NULL);
    run_free(&run);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("normlab-restart");
    TCase *tests = tcase_create("restart");
    snprintf(model, sizeof model, "%s", support_source("examples/data/gpt2-tiny"));
    unsetenv("OPENBLAS_CORETYPE");
    if (system("LD_PRELOAD=$NORMLAB_TEST_PRESCOTT $NORMLAB --version | grep -q OPENBLAS_CORETYPE=") != 0) {
        fprintf(stderr, "skipped: no OpenBLAS, or a processor that its oldest kernels suit\n");
        exit(77);
    }
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, it_starts_again_once_and_keeps_its_input);
    tcase_add_test(tests, it_does_not_where_the_user_chose);
    tcase_add_test(tests, it_does_not_where_no_model_runs);
    suite_add_tcase(suite, tests);
    return suite;
}
