/* SPDX-License-Identifier: MIT */
#include <libnorm/norm.h>

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"

static norm_normalizer *parsed(const char *spec)
{
    norm_error error = {sizeof error, 0, 0, ""};
    norm_normalizer *n = NULL;
    ck_assert_msg(norm_normalizer_parse(spec, strlen(spec), NULL, &n, &error) == LIBNORM_OK, "%s", error.text);
    return n;
}

/* What the text says of itself, in full. */
static const char *canonical(const norm_normalizer *n)
{
    static char text[256];
    size_t length = 0;
    ck_assert_int_eq(norm_normalizer_spec(n, text, sizeof text, &length), LIBNORM_OK);
    ck_assert_uint_eq(length, strlen(text));
    return text;
}

static void refused(const void *spec, size_t length, int64_t where, const char *text)
{
    norm_error error = {sizeof error, 0, 0, ""};
    norm_normalizer *const before = (norm_normalizer *)(uintptr_t)64, *n = before;
    ck_assert_int_eq(norm_normalizer_parse(spec, length, NULL, &n, &error), LIBNORM_E_SPEC);
    ck_assert_str_eq(error.text, text);
    ck_assert_int_eq(error.status, LIBNORM_E_SPEC);
    ck_assert_int_eq(error.where, where);
    ck_assert_ptr_eq(n, before);
}

#define REFUSED(spec, where, text) refused(spec, sizeof(spec) - 1, where, text)

