/* SPDX-License-Identifier: MIT */
/* What a norm_tokenizer holds. Nothing in it changes after it was opened but the number of owners. */
#ifndef NORM_TOKENIZER_HANDLE_H
#define NORM_TOKENIZER_HANDLE_H

#include <stdatomic.h>

#include <libnorm/tokenizer.h>

#include "tokenizer/merges.h"
#include "tokenizer/vocabulary.h"

struct norm_tokenizer {
    atomic_size_t owners;
    norm_allocator allocator;
    struct norm__vocabulary vocabulary;
    struct norm__merges merges;
    uint8_t *whole; /* an id's entry is 1 if merging its own bytes gives just that id, so that a piece need only be
                       looked up; 0 for tokens too long to be short pieces */
};

#endif
