/* SPDX-License-Identifier: MIT */
/* A heap of (rank, position), lowest first, over a doubly linked list of symbols; a symbol lives at the position of its
 * first byte. Entries are not removed when a join spoils them: they are recognised when they come up. Positions joined
 * in the pass that runs are noted at the far end of the heap's array; a pass takes at least one entry a join and the
 * notes become at most two, so that two entries a symbol are enough for both. */
#include "tokenizer/merge.h"

#include "base/memory.h"

#define END UINT32_MAX
#define DEAD (-1)

size_t norm__merge_scratch_size(size_t longest)
{
    size_t words, heap;
    if (!norm__mul(longest, sizeof(uint32_t), &words) || !norm__mul(longest, 2 * sizeof(uint64_t), &heap))
        return SIZE_MAX;
    words = norm__piece(words);
    heap = norm__piece(heap);
    size_t sum;
    return norm__mul(words, 3, &sum) && norm__add(sum, heap, &sum) ? sum : SIZE_MAX;
}

void norm__merge_scratch_place(struct norm__merge_scratch *s, void *block, size_t longest)
{
    unsigned char *at = block;
    const size_t words = norm__piece(longest * sizeof(uint32_t));
    s->ids = (void *)at;
    s->previous = (void *)(at + words);
    s->next = (void *)(at + 2 * words);
    s->heap = (void *)(at + 3 * words);
}

static void sift_down(uint64_t *heap, size_t count, size_t i, uint64_t entry)
{
    for (size_t child; (child = 2 * i + 1) < count; i = child) {
        if (child + 1 < count && heap[child + 1] < heap[child])
            child++;
        if (heap[child] >= entry)
            break;
        heap[i] = heap[child];
    }
    heap[i] = entry;
}

static void sift_up(uint64_t *heap, size_t i, uint64_t entry)
{
    for (size_t parent; i > 0 && heap[parent = (i - 1) / 2] > entry; i = parent)
        heap[i] = heap[parent];
    heap[i] = entry;
}

static inline const struct norm__merge *pair_at(const struct norm__merges *m, const struct norm__merge_scratch *s,
                                                uint32_t at)
{
    return norm__merges_find(m, s->ids[at], s->ids[s->next[at]]);
}

/* Appends the entry of the pair at this position if it is in the list; returns the new number of entries. */
static size_t push(const struct norm__merges *m, struct norm__merge_scratch *s, size_t count, uint32_t at)
{
    const uint32_t rank = pair_at(m, s, at)->rank;
    if (rank == NORM__NO_RANK)
        return count;
    sift_up(s->heap, count, (uint64_t)rank << 32 | at);
    return count + 1;
}

static size_t start(const struct norm__vocabulary *v, const struct norm__merges *m, const uint8_t *bytes, size_t size,
                    struct norm__merge_scratch *s)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++) {
        s->ids[i] = v->byte_id[bytes[i]];
        s->previous[i] = i > 0 ? (uint32_t)i - 1 : END;
        s->next[i] = i + 1 < size ? (uint32_t)i + 1 : END;
    }
    for (size_t i = 0; i + 1 < size; i++) {
        const uint32_t rank = pair_at(m, s, (uint32_t)i)->rank;
        if (rank != NORM__NO_RANK)
            s->heap[count++] = (uint64_t)rank << 32 | i;
    }
    for (size_t i = count / 2; i-- > 0;)
        sift_down(s->heap, count, i, s->heap[i]);
    return count;
}

/* Makes the pair at a position one symbol. */
static void join(struct norm__merge_scratch *s, uint32_t at, int32_t id)
{
    const uint32_t gone = s->next[at], after = s->next[gone];
    s->ids[at] = id;
    s->ids[gone] = DEAD;
    s->next[at] = after;
    if (after != END)
        s->previous[after] = at;
}

/* Joins the occurrences of the pair of lowest rank and notes where: the first at notes[-1], the next at notes[-2], ...
 * The heap hands out equal ranks by position, so this goes from left to right. */
static size_t pass(const struct norm__merges *m, struct norm__merge_scratch *s, size_t *count, uint64_t *notes)
{
    const uint64_t rank = s->heap[0] >> 32;
    size_t joined = 0;
    while (*count > 0 && s->heap[0] >> 32 == rank) {
        const uint32_t at = (uint32_t)s->heap[0];
        *count -= 1;
        if (*count > 0)
            sift_down(s->heap, *count, 0, s->heap[*count]);
        if (s->ids[at] == DEAD || s->next[at] == END)
            continue;
        const struct norm__merge *merge = pair_at(m, s, at);
        if (merge->rank != rank)
            continue;
        join(s, at, merge->id);
        notes[-(ptrdiff_t)++joined] = at;
    }
    return joined;
}

size_t norm__merge_long(const struct norm__vocabulary *v, const struct norm__merges *m, const uint8_t *bytes,
                        size_t size, struct norm__merge_scratch *s)
{
    uint64_t *const notes = s->heap + 2 * size;
    size_t count = start(v, m, bytes, size, s), ids = size;
    while (count > 0) {
        const size_t joined = pass(m, s, &count, notes);
        ids -= joined;
        /* From the last note to the first, so that the room of those done joins the heap's. */
        for (size_t i = joined; i > 0; i--) {
            const uint32_t at = (uint32_t)notes[-(ptrdiff_t)i], before = s->previous[at];
            if (s->next[at] != END)
                count = push(m, s, count, at);
            if (before != END && !(i > 1 && (uint32_t)notes[-(ptrdiff_t)(i - 1)] == before))
                count = push(m, s, count, before);
        }
    }
    return ids;
}
