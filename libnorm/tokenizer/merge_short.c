/* SPDX-License-Identifier: MIT */
#include "tokenizer/merge.h"

/* ranks[i] is the rank of the pair (ids[i], ids[i + 1]), the last one NORM__NO_RANK. Joins the pairs of this rank. */
static size_t join_all(const struct norm__merges *m, int32_t *ids, uint32_t *ranks, size_t count, uint32_t rank,
                       size_t first)
{
    const int32_t id = norm__merges_find(m, ids[first], ids[first + 1])->id;
    size_t to = first;
    bool joined = false; /* ids[to - 1] is new, so the rank between it and its right neighbour is not known */
    for (size_t from = first; from < count;) {
        const bool join = ranks[from] == rank;
        ids[to] = join ? id : ids[from];
        ranks[to] = join ? NORM__NO_RANK : ranks[from];
        from += join ? 2 : 1;
        if (to > 0 && (join || joined))
            ranks[to - 1] = norm__merges_find(m, ids[to - 1], ids[to])->rank;
        joined = join;
        to++;
    }
    return to;
}

size_t norm__merge_short(const struct norm__vocabulary *v, const struct norm__merges *m, const uint8_t *bytes,
                         size_t size, int32_t *ret_ids)
{
    uint32_t ranks[NORM__SHORT_PIECE];
    for (size_t i = 0; i < size; i++)
        ret_ids[i] = v->byte_id[bytes[i]];
    for (size_t i = 0; i + 1 < size; i++)
        ranks[i] = norm__merges_find(m, ret_ids[i], ret_ids[i + 1])->rank;
    ranks[size - 1] = NORM__NO_RANK;
    while (size > 1) {
        size_t first = 0;
        for (size_t i = 1; i < size; i++)
            if (ranks[i] < ranks[first])
                first = i;
        if (ranks[first] == NORM__NO_RANK)
            break;
        size = join_all(m, ret_ids, ranks, size, ranks[first], first);
    }
    return size;
}
