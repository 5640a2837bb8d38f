/* SPDX-License-Identifier: MIT */
/**
 * @file gpt2.h
 * GPT-2: the files as Hugging Face's libraries write them, a forward pass over BLAS with any normalizer, and an
 * observer that sees every attention head while it is computed, so that no L x L matrix is ever kept.
 */
#ifndef LIBNORM_GPT2_H
#define LIBNORM_GPT2_H

#include <libnorm/normalizer.h>
#include <libnorm/observer.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Immutable, counted weights and configuration. One handle serves any number of threads. */
typedef struct norm_gpt2 norm_gpt2;

/** Copy and check the weights when opening, instead of mapping the file: for files that may change while open. */
#define LIBNORM_GPT2_COPY 1u

typedef struct norm_gpt2_options {
    uint32_t struct_size; /**< sizeof(norm_gpt2_options) as the caller compiled it. */
    uint32_t flags;       /**< LIBNORM_GPT2_... */
    const norm_allocator *allocator; /**< NULL: malloc. */
} norm_gpt2_options;

/**
 * Opens directory/config.json and directory/model.safetensors.
 *
 * The file is mapped and its header checked: sizes, offsets, shapes and types of every tensor; the numbers themselves
 * are not read until they are used, except that F16, BF16 and unaligned tensors are widened to float32 at once. Keys
 * with or without "transformer."; mask buffers and tensors a GPT-2 does not have are ignored.
 * The output uses lm_head.weight if tie_word_embeddings is false, the token embedding if it is true; where config.json
 * does not say, lm_head.weight if the file has it.
 * config.json must have vocab_size, n_positions, n_embd, n_layer and n_head; n_inner absent or null is 4 n_embd, and
 * the other keys have the defaults of Hugging Face's GPT2Config. Whatever it says and this library does not do is
 * refused by name (LIBNORM_E_UNSUPPORTED). A file that is truncated or rewritten while mapped is undefined behaviour of
 * the operating system's: use LIBNORM_GPT2_COPY where that can happen. JSON is parsed in memory from malloc.
 *
 * LIBNORM_E_IO, LIBNORM_E_FORMAT: the message names file, tensor or key, offset and what was expected.
 * options may be NULL. *ret_model is untouched on failure.
 */
LIBNORM_API norm_status norm_gpt2_open(const char *directory, const norm_gpt2_options *options, norm_gpt2 **ret_model,
                                       norm_error *ret_error);

/** The same from memory. weights must stay alive and unchanged until the model is freed, unless LIBNORM_GPT2_COPY; it
 *  needs no alignment. config is not needed after the call. */
LIBNORM_API norm_status norm_gpt2_open_memory(const void *config, size_t config_size, const void *weights,
                                              size_t weights_size, const norm_gpt2_options *options,
                                              norm_gpt2 **ret_model, norm_error *ret_error);

/** Counts one more owner and returns model. NULL gives NULL. */
LIBNORM_API norm_gpt2 *norm_gpt2_ref(norm_gpt2 *model);

/** Counts one owner less; the last one frees. NULL is allowed. */
LIBNORM_API void norm_gpt2_free(norm_gpt2 *model);

#define LIBNORM_GPT2_GELU_TANH 0 /**< "gelu_new", "gelu_pytorch_tanh". */
#define LIBNORM_GPT2_GELU_ERF 1  /**< "gelu". */

/** What config.json and the weights say. */
typedef struct norm_gpt2_shape {
    uint32_t struct_size; /**< sizeof(norm_gpt2_shape), set by the caller. */
    uint32_t flags;       /**< 0. */
    uint64_t n_layer, n_head, n_embd, n_inner, n_positions, vocab_size;
    uint64_t parameters;        /**< Numbers in the weights, tied embedding counted once, mask buffers not counted. */
    double layer_norm_epsilon;
    int32_t activation;         /**< LIBNORM_GPT2_GELU_... */
    int32_t scale_attn_weights; /**< 1: scores are divided by sqrt(head width). */
    int32_t scale_attn_by_inverse_layer_idx; /**< 1: scores of layer i (from 0) are divided by i + 1. */
    int32_t tied;               /**< 1: the output uses the token embedding. */
    /** As config.json says, of a list the first; -1 where it has none. Need not be below vocab_size. */
    int32_t eos_token_id, bos_token_id;
} norm_gpt2_shape;

