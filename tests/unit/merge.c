/* SPDX-License-Identifier: MIT */
/* Short and long pieces against the definition, with merge lists that no training would make. */
#include "tokenizer/merge.h"

#include <stdio.h>
#include <stdlib.h>

#include "support/allocator.h"
#include "support/reference_tokenizer.h"
#include "support/support.h"

enum { letters = 2, longest_token = 6, most = 400 };

/* A vocabulary of all words of a and b up to six letters, and a random list of merges over it. */
struct tables {
    char *vocab, *list;
    struct norm__vocabulary vocabulary;
    struct norm__merges merges;
    struct reference_merges reference;
};

static size_t spell(size_t length, size_t bits, char *to)
{
    for (size_t i = 0; i < length; i++)
        to[i] = (char)('a' + (bits >> i & 1u));
    to[length] = '\0';
    return length;
}

static char *all_words(void)
{
    char *const json = malloc(8192), word[longest_token + 1];
    size_t used = 0, id = 0;
    ck_assert_ptr_nonnull(json);
    for (size_t length = 1; length <= longest_token; length++)
        for (size_t bits = 0; bits < (size_t)1 << length; bits++, id++) {
            spell(length, bits, word);
            used += (size_t)sprintf(json + used, "%s\"%s\": %zu", id == 0 ? "{" : ", ", word, id);
        }
    sprintf(json + used, "}");
    return json;
}

/* Each pair once, in no order at all: the joined word may well come later in the list than a pair that has it. */
static char *random_list(struct support_random *r, size_t wanted)
{
    char *const list = malloc(32 + wanted * (longest_token + 2));
    size_t used = 0;
    ck_assert_ptr_nonnull(list);
    used += (size_t)sprintf(list, "#version: 0.2\n");
    for (size_t i = 0; i < wanted; i++) {
        char left[longest_token + 1], right[longest_token + 1], line[2 * longest_token + 4];
        const size_t a = 1 + support_below(r, 3), b = 1 + support_below(r, 3);
        spell(a, support_next(r), left);
        spell(b, support_next(r), right);
        sprintf(line, "\n%s %s\n", left, right);
        if (strstr(list, line) == NULL && (used > 14 || i == 0))
            used += (size_t)sprintf(list + used, "%s", line + 1);
    }
    return list;
}

static struct tables make(struct support_random *r)
{
    struct tables t = {.vocab = all_words(), .list = random_list(r, 4 + support_below(r, 60))};
    norm_error error = {sizeof error, 0, 0, ""};
    ck_assert_msg(norm__vocabulary_read(&t.vocabulary, t.vocab, strlen(t.vocab), "v", NULL, &error) == LIBNORM_OK, "%s",
                  error.text);
    ck_assert_msg(norm__merges_read(&t.merges, t.list, strlen(t.list), &t.vocabulary, "m", NULL, &error) == LIBNORM_OK,
                  "%s", error.text);
    t.reference = reference_merges_from(t.list);
    return t;
}

static void unmake(struct tables *t)
{
    reference_merges_free(&t->reference);
    norm__merges_free(&t->merges, NULL);
    norm__vocabulary_free(&t->vocabulary, NULL);
    free(t->list);
    free(t->vocab);
}

static void ids_are_the_reference(const struct tables *t, const uint8_t *piece, const int32_t *ids, size_t count,
                                  const size_t *lengths, size_t expected, uint64_t seed)
{
    ck_assert_msg(count == expected, "seed %llx: %zu tokens, not %zu", (unsigned long long)seed, count, expected);
    for (size_t i = 0, at = 0; i < count; at += lengths[i++])
        ck_assert_int_eq(ids[i], norm__words_find(&t->vocabulary.words, piece + at, lengths[i]));
}

START_TEST(short_and_long_pieces_are_merged_as_the_definition_merges)
{
    struct support_random r = {support_seed(21)};
    struct norm__merge_scratch scratch;
    void *const block = norm__merge_scratch_size(most) < SIZE_MAX ? malloc(norm__merge_scratch_size(most)) : NULL;
    ck_assert_ptr_nonnull(block);
    norm__merge_scratch_place(&scratch, block, most);
    for (int round = 0; round < 400; round++) {
        const uint64_t seed = r.state;
        struct tables t = make(&r);
        for (int i = 0; i < 8; i++) {
            uint8_t piece[most];
            int32_t ids[most];
            size_t lengths[most];
            const size_t size = 1 + support_below(&r, i < 6 ? NORM__SHORT_PIECE : most);
            const size_t rarity = 1 + support_below(&r, 6);
            for (size_t k = 0; k < size; k++)
                piece[k] = (uint8_t)('a' + (support_below(&r, rarity + 1) == 0));
            const size_t expected = reference_merge(&t.reference, piece, size, lengths);
            if (size <= NORM__SHORT_PIECE)
                ids_are_the_reference(&t, piece, ids, norm__merge_short(&t.vocabulary, &t.merges, piece, size, ids),
                                      lengths, expected, seed);
            const size_t count = norm__merge_long(&t.vocabulary, &t.merges, piece, size, &scratch);
            ck_assert_uint_le(count, size);
            for (size_t k = 0, at = 0; k < count; k++, at = scratch.next[at])
                ids[k] = scratch.ids[at];
            ids_are_the_reference(&t, piece, ids, count, lengths, expected, seed);
        }
        unmake(&t);
    }
    free(block);
}
END_TEST

/* (abab, ab) has a lower rank than (ab, ab), which makes its left half; all (ab, ab) are joined first all the same. */
START_TEST(a_pass_is_finished_before_a_pair_it_made_is_joined)
{
    struct tables t = {.vocab = all_words()};
    static const char list[] = "a b\nabab ab\nab ab\n";
    ck_assert_int_eq(norm__vocabulary_read(&t.vocabulary, t.vocab, strlen(t.vocab), "v", NULL, NULL), LIBNORM_OK);
    ck_assert_int_eq(norm__merges_read(&t.merges, list, strlen(list), &t.vocabulary, "m", NULL, NULL), LIBNORM_OK);
    int32_t ids[10];
    const uint8_t *const piece = (const uint8_t *)"ababababab";
    const int32_t four = norm__words_find(&t.vocabulary.words, piece, 4);
    const int32_t six = norm__words_find(&t.vocabulary.words, piece, 6);
    ck_assert_uint_eq(norm__merge_short(&t.vocabulary, &t.merges, piece, 10, ids), 2);
    ck_assert_int_eq(ids[0], four);
    ck_assert_int_eq(ids[1], six);
    norm__merges_free(&t.merges, NULL);
    norm__vocabulary_free(&t.vocabulary, NULL);
    free(t.vocab);
}
END_TEST

START_TEST(scratch_too_large_to_count_is_said_to_be)
{
    ck_assert_uint_eq(norm__merge_scratch_size(SIZE_MAX / 16), SIZE_MAX);
    ck_assert_uint_eq(norm__merge_scratch_size(SIZE_MAX), SIZE_MAX);
    ck_assert_uint_eq(norm__merge_scratch_size(64), 64 * 28);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("merge");
    TCase *tests = tcase_create("merge");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, short_and_long_pieces_are_merged_as_the_definition_merges);
    tcase_add_test(tests, a_pass_is_finished_before_a_pair_it_made_is_joined);
    tcase_add_test(tests, scratch_too_large_to_count_is_said_to_be);
    suite_add_tcase(suite, tests);
    return suite;
}
