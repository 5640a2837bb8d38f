/* SPDX-License-Identifier: MIT */
/* Small random models, and the forward pass in the plainest double loops, to compare with. */
#ifndef SUPPORT_GPT2_H
#define SUPPORT_GPT2_H

#include <libnorm/gpt2.h>

struct support_gpt2 {
    /* what the caller sets; see support_gpt2_small */
    size_t layers, heads, embd, inner, positions, vocab;
    double epsilon;
    const char *activation;
    int scale, inverse_layer, tied;
    double deviation; /* of the matrices */
    /* what support_gpt2_make fills */
    float *weights; /* within file */
    char config[768];
    unsigned char *file;
    size_t file_size;
};

/* 2 layers, 3 heads of 8, inner 40, 70 positions, 37 ids, tied, gelu_new. */
struct support_gpt2 support_gpt2_small(void);

/* Random numbers for every tensor, then config.json and model.safetensors in memory. Free with support_gpt2_free. */
void support_gpt2_make(struct support_gpt2 *m, uint64_t seed);
void support_gpt2_free(struct support_gpt2 *m);

/* A tensor by its name in the file ("h.0.attn.c_attn.weight"); changes show in models opened later. */
float *support_gpt2_tensor(const struct support_gpt2 *m, const char *name);

norm_gpt2 *support_gpt2_open(const struct support_gpt2 *m);

/* count x vocab logits; and where they are not NULL, layers x heads x count x count scores and weights of softmax, 0
 * where hidden. temperature: one a head, layer by layer; NULL: 1. */
void support_gpt2_reference(const struct support_gpt2 *m, const int32_t *ids, size_t count, const double *temperature,
                            double *ret_logits, double *ret_scores, double *ret_weights);

#endif
