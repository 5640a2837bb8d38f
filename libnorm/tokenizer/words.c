/* SPDX-License-Identifier: MIT */
#include "tokenizer/words.h"

#include "base/memory.h"

bool norm__words_build(struct norm__words *w, const uint8_t *bytes, const uint32_t *start, size_t count,
                       const norm_allocator *allocator)
{
    size_t slots = 4;
    while (slots / 2 < count) /* at most half full: probes stay short, and the search ends */
        slots *= 2;
    w->slots = norm__alloc_array(allocator, slots, sizeof *w->slots);
    if (w->slots == NULL)
        return false;
    w->bytes = bytes;
    w->start = start;
    w->mask = slots - 1;
    for (size_t i = 0; i < slots; i++)
        w->slots[i] = (struct norm__word_slot){0, -1};
    for (size_t id = 0; id < count; id++) {
        const uint64_t hash = norm__words_hash(bytes + start[id], start[id + 1] - start[id]);
        size_t i = (size_t)hash & w->mask;
        while (w->slots[i].id >= 0)
            i = (i + 1) & w->mask;
        w->slots[i] = (struct norm__word_slot){(uint32_t)(hash >> 32), (int32_t)id};
    }
    return true;
}

void norm__words_free(struct norm__words *w, const norm_allocator *allocator)
{
    if (w->slots != NULL)
        norm__release(allocator, w->slots, (w->mask + 1) * sizeof *w->slots);
    w->slots = NULL;
}
