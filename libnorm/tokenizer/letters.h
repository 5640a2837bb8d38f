/* SPDX-License-Identifier: MIT */
/* GPT-2's alphabet: each of the 256 bytes written as one visible letter. */
#ifndef NORM_TOKENIZER_LETTERS_H
#define NORM_TOKENIZER_LETTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes that size bytes of UTF-8 letters stand for: at most size of them, to ret_bytes and *ret_count.
 * false: what begins at offset *ret_count of letters is not one of the 256. */
bool norm__letters_to_bytes(const char *letters, size_t size, uint8_t *ret_bytes, size_t *ret_count);

#endif
