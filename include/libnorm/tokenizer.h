/* SPDX-License-Identifier: MIT */
/**
 * @file tokenizer.h
 * GPT-2's byte-level byte-pair encoding: text to token ids and back, exact and without losing a byte.
 *
 * Text is split as GPT-2's pattern splits it (contractions, letters, numbers, other, white space; Unicode categories L
 * and N and the 25 code points of White_Space). Each piece's bytes are mapped to the vocabulary's letters and merged by
 * rank: as long as neighbours are in the merge list, all occurrences of the pair that comes first in it are joined,
 * from left to right. A byte that is not part of well-formed UTF-8 is one unit of the kind "other": it is kept, merged
 * like any byte, and decodes to itself, so decode(encode(x)) = x for every byte string.
 *
 * The categories are those of the utf8proc that libnorm runs with. In a build without the tokenizer
 * (norm_has_feature("gpt2") is 0) every function that can fail is LIBNORM_E_UNSUPPORTED.
 */
#ifndef LIBNORM_TOKENIZER_H
#define LIBNORM_TOKENIZER_H

#include <libnorm/exec.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An immutable, counted vocabulary with its merges. One handle serves any number of threads. */
typedef struct norm_tokenizer norm_tokenizer;

/** "<|endoftext|>" in the text becomes its own id. Off by default: safer for text one did not write. */
#define LIBNORM_TOKENIZER_SPECIAL 1u

/**
 * Opens directory/vocab.json and directory/merges.txt; nothing else is needed or read. Each may have up to 256 MiB.
 *
 * vocab.json: an object from tokens, written in GPT-2's alphabet of one letter a byte, to the ids 0 to its size - 1,
 * each once. Any size; bytes may be missing. merges.txt: an optional first line that begins with "#version", then one
 * merge a line, two tokens with one blank between, best first; both and what they join to are in the vocabulary, no
 * pair comes twice. CRLF and blank lines at the end are tolerated.
 *
 * LIBNORM_E_IO: a file cannot be read. LIBNORM_E_FORMAT: it is not a vocabulary or merge list: the message names
 * file, line or entry and what was expected, where is the byte offset if it is known. allocator may be NULL; the JSON
 * is read with malloc all the same. *ret_tokenizer is untouched on failure.
 */
LIBNORM_API norm_status norm_tokenizer_open(const char *directory, const norm_allocator *allocator,
                                            norm_tokenizer **ret_tokenizer, norm_error *ret_error);

/** The same from memory: the texts of vocab.json and merges.txt, which are not needed after the call. */
LIBNORM_API norm_status norm_tokenizer_open_memory(const void *vocab, size_t vocab_size, const void *merges,
                                                   size_t merges_size, const norm_allocator *allocator,
                                                   norm_tokenizer **ret_tokenizer, norm_error *ret_error);

/** Counts one more owner and returns t. NULL gives NULL. */
LIBNORM_API norm_tokenizer *norm_tokenizer_ref(norm_tokenizer *t);

/** Counts one owner less; the last one frees. NULL is allowed. */
LIBNORM_API void norm_tokenizer_free(norm_tokenizer *t);

/** Number of ids: every id is in [0, size). NULL gives 0. */
LIBNORM_API size_t norm_tokenizer_size(const norm_tokenizer *t);

/**
 * Token ids of size bytes of text, which may hold NUL and need not be UTF-8. flags: LIBNORM_TOKENIZER_...
 *
 * Writes the ids to ret_ids and their number to *ret_count. There are never more ids than bytes, so a capacity of size
 * always suffices, and is fastest: with less the text is gone through twice. ret_ids NULL with capacity 0 only counts.
 * A capacity too small is LIBNORM_E_ARGUMENT with the number needed in where. A byte that this vocabulary has no id for
 * is LIBNORM_E_FORMAT with its offset in where. Every failure leaves ret_ids and *ret_count untouched, but for
 * LIBNORM_E_CANCELLED, after which ret_ids is unspecified. text and ret_ids must not overlap: LIBNORM_E_OVERLAP.
 *
 * LIBNORM_TOKENIZER_SPECIAL does nothing in a vocabulary without "<|endoftext|>"; the text on either side of one is
 * encoded as if it stood alone.
 *
 * Time is O(size log size) for any text. A text is cut at white space and where letters, numbers and others meet;
 * only a piece longer than 64 bytes takes memory, 28 bytes a byte of the longest; one longer than 2^31 - 1 bytes is
 * LIBNORM_E_UNSUPPORTED. Of exec the memory and progress are used; the call runs on the caller's thread.
 */
LIBNORM_API norm_status norm_tokenizer_encode(const norm_tokenizer *t, const void *text, size_t size, uint32_t flags,
                                              int32_t *ret_ids, size_t capacity, size_t *ret_count,
                                              const norm_exec *exec, norm_error *ret_error);

/** Bytes of norm_exec.workspace that suffice to encode any text of size bytes; 0 for the shortest texts. */
LIBNORM_API norm_status norm_tokenizer_encode_workspace(const norm_tokenizer *t, size_t size, size_t *ret_bytes,
                                                        norm_error *ret_error);

/**
 * The bytes of count ids, joined, nothing tidied. Same protocol as encode: ret_bytes NULL with capacity 0 only counts,
 * a capacity too small is LIBNORM_E_ARGUMENT with the number needed in where. No NUL is added. An id outside the
 * vocabulary is LIBNORM_E_ARGUMENT naming its index and value, with the index in where. One id may be half a
 * character. Every failure leaves ret_bytes and *ret_size untouched. ids and ret_bytes must not overlap.
 */
LIBNORM_API norm_status norm_tokenizer_decode(const norm_tokenizer *t, const int32_t *ids, size_t count,
                                              void *ret_bytes, size_t capacity, size_t *ret_size,
                                              norm_error *ret_error);

/** The bytes of one id; they belong to t and live as long as it does. *ret_bytes has no final NUL. */
LIBNORM_API norm_status norm_tokenizer_token(const norm_tokenizer *t, int32_t id, const uint8_t **ret_bytes,
                                             size_t *ret_size, norm_error *ret_error);

/** The id whose bytes are exactly these, "<|endoftext|>" included; LIBNORM_E_ARGUMENT if there is none. */
LIBNORM_API norm_status norm_tokenizer_id(const norm_tokenizer *t, const void *bytes, size_t size, int32_t *ret_id,
                                          norm_error *ret_error);

#ifdef __cplusplus
}
#endif
#endif
