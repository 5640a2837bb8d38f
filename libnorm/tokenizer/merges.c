/* SPDX-License-Identifier: MIT */
#include "tokenizer/merges.h"

#include "base/error.h"
#include "base/memory.h"
#include "tokenizer/letters.h"

static const char header[] = "#version";

/* The list being read, and what is needed to name a line of it. */
struct reader {
    const char *text, *name;
    size_t size;   /* without the line ends at the end */
    size_t number; /* of the current line, from 1 */
    size_t first;  /* of the line with rank 0 */
    const struct norm__vocabulary *vocabulary;
    uint8_t *joined; /* room for the longest line */
    norm_error *error;
};

/* End of the line that begins at offset at. */
static size_t line_end(const struct reader *r, size_t at)
{
    const char *end = memchr(r->text + at, '\n', r->size - at);
    return end != NULL ? (size_t)(end - r->text) : r->size;
}

/* Number of lines and length of the longest. */
static size_t count_lines(const struct reader *r, size_t *ret_longest)
{
    size_t lines = 0;
    *ret_longest = 0;
    for (size_t at = 0, end; at < r->size; at = end + 1, lines++) {
        end = line_end(r, at);
        if (end - at > *ret_longest)
            *ret_longest = end - at;
    }
    return lines;
}

/* The id of a symbol, whose bytes are put at joined. */
static norm_status symbol(struct reader *r, const char *letters, size_t size, uint8_t *joined, size_t *ret_count,
                          int32_t *ret_id)
{
    if (!norm__letters_to_bytes(letters, size, joined, ret_count))
        return norm__fail(r->error, LIBNORM_E_FORMAT, (int64_t)(letters - r->text) + (int64_t)*ret_count,
                          "%s: line %zu: byte %zu of %s begins none of the 256 letters for bytes", r->name, r->number,
                          *ret_count, norm__quote(letters, size).text);
    *ret_id = norm__words_find(&r->vocabulary->words, joined, *ret_count);
    if (*ret_id < 0)
        return norm__fail(r->error, LIBNORM_E_FORMAT, letters - r->text, "%s: line %zu: %s is not in the vocabulary",
                          r->name, r->number, norm__quote(letters, size).text);
    return LIBNORM_OK;
}

/* Puts the merge into its slot; refuses a pair that is there. */
static norm_status insert(struct norm__merges *m, int32_t left, int32_t right, int32_t id, size_t at,
                          const struct reader *r)
{
    const uint64_t pair = (uint64_t)(uint32_t)left << 32 | (uint32_t)right;
    const struct norm__merge *found = norm__merges_find(m, left, right);
    if (found->rank != NORM__NO_RANK)
        return norm__fail(r->error, LIBNORM_E_FORMAT, (int64_t)at, "%s: line %zu repeats the pair of line %zu", r->name,
                          r->number, r->first + found->rank);
    m->slots[found - m->slots] = (struct norm__merge){pair, (uint32_t)m->count++, id};
    return LIBNORM_OK;
}

static norm_status read_line(struct norm__merges *m, struct reader *r, size_t at, size_t end)
{
    const char *line = r->text + at;
    const size_t size = end - at;
    const char *blank = memchr(line, ' ', size);
    const size_t left_size = blank != NULL ? (size_t)(blank - line) : 0;
    if (left_size == 0 || left_size + 1 == size || memchr(blank + 1, ' ', size - left_size - 1) != NULL)
        return norm__fail(r->error, LIBNORM_E_FORMAT, (int64_t)at,
                          "%s: line %zu: expected two symbols with one blank between, found %s", r->name, r->number,
                          norm__quote(line, size).text);
    int32_t left, right;
    size_t left_count, right_count;
    norm_status status = symbol(r, line, left_size, r->joined, &left_count, &left);
    if (status == LIBNORM_OK)
        status = symbol(r, blank + 1, size - left_size - 1, r->joined + left_count, &right_count, &right);
    if (status != LIBNORM_OK)
        return status;
    const int32_t id = norm__words_find(&r->vocabulary->words, r->joined, left_count + right_count);
    if (id < 0)
        return norm__fail(r->error, LIBNORM_E_FORMAT, (int64_t)at,
                          "%s: line %zu: what %s joins to is not in the vocabulary", r->name, r->number,
                          norm__quote(line, size).text);
    return insert(m, left, right, id, at, r);
}

static norm_status read_lines(struct norm__merges *m, struct reader *r)
{
    const bool versioned = r->size >= sizeof header - 1 && memcmp(r->text, header, sizeof header - 1) == 0;
    r->number = 0;
    r->first = versioned ? 2 : 1;
    for (size_t at = 0, end; at < r->size; at = end + 1) {
        end = line_end(r, at);
        r->number++;
        if (versioned && at == 0)
            continue;
        const bool carriage = end > at && r->text[end - 1] == '\r';
        const norm_status status = read_line(m, r, at, end - carriage);
        if (status != LIBNORM_OK)
            return status;
    }
    return LIBNORM_OK;
}

norm_status norm__merges_read(struct norm__merges *m, const void *text, size_t size, const struct norm__vocabulary *v,
                              const char *name, const norm_allocator *allocator, norm_error *error)
{
    struct reader r = {.text = text, .name = name, .size = size, .vocabulary = v, .error = error};
    if (size == 0)
        return norm__fail(error, LIBNORM_E_FORMAT, 0, "%s: empty: expected a line '#version: 0.2' or merges", name);
    while (r.size > 0 && (r.text[r.size - 1] == '\n' || r.text[r.size - 1] == '\r'))
        r.size--;
    size_t longest, slots = 4;
    const size_t lines = count_lines(&r, &longest);
    while (slots / 2 < lines)
        slots *= 2;
    m->count = 0;
    m->mask = slots - 1;
    m->slots = norm__alloc_array(allocator, slots, sizeof *m->slots);
    r.joined = norm__alloc(allocator, longest);
    norm_status status;
    if (m->slots == NULL || r.joined == NULL) {
        status = norm__fail(error, LIBNORM_E_NOMEM, -1, "%s: out of memory", name);
    } else {
        for (size_t i = 0; i < slots; i++)
            m->slots[i] = (struct norm__merge){UINT64_MAX, NORM__NO_RANK, -1};
        status = read_lines(m, &r);
    }
    norm__release(allocator, r.joined, longest);
    if (status != LIBNORM_OK)
        norm__merges_free(m, allocator);
    return status;
}

void norm__merges_free(struct norm__merges *m, const norm_allocator *allocator)
{
    if (m->slots != NULL)
        norm__release(allocator, m->slots, (m->mask + 1) * sizeof *m->slots);
    m->slots = NULL;
}
