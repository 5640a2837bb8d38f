/* SPDX-License-Identifier: MIT */
/* A host whose locale writes 0,5: numbers as text must not follow it. localedef makes the locale for the test. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"
#include "norm_config.h"
#if NORM__WITH_GPT2
#include "gpt2/config.h"
#endif
#include "support/support.h"

/* Defines the locale NAME in folder; 0 if this system can. */
static int define_locale(const char *folder, const char *name, const char *point, const char *charmap)
{
    char path[160], command[640];
    snprintf(path, sizeof path, "%s/%s.src", folder, name);
    FILE *source = fopen(path, "w");
    if (source == NULL)
        return -1;
    fprintf(source, "LC_NUMERIC\ndecimal_point \"%s\"\nthousands_sep \"\"\ngrouping -1\nEND LC_NUMERIC\n", point);
    fclose(source);
    snprintf(command, sizeof command, "localedef -c --no-archive -f %s -i %s %s/%s >/dev/null 2>&1", charmap, path,
             folder, name);
    (void)!system(command); /* warns about what is not defined: whether it worked shows below */
    snprintf(path, sizeof path, "%s/%s/LC_NUMERIC", folder, name);
    struct stat info;
    return stat(path, &info);
}

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

static char folder[] = "/tmp/libnorm-locale-XXXXXX";

static pid_t owner; /* the tests run in children, which end through exit as well */

static void remove_folder(void)
{
    if (getpid() != owner)
        return;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    (void)!system(command);
}

Suite *support_suite(void)
{
    if (mkdtemp(folder) == NULL) {
        fputs("skipped: no temporary folder\n", stderr);
        exit(77);
    }
    owner = getpid();
    atexit(remove_folder);
    if (define_locale(folder, "comma", ",", "ANSI_X3.4-1968") != 0) {
        fputs("skipped: localedef cannot make a locale with a decimal comma here\n", stderr);
        exit(77);
    }
    setenv("LOCPATH", folder, 1);
    Suite *suite = suite_create("locale");
    TCase *tests = tcase_create("locale");
    tcase_add_test(tests, numbers_are_the_same_in_a_comma_locale);
    tcase_add_test(tests, numbers_are_the_same_when_the_locale_is_this_threads_only);
    const bool wide = define_locale(folder, "wide", "<U066B>", "UTF-8") == 0;
    if (wide)
        tcase_add_test(tests, numbers_are_the_same_where_the_point_is_two_bytes);
#if NORM__WITH_GPT2
    tcase_add_test(tests, config_is_the_same_in_a_comma_locale);
    if (wide)
        tcase_add_test(tests, config_is_the_same_where_the_point_is_two_bytes);
#endif
    suite_add_tcase(suite, tests);
    return suite;
}