/** Fills *ret_shape as far as its struct_size reaches; untouched on failure. Any thread. */
LIBNORM_API norm_status norm_gpt2_get_shape(const norm_gpt2 *model, norm_gpt2_shape *ret_shape, norm_error *ret_error);

/* -- running it --------------------------------------------------------------------------------------------------- */

#define LIBNORM_GPT2_LOGITS_LAST 0   /**< Logits of the last position: vocab_size floats. */
#define LIBNORM_GPT2_LOGITS_ALL 1    /**< Of every position: count x vocab_size. */
#define LIBNORM_GPT2_LOGITS_CHOSEN 2 /**< Of positions[0 .. position_count): position_count x vocab_size. */
#define LIBNORM_GPT2_LOGITS_NONE 3   /**< None: for the observer alone. */

/** How to run a sequence. NULL stands for softmax, last logits, no observer. */
typedef struct norm_gpt2_run {
    uint32_t struct_size; /**< sizeof(norm_gpt2_run) as the caller compiled it. */
    uint32_t flags;       /**< 0. */
    /** normalizer_count 0: softmax in every head; 1: one for all; n_layer: one a layer; n_layer x n_head: one a head,
     *  layer by layer. Other counts are refused. */
    const norm_normalizer *const *normalizers;
    uint64_t normalizer_count;
    int32_t logits;   /**< LIBNORM_GPT2_LOGITS_...; norm_gpt2_loss() ignores it. */
    int32_t reserved; /**< 0. */
    const uint64_t *positions; /**< With LIBNORM_GPT2_LOGITS_CHOSEN: each below the number of ids, any order. */
    uint64_t position_count;
    norm_observer observer; /**< NULL: none. */
    void *observer_user;
} norm_gpt2_run;

/**
 * Runs count ids through the model, positions 0 to count - 1, and writes logits to ret_logits (NULL allowed with
 * LIBNORM_GPT2_LOGITS_NONE). Logits of positions that were not asked for are never formed.
 *
 * Each row of attention sees exactly its visible scores, n of them for a normalizer that uses n.
 * count 0 is LIBNORM_E_ARGUMENT; more than n_positions is LIBNORM_E_FULL before any work; an id outside the
 * vocabulary is LIBNORM_E_ARGUMENT naming index and value. Logits agree with a double computation within 1e-4.
 * Same bits run after run for the same shapes, BLAS, kernel and its threads, and for any norm_exec.threads.
 * Errors known before the first layer leave ret_logits untouched.
 */
LIBNORM_API norm_status norm_gpt2_forward(const norm_gpt2 *model, const int32_t *ids, size_t count,
                                          const norm_gpt2_run *run, float *ret_logits, const norm_exec *exec,
                                          norm_error *ret_error);

/**
 * The loss of each prediction: ret_loss[t] = -log p(ids[t + 1] | ids[0 .. t]) in nats, count - 1 of them, without
 * holding count x vocab_size logits. count 1 writes nothing. Otherwise as norm_gpt2_forward().
 */
LIBNORM_API norm_status norm_gpt2_loss(const norm_gpt2 *model, const int32_t *ids, size_t count,
                                       const norm_gpt2_run *run, double *ret_loss, const norm_exec *exec,
                                       norm_error *ret_error);

/** Bytes of norm_exec.workspace that suffice for either call with count ids. */
LIBNORM_API norm_status norm_gpt2_workspace(const norm_gpt2 *model, size_t count, const norm_gpt2_run *run,
                                            const norm_exec *exec, size_t *ret_bytes, norm_error *ret_error);

#ifdef __cplusplus
}
#endif
#endif
