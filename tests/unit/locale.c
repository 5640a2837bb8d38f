/* SPDX-License-Identifier: MIT */
/* A host whose locale writes 0,5: numbers as text must not follow it. */
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include <libnorm/normalizer.h>

#include "base/number.h"
#include "norm_config.h"
#if NORM__WITH_GPT2
#include "gpt2/config.h"
#endif
#include "support/locale.h"
#include "support/support.h"

static void assert_numbers_ignore_the_locale(void)
{
    char local[32];
    snprintf(local, sizeof local, "%.1f", 0.5);
    ck_assert_str_ne(local, "0.5"); /* else this test shows nothing */
    ck_assert_str_eq(norm__text_f64(0.5).text, "0.5");
    ck_assert_str_eq(norm__text_f64(-1234567.25).text, "-1234567.25");
    ck_assert_str_eq(norm__text_f64(1.0 / 3).text, "0.3333333333333333");
    ck_assert_str_eq(norm__text_f64(2.5e-300).text, "2.5e-300");
    ck_assert_str_eq(norm__text_f64(3).text, "3");
    ck_assert_str_eq(norm__text_f32(0.1f).text, "0.1");
    double x = 42;
    ck_assert(norm__read_f64("0.125", 5, &x) && x == 0.125);
    ck_assert(norm__read_f64("-2.5e-3", 7, &x) && x == -2.5e-3);
    ck_assert(norm__read_f64(".5", 2, &x) && x == 0.5);
    ck_assert(norm__read_f64("5.", 2, &x) && x == 5);
    x = 42;
    ck_assert(!norm__read_f64("0,125", 5, &x) && x == 42);
    ck_assert(!norm__read_f64(local, strlen(local), &x) && x == 42);

    static const char spec[] = "softmax:temperature=0.25";
    norm_normalizer *softmax = NULL;
    norm_error error = {sizeof error, 0, 0, ""};
    char text[64];
    ck_assert_int_eq(norm_normalizer_parse(spec, strlen(spec), NULL, &softmax, &error), LIBNORM_OK);
    ck_assert_int_eq(norm_normalizer_spec(softmax, text, sizeof text, NULL), LIBNORM_OK);
    ck_assert_str_eq(text, spec);
    norm_normalizer_free(softmax);
    ck_assert_int_eq(norm_normalizer_parse("softmax:temperature=0,25", 24, NULL, &softmax, &error), LIBNORM_E_SPEC);
    ck_assert_int_eq(norm_normalizer_parse("softmax:temperature=-0.5", 24, NULL, &softmax, &error), LIBNORM_E_SPEC);
    ck_assert_msg(strstr(error.text, "-0.5") != NULL && strstr(error.text, local) == NULL, "%s", error.text);
}

START_TEST(numbers_are_the_same_in_a_comma_locale)
{
    ck_assert_ptr_nonnull(setlocale(LC_NUMERIC, "comma"));
    assert_numbers_ignore_the_locale();
}
END_TEST

START_TEST(numbers_are_the_same_when_the_locale_is_this_threads_only)
{
    locale_t comma = newlocale(LC_NUMERIC_MASK, "comma", (locale_t)0);
    ck_assert(comma != (locale_t)0);
    uselocale(comma);
    assert_numbers_ignore_the_locale();
    uselocale(LC_GLOBAL_LOCALE);
    freelocale(comma);
}
END_TEST

START_TEST(numbers_are_the_same_where_the_point_is_two_bytes)
{
    ck_assert_ptr_nonnull(setlocale(LC_NUMERIC, "wide"));
    assert_numbers_ignore_the_locale();
}
END_TEST

#if NORM__WITH_GPT2
/* Jansson reads reals by the locale, and aborts on a point of two bytes. */
static void assert_config_ignores_the_locale(const char *locale)
{
    static const char json[] = "{\"vocab_size\": 3, \"n_positions\": 4, \"n_embd\": 6, \"n_layer\": 1, \"n_head\": 2, "
                               "\"layer_norm_epsilon\": 0.00125, \"attn_pdrop\": 0.1}";
    struct norm__config config;
    ck_assert_ptr_nonnull(setlocale(LC_NUMERIC, locale));
    ck_assert_int_eq(norm__config_read(&config, "config", json, sizeof json - 1, NULL), LIBNORM_OK);
    ck_assert_double_eq(config.shape.layer_norm_epsilon, 0.00125);
    char local[32];
    snprintf(local, sizeof local, "%.1f", 0.5); /* and the locale is what it was */
    ck_assert_str_ne(local, "0.5");
}

START_TEST(config_is_the_same_in_a_comma_locale)
{
    assert_config_ignores_the_locale("comma");
}
END_TEST

START_TEST(config_is_the_same_where_the_point_is_two_bytes)
{
    assert_config_ignores_the_locale("wide");
}
END_TEST
#endif

Suite *support_suite(void)
{
    support_locales();
    Suite *suite = suite_create("locale");
    TCase *tests = tcase_create("locale");
    tcase_add_test(tests, numbers_are_the_same_in_a_comma_locale);
    tcase_add_test(tests, numbers_are_the_same_when_the_locale_is_this_threads_only);
    tcase_add_test(tests, numbers_are_the_same_where_the_point_is_two_bytes);
#if NORM__WITH_GPT2
    tcase_add_test(tests, config_is_the_same_in_a_comma_locale);
    tcase_add_test(tests, config_is_the_same_where_the_point_is_two_bytes);
#endif
    suite_add_tcase(suite, tests);
    return suite;
}
