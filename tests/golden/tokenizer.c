/* SPDX-License-Identifier: MIT */
/* GPT-2's vocabulary against ids that other tokenizers gave. */
#include <libnorm/norm.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "support/sha256.h"
#include "support/support.h"

enum { most = 4096 };

static norm_tokenizer *open_gpt2(void)
{
    norm_error error = {sizeof error, 0, 0, ""};
    norm_tokenizer *t = NULL;
    ck_assert_msg(norm_tokenizer_open(support_data("gpt2"), NULL, &t, &error) == LIBNORM_OK, "%s", error.text);
    return t;
}

/* -- the golden lines: JSON objects whose fields we look for by name ----------------------------------------------- */
static size_t field_ids(const char *line, const char *name, int32_t *ids)
{
    const char *at = strstr(line, name);
    size_t count = 0;
    if (at == NULL)
        return SIZE_MAX;
    at += strlen(name);
    while (*at != ']') {
        char *end;
        ck_assert_uint_lt(count, most);
        ids[count++] = (int32_t)strtol(at, &end, 10);
        ck_assert_ptr_ne(at, end);
        at = *end == ',' ? end + 1 : end;
    }
    return count;
}

static size_t field_bytes(const char *line, unsigned char *bytes)
{
    static const char name[] = "\"utf8_hex\": \"";
    const char *at = strstr(line, name);
    size_t size = 0;
    ck_assert_ptr_nonnull(at);
    for (at += sizeof name - 1; *at != '"'; at += 2) {
        const char digits[3] = {at[0], at[1], '\0'};
        ck_assert_uint_lt(size, most);
        bytes[size++] = (unsigned char)strtoul(digits, NULL, 16);
    }
    return size;
}

static void encode_equals(const norm_tokenizer *t, const void *text, size_t size, uint32_t flags,
                          const int32_t *expected, size_t expected_count)
{
    int32_t ids[most];
    char back[8 * most];
    size_t count = 0, back_size = 0;
    ck_assert_int_eq(norm_tokenizer_encode(t, text, size, flags, ids, most, &count, NULL, NULL), LIBNORM_OK);
    ck_assert_uint_eq(count, expected_count);
    ck_assert_mem_eq(ids, expected, count * sizeof *ids);
    ck_assert_int_eq(norm_tokenizer_decode(t, ids, count, back, sizeof back, &back_size, NULL), LIBNORM_OK);
    ck_assert_uint_eq(back_size, size);
    ck_assert_mem_eq(back, text, size);
}

START_TEST(sixty_strings_have_the_ids_other_tokenizers_give)
{
    norm_tokenizer *t = open_gpt2();
    size_t size, lines = 0, with_special = 0;
    char *const all = support_read(support_data("gpt2/tokenizer-golden.jsonl"), &size);
    for (char *line = strtok(all, "\n"); line != NULL; line = strtok(NULL, "\n"), lines++) {
        unsigned char text[most];
        int32_t ids[most], special[most];
        const size_t text_size = field_bytes(line, text), count = field_ids(line, "\"ids\": [", ids);
        encode_equals(t, text, text_size, 0, ids, count);
        const size_t special_count = field_ids(line, "\"ids_with_special_tokens\": [", special);
        const bool differs = special_count != SIZE_MAX;
        encode_equals(t, text, text_size, LIBNORM_TOKENIZER_SPECIAL, differs ? special : ids,
                      differs ? special_count : count);
        with_special += differs;
    }
    ck_assert_uint_eq(lines, 60);
    ck_assert_uint_ge(with_special, 1);
    free(all);
    norm_tokenizer_free(t);
}
END_TEST