START_TEST(canonical_text_is_full_and_parses_to_an_equal_handle)
{
    static const struct {
        const char *given, *canonical;
    } cases[] = {
        {"softmax", "softmax:temperature=1"},
        {"softmax:temperature=0.5", "softmax:temperature=0.5"},
        {"softmax:temperature=5.0e-1", "softmax:temperature=0.5"},
        {"softmax:temperature=+.1", "softmax:temperature=0.1"},
        {"softmax:temperature=1e300", "softmax:temperature=1e+300"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        norm_normalizer *n = parsed(cases[i].given);
        ck_assert_str_eq(canonical(n), cases[i].canonical);
        norm_normalizer *again = parsed(cases[i].canonical);
        ck_assert_str_eq(canonical(again), cases[i].canonical);
        norm_normalizer_free(n);
        norm_normalizer_free(again);
    }
}
END_TEST

START_TEST(text_needs_no_nul_and_is_read_no_further_than_its_length)
{
    char *exact = malloc(7);
    memcpy(exact, "softmax", 7);
    norm_normalizer *n = NULL;
    ck_assert_int_eq(norm_normalizer_parse(exact, 7, NULL, &n, NULL), LIBNORM_OK);
    free(exact);
    ck_assert_str_eq(canonical(n), "softmax:temperature=1");
    norm_normalizer_free(n);
}
END_TEST

START_TEST(unknown_names_are_quoted_and_a_near_miss_is_named)
{
    norm_error error = {sizeof error, 0, 0, ""};
    norm_normalizer *n = NULL;
    static const struct {
        const char *spec, *begins;
    } cases[] = {
        {"sofmax", "unknown normalizer 'sofmax': did you mean softmax? known are softmax"},
        {"Softmax", "unknown normalizer 'Softmax': did you mean softmax? known are softmax"},
        {"sfotmax:temperature=2", "unknown normalizer 'sfotmax': did you mean softmax? known are softmax"},
        {"gauss", "unknown normalizer 'gauss': known are softmax"},
        {":temperature=2", "unknown normalizer '': known are softmax"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ck_assert_int_eq(norm_normalizer_parse(cases[i].spec, strlen(cases[i].spec), NULL, &n, &error), LIBNORM_E_SPEC);
        ck_assert_msg(strncmp(error.text, cases[i].begins, strlen(cases[i].begins)) == 0, "%s", error.text);
        ck_assert_int_eq(error.where, 0);
    }
    ck_assert_ptr_null(n);
}
END_TEST

START_TEST(every_mistake_is_told_with_its_byte)
{
    REFUSED("", 0, "the normalizer is empty: expected a name such as softmax or softmax:temperature=0.5");
    REFUSED("softmax:", 8, "'softmax:': expected key=value after ':' at byte 7");
    REFUSED("softmax:temperature=1,", 22, "'softmax:temperature=1,': expected key=value after ',' at byte 21");
    REFUSED("softmax:,temperature=1", 8, "'softmax:,temperature=1': expected key=value after ':' at byte 7");
    REFUSED("softmax:=1", 8, "'softmax:=1': expected key=value after ':' at byte 7");
    REFUSED("softmax:temperature", 19, "softmax: key 'temperature' has no value: expected temperature=number");
    REFUSED("softmax:temprature=1", 8,
            "softmax has no key 'temprature': did you mean temperature? its keys are temperature");
    REFUSED("softmax:T=1", 8, "softmax has no key 'T': its keys are temperature");
    REFUSED("softmax:temperature=1,temperature=1", 22, "softmax: key 'temperature' is given twice: expected it once");
    REFUSED("softmax:temperature=", 20, "softmax: temperature is '': expected a number > 0");
    REFUSED("softmax:temperature=0", 20, "softmax: temperature is '0': expected a number > 0");
    REFUSED("softmax:temperature=-0.0", 20, "softmax: temperature is '-0.0': expected a number > 0");
    REFUSED("softmax:temperature=1e-999", 20, "softmax: temperature is '1e-999': expected a number > 0");
    REFUSED("softmax:temperature=nan", 20, "softmax: temperature is 'nan': expected a number > 0");
    REFUSED("softmax:temperature=inf", 20, "softmax: temperature is 'inf': expected a number > 0");
    REFUSED("softmax:temperature=1e999", 20, "softmax: temperature is '1e999': expected a number > 0");
    REFUSED("softmax:temperature=0x1p0", 20, "softmax: temperature is '0x1p0': expected a number > 0");
    REFUSED("softmax:temperature=1;", 20, "softmax: temperature is '1;': expected a number > 0");
    REFUSED("softmax:temperature=1=2", 20, "softmax: temperature is '1=2': expected a number > 0");
    REFUSED("softmax:temperature=1:2", 20, "softmax: temperature is '1:2': expected a number > 0");
}
END_TEST

START_TEST(blanks_and_bytes_that_do_not_print_are_refused_where_they_stand)
{
    REFUSED(" softmax", 0,
            "' softmax': a blank at byte 0: expected name or name:key=value,key=value without blanks");
    REFUSED("softmax\n", 7,
            "'softmax\\x0a': a blank at byte 7: expected name or name:key=value,key=value without blanks");
    REFUSED("softmax:temperature= 1", 20,
            "'softmax:temperature= 1': a blank at byte 20: expected name or name:key=value,key=value without blanks");
    REFUSED("softmax\0", 7,
            "'softmax\\x00': a byte that is not printable ASCII at byte 7: expected name or name:key=value,key=value "
            "without blanks");
    REFUSED("soft\xc3\xbcmax", 4,
            "'soft\\xc3\\xbcmax': a byte that is not printable ASCII at byte 4: expected name or "
            "name:key=value,key=value without blanks");
}
END_TEST

START_TEST(endless_words_are_cut_in_the_message)
{
    static char spec[100000];
    memset(spec, 'x', sizeof spec);
    norm_error error = {sizeof error, 0, 0, ""};
    norm_normalizer *n = NULL;
    ck_assert_int_eq(norm_normalizer_parse(spec, sizeof spec, NULL, &n, &error), LIBNORM_E_SPEC);
    ck_assert_ptr_nonnull(strstr(error.text, "xxx...': known are softmax"));
}
END_TEST

START_TEST(null_arguments_are_named)
{
    norm_error error = {sizeof error, 0, 0, ""};
    norm_normalizer *n = NULL;
    ck_assert_int_eq(norm_normalizer_parse(NULL, 3, NULL, &n, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_normalizer_parse: spec is NULL");
    ck_assert_int_eq(norm_normalizer_parse("softmax", 7, NULL, NULL, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_normalizer_parse: ret_normalizer is NULL");
    ck_assert_int_eq(norm_normalizer_parse("softmax", 7, NULL, NULL, NULL), LIBNORM_E_ARGUMENT);
    ck_assert_int_eq(norm_normalizer_with(NULL, "temperature", 1, &n, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_normalizer_with: n is NULL");
    double value = 3;
    ck_assert_int_eq(norm_normalizer_get(NULL, "temperature", &value), LIBNORM_E_ARGUMENT);
    ck_assert(value == 3);
    ck_assert_ptr_null(norm_normalizer_ref(NULL));
    norm_normalizer_free(NULL);
    ck_assert_uint_eq(norm_normalizer_properties(NULL), 0);
}
END_TEST

START_TEST(with_changes_one_key_of_a_copy)
{
    norm_error error = {sizeof error, 0, 0, ""};
    norm_normalizer *n = parsed("softmax:temperature=2"), *changed = NULL;
    ck_assert_int_eq(norm_normalizer_with(n, "temperature", 0.25, &changed, &error), LIBNORM_OK);
    ck_assert_str_eq(canonical(changed), "softmax:temperature=0.25");
    ck_assert_str_eq(canonical(n), "softmax:temperature=2");
    double value = 0;
    ck_assert_int_eq(norm_normalizer_get(changed, "temperature", &value), LIBNORM_OK);
    ck_assert(value == 0.25);
    norm_normalizer *kept = changed;
    ck_assert_int_eq(norm_normalizer_with(n, "temperature", (double)NAN, &changed, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "softmax: temperature is nan: expected a number > 0");
    ck_assert_int_eq(error.where, -1);
    ck_assert_int_eq(norm_normalizer_with(n, "temperatur", 1, &changed, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "softmax has no key 'temperatur': did you mean temperature? its keys are temperature");
    ck_assert_ptr_eq(changed, kept);
    ck_assert_int_eq(norm_normalizer_get(n, "alpha", &value), LIBNORM_E_ARGUMENT);
    ck_assert(value == 0.25);
    norm_normalizer_free(changed);
    norm_normalizer_free(n);
}
END_TEST

START_TEST(text_that_does_not_fit_is_cut_and_its_length_told)
{
    norm_normalizer *n = parsed("softmax");
    size_t length = 0;
    char buffer[8] = "........";
    ck_assert_int_eq(norm_normalizer_spec(n, NULL, 0, &length), LIBNORM_E_ARGUMENT);
    ck_assert_uint_eq(length, 21);
    length = 0;
    ck_assert_int_eq(norm_normalizer_spec(n, buffer, 5, &length), LIBNORM_E_ARGUMENT);
    ck_assert_uint_eq(length, 21);
    ck_assert_str_eq(buffer, "soft");
    ck_assert_mem_eq(buffer + 5, "...", 3);
    char whole[22];
    ck_assert_int_eq(norm_normalizer_spec(n, whole, 22, NULL), LIBNORM_OK);
    ck_assert_str_eq(whole, "softmax:temperature=1");
    ck_assert_int_eq(norm_normalizer_spec(n, whole, 21, NULL), LIBNORM_E_ARGUMENT);
    norm_normalizer_free(n);
}
END_TEST

static void *counted_alloc(void *user, size_t size, size_t align)
{
    int *left = user;
    void *p = NULL;
    if (left[0] == 0 || posix_memalign(&p, align, size) != 0)
        return NULL;
    left[0]--;
    left[1]++;
    return p;
}

static void counted_release(void *user, void *p, size_t size)
{
    int *left = user;
    (void)size;
    left[1]--;
    free(p);
}

START_TEST(handles_live_in_the_callers_memory)
{
    int count[2] = {2, 0}; /* may still be taken, held */
    norm_allocator allocator = {count, counted_alloc, counted_release};
    norm_normalizer *n = NULL, *copy = NULL;
    norm_error error = {sizeof error, 0, 0, ""};
    ck_assert_int_eq(norm_normalizer_parse("softmax", 7, &allocator, &n, &error), LIBNORM_OK);
    memset(&allocator, 0, sizeof allocator); /* the handle has a copy */
    ck_assert_int_eq(norm_normalizer_with(n, "temperature", 2, &copy, &error), LIBNORM_OK);
    ck_assert_int_eq(count[1], 2);
    norm_normalizer *none = NULL;
    ck_assert_int_eq(norm_normalizer_with(n, "temperature", 3, &none, &error), LIBNORM_E_NOMEM);
    ck_assert_ptr_null(none);
    ck_assert_ptr_eq(norm_normalizer_ref(n), n);
    norm_normalizer_free(n);
    ck_assert_int_eq(count[1], 2);
    norm_normalizer_free(n);
    norm_normalizer_free(copy);
    ck_assert_int_eq(count[1], 0);
    norm_allocator lame = {NULL, counted_alloc, NULL};
    ck_assert_int_eq(norm_normalizer_parse("softmax", 7, &lame, &none, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_normalizer_parse: allocator lacks alloc or release");
}
END_TEST

START_TEST(numbers_do_not_follow_the_locale)
{
    static const char *const comma[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8", "de_DE", "fr_FR"};
    for (size_t i = 0; i < sizeof comma / sizeof comma[0]; i++)
        if (setlocale(LC_ALL, comma[i]) != NULL)
            break;
    norm_normalizer *n = parsed("softmax:temperature=0.5");
    ck_assert_str_eq(canonical(n), "softmax:temperature=0.5");
    REFUSED("softmax:temperature=1,5", 22, "softmax has no key '5': its keys are temperature");
    norm_normalizer_free(n);
    setlocale(LC_ALL, "C");
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("spec");
    TCase *tests = tcase_create("spec");
    tcase_add_test(tests, canonical_text_is_full_and_parses_to_an_equal_handle);
    tcase_add_test(tests, text_needs_no_nul_and_is_read_no_further_than_its_length);
    tcase_add_test(tests, unknown_names_are_quoted_and_a_near_miss_is_named);
    tcase_add_test(tests, every_mistake_is_told_with_its_byte);
    tcase_add_test(tests, blanks_and_bytes_that_do_not_print_are_refused_where_they_stand);
    tcase_add_test(tests, endless_words_are_cut_in_the_message);
    tcase_add_test(tests, null_arguments_are_named);
    tcase_add_test(tests, with_changes_one_key_of_a_copy);
    tcase_add_test(tests, text_that_does_not_fit_is_cut_and_its_length_told);
    tcase_add_test(tests, handles_live_in_the_callers_memory);
    tcase_add_test(tests, numbers_do_not_follow_the_locale);
    suite_add_tcase(suite, tests);
    return suite;
}
