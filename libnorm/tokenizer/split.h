/* SPDX-License-Identifier: MIT */
/* Cutting text into the pieces within which bytes are merged, as GPT-2's pattern does:
 *
 *     's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
 *
 * \s is the 25 code points of White_Space, nothing else. A byte outside well-formed UTF-8 is one "other". */
#ifndef NORM_TOKENIZER_SPLIT_H
#define NORM_TOKENIZER_SPLIT_H

#include <stddef.h>
#include <stdint.h>

/* End of the piece that begins at offset at < size, itself the end of a piece or 0. Linear in the piece's length. */
size_t norm__split_next(const uint8_t *text, size_t size, size_t at);

/* Length of the longest piece of the text, or limit if none is longer than that. Does not look at every byte of text
 * that has white space often. */
size_t norm__split_longest(const uint8_t *text, size_t size, size_t limit);

#endif
