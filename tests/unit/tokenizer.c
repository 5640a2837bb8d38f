/* SPDX-License-Identifier: MIT */
/* The protocol of the calls: room, arguments, special tokens. */
#include <libnorm/norm.h>

#include <string.h>

#include "support/support.h"

/* Six tokens, one of them special, and no letter for most bytes. */
static const char vocab[] = "{\"a\":0,\"b\":1,\"ab\":2,\"\xC4\xA0\":3,\"abab\":4,\"<|endoftext|>\":5,\"\xC4\xA0"
                            "ab\":6}";
static const char merges[] = "#version: 0.2\na b\nab ab\n\xC4\xA0 ab\n";

static norm_tokenizer *open_small(void)
{
    norm_error error = {sizeof error, 0, 0, ""};
    norm_tokenizer *t = NULL;
    ck_assert_msg(norm_tokenizer_open_memory(vocab, strlen(vocab), merges, strlen(merges), NULL, &t, &error) ==
                      LIBNORM_OK,
                  "%s", error.text);
    return t;
}

START_TEST(encode_counts_writes_and_asks_for_room)
{
    norm_tokenizer *t = open_small();
    norm_error error = {sizeof error, 0, 0, ""};
    int32_t ids[8] = {-7, -7, -7, -7, -7, -7, -7, -7};
    size_t count = 99;
    ck_assert_int_eq(norm_tokenizer_encode(t, "ababa ab", 8, 0, NULL, 0, &count, NULL, &error), LIBNORM_OK);
    ck_assert_uint_eq(count, 3);
    count = 99;
    for (size_t capacity = 0; capacity < 3; capacity++) {
        ck_assert_int_eq(norm_tokenizer_encode(t, "ababa ab", 8, 0, ids, capacity, &count, NULL, &error),
                         LIBNORM_E_ARGUMENT);
        ck_assert_int_eq(error.where, 3);
        ck_assert_uint_eq(count, 99);
        for (size_t i = 0; i < 8; i++)
            ck_assert_int_eq(ids[i], -7);
    }
    ck_assert_str_eq(error.text, "capacity is 2: this text has 3 ids");
    for (size_t capacity = 3; capacity <= 8; capacity++) {
        memset(ids, 0xF9, sizeof ids);
        ck_assert_int_eq(norm_tokenizer_encode(t, "ababa ab", 8, 0, ids, capacity, &count, NULL, &error), LIBNORM_OK);
        ck_assert_uint_eq(count, 3);
        ck_assert(ids[0] == 4 && ids[1] == 0 && ids[2] == 6);
        ck_assert_int_eq(ids[3], (int32_t)0xF9F9F9F9);
    }
    ck_assert_int_eq(norm_tokenizer_encode(t, NULL, 0, 0, NULL, 0, &count, NULL, &error), LIBNORM_OK);
    ck_assert_uint_eq(count, 0);
    norm_tokenizer_free(t);
}
END_TEST

