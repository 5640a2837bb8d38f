/* SPDX-License-Identifier: MIT */
#include "tokenizer/split.h"

#include <stdbool.h>

#include <utf8proc.h>

enum kind { other, space, letter, number, beyond /* ASCII: see kind_at */ };

/* Kinds of the ASCII characters; all higher bytes begin something that must be decoded. */
#define O other
#define S space
#define L letter
#define N number
#define X2 beyond, beyond
#define X8 X2, X2, X2, X2
#define X32 X8, X8, X8, X8
static const uint8_t kind_of_byte[256] = {
    O,   O,   O,   O,   O, O, O, O, O, S, S, S, S, S, O, O, /* 00 */
    O,   O,   O,   O,   O, O, O, O, O, O, O, O, O, O, O, O, /* 10 */
    S,   O,   O,   O,   O, O, O, O, O, O, O, O, O, O, O, O, /* 20 */
    N,   N,   N,   N,   N, N, N, N, N, N, O, O, O, O, O, O, /* 30 */
    O,   L,   L,   L,   L, L, L, L, L, L, L, L, L, L, L, L, /* 40 */
    L,   L,   L,   L,   L, L, L, L, L, L, L, O, O, O, O, O, /* 50 */
    O,   L,   L,   L,   L, L, L, L, L, L, L, L, L, L, L, L, /* 60 */
    L,   L,   L,   L,   L, L, L, L, L, L, L, O, O, O, O, O, /* 70 */
    X32, X32, X32, X32,
};

static bool tail(const uint8_t *p, size_t count)
{
    for (size_t i = 1; i <= count; i++)
        if ((p[i] & 0xC0u) != 0x80u)
            return false;
    return true;
}

/* The code point of the well-formed sequence at p and its length; -1 and 1 where there is none. */
static int32_t decode(const uint8_t *p, size_t left, size_t *ret_length)
{
    const uint32_t b = p[0];
    *ret_length = 1;
    if (b < 0x80)
        return (int32_t)b;
    if (b >= 0xC2 && b <= 0xDF && left >= 2 && tail(p, 1)) {
        *ret_length = 2;
        return (int32_t)((b & 0x1Fu) << 6 | (p[1] & 0x3Fu));
    }
    if (b >= 0xE0 && b <= 0xEF && left >= 3 && tail(p, 2)) {
        const uint32_t c = (b & 0x0Fu) << 12 | (p[1] & 0x3Fu) << 6 | (p[2] & 0x3Fu);
        if (c >= 0x800 && !(c >= 0xD800 && c <= 0xDFFF)) {
            *ret_length = 3;
            return (int32_t)c;
        }
    }
    if (b >= 0xF0 && b <= 0xF4 && left >= 4 && tail(p, 3)) {
        const uint32_t c = (b & 0x07u) << 18 | (p[1] & 0x3Fu) << 12 | (p[2] & 0x3Fu) << 6 | (p[3] & 0x3Fu);
        if (c >= 0x10000 && c <= 0x10FFFF) {
            *ret_length = 4;
            return (int32_t)c;
        }
    }
    return -1;
}

static enum kind kind_of_code_point(int32_t c)
{
    if (c < 0)
        return other;
    if (c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
        c == 0x202F || c == 0x205F || c == 0x3000)
        return space;
    switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
        return letter;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
        return number;
    default:
        return other;
    }
}

static inline enum kind kind_at(const uint8_t *text, size_t size, size_t at, size_t *ret_length)
{
    const enum kind kind = (enum kind)kind_of_byte[text[at]];
    *ret_length = 1;
    return kind != beyond ? kind : kind_of_code_point(decode(text + at, size - at, ret_length));
}

/* End of the run of this kind that begins at or goes on at offset at. */
static inline size_t run(const uint8_t *text, size_t size, size_t at, enum kind kind)
{
    for (;;) {
        while (at < size && kind_of_byte[text[at]] == kind)
            at++;
        size_t length;
        if (at == size || kind_of_byte[text[at]] != beyond || kind_at(text, size, at, &length) != kind)
            return at;
        at += length;
    }
}

/* Length of 's 't 'm 'd 're 've 'll behind the apostrophe at offset at, apostrophe included, or 0. */
static size_t contraction(const uint8_t *text, size_t size, size_t at)
{
    if (size - at < 2)
        return 0;
    const uint8_t a = text[at + 1];
    if (a == 's' || a == 't' || a == 'm' || a == 'd')
        return 2;
    if (size - at < 3)
        return 0;
    const uint8_t b = text[at + 2];
    return (a == 'r' && b == 'e') || (a == 'v' && b == 'e') || (a == 'l' && b == 'l') ? 3 : 0;
}

/* White space before something else leaves its last character: a blank goes with what follows, any other stands
 * alone. */
static size_t spaces(const uint8_t *text, size_t size, size_t at)
{
    size_t end = at, last = at, length;
    while (end < size && kind_at(text, size, end, &length) == space) {
        last = end;
        end += length;
    }
    return end == size || last == at ? end : last;
}

size_t norm__split_next(const uint8_t *text, size_t size, size_t at)
{
    size_t length;
    if (text[at] == '\'') {
        length = contraction(text, size, at);
        return length != 0 ? at + length : run(text, size, at + 1, other);
    }
    const size_t first = text[at] == ' ' && at + 1 < size ? at + 1 : at;
    const enum kind kind = kind_at(text, size, first, &length);
    return kind == space ? spaces(text, size, at) : run(text, size, first + length, kind);
}

/* A visible ASCII character followed by ASCII white space: a piece ends between them whatever came before. */
static bool surely_between(const uint8_t *text, size_t at)
{
    return kind_of_byte[text[at]] == space && text[at - 1] > ' ' && text[at - 1] < 0x7F;
}

size_t norm__split_longest(const uint8_t *text, size_t size, size_t limit)
{
    size_t at = 0, longest = limit;
    while (size - at > limit) {
        const size_t last = at + limit;
        size_t sure = last;
        while (sure > at && !surely_between(text, sure))
            sure--;
        if (sure > at) {
            at = sure;
            continue;
        }
        while (at < last) { /* no short cut: look at the pieces themselves */
            const size_t end = norm__split_next(text, size, at);
            if (end - at > longest)
                longest = end - at;
            at = end;
        }
    }
    return longest;
}
