/* SPDX-License-Identifier: MIT */
#include "normalizers/suggest.h"

#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "normalizers/kind.h"
#include "normalizers/registry.h"

enum { longest = 40 };

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t norm__word_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    if (a_length > longest || b_length > longest)
        return SIZE_MAX;
    size_t table[longest + 1][longest + 1];
    for (size_t i = 0; i <= a_length; i++)
        table[i][0] = i;
    for (size_t j = 0; j <= b_length; j++)
        table[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        for (size_t j = 1; j <= b_length; j++) {
            const bool same = lower(a[i - 1]) == lower(b[j - 1]);
            size_t d = least(table[i - 1][j] + 1, table[i][j - 1] + 1);
            d = least(d, table[i - 1][j - 1] + (same ? 0 : 1));
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
                d = least(d, table[i - 2][j - 2] + 1);
            table[i][j] = d;
        }
    }
    return table[a_length][b_length];
}

/* A text that grows; what does not fit is left out. */
struct text {
    char bytes[320];
    size_t length;
};

static void add(struct text *text, const char *word)
{
    const size_t n = strlen(word);
    if (n < sizeof text->bytes - text->length) {
        memcpy(text->bytes + text->length, word, n + 1);
        text->length += n;
    }
}

/* The closest of the words seen, if it is close: a third of its letters may be wrong, and no more than two. */
struct guess {
    const char *word;
    size_t distance;
};

static void consider(struct guess *guess, const char *name, size_t length, const char *word)
{
    const size_t n = strlen(word), allowed = least(2, n / 3 + (n < 3));
    const size_t distance = norm__word_distance(name, length, word, n);
    if (distance <= allowed && distance < n && (guess->word == NULL || distance < guess->distance)) {
        guess->word = word;
        guess->distance = distance;
    }
}

norm_status norm__unknown_name(const char *name, size_t length, norm_status status, int64_t where, norm_error *error)
{
    struct guess guess = {NULL, 0};
    struct text known = {"", 0};
    for (size_t i = 0; i < norm__registry_count; i++) {
        consider(&guess, name, length, norm__registry[i]->name);
        add(&known, i == 0 ? "" : ", ");
        add(&known, norm__registry[i]->name);
    }
    return norm__fail(error, status, where, "unknown normalizer %s: %s%s%sknown are %s", norm__quote(name, length).text,
                      guess.word != NULL ? "did you mean " : "", guess.word != NULL ? guess.word : "",
                      guess.word != NULL ? "? " : "", known.bytes);
}

norm_status norm__unknown_key(const struct norm__kind *kind, const char *name, size_t length, norm_status status,
                              int64_t where, norm_error *error)
{
    struct guess guess = {NULL, 0};
    struct text known = {"", 0};
    for (size_t i = 0; i < kind->n_keys; i++) {
        consider(&guess, name, length, kind->keys[i].name);
        add(&known, i == 0 ? "" : ", ");
        add(&known, kind->keys[i].name);
    }
    return norm__fail(error, status, where, "%s has no key %s: %s%s%sits keys are %s", kind->name,
                      norm__quote(name, length).text, guess.word != NULL ? "did you mean " : "",
                      guess.word != NULL ? guess.word : "", guess.word != NULL ? "? " : "", known.bytes);
}
