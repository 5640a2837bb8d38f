/* SPDX-License-Identifier: MIT */
/* Random and hostile texts, in real vocabularies: no byte is lost, ids are those of the definition, no text is slow. */
#include <libnorm/norm.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/reference_tokenizer.h"
#include "support/support.h"

static norm_tokenizer *open_data(const char *name)
{
    norm_error error = {sizeof error, 0, 0, ""};
    norm_tokenizer *t = NULL;
    ck_assert_msg(norm_tokenizer_open(support_data(name), NULL, &t, &error) == LIBNORM_OK, "%s", error.text);
    return t;
}

/* Check notes every assertion in a file, so in these two they stand behind an if. */
static size_t encode(const norm_tokenizer *t, const void *text, size_t size, int32_t *ids)
{
    norm_error error = {sizeof error, 0, 0, ""};
    size_t count = 0;
    if (norm_tokenizer_encode(t, text, size, 0, ids, size, &count, NULL, &error) != LIBNORM_OK)
        ck_abort_msg("%s", error.text);
    return count;
}

/* Encodes, decodes and compares; returns the number of ids. */
static size_t comes_back(const norm_tokenizer *t, const unsigned char *text, size_t size, uint64_t seed)
{
    int32_t *const ids = malloc(size * sizeof *ids + 1);
    unsigned char *const back = malloc(size + 1);
    size_t back_size = 0;
    if (ids == NULL || back == NULL)
        ck_abort_msg("out of memory");
    const size_t count = encode(t, text, size, ids);
    if (norm_tokenizer_decode(t, ids, count, back, size, &back_size, NULL) != LIBNORM_OK || back_size != size ||
        memcmp(back, text, size) != 0)
        ck_abort_msg("seed %llx", (unsigned long long)seed);
    free(back);
    free(ids);
    return count;
}

/* Bytes at random, or words, blanks, edges of categories and wrong UTF-8. */
static size_t random_text(struct support_random *r, unsigned char *text, size_t most)
{
    static const char *const bits[] = {
        " ",
        " ",
        " ",
        "\n",
        "  ",
        "\t",
        "'s",
        "'ll",
        "'",
        "the",
        " of",
        "ing",
        "er",
        "Natasha",
        "42",
        "1805",
        "...",
        "--",
        "==",
        "\"",
        "\xE2\x80\x9C",
        "\xE2\x80\x94",
        "\xC3\xA9",
        "\xD0\xBC\xD0\xB8\xD1\x80",
        "\xE4\xBD\xA0",
        "\xF0\x9F\xA6\x99",
        "\xC2\xA0",
        "\xC2\x85",
        "\xE3\x80\x80",
        "\xEF\xBB\xBF",
        "\xCC\x81",
        "\xC2\xB2",
        "\xE2\x85\xA7",
        "\xE2\x80",
        "\xF0\x9F",
        "\xFF",
        "\x80",
        "\xED\xA0\x80",
        "\xC0\xA0",
        "\x1C",
        "<|endoftext|>",
        "<|",
    };
    const size_t mode = support_below(r, 4);
    size_t size = 0;
    while (size + 16 < most && support_below(r, 60) != 0) {
        const char *bit = bits[support_below(r, sizeof bits / sizeof bits[0])];
        if (mode == 0 || (mode == 1 && support_below(r, 2) == 0)) {
            text[size++] = (unsigned char)support_next(r);
            continue;
        }
        for (size_t i = mode == 3 && support_below(r, 8) == 0 ? 1 + support_below(r, 100) : 1;
             i > 0 && size + 16 < most; i--) {
            memcpy(text + size, bit, strlen(bit));
            size += strlen(bit);
        }
    }
    return size;
}

START_TEST(every_byte_string_comes_back)
{
    static const char *const names[] = {"gpt2", "gpt2-tiny"};
    for (size_t n = 0; n < 2; n++) {
        norm_tokenizer *t = open_data(names[n]);
        struct support_random r = {support_seed(31)};
        for (int i = 0; i < 20000; i++) {
            unsigned char text[600];
            const uint64_t seed = r.state;
            comes_back(t, text, random_text(&r, text, sizeof text), seed);
        }
        for (unsigned a = 0; a < 65536; a++) {
            const unsigned char pair[2] = {(unsigned char)(a >> 8), (unsigned char)a};
            comes_back(t, pair, 2, a);
        }
        norm_tokenizer_free(t);
    }
}
END_TEST

