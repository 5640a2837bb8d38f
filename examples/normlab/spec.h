/* SPDX-License-Identifier: MIT */
/* Normalizers from the command line. */
#ifndef NORMLAB_SPEC_H
#define NORMLAB_SPEC_H

#include "arguments.h"

/* NULL: says what is wrong with the text. */
norm_normalizer *spec_parse(const char *text);
/* The canonical text, for free(); NULL: out of memory, said. */
char *spec_text(const norm_normalizer *normalizer);

struct normalizers {
    norm_normalizer *item[TEXTS_MAX];
    char *text[TEXTS_MAX]; /* canonical */
    size_t count;
};
/* All of them, or none: softmax. The same one twice is refused. False: says so; freed. */
bool normalizers_parse(struct normalizers *ret_normalizers, const struct texts *texts);
void normalizers_free(struct normalizers *normalizers);

#endif
