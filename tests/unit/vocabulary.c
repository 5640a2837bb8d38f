/* SPDX-License-Identifier: MIT */
/* What is wrong with a vocab.json, said in one line. */
#include <libnorm/norm.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"

static const char no_merges[] = "#version: 0.2\n";

static norm_tokenizer *open_good(const char *vocab)
{
    norm_error error = {sizeof error, 0, 0, ""};
    norm_tokenizer *t = NULL;
    ck_assert_msg(norm_tokenizer_open_memory(vocab, strlen(vocab), no_merges, strlen(no_merges), NULL, &t, &error) ==
                      LIBNORM_OK,
                  "%s", error.text);
    return t;
}

static void refused(const char *vocab, size_t size, int64_t where, const char *text)
{
    norm_error error = {sizeof error, 0, 0, ""};
    norm_tokenizer *const untouched = (norm_tokenizer *)&error, *t = untouched;
    ck_assert_int_eq(norm_tokenizer_open_memory(vocab, size, no_merges, strlen(no_merges), NULL, &t, &error),
                     LIBNORM_E_FORMAT);
    ck_assert_str_eq(error.text, text);
    ck_assert_int_eq(error.status, LIBNORM_E_FORMAT);
    ck_assert_int_eq(error.where, where);
    ck_assert_ptr_eq(t, untouched);
}

