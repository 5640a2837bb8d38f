/* SPDX-License-Identifier: MIT */
/* Text to ids. All that can fail is done before the first id is written: bytes without an id are looked for, the
 * longest piece is found so that its scratch can be taken, and ids are counted if the caller's room might not do. */
#include "base/error.h"
#include "base/memory.h"
#include "base/structs.h"
#include "tokenizer/handle.h"
#include "tokenizer/merge.h"
#include "tokenizer/split.h"

/* Bytes between two calls of the progress function. */
#define STRIDE ((size_t)1 << 20)

struct encoding {
    const norm_tokenizer *tokenizer;
    const uint8_t *text;
    size_t size;
    int32_t special; /* id of <|endoftext|> if it is to be looked for, else -1 */
    int32_t *ids;    /* NULL: only count */
    size_t count;
    struct norm__merge_scratch scratch;
    const norm_exec *exec;
    double done, share; /* of the whole call: when this round began, and what this round is */
    size_t next_report;
};

/* Text between special tokens is split and merged as if it stood alone. */
struct segment {
    size_t begin, end; /* offsets into the text */
    bool special;      /* the special token follows */
};

/* The segment that begins at offset at. */
static struct segment segment_at(const struct encoding *e, size_t at)
{
    const size_t begin = at;
    while (e->special >= 0 && e->size - at >= NORM__SPECIAL_SIZE) {
        const uint8_t *found = memchr(e->text + at, NORM__SPECIAL_TEXT[0], e->size - at - (NORM__SPECIAL_SIZE - 1));
        if (found == NULL)
            break;
        at = (size_t)(found - e->text);
        if (memcmp(found, NORM__SPECIAL_TEXT, NORM__SPECIAL_SIZE) == 0)
            return (struct segment){begin, at, true};
        at++;
    }
    return (struct segment){begin, e->size, false};
}

/* Where the segment behind this one begins. */
static size_t behind(struct segment s)
{
    return s.special ? s.end + NORM__SPECIAL_SIZE : s.end;
}

static norm_status check_bytes(const struct encoding *e, norm_error *error)
{
    const int32_t *const ids = e->tokenizer->vocabulary.byte_id;
    struct segment s;
    for (size_t at = 0; at < e->size && !e->tokenizer->vocabulary.complete; at = behind(s)) {
        s = segment_at(e, at);
        for (size_t i = s.begin; i < s.end; i++)
            if (ids[e->text[i]] < 0)
                return norm__fail(error, LIBNORM_E_FORMAT, (int64_t)i,
                                  "text: byte 0x%02x (%s) at offset %zu has no id in this vocabulary",
                                  (unsigned)e->text[i], norm__quote(e->text + i, 1).text, i);
    }
    return LIBNORM_OK;
}

static norm_status take_scratch(struct encoding *e, struct norm__workspace *w, norm_error *error)
{
    size_t longest = NORM__SHORT_PIECE, where = 0;
    struct segment s;
    for (size_t at = 0; at < e->size; at = behind(s)) {
        s = segment_at(e, at);
        const size_t length = norm__split_longest(e->text + s.begin, s.end - s.begin, longest);
        if (length > longest)
            where = s.begin;
        longest = length;
    }
    if (longest > NORM__LONGEST_PIECE)
        return norm__fail(error, LIBNORM_E_UNSUPPORTED, (int64_t)where,
                          "text: %zu bytes without a place to split them: expected at most %zu", longest,
                          NORM__LONGEST_PIECE);
    const size_t bytes = longest > NORM__SHORT_PIECE ? norm__merge_scratch_size(longest) : 0;
    const norm_status status = norm__workspace_open(w, e->exec, bytes, error);
    if (status == LIBNORM_OK && bytes > 0)
        norm__merge_scratch_place(&e->scratch, norm__workspace_take(w, bytes), longest);
    return status;
}

static void encode_long(struct encoding *e, const uint8_t *piece, size_t size)
{
    const norm_tokenizer *t = e->tokenizer;
    const size_t count = norm__merge_long(&t->vocabulary, &t->merges, piece, size, &e->scratch);
    for (size_t i = 0, at = 0; e->ids != NULL && i < count; i++, at = e->scratch.next[at])
        e->ids[e->count + i] = e->scratch.ids[at];
    e->count += count;
}

static void encode_short(struct encoding *e, const uint8_t *piece, size_t size)
{
    const norm_tokenizer *t = e->tokenizer;
    const int32_t id = norm__words_find(&t->vocabulary.words, piece, size);
    if (id >= 0 && t->whole[id]) {
        if (e->ids != NULL)
            e->ids[e->count] = id;
        e->count++;
        return;
    }
    int32_t ids[NORM__SHORT_PIECE];
    const size_t count = norm__merge_short(&t->vocabulary, &t->merges, piece, size, ids);
    if (e->ids != NULL)
        memcpy(e->ids + e->count, ids, count * sizeof *ids);
    e->count += count;
}

/* Non-zero: the caller wants to stop. */
static int32_t report(struct encoding *e, size_t at)
{
    if (at < e->next_report)
        return 0;
    e->next_report = at + STRIDE;
    return e->exec->progress(e->exec->progress_user, e->done + e->share * ((double)at / (double)e->size));
}

