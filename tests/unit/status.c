/* SPDX-License-Identifier: MIT */
#include <libnorm/norm.h>

#include "support/support.h"

START_TEST(every_status_has_its_name)
{
    ck_assert_str_eq(norm_status_name(LIBNORM_OK), "LIBNORM_OK");
    ck_assert_str_eq(norm_status_name(LIBNORM_E_NOMEM), "LIBNORM_E_NOMEM");
    ck_assert_str_eq(norm_status_name(LIBNORM_E_CALLBACK), "LIBNORM_E_CALLBACK");
    ck_assert_str_eq(norm_status_name(LIBNORM_E_CANCELLED), "LIBNORM_E_CANCELLED");
    ck_assert_str_eq(norm_status_name(-12), "LIBNORM_E_UNKNOWN");
    ck_assert_str_eq(norm_status_name(1), "LIBNORM_E_UNKNOWN");
    ck_assert_str_eq(norm_status_name(INT32_MIN), "LIBNORM_E_UNKNOWN");
}
END_TEST

START_TEST(unknown_cpu_level_is_an_error_and_leaves_the_result)
{
    norm_error error = {sizeof error, 0, 0, ""};
    int32_t level = 7;
    ck_assert_int_eq(norm_cpu_level_parse("avx3\n", &level, &error), LIBNORM_E_ARGUMENT);
    ck_assert_int_eq(level, 7);
    ck_assert_int_eq(error.status, LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text,
                     "unknown CPU level 'avx3\\x0a': expected best, scalar, baseline, neon, avx2 or avx512");
    ck_assert_int_eq(norm_cpu_level_parse("avx2", &level, &error), LIBNORM_OK);
    ck_assert_int_eq(level, LIBNORM_CPU_AVX2);
}
END_TEST

START_TEST(error_struct_of_the_wrong_size_is_refused)
{
    norm_error error = {8, 0, 0, ""};
    int32_t level = 7;
    ck_assert_int_eq(norm_cpu_level_parse("avx2", &level, &error), LIBNORM_E_ARGUMENT);
    ck_assert_int_eq(level, 7);
    ck_assert_int_eq(error.status, 0);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("status");
    TCase *tests = tcase_create("status");
    tcase_add_test(tests, every_status_has_its_name);
    tcase_add_test(tests, unknown_cpu_level_is_an_error_and_leaves_the_result);
    tcase_add_test(tests, error_struct_of_the_wrong_size_is_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
