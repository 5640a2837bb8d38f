/* SPDX-License-Identifier: MIT */
/* vocab.json: an object from tokens, in GPT-2's letters, to ids. */
#ifndef NORM_TOKENIZER_VOCABULARY_H
#define NORM_TOKENIZER_VOCABULARY_H

#include "tokenizer/words.h"

/* What GPT-2 writes between texts. */
#define NORM__SPECIAL_TEXT "<|endoftext|>"
#define NORM__SPECIAL_SIZE (sizeof NORM__SPECIAL_TEXT - 1)

struct norm__vocabulary {
    size_t count;      /* ids are 0 ... count - 1 */
    uint8_t *bytes;    /* the tokens' bytes, id after id */
    size_t bytes_size; /* as allocated */
    uint32_t *start;   /* count + 1 offsets into bytes */
    struct norm__words words;
    int32_t byte_id[256]; /* id of each one-byte token, -1: there is none */
    bool complete;        /* every byte has an id */
    int32_t special;      /* id of <|endoftext|>, -1: there is none */
};

/* Reads size bytes of JSON. name is what messages call the file. On failure nothing is left allocated. */
norm_status norm__vocabulary_read(struct norm__vocabulary *v, const void *json, size_t size, const char *name,
                                  const norm_allocator *allocator, norm_error *error);
void norm__vocabulary_free(struct norm__vocabulary *v, const norm_allocator *allocator);

#endif
