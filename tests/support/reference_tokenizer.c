/* SPDX-License-Identifier: MIT */
#include "support/reference_tokenizer.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

#include "support/support.h"

/* -- the pattern ------------------------------------------------------------------------------------------------- */

static const int32_t white_space[25] = {
    0x0009, 0x000A, 0x000B, 0x000C, 0x000D, 0x0020, 0x0085, 0x00A0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003,
    0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000,
};

/* 's', 'L', 'N', 'o' for the character at p, or 0 at the end; its length in bytes. */
static char kind(const unsigned char *p, const unsigned char *end, size_t *ret_length)
{
    int32_t c = 0;
    *ret_length = 1;
    if (p == end)
        return 0;
    const utf8proc_ssize_t length = utf8proc_iterate(p, end - p, &c);
    if (length <= 0)
        return 'o';
    *ret_length = (size_t)length;
    for (size_t i = 0; i < 25; i++)
        if (c == white_space[i])
            return 's';
    const char category = utf8proc_category_string(c)[0];
    return category == 'L' || category == 'N' ? category : 'o';
}

/* ` ?[kind]+`, or 0. */
static size_t match_run(const unsigned char *text, size_t size, char wanted)
{
    const unsigned char *const end = text + size, *p = text + (size > 0 && *text == ' '), *const first = p;
    size_t length;
    while (kind(p, end, &length) == wanted)
        p += length;
    return p > first ? (size_t)(p - text) : 0;
}

/* `\s+(?!\S)` with backtracking, else `\s+`. */
static size_t match_space(const unsigned char *text, size_t size)
{
    const unsigned char *const end = text + size, *p = text, *before_last = text;
    size_t length;
    while (kind(p, end, &length) == 's') {
        before_last = p;
        p += length;
    }
    return (size_t)((p == end || before_last == text ? p : before_last) - text);
}

size_t reference_piece(const unsigned char *text, size_t size)
{
    static const char *const contractions[7] = {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"};
    for (size_t i = 0; i < 7; i++)
        if (size >= strlen(contractions[i]) && memcmp(text, contractions[i], strlen(contractions[i])) == 0)
            return strlen(contractions[i]);
    for (const char *wanted = "LNo"; *wanted != '\0'; wanted++) {
        const size_t length = match_run(text, size, *wanted);
        if (length > 0)
            return length;
    }
    return match_space(text, size);
}

/* -- merging ----------------------------------------------------------------------------------------------------- */

static int by_line(const void *a, const void *b)
{
    return strcmp(((const struct reference_line *)a)->line, ((const struct reference_line *)b)->line);
}

struct reference_merges reference_merges_from(const char *text)
{
    struct reference_merges m = {malloc(strlen(text) + 1), malloc((strlen(text) + 1) * sizeof *m.lines), 0};
    if (m.text == NULL || m.lines == NULL)
        abort();
    memcpy(m.text, text, strlen(text) + 1);
    for (char *line = strtok(m.text, "\n"); line != NULL; line = strtok(NULL, "\n"))
        if (m.count > 0 || strncmp(line, "#version", 8) != 0) {
            m.lines[m.count] = (struct reference_line){line, m.count};
            m.count++;
        }
    qsort(m.lines, m.count, sizeof *m.lines, by_line);
    return m;
}

struct reference_merges reference_merges_read(const char *path)
{
    size_t size;
    char *const text = support_read(path, &size);
    const struct reference_merges m = reference_merges_from(text);
    free(text);
    return m;
}

void reference_merges_free(struct reference_merges *m)
{
    free(m->text);
    free(m->lines);
}

/* The letter of a byte, found as GPT-2 finds it: bytes that are not visible get the next code point from U+0100. */
static size_t put_letter(unsigned byte, char *to)
{
    int32_t next = 0x100;
    for (unsigned b = 0; b < 256; b++) {
        const bool visible = (b >= '!' && b <= '~') || (b >= 0xA1 && b <= 0xAC) || (b >= 0xAE);
        const int32_t letter = visible ? (int32_t)b : next++;
        if (b == byte)
            return (size_t)utf8proc_encode_char(letter, (unsigned char *)to);
    }
    abort();
}

/* "LEFT RIGHT", as a line of the list has it, for the bytes of two neighbours. */
static size_t rank_of(const struct reference_merges *m, const unsigned char *bytes, size_t left, size_t right)
{
    char *const line = malloc(2 * (left + right) + 2);
    size_t used = 0;
    if (line == NULL)
        abort();
    for (size_t i = 0; i < left + right; i++) {
        if (i == left)
            line[used++] = ' ';
        used += put_letter(bytes[i], line + used);
    }
    line[used] = '\0';
    const struct reference_line key = {line, 0};
    const struct reference_line *const found = bsearch(&key, m->lines, m->count, sizeof key, by_line);
    free(line);
    return found != NULL ? found->rank : SIZE_MAX;
}

size_t reference_merge(const struct reference_merges *m, const unsigned char *piece, size_t size, size_t *ret_lengths)
{
    size_t count = size;
    for (size_t i = 0; i < size; i++)
        ret_lengths[i] = 1;
    for (;;) {
        size_t best = SIZE_MAX;
        for (size_t i = 0, at = 0; i + 1 < count; at += ret_lengths[i++]) {
            const size_t rank = rank_of(m, piece + at, ret_lengths[i], ret_lengths[i + 1]);
            best = rank < best ? rank : best;
        }
        if (best == SIZE_MAX)
            return count;
        size_t to = 0;
        for (size_t i = 0, at = 0; i < count; to++) {
            const bool joins = i + 1 < count && rank_of(m, piece + at, ret_lengths[i], ret_lengths[i + 1]) == best;
            const size_t length = joins ? ret_lengths[i] + ret_lengths[i + 1] : ret_lengths[i];
            i += joins ? 2 : 1;
            at += length;
            ret_lengths[to] = length;
        }
        count = to;
    }
}
