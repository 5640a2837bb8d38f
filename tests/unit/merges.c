/* SPDX-License-Identifier: MIT */
/* What a merges.txt may look like, and what is wrong with one, said in one line. */
#include <libnorm/norm.h>

#include <string.h>

#include "support/support.h"

static const char vocab[] = "{\"a\":0,\"b\":1,\"c\":2,\"ab\":3,\"bc\":4,\"abc\":5,\"#version:\":6,\"\xC4\xA0\":7}";

static norm_status open_with(const char *merges, size_t size, norm_tokenizer **ret_tokenizer, norm_error *error)
{
    return norm_tokenizer_open_memory(vocab, strlen(vocab), merges, size, NULL, ret_tokenizer, error);
}

START_TEST(lists_of_every_allowed_form_merge_the_same)
{
    static const char *const forms[] = {
        "a b\nab c\n",
        "a b\nab c",
        "#version: 0.2\na b\nab c\n",
        "#version: 0.2\r\na b\r\nab c\r\n",
        "#version: 0.2\r\na b\r\nab c\r\n\r\n",
        "#version\na b\nab c\n\n\n",
        "#version: 0.2 - trained elsewhere\na b\nab c",
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        norm_error error = {sizeof error, 0, 0, ""};
        norm_tokenizer *t = NULL;
        int32_t ids[8];
        size_t count = 0;
        ck_assert_msg(open_with(forms[i], strlen(forms[i]), &t, &error) == LIBNORM_OK, "%s", error.text);
        ck_assert_int_eq(norm_tokenizer_encode(t, "abcabb", 6, 0, ids, 8, &count, NULL, NULL), LIBNORM_OK);
        ck_assert_uint_eq(count, 3);
        ck_assert_int_eq(ids[0], 5);
        ck_assert_int_eq(ids[1], 3);
        ck_assert_int_eq(ids[2], 1);
        norm_tokenizer_free(t);
    }
}
END_TEST

START_TEST(rank_decides_not_place_nor_length)
{
    norm_tokenizer *t = NULL;
    int32_t ids[3];
    size_t count = 0;
    ck_assert_int_eq(open_with("b c\na b\n", 8, &t, NULL), LIBNORM_OK);
    ck_assert_int_eq(norm_tokenizer_encode(t, "abc", 3, 0, ids, 3, &count, NULL, NULL), LIBNORM_OK);
    ck_assert_uint_eq(count, 2); /* a bc, though abc is a token: no merge makes it */
    ck_assert_int_eq(ids[0], 0);
    ck_assert_int_eq(ids[1], 4);
    norm_tokenizer_free(t);
}
END_TEST

START_TEST(a_list_of_no_merges_leaves_bytes)
{
    norm_tokenizer *t = NULL;
    int32_t ids[3];
    size_t count = 0;
    ck_assert_int_eq(open_with("#version: 0.2\n", 14, &t, NULL), LIBNORM_OK);
    ck_assert_int_eq(norm_tokenizer_encode(t, "abc", 3, 0, ids, 3, &count, NULL, NULL), LIBNORM_OK);
    ck_assert_uint_eq(count, 3);
    norm_tokenizer_free(t);
}
END_TEST

START_TEST(malformed_lines_are_named)
{
    static const struct {
        const char *merges;
        int64_t where;
        const char *text;
    } known[] = {
        {"", 0, "merges.txt: empty: expected a line '#version: 0.2' or merges"},
        {"#version: 0.2\na b\nab\n", 18, "merges.txt: line 3: expected two symbols with one blank between, found 'ab'"},
        {"a b\n\nab c\n", 4, "merges.txt: line 2: expected two symbols with one blank between, found ''"},
        {"a b\nab  c\n", 4, "merges.txt: line 2: expected two symbols with one blank between, found 'ab  c'"},
        {"a b c\n", 0, "merges.txt: line 1: expected two symbols with one blank between, found 'a b c'"},
        {" a b\n", 0, "merges.txt: line 1: expected two symbols with one blank between, found ' a b'"},
        {"a \n", 0, "merges.txt: line 1: expected two symbols with one blank between, found 'a '"},
        {" b\n", 0, "merges.txt: line 1: expected two symbols with one blank between, found ' b'"},
        {"a\tb\n", 0, "merges.txt: line 1: expected two symbols with one blank between, found 'a\\x09b'"},
        {"a b\r\r\nab c", 3, "merges.txt: line 1: byte 1 of 'b\\x0d' begins none of the 256 letters for bytes"},
        {"a b\n#version: 0.2\n", 14, "merges.txt: line 2: '0.2' is not in the vocabulary"},
        {"a x\n", 2, "merges.txt: line 1: 'x' is not in the vocabulary"},
        {"x a\n", 0, "merges.txt: line 1: 'x' is not in the vocabulary"},
        {"a b\nb a\n", 4, "merges.txt: line 2: what 'b a' joins to is not in the vocabulary"},
        {"#version: 0.2\na b\nab c\na b\n", 23, "merges.txt: line 4 repeats the pair of line 2"},
        {"a b\na b\n", 4, "merges.txt: line 2 repeats the pair of line 1"},
        {"a \xFF\n", 2, "merges.txt: line 1: byte 0 of '\\xff' begins none of the 256 letters for bytes"},
        {"\xEF\xBB\xBF"
         "a b\n",
         0, "merges.txt: line 1: byte 0 of '\\xef\\xbb\\xbfa' begins none of the 256 letters for bytes"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        norm_error error = {sizeof error, 0, 0, ""};
        norm_tokenizer *t = NULL;
        ck_assert_int_eq(open_with(known[i].merges, strlen(known[i].merges), &t, &error), LIBNORM_E_FORMAT);
        ck_assert_ptr_null(t);
        ck_assert_str_eq(error.text, known[i].text);
        ck_assert_int_eq(error.where, known[i].where);
    }
}
END_TEST

START_TEST(nul_is_no_letter)
{
    norm_error error = {sizeof error, 0, 0, ""};
    norm_tokenizer *t = NULL;
    ck_assert_int_eq(open_with("a b\0\n", 5, &t, &error), LIBNORM_E_FORMAT);
    ck_assert_str_eq(error.text, "merges.txt: line 1: byte 1 of 'b\\x00' begins none of the 256 letters for bytes");
    ck_assert_int_eq(error.where, 3);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("merges");
    TCase *tests = tcase_create("merges");
    tcase_add_test(tests, lists_of_every_allowed_form_merge_the_same);
    tcase_add_test(tests, rank_decides_not_place_nor_length);
    tcase_add_test(tests, a_list_of_no_merges_leaves_bytes);
    tcase_add_test(tests, malformed_lines_are_named);
    tcase_add_test(tests, nul_is_no_letter);
    suite_add_tcase(suite, tests);
    return suite;
}
