/* SPDX-License-Identifier: MIT */
#include "blas/suits.h"

#include <libnorm/norm.h>
#include <string.h>

#include "norm_config.h"
#include "support/support.h"

static const char debian[] = "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY Prescott MAX_THREADS=64";

static const struct {
    const char *kernel, *config;
    struct norm__processor processor;
    int32_t suits;
    const char *advice;
} cases[] = {
    /* A Xeon the library does not know: the case that made this function. */
    {"Prescott", debian, {NORM__VENDOR_INTEL, 6, LIBNORM_CPU_AVX512}, -1, "SkylakeX"},
    {"Haswell", debian, {NORM__VENDOR_INTEL, 6, LIBNORM_CPU_AVX512}, -1, "SkylakeX"},
    {"SkylakeX", debian, {NORM__VENDOR_INTEL, 6, LIBNORM_CPU_AVX512}, 1, ""},
    {"SapphireRapids", debian, {NORM__VENDOR_INTEL, 6, LIBNORM_CPU_AVX512}, 1, ""},
    {"Prescott", "OpenBLAS 0.3.5 DYNAMIC_ARCH", {NORM__VENDOR_INTEL, 6, LIBNORM_CPU_AVX512}, -1, "Haswell"},
    {"Haswell", "OpenBLAS 0.3.5 DYNAMIC_ARCH", {NORM__VENDOR_INTEL, 6, LIBNORM_CPU_AVX512}, -1, ""},
    {"Prescott", "OpenBLAS 0.4.0 DYNAMIC_ARCH", {NORM__VENDOR_INTEL, 6, LIBNORM_CPU_AVX512}, -1, "SkylakeX"},
    {"Core2", debian, {NORM__VENDOR_INTEL, 6, LIBNORM_CPU_AVX2}, -1, "Haswell"},
    {"Haswell", debian, {NORM__VENDOR_INTEL, 6, LIBNORM_CPU_AVX2}, 1, ""},
    {"SkylakeX", debian, {NORM__VENDOR_INTEL, 6, LIBNORM_CPU_AVX2}, -1, "Haswell"},
    /* Zen 3 and 4 are content with 256 bits, Zen 5 is not. */
    {"Barcelona", debian, {NORM__VENDOR_AMD, 0x19, LIBNORM_CPU_AVX2}, -1, "Zen"},
    {"Zen", debian, {NORM__VENDOR_AMD, 0x19, LIBNORM_CPU_AVX512}, 1, ""},
    {"Haswell", debian, {NORM__VENDOR_AMD, 0x19, LIBNORM_CPU_AVX512}, 1, ""},
    {"Cooperlake", debian, {NORM__VENDOR_AMD, 0x19, LIBNORM_CPU_AVX512}, 1, ""},
    {"Zen", debian, {NORM__VENDOR_AMD, 0x1A, LIBNORM_CPU_AVX512}, -1, "SkylakeX"},
    {"Prescott", "OpenBLAS 0.3.20 DYNAMIC_ARCH", {NORM__VENDOR_AMD, 0x1A, LIBNORM_CPU_AVX512}, -1, "Zen"},
    /* One kernel is all there is: no advice. */
    {"Prescott", "OpenBLAS 0.3.21 NO_AFFINITY", {NORM__VENDOR_INTEL, 6, LIBNORM_CPU_AVX2}, -1, ""},
    {"prescott", "", {NORM__VENDOR_INTEL, 6, LIBNORM_CPU_AVX2}, -1, ""},
    /* Nothing known, nothing said. */
    {"", "", {NORM__VENDOR_INTEL, 6, LIBNORM_CPU_AVX512}, 0, ""},
    {"NEOVERSEN1", debian, {NORM__VENDOR_OTHER, 0, LIBNORM_CPU_NEON}, 0, ""},
    {"Prescott", debian, {NORM__VENDOR_INTEL, 6, LIBNORM_CPU_BASELINE}, 0, ""},
    {"Haswell", debian, {NORM__VENDOR_OTHER, 6, LIBNORM_CPU_AVX512}, 0, ""},
};

START_TEST(a_kernel_is_judged_by_the_processor)
{
    const char *advice = NULL;
    int32_t suits = norm__kernel_suits(cases[_i].kernel, cases[_i].config, &cases[_i].processor, &advice);
    ck_assert_msg(suits == cases[_i].suits, "case %d, %s: %d", _i, cases[_i].kernel, (int)suits);
    ck_assert_str_eq(advice, cases[_i].advice);
}
END_TEST

START_TEST(the_library_in_use_is_described)
{
    norm_error error = {sizeof error, 0, 0, ""};
    norm_blas_info info = {.struct_size = sizeof info, .suits = 7};
    memset(info.library, 'x', sizeof info.library);
    ck_assert_int_eq(norm_blas_describe(&info, &error), LIBNORM_OK);
    ck_assert_uint_eq(info.struct_size, sizeof info);
    ck_assert_str_eq(info.library, NORM__BLAS_NAME);
    ck_assert(info.suits >= -1 && info.suits <= 1);
    if (strcmp(info.library, "openblas") == 0)
        ck_assert_msg(info.kernel[0] != '\0', "OpenBLAS did not tell its kernel");
    if (strcmp(info.library, "none") == 0)
        ck_assert_msg(info.kernel[0] == '\0' && info.suits == 0, "%s", info.kernel);
}
END_TEST

START_TEST(a_struct_too_small_is_refused)
{
    norm_error error = {sizeof error, 0, 0, ""};
    norm_blas_info info = {.struct_size = 16, .suits = 7};
    ck_assert_int_eq(norm_blas_describe(&info, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_blas_info.struct_size is 16: expected sizeof(norm_blas_info), at least 144");
    ck_assert_int_eq(info.suits, 7);
    ck_assert_int_eq(norm_blas_describe(NULL, &error), LIBNORM_E_ARGUMENT);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("blas");
    TCase *tests = tcase_create("blas");
    tcase_add_loop_test(tests, a_kernel_is_judged_by_the_processor, 0, sizeof cases / sizeof cases[0]);
    tcase_add_test(tests, the_library_in_use_is_described);
    tcase_add_test(tests, a_struct_too_small_is_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
