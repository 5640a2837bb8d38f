/* SPDX-License-Identifier: MIT */
/* merges.txt: which two tokens merge into which, and in what order. */
#ifndef NORM_TOKENIZER_MERGES_H
#define NORM_TOKENIZER_MERGES_H

#include "tokenizer/vocabulary.h"

#define NORM__NO_RANK UINT32_MAX

/* One merge: the pair of ids it joins, left in the upper half, its place in the list, and the id it makes. */
struct norm__merge {
    uint64_t pair;
    uint32_t rank; /* NORM__NO_RANK: a free slot */
    int32_t id;
};

/* A flat hash table of merges by pair, at most half full. */
struct norm__merges {
    struct norm__merge *slots;
    size_t mask; /* slots - 1, a power of two less one */
    size_t count;
};

/* Reads size bytes of a merge list over the vocabulary: an optional first line that begins with "#version", then
 * lines of two tokens in GPT-2's letters with one blank between; CRLF and blank lines at the end are tolerated. Both
 * tokens and what they join to must be in the vocabulary, and no pair may be given twice. name is what messages call
 * the file. On failure nothing is left allocated. */
norm_status norm__merges_read(struct norm__merges *m, const void *text, size_t size, const struct norm__vocabulary *v,
                              const char *name, const norm_allocator *allocator, norm_error *error);
void norm__merges_free(struct norm__merges *m, const norm_allocator *allocator);

static inline size_t norm__merges_slot(const struct norm__merges *m, uint64_t pair)
{
    pair *= 0x9E3779B97F4A7C15u;
    return (size_t)(pair ^ pair >> 32) & m->mask;
}

/* The merge of two tokens, or a free slot, whose rank is NORM__NO_RANK. */
static inline const struct norm__merge *norm__merges_find(const struct norm__merges *m, int32_t left, int32_t right)
{
    const uint64_t pair = (uint64_t)(uint32_t)left << 32 | (uint32_t)right;
    size_t i = norm__merges_slot(m, pair);
    while (m->slots[i].pair != pair && m->slots[i].rank != NORM__NO_RANK)
        i = (i + 1) & m->mask;
    return &m->slots[i];
}

#endif