static norm_status encode_segment(struct encoding *e, struct segment s, norm_error *error)
{
    const uint8_t *const text = e->text + s.begin;
    const size_t size = s.end - s.begin;
    for (size_t at = 0, end; at < size; at = end) {
        end = norm__split_next(text, size, at);
        if (end - at <= NORM__SHORT_PIECE)
            encode_short(e, text + at, end - at);
        else
            encode_long(e, text + at, end - at);
        const int32_t code = s.begin + end >= e->next_report ? report(e, s.begin + end) : 0;
        if (code != 0)
            return norm__fail(error, LIBNORM_E_CANCELLED, code, "cancelled with %d at byte %zu of the text", (int)code,
                              s.begin + end);
    }
    return LIBNORM_OK;
}

/* One round over the text: counts, and writes if there is where to. */
static norm_status encode_all(struct encoding *e, norm_error *error)
{
    struct segment s;
    e->count = 0;
    e->next_report = e->exec != NULL && e->exec->progress != NULL ? STRIDE : SIZE_MAX;
    for (size_t at = 0; at < e->size; at = behind(s)) {
        s = segment_at(e, at);
        const norm_status status = encode_segment(e, s, error);
        if (status != LIBNORM_OK)
            return status;
        if (s.special) {
            if (e->ids != NULL)
                e->ids[e->count] = e->special;
            e->count++;
        }
    }
    return LIBNORM_OK;
}

static norm_status run(struct encoding *e, int32_t *ret_ids, size_t capacity, norm_error *error)
{
    const bool counts = capacity < e->size, writes = ret_ids != NULL;
    norm_status status = LIBNORM_OK;
    e->done = 0;
    e->share = counts && writes ? 0.5 : 1;
    if (counts) {
        status = encode_all(e, error);
        if (status == LIBNORM_OK && writes && e->count > capacity)
            return norm__fail(error, LIBNORM_E_ARGUMENT, (int64_t)e->count, "capacity is %zu: this text has %zu ids",
                              capacity, e->count);
        e->done = 0.5;
    }
    if (status == LIBNORM_OK && writes) {
        e->ids = ret_ids;
        status = encode_all(e, error);
    }
    return status;
}

/* Whether size bytes at a and count ids at b meet. */
static bool overlap(const void *a, size_t size, const int32_t *b, size_t count)
{
    const uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return size > 0 && count > 0 && (x <= y ? y - x < size : x - y < count * sizeof *b);
}

static norm_status check(const norm_tokenizer *t, const void *text, size_t size, uint32_t flags, const int32_t *ret_ids,
                         size_t capacity, const size_t *ret_count, norm_error *error)
{
    if (t == NULL || (text == NULL && size > 0) || (ret_ids == NULL && capacity > 0) || ret_count == NULL)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "%s is NULL",
                          t == NULL                  ? "t"
                          : text == NULL && size > 0 ? "text"
                          : ret_count == NULL        ? "ret_count"
                                                     : "ret_ids (with a capacity above 0)");
    if (flags & ~(uint32_t)LIBNORM_TOKENIZER_SPECIAL)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "flags has unknown bits 0x%x",
                          (unsigned)(flags & ~(uint32_t)LIBNORM_TOKENIZER_SPECIAL));
    if (size > PTRDIFF_MAX || capacity > PTRDIFF_MAX / sizeof *ret_ids)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "%s is larger than any array",
                          size > PTRDIFF_MAX ? "size" : "capacity");
    if ((uintptr_t)ret_ids % sizeof *ret_ids != 0)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "ret_ids is not aligned to its element");
    if (overlap(text, size, ret_ids, capacity))
        return norm__fail(error, LIBNORM_E_OVERLAP, -1, "text and ret_ids overlap");
    return LIBNORM_OK;
}

norm_status norm_tokenizer_encode(const norm_tokenizer *t, const void *text, size_t size, uint32_t flags,
                                  int32_t *ret_ids, size_t capacity, size_t *ret_count, const norm_exec *exec,
                                  norm_error *ret_error)
{
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    norm_exec own;
    norm_status status = check(t, text, size, flags, ret_ids, capacity, ret_count, ret_error);
    if (status == LIBNORM_OK)
        status = norm__exec_read(&own, exec, ret_error);
    if (status != LIBNORM_OK)
        return status;
    struct encoding e = {.tokenizer = t, .text = text, .size = size, .exec = &own, .special = -1};
    if (flags & LIBNORM_TOKENIZER_SPECIAL)
        e.special = t->vocabulary.special;
    struct norm__workspace workspace;
    status = check_bytes(&e, ret_error);
    if (status == LIBNORM_OK)
        status = take_scratch(&e, &workspace, ret_error);
    if (status != LIBNORM_OK)
        return status;
    status = run(&e, ret_ids, capacity, ret_error);
    norm__workspace_close(&workspace);
    if (status == LIBNORM_OK)
        *ret_count = e.count;
    return status;
}

norm_status norm_tokenizer_encode_workspace(const norm_tokenizer *t, size_t size, size_t *ret_bytes,
                                            norm_error *ret_error)
{
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    if (t == NULL || ret_bytes == NULL)
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "%s is NULL", t == NULL ? "t" : "ret_bytes");
    const size_t longest = size < NORM__LONGEST_PIECE ? size : NORM__LONGEST_PIECE;
    size_t bytes = longest > NORM__SHORT_PIECE ? norm__merge_scratch_size(longest) : 0;
    if (bytes > 0 && !norm__add(bytes, NORM__ALIGN, &bytes))
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "size %zu is too large for this machine", size);
    *ret_bytes = bytes;
    return LIBNORM_OK;
}
