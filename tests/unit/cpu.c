/* SPDX-License-Identifier: MIT */
#include "base/cpu.h"

#include <string.h>

#include <libnorm/version.h>

#include "support/support.h"

static const int32_t known[] = {LIBNORM_CPU_BEST, LIBNORM_CPU_SCALAR, LIBNORM_CPU_BASELINE,
                                LIBNORM_CPU_NEON, LIBNORM_CPU_AVX2,   LIBNORM_CPU_AVX512};
enum { n_known = sizeof known / sizeof known[0] };

START_TEST(names_and_numbers_of_levels_match)
{
    static const char *const names[] = {"best", "scalar", "baseline", "neon", "avx2", "avx512"};
    for (int i = 0; i < n_known; i++) {
        int32_t level = -1;
        ck_assert_str_eq(norm_cpu_level_name(known[i]), names[i]);
        ck_assert_int_eq(norm_cpu_level_parse(names[i], &level, NULL), LIBNORM_OK);
        ck_assert_int_eq(level, known[i]);
        ck_assert(norm__cpu_level_known(level));
    }
    ck_assert_str_eq(norm_cpu_level_name(11), "unknown");
    ck_assert_str_eq(norm_cpu_level_name(-1), "unknown");
    ck_assert(!norm__cpu_level_known(11));
    ck_assert_int_eq(norm_cpu_level_parse("AVX2", NULL, NULL), LIBNORM_E_ARGUMENT);
    ck_assert_int_eq(norm_cpu_level_parse(NULL, NULL, NULL), LIBNORM_E_ARGUMENT);
}
END_TEST

START_TEST(a_cap_gives_the_best_compiled_level_below_it)
{
    const int32_t best = norm_cpu_level();
    ck_assert_int_eq(norm__cpu_level(0), best);
    ck_assert(norm__cpu_compiled(best));
    for (int i = 1; i < n_known; i++) {
        int32_t level = norm__cpu_level(known[i]);
        ck_assert_int_le(level, known[i]);
        ck_assert_int_le(level, best);
        ck_assert(norm__cpu_compiled(level));
        /* Nothing compiled lies between the answer and the smaller of cap and best. */
        for (int j = 1; j < n_known; j++)
            ck_assert(!(norm__cpu_compiled(known[j]) && known[j] > level && known[j] <= known[i] && known[j] <= best));
    }
    ck_assert_int_eq(norm__cpu_level(LIBNORM_CPU_SCALAR), LIBNORM_CPU_SCALAR);
    ck_assert_int_eq(norm__cpu_level(LIBNORM_CPU_BASELINE), LIBNORM_CPU_BASELINE);
}
END_TEST

#if defined(__x86_64__)
START_TEST(the_compilers_own_detection_agrees)
{
    const int avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const int avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                       __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    int32_t expected = LIBNORM_CPU_BASELINE;
    if (avx2 && norm__cpu_compiled(LIBNORM_CPU_AVX2))
        expected = LIBNORM_CPU_AVX2;
    if (avx512 && norm__cpu_compiled(LIBNORM_CPU_AVX512))
        expected = LIBNORM_CPU_AVX512;
    ck_assert_int_eq(norm_cpu_level(), expected);
}
END_TEST
#endif

START_TEST(features_are_told_by_name)
{
    ck_assert_int_eq(norm_has_feature("scalar"), 1);
    ck_assert_int_eq(norm_has_feature("baseline"), 1);
    ck_assert_int_eq(norm_has_feature("threads"), 1);
    ck_assert_int_eq(norm_has_feature("avx512"), norm__cpu_compiled(LIBNORM_CPU_AVX512));
    ck_assert_int_eq(norm_has_feature("best"), 0);
    ck_assert_int_eq(norm_has_feature("gpt3"), 0);
    ck_assert_int_eq(norm_has_feature(""), 0);
    ck_assert_int_eq(norm_has_feature(NULL), 0);
    ck_assert_uint_eq(norm_version_number(),
                      (LIBNORM_VERSION_MAJOR << 16) + (LIBNORM_VERSION_MINOR << 8) + LIBNORM_VERSION_PATCH);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("cpu");
    TCase *tests = tcase_create("cpu");
    tcase_add_test(tests, names_and_numbers_of_levels_match);
    tcase_add_test(tests, a_cap_gives_the_best_compiled_level_below_it);
#if defined(__x86_64__)
    tcase_add_test(tests, the_compilers_own_detection_agrees);
#endif
    tcase_add_test(tests, features_are_told_by_name);
    suite_add_tcase(suite, tests);
    return suite;
}
