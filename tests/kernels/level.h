/* SPDX-License-Identifier: MIT */
/* The level under test, from the variable TEST_LEVEL that meson.build sets for each. */
#ifndef TESTS_KERNELS_LEVEL_H
#define TESTS_KERNELS_LEVEL_H

#include "kernels/kernels.h"

#include "support/support.h"

/* Where this build or machine lacks the level: one line, exit code 77. */
const struct norm__kernels *level_under_test(void);

/* ck_assert_msg for loops of millions: Check writes a message to its parent at each assertion, even one that holds. */
#define check(condition, ...)                                                                                          \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            ck_abort_msg(__VA_ARGS__);                                                                                 \
    } while (0)

/* START_TEST of a name that is itself made by a macro. */
#define START_TEST_OF(name) START_TEST(name)

#endif