START_TEST(decode_counts_writes_and_asks_for_room)
{
    norm_tokenizer *t = open_small();
    norm_error error = {sizeof error, 0, 0, ""};
    static const int32_t ids[3] = {4, 5, 6}, wrong[3] = {0, 1, 7}, negative[1] = {-1};
    char bytes[32];
    size_t size = 99;
    ck_assert_int_eq(norm_tokenizer_decode(t, ids, 3, NULL, 0, &size, &error), LIBNORM_OK);
    ck_assert_uint_eq(size, 20);
    size = 99;
    memset(bytes, '#', sizeof bytes);
    ck_assert_int_eq(norm_tokenizer_decode(t, ids, 3, bytes, 19, &size, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "capacity is 19: these ids have 20 bytes");
    ck_assert_int_eq(error.where, 20);
    ck_assert(bytes[0] == '#' && size == 99);
    ck_assert_int_eq(norm_tokenizer_decode(t, ids, 3, bytes, 20, &size, &error), LIBNORM_OK);
    ck_assert_uint_eq(size, 20);
    ck_assert_mem_eq(bytes, "abab<|endoftext|> ab#", 21);
    ck_assert_int_eq(norm_tokenizer_decode(t, wrong, 3, bytes, 32, &size, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "ids[2] is 7: expected 0 to 6");
    ck_assert_int_eq(error.where, 2);
    ck_assert_int_eq(norm_tokenizer_decode(t, negative, 1, NULL, 0, &size, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "ids[0] is -1: expected 0 to 6");
    ck_assert_int_eq(norm_tokenizer_decode(t, NULL, 0, NULL, 0, &size, &error), LIBNORM_OK);
    ck_assert_uint_eq(size, 0);
    norm_tokenizer_free(t);
}
END_TEST

START_TEST(tokens_and_ids_find_each_other)
{
    norm_tokenizer *t = open_small();
    norm_error error = {sizeof error, 0, 0, ""};
    const uint8_t *bytes = NULL;
    size_t size = 0;
    int32_t id = -7;
    ck_assert_uint_eq(norm_tokenizer_size(t), 7);
    for (int32_t i = 0; i < 7; i++) {
        ck_assert_int_eq(norm_tokenizer_token(t, i, &bytes, &size, &error), LIBNORM_OK);
        ck_assert_int_eq(norm_tokenizer_id(t, bytes, size, &id, &error), LIBNORM_OK);
        ck_assert_int_eq(id, i);
    }
    ck_assert_int_eq(norm_tokenizer_id(t, "<|endoftext|>", 13, &id, &error), LIBNORM_OK);
    ck_assert_int_eq(id, 5);
    ck_assert_int_eq(norm_tokenizer_id(t, "ba\n", 3, &id, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "no id has the bytes 'ba\\x0a'");
    ck_assert_int_eq(norm_tokenizer_id(t, "", 0, &id, &error), LIBNORM_E_ARGUMENT);
    ck_assert_int_eq(id, 5);
    ck_assert_int_eq(norm_tokenizer_token(t, 7, &bytes, &size, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "id is 7: expected 0 to 6");
    ck_assert_int_eq(norm_tokenizer_token(t, -1, &bytes, &size, &error), LIBNORM_E_ARGUMENT);
    norm_tokenizer_free(t);
}
END_TEST

START_TEST(special_tokens_are_text_unless_asked_for)
{
    norm_tokenizer *t = open_small();
    norm_error error = {sizeof error, 0, 0, ""};
    static const char text[] = "ab<|endoftext|> ab<|endoftext|><|endoftext|>b";
    static const int32_t expected[6] = {2, 5, 6, 5, 5, 1};
    int32_t ids[sizeof text];
    size_t count = 0;
    ck_assert_int_eq(
        norm_tokenizer_encode(t, text, strlen(text), LIBNORM_TOKENIZER_SPECIAL, ids, sizeof text, &count, NULL, &error),
        LIBNORM_OK);
    ck_assert_uint_eq(count, 6);
    ck_assert_mem_eq(ids, expected, sizeof expected);
    /* Off, its letters have no ids here. */
    ck_assert_int_eq(norm_tokenizer_encode(t, text, strlen(text), 0, ids, sizeof text, &count, NULL, &error),
                     LIBNORM_E_FORMAT);
    ck_assert_int_eq(error.where, 2);
    /* Nearly one is none: the second '<' begins the real one. */
    ck_assert_int_eq(
        norm_tokenizer_encode(t, "ab<<|endoftext|>", 16, LIBNORM_TOKENIZER_SPECIAL, ids, 16, &count, NULL, &error),
        LIBNORM_E_FORMAT);
    ck_assert_str_eq(error.text, "text: byte 0x3c ('<') at offset 2 has no id in this vocabulary");
    ck_assert_int_eq(
        norm_tokenizer_encode(t, "ab<|endoftext|", 14, LIBNORM_TOKENIZER_SPECIAL, ids, 14, &count, NULL, &error),
        LIBNORM_E_FORMAT);
    ck_assert_int_eq(norm_tokenizer_encode(t, "ab", 2, 6, ids, 2, &count, NULL, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "flags has unknown bits 0x6");
    norm_tokenizer_free(t);
}
END_TEST

START_TEST(white_space_before_a_special_token_is_at_the_end_of_its_text)
{
    norm_tokenizer *t = open_small();
    int32_t ids[32];
    size_t count = 0;
    ck_assert_int_eq(
        norm_tokenizer_encode(t, "a  <|endoftext|>ab", 18, LIBNORM_TOKENIZER_SPECIAL, ids, 32, &count, NULL, NULL),
        LIBNORM_OK);
    ck_assert_uint_eq(count, 5);
    ck_assert(ids[0] == 0 && ids[1] == 3 && ids[2] == 3 && ids[3] == 5 && ids[4] == 2);
    norm_tokenizer_free(t);
}
END_TEST

START_TEST(a_byte_without_an_id_is_named_and_nothing_written)
{
    norm_tokenizer *t = open_small();
    norm_error error = {sizeof error, 0, 0, ""};
    int32_t ids[8] = {-7, -7, -7, -7, -7, -7, -7, -7};
    size_t count = 99;
    ck_assert_int_eq(norm_tokenizer_encode(t, "ab ab\n\xFF", 7, 0, ids, 8, &count, NULL, &error), LIBNORM_E_FORMAT);
    ck_assert_str_eq(error.text, "text: byte 0x0a ('\\x0a') at offset 5 has no id in this vocabulary");
    ck_assert_int_eq(error.where, 5);
    ck_assert_int_eq(ids[0], -7);
    ck_assert_uint_eq(count, 99);
    norm_tokenizer_free(t);
}
END_TEST

START_TEST(null_misaligned_and_overlapping_arguments_are_refused)
{
    norm_tokenizer *t = open_small(), *none = NULL;
    norm_error error = {sizeof error, 0, 0, ""}, small = {8, 0, 0, ""};
    int32_t ids[16] = {0}, id = 0;
    size_t n = 0;
    const uint8_t *bytes = NULL;
    char *const text = (char *)ids;
#define REFUSED(call, status, message)                                                                                 \
    do {                                                                                                               \
        ck_assert_int_eq(call, status);                                                                                \
        ck_assert_str_eq(error.text, message);                                                                         \
    } while (0)
    REFUSED(norm_tokenizer_open(NULL, NULL, &none, &error), LIBNORM_E_ARGUMENT, "directory is NULL");
    REFUSED(norm_tokenizer_open(".", NULL, NULL, &error), LIBNORM_E_ARGUMENT, "ret_tokenizer is NULL");
    REFUSED(norm_tokenizer_open_memory(NULL, 0, merges, 1, NULL, &none, &error), LIBNORM_E_ARGUMENT, "vocab is NULL");
    REFUSED(norm_tokenizer_open_memory(vocab, 1, NULL, 0, NULL, &none, &error), LIBNORM_E_ARGUMENT, "merges is NULL");
    REFUSED(norm_tokenizer_open_memory(vocab, 268435457, merges, 1, NULL, &none, &error), LIBNORM_E_FORMAT,
            "vocab.json: 268435457 bytes: expected at most 268435456");
    const norm_allocator half = {NULL, NULL, NULL};
    REFUSED(norm_tokenizer_open(".", &half, &none, &error), LIBNORM_E_ARGUMENT, "allocator lacks alloc or release");
    REFUSED(norm_tokenizer_encode(NULL, "a", 1, 0, ids, 1, &n, NULL, &error), LIBNORM_E_ARGUMENT, "t is NULL");
    REFUSED(norm_tokenizer_encode(t, NULL, 1, 0, ids, 1, &n, NULL, &error), LIBNORM_E_ARGUMENT, "text is NULL");
    REFUSED(norm_tokenizer_encode(t, "a", 1, 0, ids, 1, NULL, NULL, &error), LIBNORM_E_ARGUMENT, "ret_count is NULL");
    REFUSED(norm_tokenizer_encode(t, "a", 1, 0, NULL, 1, &n, NULL, &error), LIBNORM_E_ARGUMENT,
            "ret_ids (with a capacity above 0) is NULL");
    REFUSED(norm_tokenizer_encode(t, text, SIZE_MAX, 0, NULL, 0, &n, NULL, &error), LIBNORM_E_ARGUMENT,
            "size is larger than any array");
    REFUSED(norm_tokenizer_encode(t, "a", 1, 0, ids, SIZE_MAX, &n, NULL, &error), LIBNORM_E_ARGUMENT,
            "capacity is larger than any array");
    REFUSED(norm_tokenizer_encode(t, "a", 1, 0, (int32_t *)(void *)(text + 1), 1, &n, NULL, &error), LIBNORM_E_ARGUMENT,
            "ret_ids is not aligned to its element");
    REFUSED(norm_tokenizer_encode(t, text + 63, 1, 0, ids, 16, &n, NULL, &error), LIBNORM_E_OVERLAP,
            "text and ret_ids overlap");
    REFUSED(norm_tokenizer_encode(t, text, 5, 0, ids + 1, 4, &n, NULL, &error), LIBNORM_E_OVERLAP,
            "text and ret_ids overlap");
    REFUSED(norm_tokenizer_decode(NULL, ids, 1, NULL, 0, &n, &error), LIBNORM_E_ARGUMENT, "t is NULL");
    REFUSED(norm_tokenizer_decode(t, NULL, 1, NULL, 0, &n, &error), LIBNORM_E_ARGUMENT, "ids is NULL");
    REFUSED(norm_tokenizer_decode(t, ids, 1, NULL, 1, &n, &error), LIBNORM_E_ARGUMENT,
            "ret_bytes (with a capacity above 0) is NULL");
    REFUSED(norm_tokenizer_decode(t, ids, 1, NULL, 0, NULL, &error), LIBNORM_E_ARGUMENT, "ret_size is NULL");
    REFUSED(norm_tokenizer_decode(t, ids, SIZE_MAX, NULL, 0, &n, &error), LIBNORM_E_ARGUMENT,
            "count is larger than any array");
    REFUSED(norm_tokenizer_decode(t, ids, 16, text + 60, 4, &n, &error), LIBNORM_E_OVERLAP,
            "ids and ret_bytes overlap");
    REFUSED(norm_tokenizer_token(NULL, 0, &bytes, &n, &error), LIBNORM_E_ARGUMENT, "t is NULL");
    REFUSED(norm_tokenizer_token(t, 0, NULL, &n, &error), LIBNORM_E_ARGUMENT, "ret_bytes is NULL");
    REFUSED(norm_tokenizer_token(t, 0, &bytes, NULL, &error), LIBNORM_E_ARGUMENT, "ret_size is NULL");
    REFUSED(norm_tokenizer_id(NULL, "a", 1, &id, &error), LIBNORM_E_ARGUMENT, "t is NULL");
    REFUSED(norm_tokenizer_id(t, NULL, 1, &id, &error), LIBNORM_E_ARGUMENT, "bytes is NULL");
    REFUSED(norm_tokenizer_id(t, "a", 1, NULL, &error), LIBNORM_E_ARGUMENT, "ret_id is NULL");
    REFUSED(norm_tokenizer_encode_workspace(t, 1, NULL, &error), LIBNORM_E_ARGUMENT, "ret_bytes is NULL");
#undef REFUSED
    ck_assert_int_eq(norm_tokenizer_encode(t, "a", 1, 0, ids, 1, &n, NULL, &small), LIBNORM_E_ARGUMENT);
    ck_assert_int_eq(norm_tokenizer_decode(t, ids, 1, NULL, 0, &n, &small), LIBNORM_E_ARGUMENT);
    ck_assert(none == NULL && n == 0 && bytes == NULL);
    ck_assert_ptr_null(norm_tokenizer_ref(NULL));
    ck_assert_uint_eq(norm_tokenizer_size(NULL), 0);
    norm_tokenizer_free(NULL);
    norm_tokenizer_free(t);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("tokenizer");
    TCase *tests = tcase_create("tokenizer");
    tcase_add_test(tests, encode_counts_writes_and_asks_for_room);
    tcase_add_test(tests, decode_counts_writes_and_asks_for_room);
    tcase_add_test(tests, tokens_and_ids_find_each_other);
    tcase_add_test(tests, special_tokens_are_text_unless_asked_for);
    tcase_add_test(tests, white_space_before_a_special_token_is_at_the_end_of_its_text);
    tcase_add_test(tests, a_byte_without_an_id_is_named_and_nothing_written);
    tcase_add_test(tests, null_misaligned_and_overlapping_arguments_are_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
