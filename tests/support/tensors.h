/* SPDX-License-Identifier: MIT */
/* Weight files made on the spot. */
#ifndef SUPPORT_TENSORS_H
#define SUPPORT_TENSORS_H

#include <stddef.h>

struct support_bytes {
    unsigned char *data; /* for free */
    size_t size;
};

/* Length, header, and size bytes of data (NULL: zeros), in a block that ends where the file ends. */
struct support_bytes support_safetensors(const char *header, const void *data, size_t size);

/* A whole GPT-2 of 2 layers, 2 heads, width 4, inner width 6, 5 positions, 7 ids. */
#define SUPPORT_WEIGHTS_CONFIG                                                                                         \
    "\"vocab_size\": 7, \"n_positions\": 5, \"n_embd\": 4, \"n_layer\": 2, \"n_head\": 2, \"n_inner\": 6"
enum {
    SUPPORT_WEIGHTS_PARAMETERS =
        7 * 4 + 5 * 4 + 2 * (2 * 4 + 4 * 12 + 12 + 4 * 4 + 4 + 2 * 4 + 4 * 6 + 6 + 6 * 4 + 4) + 8
};
struct support_weights {
    const char *prefix; /* "" or "transformer." */
    const char *dtype;  /* of all tensors; NULL: F32, F16, BF16 in turn */
    const char *skip;   /* name, without the prefix, of a tensor to leave out */
    const char
        *replace; /* a name and another entry for it: its dtype and shape, e.g. "\"dtype\":\"I8\",\"shape\":[4]" */
    const char *by;
    size_t by_size; /* bytes of that entry */
    int lm_head;    /* 1: with an lm_head.weight */
    int masks;      /* 1: with mask buffers, as older files have them */
    size_t pad;     /* blanks after the header: 0 to 7 move the data off their alignment */
};
/* Number i of the file, counted over all tensors in the order of the file, is the i-th of this sequence. */
float support_weights_number(size_t i);
struct support_bytes support_weights(const struct support_weights *what);

#endif
