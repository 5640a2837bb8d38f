/* SPDX-License-Identifier: MIT */
/* The matrix products of a forward pass and nothing else, through the BLAS that libnorm uses: what the pass cannot do
 * without. Numbers of its own, as many of them as the model has. */
#ifndef NORMLAB_PRODUCTS_H
#define NORMLAB_PRODUCTS_H

#include <stdbool.h>
#include <stddef.h>

#include <libnorm/gpt2.h>

#include "bench/blas.h"

struct products {
    struct blas blas;
    norm_gpt2_shape shape;
    size_t tokens, logits; /* rows; of logits that are asked for */
    float *weights;        /* of all layers, and the output's */
    float *x, *wide;       /* what is multiplied: never written, so that numbers stay as they were drawn */
    float *result, *scores, *logit;
};

enum products_open { PRODUCTS_FINE, PRODUCTS_NO_BLAS, PRODUCTS_FAILED /* said */ };
enum products_open products_open(struct products *ret_products, const norm_gpt2_shape *shape, size_t tokens,
                                 size_t logits);
void products_close(struct products *products);

/* A contender of a contest: user is a struct products. blas.flops is that of one pass afterwards. */
bool products_run(void *user, size_t passes);

#endif
