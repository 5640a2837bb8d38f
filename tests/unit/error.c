/* SPDX-License-Identifier: MIT */
#include "base/error.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "support/support.h"

/* Length of text if it is whole UTF-8 characters, else -1. */
static int whole_characters(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    int n = 0;
    while (p[n] != '\0') {
        int length = p[n] < 0x80 ? 1 : p[n] < 0xC0 ? 0 : p[n] < 0xE0 ? 2 : p[n] < 0xF0 ? 3 : 4;
        if (length == 0)
            return -1;
        for (int i = 1; i < length; i++)
            if ((p[n + i] & 0xC0) != 0x80)
                return -1;
        n += length;
    }
    return n;
}

START_TEST(a_failure_fills_the_struct_and_keeps_errno)
{
    norm_error error = {sizeof error, 0, 0, ""};
    errno = EDOM;
    ck_assert_int_eq(norm__fail(&error, LIBNORM_E_SPEC, 17, "%s at %d", "here", 3), LIBNORM_E_SPEC);
    ck_assert_int_eq(errno, EDOM);
    ck_assert_int_eq(error.status, LIBNORM_E_SPEC);
    ck_assert_int_eq(error.where, 17);
    ck_assert_str_eq(error.text, "here at 3");
    ck_assert_int_eq(norm__fail(NULL, LIBNORM_E_IO, -1, "x"), LIBNORM_E_IO);
}
END_TEST

START_TEST(a_struct_of_another_size_is_not_written)
{
    struct {
        norm_error error;
        char behind[64];
    } longer = {{sizeof longer, 0, 0, ""}, ""};
    norm_error shorter = {sizeof shorter - 1, 0, 0, ""};
    ck_assert(norm__error_usable(NULL));
    ck_assert(norm__error_usable(&longer.error));
    ck_assert(!norm__error_usable(&shorter));
    ck_assert_int_eq(norm__fail(&longer.error, LIBNORM_E_IO, 5, "read"), LIBNORM_E_IO);
    ck_assert_str_eq(longer.error.text, "read");
    ck_assert_int_eq(norm__fail(&shorter, LIBNORM_E_IO, 5, "read"), LIBNORM_E_IO);
    ck_assert_int_eq(shorter.status, 0);
    ck_assert_str_eq(shorter.text, "");
}
END_TEST

START_TEST(a_long_text_is_cut_between_characters)
{
    static const char *const characters[] = {"x", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"};
    for (size_t c = 0; c < 4; c++) {
        for (size_t lead = 0; lead < 4; lead++) {
            char text[700] = "";
            memset(text, 'a', lead);
            while (strlen(text) < 600)
                strcat(text, characters[c]);
            norm_error error = {sizeof error, 0, 0, ""};
            norm__fail(&error, LIBNORM_E_ARGUMENT, -1, "%s", text);
            int n = whole_characters(error.text);
            ck_assert_msg(n > (int)(sizeof error.text - 1 - strlen(characters[c])), "character %zu, lead %zu: %d", c,
                          lead, n);
            ck_assert_int_eq(strncmp(text, error.text, (size_t)n), 0);
        }
    }
    /* A text that fits to the last byte stays whole. */
    char exact[496];
    memset(exact, 'b', sizeof exact - 1);
    memcpy(exact + sizeof exact - 4, "\xE2\x82\xAC", 4);
    norm_error error = {sizeof error, 0, 0, ""};
    norm__fail(&error, LIBNORM_E_ARGUMENT, -1, "%s", exact);
    ck_assert_str_eq(error.text, exact);
}
END_TEST

START_TEST(the_text_is_one_line)
{
    norm_error error = {sizeof error, 0, 0, ""};
    norm__fail(&error, LIBNORM_E_ARGUMENT, -1, "a\nb\tc\x1b[1m\x7f");
    ck_assert_str_eq(error.text, "a?b?c?[1m?");
}
END_TEST

START_TEST(names_are_quoted_with_every_odd_byte_escaped)
{
    ck_assert_str_eq(norm__quote("soft max~", 9).text, "'soft max~'");
    ck_assert_str_eq(norm__quote("", 0).text, "''");
    ck_assert_str_eq(norm__quote("a\0\n\xC3\xA9", 5).text, "'a\\x00\\x0a\\xc3\\xa9'");
    for (size_t n = 0; n < 400; n++) {
        char name[400];
        memset(name, n % 2 == 0 ? 'n' : '\x80', sizeof name);
        norm__quoted q = norm__quote(name, n);
        size_t length = strlen(q.text);
        ck_assert_uint_lt(length, sizeof q.text);
        ck_assert(q.text[0] == '\'' && q.text[length - 1] == '\'');
        ck_assert_int_eq(strstr(q.text, "...'") != NULL, n > (n % 2 == 0 ? 150 : 38));
    }
}
END_TEST

START_TEST(errno_values_have_words)
{
    ck_assert_str_eq(norm__errno_text(ENOENT), "no such file or directory");
    ck_assert_str_eq(norm__errno_text(EPERM), norm__errno_text(EACCES));
    ck_assert_str_eq(norm__errno_text(ENOSPC), "no space left on the device");
    ck_assert_str_eq(norm__errno_text(INT_MAX), "the operating system refused");
    static const int files_give[] = {EISDIR, ENOTDIR, ENAMETOOLONG, ELOOP, EMFILE, ENOMEM, EROFS, EFBIG, EIO};
    for (size_t i = 0; i < sizeof files_give / sizeof files_give[0]; i++)
        ck_assert_str_ne(norm__errno_text(files_give[i]), norm__errno_text(INT_MAX));
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("error");
    TCase *tests = tcase_create("error");
    tcase_add_test(tests, a_failure_fills_the_struct_and_keeps_errno);
    tcase_add_test(tests, a_struct_of_another_size_is_not_written);
    tcase_add_test(tests, a_long_text_is_cut_between_characters);
    tcase_add_test(tests, the_text_is_one_line);
    tcase_add_test(tests, names_are_quoted_with_every_odd_byte_escaped);
    tcase_add_test(tests, errno_values_have_words);
    suite_add_tcase(suite, tests);
    return suite;
}
