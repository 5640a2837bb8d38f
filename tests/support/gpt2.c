/* SPDX-License-Identifier: MIT */
#include "support/gpt2.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"

/* How long a dimension is. */
enum dimension { NONE, EMBD, EMBD3, INNER, VOCAB, POSITIONS };

struct tensor {
    const char *name;
    enum dimension rows, cols;
};
static const struct tensor outer[] = {
    {"wte.weight", VOCAB, EMBD},
    {"wpe.weight", POSITIONS, EMBD},
    {"ln_f.weight", NONE, EMBD},
    {"ln_f.bias", NONE, EMBD},
    {"lm_head.weight", VOCAB, EMBD}, /* last: left out when tied */
};
static const struct tensor inner[] = {
    {"ln_1.weight", NONE, EMBD},        {"ln_1.bias", NONE, EMBD},
    {"attn.c_attn.weight", EMBD, EMBD3}, {"attn.c_attn.bias", NONE, EMBD3},
    {"attn.c_proj.weight", EMBD, EMBD}, {"attn.c_proj.bias", NONE, EMBD},
    {"ln_2.weight", NONE, EMBD},        {"ln_2.bias", NONE, EMBD},
    {"mlp.c_fc.weight", EMBD, INNER},   {"mlp.c_fc.bias", NONE, INNER},
    {"mlp.c_proj.weight", INNER, EMBD}, {"mlp.c_proj.bias", NONE, EMBD},
};
enum { n_outer = sizeof outer / sizeof outer[0], n_inner = sizeof inner / sizeof inner[0] };

struct support_gpt2 support_gpt2_small(void)
{
    return (struct support_gpt2){.layers = 2,
                                 .heads = 3,
                                 .embd = 24,
                                 .inner = 40,
                                 .positions = 70,
                                 .vocab = 37,
                                 .epsilon = 1e-5,
                                 .activation = "gelu_new",
                                 .scale = 1,
                                 .tied = 1,
                                 .deviation = 0.3};
}

static size_t length(const struct support_gpt2 *m, enum dimension d)
{
    switch (d) {
    case EMBD:
        return m->embd;
    case EMBD3:
        return 3 * m->embd;
    case INNER:
        return m->inner;
    case VOCAB:
        return m->vocab;
    case POSITIONS:
        return m->positions;
    default:
        return 1;
    }
}

/* The index-th tensor: its name and shape; 0 when there is none. Outer ones first. */
static int tensor_at(const struct support_gpt2 *m, size_t index, char name[64], size_t *rows, size_t *cols,
                     enum dimension *kind)
{
    const size_t count = m->tied ? n_outer - 1 : n_outer;
    const struct tensor *t = index < count ? &outer[index] : &inner[(index - count) % n_inner];
    if (index < count)
        snprintf(name, 64, "%s", t->name);
    else
        snprintf(name, 64, "h.%zu.%s", (index - count) / n_inner, t->name);
    *rows = length(m, t->rows);
    *cols = length(m, t->cols);
    *kind = t->rows;
    return index < count + m->layers * n_inner;
}

float *support_gpt2_tensor(const struct support_gpt2 *m, const char *name)
{
    char other[64];
    size_t rows, cols, at = 0;
    enum dimension kind;
    for (size_t i = 0; tensor_at(m, i, other, &rows, &cols, &kind); i++) {
        if (strcmp(other, name) == 0)
            return m->weights + at;
        at += rows * cols;
    }
    ck_abort_msg("no tensor %s", name);
    return NULL;
}

static void fill(const struct support_gpt2 *m, uint64_t seed)
{
    struct support_random r = {seed};
    char name[64];
    size_t rows, cols;
    enum dimension kind;
    float *at = m->weights;
    for (size_t i = 0; tensor_at(m, i, name, &rows, &cols, &kind); i++) {
        const double base = strstr(name, "ln_") != NULL && strstr(name, "weight") != NULL ? 1 : 0;
        for (size_t j = 0; j < rows * cols; j++)
            *at++ = (float)(base + (kind == NONE ? 0.2 : m->deviation) * support_normal(&r));
    }
}

void support_gpt2_make(struct support_gpt2 *m, uint64_t seed)
{
    snprintf(m->config, sizeof m->config,
             "{\"model_type\": \"gpt2\", \"n_layer\": %zu, \"n_head\": %zu, \"n_embd\": %zu, \"n_inner\": %zu, "
             "\"n_positions\": %zu, \"vocab_size\": %zu, \"layer_norm_epsilon\": %.3e, "
             "\"activation_function\": \"%s\", \"scale_attn_weights\": %s, "
             "\"scale_attn_by_inverse_layer_idx\": %s, \"tie_word_embeddings\": %s}",
             m->layers, m->heads, m->embd, m->inner, m->positions, m->vocab, m->epsilon, m->activation,
             m->scale ? "true" : "false", m->inverse_layer ? "true" : "false", m->tied ? "true" : "false");
    const size_t room = 256 * (n_outer + m->layers * n_inner);
    char *header = malloc(room), name[64];
    size_t used = 0, at = 0, rows, cols;
    enum dimension kind;
    for (size_t i = 0; tensor_at(m, i, name, &rows, &cols, &kind); i++) {
        char shape[64];
        if (kind == NONE)
            snprintf(shape, sizeof shape, "%zu", cols);
        else
            snprintf(shape, sizeof shape, "%zu, %zu", rows, cols);
        used += (size_t)snprintf(header + used, room - used,
                                 "%s\"%s\": {\"dtype\": \"F32\", \"shape\": [%s], \"data_offsets\": [%zu, %zu]}",
                                 i == 0 ? "{" : ", ", name, shape, at * 4, (at + rows * cols) * 4);
        at += rows * cols;
    }
    header[used++] = '}';
    while (used % 8 != 0)
        header[used++] = ' ';
    m->file_size = 8 + used + at * sizeof(float);
    void *file = NULL;
    if (posix_memalign(&file, 64, m->file_size) != 0)
        abort();
    m->file = file;
    for (int i = 0; i < 8; i++)
        m->file[i] = (unsigned char)(used >> 8 * i);
    memcpy(m->file + 8, header, used);
    free(header);
    m->weights = (float *)(void *)(m->file + 8 + used);
    fill(m, seed);
}

void support_gpt2_free(struct support_gpt2 *m)
{
    free(m->file);
    m->file = NULL;
}

norm_gpt2 *support_gpt2_open(const struct support_gpt2 *m)
{
    norm_error error = {sizeof error, 0, 0, ""};
    norm_gpt2 *model = NULL;
    ck_assert_msg(norm_gpt2_open_memory(m->config, strlen(m->config), m->file, m->file_size, NULL, &model, &error) ==
                      LIBNORM_OK,
                  "%s", error.text);
    return model;
}