START_TEST(war_and_peace_has_the_ids_two_tokenizers_agree_on)
{
    norm_tokenizer *t = open_gpt2();
    size_t size, count = 0, counted = 0, back_size = 0;
    char *const text = support_read(support_data("war-and-peace.txt"), &size);
    int32_t *const ids = malloc(size * sizeof *ids);
    char *const back = malloc(size);
    ck_assert(ids != NULL && back != NULL);
    ck_assert_int_eq(norm_tokenizer_encode(t, text, size, 0, ids, size, &count, NULL, NULL), LIBNORM_OK);
    ck_assert_uint_eq(count, 845764);
    ck_assert_int_eq(norm_tokenizer_decode(t, ids, count, back, size, &back_size, NULL), LIBNORM_OK);
    ck_assert_uint_eq(back_size, size);
    ck_assert_mem_eq(back, text, size);
    ck_assert_int_eq(norm_tokenizer_encode(t, text, size, 0, NULL, 0, &counted, NULL, NULL), LIBNORM_OK);
    ck_assert_uint_eq(counted, count);
    unsigned char *const bytes = malloc(4 * count);
    ck_assert_ptr_nonnull(bytes);
    for (size_t i = 0; i < count; i++)
        for (unsigned b = 0; b < 4; b++)
            bytes[4 * i + b] = (unsigned char)((uint32_t)ids[i] >> 8 * b);
    ck_assert_str_eq(support_sha256(bytes, 4 * count).hex,
                     "e54dd48cb43b4b01a419e2d8543820fb197dafc44689817bdc7b27f5644ef66c");
    free(bytes);
    free(back);
    free(ids);
    free(text);
    norm_tokenizer_free(t);
}
END_TEST

/* -- texts that other tokenizers got wrong ------------------------------------------------------------------------- */
struct row {
    const char *text;
    uint32_t flags;
    size_t count;
    int32_t ids[12];
};

START_TEST(texts_that_other_tokenizers_got_wrong_come_out_right)
{
    static const struct row rows[] = {
        {"\xE2\x80\x9Cwrote jack a letter\xE2\x80\x9D", 0, 8, {447, 250, 42910, 14509, 257, 3850, 447, 251}},
        {"\xE4\xBD\xA0", 0, 2, {19526, 254}},
        {" this is \xF0\x9F\xA6\x99.cpp", 0, 7, {428, 318, 12520, 99, 247, 13, 20322}},
        {"1234", 0, 2, {1065, 2682}},
        {"'CAN'T", 0, 4, {6, 44565, 6, 51}},
        {"\xC3\x96", 0, 2, {127, 244}},
        {"a<|endoftext|>b", 0, 9, {64, 27, 91, 437, 1659, 5239, 91, 29, 65}},
        {"a<|endoftext|>b", LIBNORM_TOKENIZER_SPECIAL, 3, {64, 50256, 65}},
        {"\xE2\x80", 0, 1, {447}},
        {"\xE6\xAD", 0, 1, {29826}},
    };
    norm_tokenizer *t = open_gpt2();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        encode_equals(t, rows[i].text, strlen(rows[i].text), rows[i].flags, rows[i].ids, rows[i].count);
    norm_tokenizer_free(t);
}
END_TEST

START_TEST(decoding_tidies_nothing_and_gives_half_characters)
{
    norm_tokenizer *t = open_gpt2();
    static const int32_t quote[2] = {447, 250};
    const int32_t period = 764;
    char bytes[8];
    size_t size = 0;
    ck_assert_int_eq(norm_tokenizer_decode(t, &period, 1, bytes, sizeof bytes, &size, NULL), LIBNORM_OK);
    ck_assert_uint_eq(size, 2);
    ck_assert_mem_eq(bytes, " .", 2);
    ck_assert_int_eq(norm_tokenizer_decode(t, quote, 1, bytes, sizeof bytes, &size, NULL), LIBNORM_OK);
    ck_assert_uint_eq(size, 2);
    ck_assert_mem_eq(bytes, "\xE2\x80", 2);
    ck_assert_int_eq(norm_tokenizer_decode(t, quote + 1, 1, bytes, sizeof bytes, &size, NULL), LIBNORM_OK);
    ck_assert_uint_eq(size, 1);
    ck_assert_mem_eq(bytes, "\x9C", 1);
    norm_tokenizer_free(t);
}
END_TEST

Suite *support_suite(void)
{
    support_data("SOURCES.md"); /* skips the file as a whole where there are no data */
    Suite *suite = suite_create("tokenizer golden");
    TCase *tests = tcase_create("gpt2");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, sixty_strings_have_the_ids_other_tokenizers_give);
    tcase_add_test(tests, war_and_peace_has_the_ids_two_tokenizers_agree_on);
    tcase_add_test(tests, texts_that_other_tokenizers_got_wrong_come_out_right);
    tcase_add_test(tests, decoding_tidies_nothing_and_gives_half_characters);
    suite_add_tcase(suite, tests);
    return suite;
}
