/* SPDX-License-Identifier: MIT */
/* JSON of the model's and the tokenizer's files, with errors that say what and where. Jansson takes its memory from
 * malloc: its allocator is one for the whole process and not ours to set. */
#ifndef NORM_JSON_JSON_H
#define NORM_JSON_JSON_H

#include <jansson.h>

#include <libnorm/status.h>

#include "base/error.h"

/* Reads size bytes of text as one JSON object without duplicate keys. label names the file in messages, as text ready
 * to print; the text starts at byte offset of that file. The result is for json_decref. */
norm_status norm__json_object(json_t **ret_object, const char *label, const void *text, size_t size, size_t offset,
                              norm_error *error);

/* A value in a message: the number, the quoted string, "true", "an array". NULL is "nothing". */
norm__quoted norm__json_found(const json_t *value);

#endif