/* The ids by the definition. */
static size_t reference_encode(const norm_tokenizer *t, const struct reference_merges *m, const unsigned char *text,
                               size_t size, int32_t *ids)
{
    size_t count = 0, lengths[1024];
    for (size_t at = 0; at < size;) {
        const size_t piece = reference_piece(text + at, size - at);
        ck_assert_uint_le(piece, 1024);
        const size_t tokens = reference_merge(m, text + at, piece, lengths);
        for (size_t i = 0; i < tokens; at += lengths[i++])
            ck_assert_int_eq(norm_tokenizer_id(t, text + at, lengths[i], &ids[count++], NULL), LIBNORM_OK);
    }
    return count;
}

START_TEST(ids_are_those_of_the_definition)
{
    static const char *const lists[][2] = {{"gpt2", "gpt2/merges.txt"}, {"gpt2-tiny", "gpt2-tiny/merges.txt"}};
    for (size_t n = 0; n < 2; n++) {
        norm_tokenizer *t = open_data(lists[n][0]);
        struct reference_merges m = reference_merges_read(support_data(lists[n][1]));
        struct support_random r = {support_seed(32)};
        for (int i = 0; i < 400; i++) {
            unsigned char text[500];
            int32_t ids[500], expected[500];
            const uint64_t seed = r.state;
            const size_t size = random_text(&r, text, sizeof text), count = encode(t, text, size, ids);
            ck_assert_msg(count == reference_encode(t, &m, text, size, expected) &&
                              memcmp(ids, expected, count * sizeof *ids) == 0,
                          "%s, seed %llx", lists[n][0], (unsigned long long)seed);
        }
        reference_merges_free(&m);
        norm_tokenizer_free(t);
    }
}
END_TEST

static void run_of(const norm_tokenizer *t, int byte, size_t size, size_t expected)
{
    unsigned char *const text = malloc(size);
    ck_assert_ptr_nonnull(text);
    memset(text, byte, size);
    ck_assert_uint_eq(comes_back(t, text, size, (uint64_t)byte), expected);
    free(text);
}

/* A quadratic merge or split of these would run into the time limit by far: it takes hours. */
START_TEST(long_runs_of_one_byte_are_encoded)
{
    norm_tokenizer *t = open_data("gpt2");
    run_of(t, '^', 1000000, 250000);
    run_of(t, 'a', 100000, 25000);
    run_of(t, 'a', 1000000, 250000);
    run_of(t, ' ', 1000000, 1000000);
    run_of(t, '\n', 1000000, 500000);
    run_of(t, 0x80, 1000000, 1000000);
    run_of(t, 0, 1000000, 1000000);
    run_of(t, '=', 1000000, 15625);
    norm_tokenizer_free(t);
}
END_TEST

START_TEST(long_pieces_without_white_space_are_encoded)
{
    norm_tokenizer *t = open_data("gpt2");
    struct support_random r = {support_seed(33)};
    enum { size = 1000000 };
    unsigned char *const text = malloc(size);
    ck_assert_ptr_nonnull(text);
    for (size_t i = 0; i < size; i++)
        text[i] = (unsigned char)('a' + support_below(&r, 26));
    comes_back(t, text, size, 33);
    for (size_t i = 0; i < size; i++) /* one piece a byte, never a blank */
        text[i] = i % 2 == 0 ? 'a' : '!';
    comes_back(t, text, size, 33);
    for (size_t i = 0; i < size; i++) /* white space that no blank ends */
        text[i] = support_below(&r, 2) == 0 ? '\n' : '\t';
    comes_back(t, text, size, 33);
    free(text);
    norm_tokenizer_free(t);
}
END_TEST

