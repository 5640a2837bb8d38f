/* SPDX-License-Identifier: MIT */
/* A loaded model: what the forward pass reads. All numbers are float32 in the host's byte order, 4-byte aligned (not
 * more), row-major; matrices are laid out (in, out) as the files hold them, so y = x W + b. */
#ifndef NORM_GPT2_MODEL_H
#define NORM_GPT2_MODEL_H

#include <stdatomic.h>

#include <libnorm/gpt2.h>

#include "base/file.h"

struct norm__layer {
    const float *ln_1_weight, *ln_1_bias; /* n_embd */
    const float *attn_w, *attn_b;         /* n_embd x 3 n_embd: q, k, v side by side, heads within each; 3 n_embd */
    const float *proj_w, *proj_b;         /* n_embd x n_embd; n_embd */
    const float *ln_2_weight, *ln_2_bias; /* n_embd */
    const float *fc_w, *fc_b;             /* n_embd x n_inner; n_inner */
    const float *out_w, *out_b;           /* n_inner x n_embd; n_embd */
};

struct norm_gpt2 {
    atomic_size_t count; /* owners */
    norm_allocator allocator;
    norm_gpt2_shape shape;
    const float *wte;                     /* vocab_size x n_embd */
    const float *wpe;                     /* n_positions x n_embd */
    const float *ln_f_weight, *ln_f_bias; /* n_embd */
    const float *lm_head;                 /* vocab_size x n_embd; wte when tied */
    struct norm__layer *layers;           /* shape.n_layer */
    struct norm__file file;               /* where tensors used in place lie; data NULL: nowhere, or the caller's */
    float *owned;                         /* the other tensors, widened; NULL: none */
    size_t owned_size;                    /* bytes */
};

#endif
