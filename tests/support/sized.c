/* SPDX-License-Identifier: MIT */
#include "support/sized.h"

#include <string.h>

#include "support/support.h"

enum { room = 2048, newer = 40, filler = 0xA5 };

struct box {
    uint64_t words[room / 8]; /* aligned for any struct */
};

static unsigned char *bytes_of(struct box *b) { return (unsigned char *)b->words; }

static void set_u32(struct box *b, size_t at, size_t value)
{
    const uint32_t word = (uint32_t)value;
    memcpy(bytes_of(b) + at, &word, sizeof word);
}

/* A struct of this size with a call's contents; what lies beyond it is filler. */
static void make(struct box *b, const struct support_sized *s, size_t size)
{
    ck_assert_uint_le(size, room);
    memset(b, 0, size);
    memset(bytes_of(b) + size, filler, room - size);
    set_u32(b, 0, size);
    if (s->make != NULL)
        s->make(b);
}

static void assert_all(const struct support_sized *s, const struct box *b, size_t from, size_t to, int value)
{
    for (size_t i = from; i < to; i++)
        ck_assert_msg(((const unsigned char *)b->words)[i] == value, "%s: byte %zu was written", s->name, i);
}

static void assert_done(const struct support_sized *s, struct box *b, size_t size, const char *who)
{
    norm_error error = {sizeof error, 0, 0, ""};
    const norm_status status = s->call(b, &error);
    ck_assert_msg(status == LIBNORM_OK, "%s from %s: status %d, %s", s->name, who, (int)status, error.text);
    uint32_t size_after;
    memcpy(&size_after, b->words, sizeof size_after);
    ck_assert_msg(size_after == size, "%s from %s: struct_size became %u", s->name, who, (unsigned)size_after);
}

/* Refused, and nothing of it written. Calls that have no norm_error leave the text empty. */
static void assert_refused(const struct support_sized *s, struct box *b, const char *word)
{
    norm_error error = {sizeof error, 0, 0, ""};
    const struct box before = *b;
    const norm_status status = s->call(b, &error);
    ck_assert_msg(status == LIBNORM_E_ARGUMENT, "%s, %s: status %d", s->name, word, (int)status);
    ck_assert_msg(memcmp(&before, b, sizeof before) == 0, "%s, %s: written", s->name, word);
    if (error.text[0] != '\0')
        ck_assert_msg(strstr(error.text, s->name) != NULL && strstr(error.text, word) != NULL, "%s, %s: %s", s->name,
                      word, error.text);
}

void support_sized_check(const struct support_sized *s)
{
    struct box b;
    ck_assert_msg(s->first <= s->size, "%s shrank", s->name);

    make(&b, s, s->first);
    assert_done(s, &b, s->first, "an older caller");
    assert_all(s, &b, s->first, room, filler);

    make(&b, s, s->size + newer);
    if (s->kind == support_sized_filled)
        memset(bytes_of(&b) + s->size, filler, newer);
    assert_done(s, &b, s->size + newer, "a newer caller");
    assert_all(s, &b, s->size, s->size + newer, s->kind == support_sized_filled ? filler : 0);
    assert_all(s, &b, s->size + newer, room, filler);

    make(&b, s, s->first);
    set_u32(&b, 0, s->first - 1);
    assert_refused(s, &b, "struct_size");
    set_u32(&b, 0, 0);
    assert_refused(s, &b, "struct_size");
    if (s->kind == support_sized_filled)
        return;

    make(&b, s, s->size + newer);
    bytes_of(&b)[s->size + newer - 1] = 1;
    assert_refused(s, &b, "newer");
    make(&b, s, s->size);
    uint32_t flags;
    memcpy(&flags, bytes_of(&b) + sizeof flags, sizeof flags);
    set_u32(&b, sizeof flags, flags | 0x80000000u);
    assert_refused(s, &b, "flags");
}