START_TEST(a_vocabulary_of_65_letters_says_what_it_lacks)
{
    norm_tokenizer *t = open_data("gpt-nano-shakespeare");
    norm_error error = {sizeof error, 0, 0, ""};
    static const char good[] = "O Romeo, Romeo!\nwherefore art thou";
    int32_t ids[64];
    size_t count = 0;
    ck_assert_uint_eq(norm_tokenizer_size(t), 65);
    ck_assert_uint_eq(comes_back(t, (const unsigned char *)good, strlen(good), 0), strlen(good));
    ck_assert_int_eq(norm_tokenizer_encode(t, "to be 2", 7, 0, ids, 64, &count, NULL, &error), LIBNORM_E_FORMAT);
    ck_assert_str_eq(error.text, "text: byte 0x32 ('2') at offset 6 has no id in this vocabulary");
    ck_assert_int_eq(error.where, 6);
    ck_assert_int_eq(norm_tokenizer_encode(t, "a\xE2\x80\x9C", 4, 0, NULL, 0, &count, NULL, &error), LIBNORM_E_FORMAT);
    ck_assert_str_eq(error.text, "text: byte 0xe2 ('\\xe2') at offset 1 has no id in this vocabulary");
    /* It has no <|endoftext|> either: the switch does nothing. */
    ck_assert_int_eq(
        norm_tokenizer_encode(t, "a<|endoftext|>", 14, LIBNORM_TOKENIZER_SPECIAL, NULL, 0, &count, NULL, &error),
        LIBNORM_E_FORMAT);
    ck_assert_int_eq(error.where, 1);
    norm_tokenizer_free(t);
}
END_TEST

/* -- threads ----------------------------------------------------------------------------------------------------- */
enum { text_size = 200000 };
struct reader {
    norm_tokenizer *tokenizer;
    const unsigned char *text;
    const int32_t *expected;
    size_t count;
    int right;
};

static void *read_all(void *p)
{
    struct reader *const r = p;
    int32_t *const ids = malloc(text_size * sizeof *ids);
    r->right = ids != NULL;
    for (int i = 0; i < 3 && r->right; i++) {
        size_t count = 0;
        norm_tokenizer *const mine = norm_tokenizer_ref(r->tokenizer);
        r->right =
            norm_tokenizer_encode(mine, r->text, text_size, 0, ids, text_size, &count, NULL, NULL) == LIBNORM_OK &&
            count == r->count && memcmp(ids, r->expected, count * sizeof *ids) == 0;
        norm_tokenizer_free(mine);
    }
    free(ids);
    return NULL;
}

START_TEST(eight_threads_share_one_handle)
{
    norm_tokenizer *t = open_data("gpt2");
    struct support_random r = {support_seed(34)};
    unsigned char *const text = malloc(text_size + 1024);
    int32_t *const expected = malloc(text_size * sizeof *expected);
    ck_assert(text != NULL && expected != NULL);
    for (size_t at = 0; at < text_size;)
        at += random_text(&r, text + at, 1024);
    struct reader readers[8];
    pthread_t threads[8];
    const size_t count = encode(t, text, text_size, expected);
    for (size_t i = 0; i < 8; i++) {
        readers[i] = (struct reader){t, text, expected, count, 0};
        ck_assert_int_eq(pthread_create(&threads[i], NULL, read_all, &readers[i]), 0);
    }
    for (size_t i = 0; i < 8; i++) {
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
        ck_assert_int_eq(readers[i].right, 1);
    }
    free(expected);
    free(text);
    norm_tokenizer_free(t);
}
END_TEST

Suite *support_suite(void)
{
    support_data("SOURCES.md"); /* skips the file as a whole where there are no data */
    Suite *suite = suite_create("tokenizer random");
    TCase *tests = tcase_create("tokenizer random");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, every_byte_string_comes_back);
    tcase_add_test(tests, ids_are_those_of_the_definition);
    tcase_add_test(tests, long_runs_of_one_byte_are_encoded);
    tcase_add_test(tests, long_pieces_without_white_space_are_encoded);
    tcase_add_test(tests, a_vocabulary_of_65_letters_says_what_it_lacks);
    tcase_add_test(tests, eight_threads_share_one_handle);
    suite_add_tcase(suite, tests);
    return suite;
}
