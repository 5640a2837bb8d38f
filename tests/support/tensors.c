/* SPDX-License-Identifier: MIT */
#include "support/tensors.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct support_bytes support_safetensors(const char *header, const void *data, size_t size)
{
    const size_t length = strlen(header);
    struct support_bytes file = {malloc(8 + length + size), 8 + length + size};
    if (file.data == NULL)
        exit(EXIT_FAILURE);
    for (size_t i = 0; i < 8; i++)
        file.data[i] = (unsigned char)((uint64_t)length >> 8 * i);
    memcpy(file.data + 8, header, length);
    if (data != NULL)
        memcpy(file.data + 8 + length, data, size);
    else
        memset(file.data + 8 + length, 0, size);
    return file;
}

struct builder {
    const struct support_weights *what;
    char header[8192];
    size_t used, offset, numbers, tensors;
    unsigned char data[16384];
};

float support_weights_number(size_t i)
{
    return (float)((int)(i % 509) - 254) / 64; /* exact in F32, F16 and BF16 */
}

/* The bits of x, cut to the type: exact for our numbers. */
static size_t put_number(unsigned char *out, float x, const char *dtype)
{
    uint32_t bits;
    size_t width = 4;
    memcpy(&bits, &x, sizeof bits);
    if (strcmp(dtype, "BF16") == 0) {
        bits >>= 16;
        width = 2;
    } else if (strcmp(dtype, "F16") == 0) {
        const uint32_t magnitude = bits & 0x7fffffffu;
        bits = (bits >> 16 & 0x8000u) | (magnitude == 0 ? 0 : (magnitude - (112u << 23)) >> 13);
        width = 2;
    }
    for (size_t i = 0; i < width; i++)
        out[i] = (unsigned char)(bits >> 8 * i);
    return width;
}

static void add_entry(struct builder *b, const char *name, const char *type_and_shape, size_t size)
{
    b->used +=
        (size_t)snprintf(b->header + b->used, sizeof b->header - b->used, "%s\"%s\":{%s,\"data_offsets\":[%zu,%zu]}",
                         b->used > 1 ? "," : "", name, type_and_shape, b->offset, b->offset + size);
    b->offset += size;
}

static void add(struct builder *b, const char *name, size_t rows, size_t cols)
{
    static const char *const types[] = {"F32", "F16", "BF16"};
    const char *dtype = b->what->dtype != NULL ? b->what->dtype : types[b->tensors++ % 3];
    char full[64], entry[64];
    const size_t elements = rows > 0 ? rows * cols : cols, begin = b->offset;
    snprintf(full, sizeof full, "%s%s", strcmp(name, "lm_head.weight") == 0 ? "" : b->what->prefix, name);
    if (b->what->skip != NULL && strcmp(name, b->what->skip) == 0)
        return;
    if (b->what->replace != NULL && strcmp(name, b->what->replace) == 0) {
        add_entry(b, full, b->what->by, b->what->by_size);
        return;
    }
    if (rows > 0)
        snprintf(entry, sizeof entry, "\"dtype\":\"%s\",\"shape\":[%zu,%zu]", dtype, rows, cols);
    else
        snprintf(entry, sizeof entry, "\"dtype\":\"%s\",\"shape\":[%zu]", dtype, cols);
    size_t at = begin;
    for (size_t i = 0; i < elements; i++)
        at += put_number(b->data + at, support_weights_number(b->numbers++), dtype);
    add_entry(b, full, entry, at - begin);
}

static void add_layer(struct builder *b, int layer)
{
    static const struct {
        const char *name;
        size_t rows, cols;
    } parts[] = {{"ln_1.weight", 0, 4},       {"ln_1.bias", 0, 4},          {"attn.c_attn.weight", 4, 12},
                 {"attn.c_attn.bias", 0, 12}, {"attn.c_proj.weight", 4, 4}, {"attn.c_proj.bias", 0, 4},
                 {"ln_2.weight", 0, 4},       {"ln_2.bias", 0, 4},          {"mlp.c_fc.weight", 4, 6},
                 {"mlp.c_fc.bias", 0, 6},     {"mlp.c_proj.weight", 6, 4},  {"mlp.c_proj.bias", 0, 4}};
    char name[64];
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        snprintf(name, sizeof name, "h.%d.%s", layer, parts[i].name);
        add(b, name, parts[i].rows, parts[i].cols);
    }
    if (b->what->masks) {
        snprintf(name, sizeof name, "%sh.%d.attn.bias", b->what->prefix, layer);
        add_entry(b, name,
                  layer == 0 ? "\"dtype\":\"BOOL\",\"shape\":[1,1,5,5]" : "\"dtype\":\"U8\",\"shape\":[1,1,5,5]", 25);
        snprintf(name, sizeof name, "%sh.%d.attn.masked_bias", b->what->prefix, layer);
        add_entry(b, name, "\"dtype\":\"F32\",\"shape\":[]", 4);
    }
}

struct support_bytes support_weights(const struct support_weights *what)
{
    static struct builder builder;
    struct builder *b = &builder;
    memset(b, 0, sizeof *b);
    b->what = what;
    b->header[b->used++] = '{';
    add(b, "wte.weight", 7, 4);
    add(b, "wpe.weight", 5, 4);
    for (int layer = 0; layer < 2; layer++)
        add_layer(b, layer);
    add(b, "ln_f.weight", 0, 4);
    add(b, "ln_f.bias", 0, 4);
    if (what->lm_head)
        add(b, "lm_head.weight", 7, 4);
    b->header[b->used++] = '}';
    while (b->used % 8 != what->pad % 8)
        b->header[b->used++] = ' ';
    b->header[b->used] = '\0';
    return support_safetensors(b->header, b->data, b->offset);
}
