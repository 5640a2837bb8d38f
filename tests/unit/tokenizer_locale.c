/* SPDX-License-Identifier: MIT */
/* Files are read and texts encoded the same in a locale with a decimal comma. */
#include <libnorm/norm.h>

#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "support/locale.h"
#include "support/support.h"

static const char merges[] = "#version: 0.2\na b\n3 ,\n";
static const char vocab[] = "{\"a\":0,\"b\":1,\"ab\":2,\"3\":3,\",\":4,\"3,\":5,\".\":6,\"\xC3\xA9\":7}";

static void reads_and_encodes(void)
{
    norm_error error = {sizeof error, 0, 0, ""};
    norm_tokenizer *t = NULL;
    int32_t ids[8];
    size_t count = 0;
    ck_assert_msg(norm_tokenizer_open_memory(vocab, strlen(vocab), merges, strlen(merges), NULL, &t, &error) ==
                      LIBNORM_OK,
                  "%s", error.text);
    ck_assert_int_eq(norm_tokenizer_encode(t, "ab3,3.\xE9", 7, 0, ids, 8, &count, NULL, &error), LIBNORM_OK);
    static const int32_t expected[6] = {2, 3, 4, 3, 6, 7};
    ck_assert_uint_eq(count, 6);
    ck_assert_mem_eq(ids, expected, sizeof expected);
    norm_tokenizer_free(t);
    t = NULL;
    ck_assert_int_eq(norm_tokenizer_open_memory("{\"a\": 0.5}", 10, merges, strlen(merges), NULL, &t, &error),
                     LIBNORM_E_FORMAT);
    ck_assert_str_eq(error.text, "vocab.json: entry 'a': expected an integer id");
    ck_assert_int_eq(norm_tokenizer_open_memory("{\"a\": 0,5}", 10, merges, strlen(merges), NULL, &t, &error),
                     LIBNORM_E_FORMAT);
    ck_assert_ptr_null(t);
}

START_TEST(a_decimal_comma_changes_nothing)
{
    char text[8];
    ck_assert_ptr_nonnull(setlocale(LC_NUMERIC, "comma"));
    snprintf(text, sizeof text, "%.1f", 0.5);
    ck_assert_str_eq(text, "0,5");
    reads_and_encodes();
    snprintf(text, sizeof text, "%.1f", 0.5); /* the locale is what it was */
    ck_assert_str_eq(text, "0,5");
}
END_TEST

/* Jansson would abort on the 0.5 below. */
START_TEST(a_decimal_point_of_two_bytes_changes_nothing)
{
    ck_assert_ptr_nonnull(setlocale(LC_NUMERIC, "wide"));
    reads_and_encodes();
}
END_TEST

Suite *support_suite(void)
{
    support_locales();
    Suite *suite = suite_create("tokenizer locale");
    TCase *tests = tcase_create("tokenizer locale");
    tcase_add_test(tests, a_decimal_comma_changes_nothing);
    tcase_add_test(tests, a_decimal_point_of_two_bytes_changes_nothing);
    suite_add_tcase(suite, tests);
    return suite;
}
