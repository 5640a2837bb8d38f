/* SPDX-License-Identifier: MIT */
#include "tokenizer/split.h"

#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

#include "support/reference_tokenizer.h"
#include "support/support.h"

/* Pieces of text joined with '|', which no text here has. */
static const char *pieces(const char *text)
{
    static char joined[512];
    const size_t size = strlen(text);
    char *to = joined;
    for (size_t at = 0, end; at < size; at = end) {
        end = norm__split_next((const uint8_t *)text, size, at);
        ck_assert_uint_gt(end, at);
        ck_assert_uint_le(end, size);
        if (at > 0)
            *to++ = '|';
        memcpy(to, text + at, end - at);
        to += end - at;
    }
    *to = '\0';
    return joined;
}

START_TEST(each_alternative_of_the_pattern_takes_its_pieces)
{
    static const char *const known[][2] = {
        {"Hello world", "Hello| world"},
        {"it's we're I'm I'd I'll I've don't", "it|'s| we|'re| I|'m| I|'d| I|'ll| I|'ve| don|'t"},
        {"'CAN'T 'S", "'|CAN|'|T| '|S"},
        {"'sfoo 'lfoo 'rx 'r 'l '", "'s|foo| '|lfoo| '|rx| '|r| '|l| '"},
        {"'", "'"},
        {"''s", "''|s"},
        {"!'s ?'ll", "!'|s| ?'|ll"},
        {" 's", " '|s"},
        {"abc123 456def", "abc|123| 456|def"},
        {"12345678901234567890", "12345678901234567890"},
        {"a,b;;; c", "a|,|b|;;;| c"},
        {"_a-b_", "_|a|-|b|_"},
        {"a  b", "a| | b"},
        {"a   b", "a|  | b"},
        {"a\nb", "a|\n|b"},
        {"a\n\nb", "a|\n|\n|b"},
        {"a \nb", "a| |\n|b"},
        {"a\n b", "a|\n| b"},
        {"a \n\t b", "a| \n\t| b"},
        {"a\t\tb", "a|\t|\t|b"},
        {"a  ", "a|  "},
        {"a \n", "a| \n"},
        {" ", " "},
        {"  ", "  "},
        {" a", " a"},
        {"\r\n\r\na", "\r\n\r|\n|a"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        ck_assert_str_eq(pieces(known[i][0]), known[i][1]);
}
END_TEST

START_TEST(letters_numbers_and_spaces_are_unicodes)
{
    static const char *const known[][2] = {
        {"na\xC3\xAFve \xD0\xBC\xD0\xB8\xD1\x80", "na\xC3\xAFve| \xD0\xBC\xD0\xB8\xD1\x80"},
        {"x\xC2\xB2", "x|\xC2\xB2"},         /* superscript two: No */
        {"\xE2\x85\xA3z", "\xE2\x85\xA3|z"}, /* Roman numeral four: Nl */
        {"e\xCC\x81", "e|\xCC\x81"},         /* combining acute: Mn, so other */
        {"\xCC\x81!", "\xCC\x81!"},
        {"a\xC2\xA0"
         "b",
         "a|\xC2\xA0|b"}, /* no-break space does not join */
        {"a\xC2\xA0 b", "a|\xC2\xA0| b"},
        {"a \xC2\xA0"
         "b",
         "a| |\xC2\xA0|b"},
        {"x \xC2\x85y", "x| |\xC2\x85|y"},    /* U+0085 is white space */
        {" \xEF\xBB\xBF!", " \xEF\xBB\xBF!"}, /* U+FEFF is not */
        {"a\x1C"
         "b",
         "a|\x1C|b"}, /* nor are U+001C ... */
        {"a \xE2\x80\x8B"
         "b",
         "a| \xE2\x80\x8B|b"}, /* U+200B */
        {"a \xE1\xA0\x8E"
         "b",
         "a| \xE1\xA0\x8E|b"}, /* and U+180E */
        {"a\xE3\x80\x80\xE3\x80\x80"
         "b",
         "a|\xE3\x80\x80|\xE3\x80\x80|b"},
        {"\xF0\x9D\x94\xB8\xF0\x9D\x9F\x98", "\xF0\x9D\x94\xB8|\xF0\x9D\x9F\x98"}, /* above U+FFFF: a letter, a digit */
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        ck_assert_str_eq(pieces(known[i][0]), known[i][1]);
}
END_TEST

START_TEST(bytes_outside_utf8_are_others)
{
    static const char *const known[][2] = {
        {"a\xFF"
         "b",
         "a|\xFF|b"},
        {"a \x80\xBF!", "a| \x80\xBF!"},
        {"\xE2\x80", "\xE2\x80"}, /* cut short at the end */
        {"\xE2\x80"
         "a",
         "\xE2\x80|a"},              /* and before a letter */
        {"\xC1\xA1z", "\xC1\xA1|z"}, /* an overlong 'a' */
        {"\xE0\x81\xA1z", "\xE0\x81\xA1|z"},
        {"\xF0\x80\x81\xA1z", "\xF0\x80\x81\xA1|z"},
        {"\xED\xA0\x80z", "\xED\xA0\x80|z"},         /* a surrogate */
        {"\xF4\x90\x80\x80z", "\xF4\x90\x80\x80|z"}, /* beyond U+10FFFF */
        {"\xF5\x80\x80\x80z", "\xF5\x80\x80\x80|z"},
        {"\xE2\xC3\xA9", "\xE2|\xC3\xA9"}, /* a good letter behind a bad lead */
        {"\xC2", "\xC2"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        ck_assert_str_eq(pieces(known[i][0]), known[i][1]);
}
END_TEST

/* Check notes every assertion in a file, so here they stand behind an if. */
static void same_as_reference(const unsigned char *text, size_t size, const char *what, uint64_t which)
{
    for (size_t at = 0, end; at < size; at = end) {
        end = norm__split_next(text, size, at);
        const size_t expected = at + reference_piece(text + at, size - at);
        if (end != expected)
            ck_abort_msg("%s %llx: piece at %zu ends at %zu, not %zu", what, (unsigned long long)which, at, end,
                         expected);
    }
}

START_TEST(every_code_point_has_its_kind)
{
    for (int32_t c = 1; c <= 0x10FFFF; c++) {
        unsigned char text[24];
        size_t size = 0;
        if (c >= 0xD800 && c <= 0xDFFF)
            continue;
        for (const char *around = "a 1!\n"; *around != '\0'; around++) {
            text[size++] = (unsigned char)*around;
            if (*around != 'a')
                size += (size_t)utf8proc_encode_char(c, text + size);
        }
        same_as_reference(text, size, "U+", (uint64_t)c);
    }
}
END_TEST

/* Text rich in edges: blanks, apostrophes, all kinds, cut and wrong sequences. */
static size_t edgy(struct support_random *r, unsigned char *text, size_t most)
{
    static const char *const bits[] = {
        " ",
        " ",
        "  ",
        "\n",
        "\t",
        "\r\n",
        "'",
        "'s",
        "'re",
        "'LL",
        "'l",
        "a",
        "Z",
        "the",
        "0",
        "42",
        "!",
        "...",
        "-",
        "\xC2\xA0",
        "\xC2\x85",
        "\xE2\x80\x83",
        "\xE3\x80\x80",
        "\xEF\xBB\xBF",
        "\xE2\x80\x8B",
        "\xC3\xA9",
        "\xD0\x96",
        "\xE4\xBD\xA0",
        "\xE0\xA4\xBF",
        "\xCC\x81",
        "\xC2\xB2",
        "\xD9\xA3",
        "\xE2\x85\xA7",
        "\xE2\x80\x9C",
        "\xE2\x80",
        "\xF0\x9F\xA6\x99",
        "\xF0\x9D\x94\xB8",
        "\xF0\x9F",
        "\xFF",
        "\x80",
        "\xED\xA0\x80",
        "\xC0\xA0",
        "\x1C",
    };
    size_t size = 0;
    while (size + 8 < most && support_below(r, 40) != 0) {
        const char *bit = bits[support_below(r, sizeof bits / sizeof bits[0])];
        memcpy(text + size, bit, strlen(bit));
        size += strlen(bit);
    }
    return size;
}

START_TEST(text_rich_in_edges_is_cut_as_the_definition_cuts_it)
{
    struct support_random r = {support_seed(11)};
    for (int i = 0; i < 20000; i++) {
        unsigned char text[400];
        const uint64_t seed = r.state;
        same_as_reference(text, edgy(&r, text, sizeof text), "seed", seed);
    }
}
END_TEST

START_TEST(the_longest_piece_is_found)
{
    struct support_random r = {support_seed(12)};
    for (int i = 0; i < 20000; i++) {
        unsigned char text[400];
        const size_t size = edgy(&r, text, sizeof text), limit = 1 + support_below(&r, 12);
        size_t longest = limit;
        for (size_t at = 0, end; at < size; at = end) {
            end = norm__split_next(text, size, at);
            longest = end - at > longest ? end - at : longest;
        }
        ck_assert_uint_eq(norm__split_longest(text, size, limit), longest);
    }
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("split");
    TCase *tests = tcase_create("split");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, each_alternative_of_the_pattern_takes_its_pieces);
    tcase_add_test(tests, letters_numbers_and_spaces_are_unicodes);
    tcase_add_test(tests, bytes_outside_utf8_are_others);
    tcase_add_test(tests, every_code_point_has_its_kind);
    tcase_add_test(tests, text_rich_in_edges_is_cut_as_the_definition_cuts_it);
    tcase_add_test(tests, the_longest_piece_is_found);
    suite_add_tcase(suite, tests);
    return suite;
}
