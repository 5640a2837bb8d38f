/* SPDX-License-Identifier: MIT */
/* From a token's bytes to its id: a flat hash table over the bytes of the vocabulary. */
#ifndef NORM_TOKENIZER_WORDS_H
#define NORM_TOKENIZER_WORDS_H

#include <stdbool.h>
#include <string.h>

#include <libnorm/exec.h>

struct norm__word_slot {
    uint32_t tag; /* upper half of the hash */
    int32_t id;   /* -1: free */
};

/* Token i is bytes[start[i]] ... bytes[start[i + 1] - 1]; both arrays belong to the vocabulary. */
struct norm__words {
    const uint8_t *bytes;
    const uint32_t *start;
    struct norm__word_slot *slots;
    size_t mask; /* slots - 1, a power of two less one */
};

/* Builds the table of count tokens, no two of them the same bytes. false: out of memory. */
bool norm__words_build(struct norm__words *w, const uint8_t *bytes, const uint32_t *start, size_t count,
                       const norm_allocator *allocator);
void norm__words_free(struct norm__words *w, const norm_allocator *allocator);

static inline uint64_t norm__words_load(const uint8_t *p, size_t size)
{
    uint64_t word = 0;
    memcpy(&word, p, size);
    return word;
}

static inline uint64_t norm__words_mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

/* The constant sizes let the compiler turn each load into one instruction. */
static inline uint64_t norm__words_hash(const uint8_t *p, size_t size)
{
    uint64_t hash = size, word = 0;
    if (size >= 8) {
        for (size_t i = 0; i + 8 < size; i += 8)
            hash = norm__words_mix(hash, norm__words_load(p + i, 8));
        word = norm__words_load(p + size - 8, 8);
    } else if (size >= 4) {
        word = norm__words_load(p, 4) << 32 | norm__words_load(p + size - 4, 4);
    } else if (size > 0) {
        word = (uint64_t)p[0] << 16 | (uint64_t)p[size / 2] << 8 | p[size - 1];
    }
    hash = norm__words_mix(hash, word) * 0xD6E8FEB86659FD93u;
    return hash ^ hash >> 32;
}

/* The id of these bytes, or -1. */
static inline int32_t norm__words_find(const struct norm__words *w, const uint8_t *p, size_t size)
{
    const uint64_t hash = norm__words_hash(p, size);
    const uint32_t tag = (uint32_t)(hash >> 32);
    for (size_t i = (size_t)hash & w->mask;; i = (i + 1) & w->mask) {
        const struct norm__word_slot slot = w->slots[i];
        if (slot.id < 0)
            return -1;
        const uint32_t start = w->start[slot.id];
        if (slot.tag == tag && w->start[slot.id + 1] - start == size && memcmp(w->bytes + start, p, size) == 0)
            return slot.id;
    }
}

#endif
