/* SPDX-License-Identifier: MIT */
/* config.json: every key that changes what a GPT-2 computes is honoured or refused by name. */
#ifndef NORM_GPT2_CONFIG_H
#define NORM_GPT2_CONFIG_H

#include <libnorm/gpt2.h>

#define NORM__TIE_UNSAID (-1)

struct norm__config {
    norm_gpt2_shape shape; /* parameters and tied are left 0: they are the weights' to say */
    int tie;               /* tie_word_embeddings: 0, 1, or NORM__TIE_UNSAID */
};

/* label names the file in messages, as text ready to print. *ret_config is untouched on failure. */
norm_status norm__config_read(struct norm__config *ret_config, const char *label, const void *text, size_t size,
                              norm_error *error);

#endif
