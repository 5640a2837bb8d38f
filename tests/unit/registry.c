/* SPDX-License-Identifier: MIT */
#include <libnorm/norm.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/support.h"

START_TEST(every_entry_parses_with_its_defaults_and_agrees_with_its_handle)
{
    for (size_t i = 0; i < norm_registry_count(); i++) {
        norm_normalizer_info info = {.struct_size = sizeof info};
        ck_assert_int_eq(norm_registry_get(i, &info, NULL), LIBNORM_OK);
        ck_assert(strlen(info.formula) > 0 && strlen(info.source) > 0);
        ck_assert_uint_ge(info.keys, 1);
        char spec[256];
        int length = snprintf(spec, sizeof spec, "%s", info.name), required = 0;
        for (size_t k = 0; k < info.keys; k++) {
            norm_key_info key = {.struct_size = sizeof key};
            ck_assert_int_eq(norm_registry_key(i, k, &key, NULL), LIBNORM_OK);
            if (k == 0)
                ck_assert_str_eq(key.name, "temperature");
            ck_assert(strlen(key.meaning) > 0 && key.low < key.high);
            if (key.flags & LIBNORM_KEY_REQUIRED)
                length += snprintf(spec + length, sizeof spec - (size_t)length, "%c%s=%g", required++ ? ',' : ':',
                                   key.name, key.low);
            else
                ck_assert(key.default_value >= key.low && key.default_value <= key.high);
        }
        norm_normalizer *n = NULL;
        norm_error error = {sizeof error, 0, 0, ""};
        ck_assert_msg(norm_normalizer_parse(spec, strlen(spec), NULL, &n, &error) == LIBNORM_OK, "%s", error.text);
        ck_assert_uint_eq(norm_normalizer_properties(n), info.properties);
        norm_normalizer_free(n);
    }
}
END_TEST

START_TEST(names_are_unique_and_lower_case)
{
    for (size_t i = 0; i < norm_registry_count(); i++) {
        norm_normalizer_info a = {.struct_size = sizeof a}, b = {.struct_size = sizeof b};
        ck_assert_int_eq(norm_registry_get(i, &a, NULL), LIBNORM_OK);
        ck_assert_uint_eq(strspn(a.name, "abcdefghijklmnopqrstuvwxyz0123456789"), strlen(a.name));
        for (size_t j = 0; j < i; j++) {
            ck_assert_int_eq(norm_registry_get(j, &b, NULL), LIBNORM_OK);
            ck_assert_str_ne(a.name, b.name);
        }
    }
}
END_TEST

START_TEST(softmax_is_described)
{
    norm_normalizer_info info = {.struct_size = sizeof info};
    norm_key_info key = {.struct_size = sizeof key};
    ck_assert_int_eq(norm_registry_get(0, &info, NULL), LIBNORM_OK);
    ck_assert_str_eq(info.name, "softmax");
    ck_assert_uint_eq(info.properties, LIBNORM_PROPERTY_SIMPLEX | LIBNORM_PROPERTY_SMOOTH | LIBNORM_PROPERTY_FAMILY |
                                           LIBNORM_PROPERTY_SHIFT_INVARIANT | LIBNORM_PROPERTY_SYMMETRIC);
    ck_assert_int_eq(norm_registry_key(0, 0, &key, NULL), LIBNORM_OK);
    ck_assert(key.default_value == 1 && key.low == 0 && isinf(key.high));
    ck_assert_uint_eq(key.flags, LIBNORM_KEY_LOW_OPEN);
}
END_TEST

START_TEST(what_is_not_there_is_an_error_and_leaves_the_result)
{
    norm_error error = {sizeof error, 0, 0, ""};
    norm_normalizer_info info = {.struct_size = sizeof info, .keys = 77};
    norm_key_info key = {.struct_size = sizeof key, .low = 77};
    ck_assert_int_eq(norm_registry_get(norm_registry_count(), &info, &error), LIBNORM_E_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "no normalizer number "));
    ck_assert_uint_eq(info.keys, 77);
    ck_assert_int_eq(norm_registry_key(0, 1, &key, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "softmax has no key number 1: it has 1, from 0");
    ck_assert(key.low == 77);
    ck_assert_int_eq(norm_registry_get(0, NULL, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_normalizer_info is NULL");
    info.struct_size = 4;
    ck_assert_int_eq(norm_registry_get(0, &info, &error), LIBNORM_E_ARGUMENT);
    ck_assert_uint_eq(info.keys, 77);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("registry");
    TCase *tests = tcase_create("registry");
    tcase_add_test(tests, every_entry_parses_with_its_defaults_and_agrees_with_its_handle);
    tcase_add_test(tests, names_are_unique_and_lower_case);
    tcase_add_test(tests, softmax_is_described);
    tcase_add_test(tests, what_is_not_there_is_an_error_and_leaves_the_result);
    suite_add_tcase(suite, tests);
    return suite;
}
