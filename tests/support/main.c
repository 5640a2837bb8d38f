/* SPDX-License-Identifier: MIT */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    SRunner *runner = srunner_create(support_suite());
    /* Under a debugger, valgrind or a sanitizer, run in one process: CK_FORK=no in the environment. */
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner), run = srunner_ntests_run(runner);
    srunner_free(runner);
    if (run == 0) {
        fputs("no test ran\n", stderr);
        return EXIT_FAILURE;
    }
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
