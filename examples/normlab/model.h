/* SPDX-License-Identifier: MIT */
/* The model and the text of a command: what the user named, or the bundled ones. */
#ifndef NORMLAB_MODEL_H
#define NORMLAB_MODEL_H

#include <stdbool.h>

#include <libnorm/norm.h>

/* The bundled model's directory and sample text, where the installation put them. */
#define MODEL_BUNDLED NORMLAB_DATA "/gpt2-tiny"
#define TEXT_BUNDLED NORMLAB_DATA "/sample.txt"

/* directory NULL: the bundled one. NULL: says so. */
norm_tokenizer *model_open_tokenizer(const char *directory);

struct model {
    const char *directory;
    norm_gpt2 *gpt2;
    norm_tokenizer *tokenizer; /* NULL when it was not asked for */
    norm_gpt2_shape shape;
};
/* False: says so. */
bool model_open(struct model *ret_model, const char *directory, bool tokenizer);
void model_close(struct model *model);

/* Token ids. */
struct ids {
    int32_t *item;
    size_t count;
};
/* Ids of a text. False: says so. */
bool ids_encode(struct ids *ret_ids, const norm_tokenizer *tokenizer, const void *text, size_t size, uint32_t flags,
                const norm_exec *exec);
/* False, said: an id is outside the model's vocabulary. */
bool ids_check(const struct ids *ids, const struct model *model);
/* Ids as numbers on standard input, separated by white space. False: says so. */
bool ids_read_stdin(struct ids *ret_ids);
void ids_free(struct ids *ids);

#endif