START_TEST(malformed_entries_are_named)
{
    static const char *const known[][2] = {
        {"{}", "vocab.json: expected tokens and ids, found no entries"},
        {"{\"a\": 0, \"b\": \"1\"}", "vocab.json: entry 'b': expected an integer id"},
        {"{\"a\": 0, \"b\": 1.0}", "vocab.json: entry 'b': expected an integer id"},
        {"{\"a\": 0, \"b\": null}", "vocab.json: entry 'b': expected an integer id"},
        {"{\"a\": 0, \"b\": 2}", "vocab.json: entry 'b' has id 2: 2 entries must have the ids 0 to 1, each once"},
        {"{\"a\": -1}", "vocab.json: entry 'a' has id -1: 1 entries must have the ids 0 to 0, each once"},
        {"{\"a\": 0, \"b\": 4294967296}",
         "vocab.json: entry 'b' has id 4294967296: 2 entries must have the ids 0 to 1, each once"},
        {"{\"a\": 0, \"b\": 1, \"c\": 1}", "vocab.json: entries 'b' and 'c' both have id 1"},
        {"{\"\": 0}", "vocab.json: the entry with id 0 is empty: expected a token"},
        {"{\"a\": 0, \"b c\": 1}",
         "vocab.json: entry 'b c' (id 1): byte 1 of it begins none of the 256 letters for bytes"},
        {"{\"ab\xC2\xAD\": 0}",
         "vocab.json: entry 'ab\\xc2\\xad' (id 0): byte 2 of it begins none of the 256 letters for bytes"},
        {"{\"\xE4\xBD\xA0\": 0}",
         "vocab.json: entry '\\xe4\\xbd\\xa0' (id 0): byte 0 of it begins none of the 256 letters for bytes"},
        {"{\"\xC5\x84\": 0}", /* U+0144, one beyond the last letter */
         "vocab.json: entry '\\xc5\\x84' (id 0): byte 0 of it begins none of the 256 letters for bytes"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        refused(known[i][0], strlen(known[i][0]), -1, known[i][1]);
}
END_TEST

START_TEST(text_that_is_not_json_is_refused_with_its_place)
{
    static const struct {
        const char *vocab;
        int64_t where;
        const char *start; /* of the message; what follows is Jansson's */
    } known[] = {
        {"", 0, "vocab.json: empty: expected a JSON object"},
        {"{\"a\": 0", 7, "vocab.json: byte 7 (line 1, column 7): not valid JSON: "},
        {"{\"a\": 0,\n\"b\" 1}", 14, "vocab.json: byte 14 (line 2, column 5): not valid JSON: "},
        {"{\"a\": 0} x", 10, "vocab.json: byte 10 (line 1, column 10): not valid JSON: "},
        {"{\"a\": 0, \"a\": 1}", 12,
         "vocab.json: byte 12 (line 1, column 12): the key 'a' appears twice"},
        {"{\"a\": 99999999999999999999}", 26,
         "vocab.json: byte 26 (line 1, column 26): not valid JSON: too big integer"},
        {"{\"\xFF\": 0}", 2, "vocab.json: byte 2 (line 1, column 2): not valid JSON: "},
        {"{\"\\u0000\": 0}", 9, "vocab.json: byte 9 (line 1, column 9): not valid JSON: "},
        {"[1, 2]", 0, "vocab.json: expected a JSON object, found an array"},
        {"hello", 5, "vocab.json: byte 5 (line 1, column 5): not valid JSON: "},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        norm_error error = {sizeof error, 0, 0, ""};
        norm_tokenizer *t = NULL;
        ck_assert_int_eq(norm_tokenizer_open_memory(known[i].vocab, strlen(known[i].vocab), no_merges,
                                                    strlen(no_merges), NULL, &t, &error),
                         LIBNORM_E_FORMAT);
        ck_assert_ptr_null(t);
        ck_assert_msg(strncmp(error.text, known[i].start, strlen(known[i].start)) == 0, "%s", error.text);
        ck_assert_msg(error.where == known[i].where, "%s: %lld", error.text, (long long)error.where);
        ck_assert_ptr_null(strchr(error.text, '\n'));
    }
}
END_TEST

START_TEST(nul_and_deep_nesting_are_refused)
{
    norm_error error = {sizeof error, 0, 0, ""};
    norm_tokenizer *t = NULL;
    ck_assert_int_eq(norm_tokenizer_open_memory("{\"a\": 0}\0", 9, no_merges, strlen(no_merges), NULL, &t, &error),
                     LIBNORM_E_FORMAT);
    enum { depth = 1000000 };
    char *const deep = malloc(depth);
    ck_assert_ptr_nonnull(deep);
    memset(deep, '[', depth);
    ck_assert_int_eq(norm_tokenizer_open_memory(deep, depth, no_merges, strlen(no_merges), NULL, &t, &error),
                     LIBNORM_E_FORMAT);
    free(deep);
    ck_assert_ptr_null(t);
}
END_TEST

/* Every prefix of a vocabulary is malformed, whatever it is cut in. */
START_TEST(a_vocabulary_cut_short_anywhere_is_refused)
{
    static const char whole[] = "{\"a\": 0, \"\xC4\xA0\": 1, \"\\u0120a\": 2}";
    for (size_t size = 0; size < strlen(whole); size++) {
        norm_error error = {sizeof error, 0, 0, ""};
        norm_tokenizer *t = NULL;
        ck_assert_int_eq(norm_tokenizer_open_memory(whole, size, no_merges, strlen(no_merges), NULL, &t, &error),
                         LIBNORM_E_FORMAT);
        ck_assert_ptr_null(t);
    }
    norm_tokenizer_free(open_good(whole));
}
END_TEST

START_TEST(the_order_of_entries_does_not_matter_and_escapes_are_letters)
{
    norm_tokenizer *t = open_good("{\"b\": 1, \"\\u0120\": 2, \"\xC4\x8A\": 3, \"a\": 0}");
    const uint8_t *bytes = NULL;
    size_t size = 0;
    static const char expected[] = "ab \n";
    ck_assert_uint_eq(norm_tokenizer_size(t), 4);
    for (int32_t id = 0; id < 4; id++) {
        ck_assert_int_eq(norm_tokenizer_token(t, id, &bytes, &size, NULL), LIBNORM_OK);
        ck_assert_uint_eq(size, 1);
        ck_assert_uint_eq(bytes[0], (uint8_t)expected[id]);
    }
    norm_tokenizer_free(t);
}
END_TEST

/* All 256 bytes as GPT-2 writes them. */
START_TEST(every_byte_has_its_letter)
{
    char *const vocab = malloc(256 * 24);
    size_t used = 0;
    unsigned next = 0x100;
    ck_assert_ptr_nonnull(vocab);
    for (unsigned b = 0; b < 256; b++) {
        const bool visible = (b >= '!' && b <= '~') || (b >= 0xA1 && b <= 0xAC) || b >= 0xAE;
        const unsigned letter = visible ? b : next++;
        used += (size_t)sprintf(vocab + used, "%s\"\\u%04x\": %u", b == 0 ? "{" : ", ", letter, 255 - b);
    }
    ck_assert_uint_eq(next, 0x144);
    sprintf(vocab + used, "}");
    norm_tokenizer *t = open_good(vocab);
    for (unsigned b = 0; b < 256; b++) {
        const uint8_t byte = (uint8_t)b;
        int32_t id = -1, encoded = -1;
        size_t count = 0;
        ck_assert_int_eq(norm_tokenizer_id(t, &byte, 1, &id, NULL), LIBNORM_OK);
        ck_assert_int_eq(id, 255 - (int32_t)b);
        ck_assert_int_eq(norm_tokenizer_encode(t, &byte, 1, 0, &encoded, 1, &count, NULL, NULL), LIBNORM_OK);
        ck_assert_int_eq(encoded, id);
    }
    norm_tokenizer_free(t);
    free(vocab);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("vocabulary");
    TCase *tests = tcase_create("vocabulary");
    tcase_add_test(tests, malformed_entries_are_named);
    tcase_add_test(tests, text_that_is_not_json_is_refused_with_its_place);
    tcase_add_test(tests, nul_and_deep_nesting_are_refused);
    tcase_add_test(tests, a_vocabulary_cut_short_anywhere_is_refused);
    tcase_add_test(tests, the_order_of_entries_does_not_matter_and_escapes_are_letters);
    tcase_add_test(tests, every_byte_has_its_letter);
    suite_add_tcase(suite, tests);
    return suite;
}
