/* SPDX-License-Identifier: MIT */
/* Byte-pair encoding of one piece, as GPT-2 defines it: as long as there is a pair of neighbours in the merge list,
 * take the pair of lowest rank and join all its occurrences, from left to right. A pair that such a join makes waits
 * for the end of the pass even if its rank is lower; GPT-2's list has no such pairs. */
#ifndef NORM_TOKENIZER_MERGE_H
#define NORM_TOKENIZER_MERGE_H

#include "tokenizer/merges.h"

/* Pieces up to this length are merged by simple passes on the stack, longer ones with a heap. */
#define NORM__SHORT_PIECE 64
/* Longer pieces than this are refused: the heap's entries hold a position in 32 bits. */
#define NORM__LONGEST_PIECE ((size_t)INT32_MAX)

/* The ids of a short piece, to ret_ids, which has room for size of them; returns their number. Every byte of the piece
 * must have an id. */
size_t norm__merge_short(const struct norm__vocabulary *v, const struct norm__merges *m, const uint8_t *bytes,
                         size_t size, int32_t *ret_ids);

/* Room for pieces of up to a given length. */
struct norm__merge_scratch {
    int32_t *ids;
    uint32_t *previous, *next;
    uint64_t *heap; /* two entries a byte */
};

/* Bytes of memory the scratch needs, SIZE_MAX where that does not fit; its pieces from a block of this size. */
size_t norm__merge_scratch_size(size_t longest);
void norm__merge_scratch_place(struct norm__merge_scratch *s, void *block, size_t longest);

/* Merges a piece of any length; time O(size log size). Returns the number of ids, which follow from the scratch:
 * the first is s->ids[0], the one after ids[i] is ids[next[i]]. */
size_t norm__merge_long(const struct norm__vocabulary *v, const struct norm__merges *m, const uint8_t *bytes,
                        size_t size, struct norm__merge_scratch *s);

#endif
