/* SPDX-License-Identifier: MIT */
/* Byte-level BPE written down from its definition, without regard to time: to compare the library's with. */
#ifndef SUPPORT_REFERENCE_TOKENIZER_H
#define SUPPORT_REFERENCE_TOKENIZER_H

#include <stddef.h>
#include <stdint.h>

/* End of the first piece of size > 0 bytes by GPT-2's pattern, its alternatives tried one after the other. */
size_t reference_piece(const unsigned char *text, size_t size);

/* A merge list: its lines, sorted, each with its rank. */
struct reference_merges {
    char *text;
    struct reference_line {
        const char *line;
        size_t rank;
    } * lines;
    size_t count;
};
struct reference_merges reference_merges_read(const char *path);
struct reference_merges reference_merges_from(const char *text);
void reference_merges_free(struct reference_merges *m);

/* Lengths in bytes of the tokens of one piece, at most size of them; returns their number. */
size_t reference_merge(const struct reference_merges *m, const unsigned char *piece, size_t size, size_t *ret_lengths);

#endif
