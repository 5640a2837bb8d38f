/* SPDX-License-Identifier: MIT */
/* safetensors files: 8 bytes of length, a JSON header, data. Everything the header says is checked before a byte of
 * data is looked at; see safetensors.c for the rules. */
#ifndef NORM_GPT2_SAFETENSORS_H
#define NORM_GPT2_SAFETENSORS_H

#include "json/json.h"

#include <libnorm/exec.h>

#include "base/error.h"

/* Element types we can read; others are carried as NORM__OTHER. */
enum { NORM__OTHER, NORM__F32, NORM__F16, NORM__BF16 };

/* A tensor of a file. data has no alignment: memcpy. */
struct norm__tensor {
    const unsigned char *data;
    size_t offset; /* place in the file, bytes */
    size_t elements;
    int32_t dtype;
    const json_t *entry; /* its object in the header, for messages */
};

struct norm__safetensors {
    const char *label; /* the file's name in messages, the caller's */
    json_t *header;
    const unsigned char *data;
    size_t data_offset, data_size;
};

/* Checks a whole file in memory. label and file must stay alive until the close; nothing to close on failure. */
norm_status norm__safetensors_open(struct norm__safetensors *st, const char *label, const unsigned char *file,
                                   size_t size, const norm_allocator *allocator, norm_error *error);
void norm__safetensors_close(struct norm__safetensors *st);

/* 1 and the tensor of that name, or 0. */
int norm__safetensors_find(const struct norm__safetensors *st, const char *name, struct norm__tensor *ret_tensor);

/* 1 if the tensor has exactly these dimensions. */
int norm__tensor_is(const struct norm__tensor *tensor, const size_t *dims, size_t rank);

/* The tensor's shape in a message, "[3, 4]", and its type, "F32". */
norm__quoted norm__tensor_shape_text(const struct norm__tensor *tensor);
norm__quoted norm__tensor_dtype_text(const struct norm__tensor *tensor);

#endif
