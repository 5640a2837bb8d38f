/* SPDX-License-Identifier: MIT */
#include "model.h"

#include <string.h>
#include <unistd.h>

#include "say.h"

/* The directory to use, or NULL after saying that the bundled one is not there. */
static const char *choose(const char *directory)
{
    if (directory != NULL)
        return directory;
    if (access(MODEL_BUNDLED, F_OK) == 0)
        return MODEL_BUNDLED;
    say("the bundled model is not installed in %s: name a directory with --model", MODEL_BUNDLED);
    return NULL;
}

norm_tokenizer *model_open_tokenizer(const char *directory)
{
    norm_tokenizer *tokenizer = NULL;
    norm_error error = ERROR_INIT;
    directory = choose(directory);
    if (directory != NULL && norm_tokenizer_open(directory, NULL, &tokenizer, &error) != LIBNORM_OK)
        say_error(&error);
    return tokenizer;
}

bool model_open(struct model *ret_model, const char *directory, bool tokenizer)
{
    norm_error error = ERROR_INIT;
    memset(ret_model, 0, sizeof *ret_model);
    ret_model->shape.struct_size = sizeof ret_model->shape;
    ret_model->directory = choose(directory);
    if (ret_model->directory == NULL)
        return false;
    if (norm_gpt2_open(ret_model->directory, NULL, &ret_model->gpt2, &error) != LIBNORM_OK ||
        norm_gpt2_get_shape(ret_model->gpt2, &ret_model->shape, &error) != LIBNORM_OK ||
        (tokenizer && norm_tokenizer_open(ret_model->directory, NULL, &ret_model->tokenizer, &error) != LIBNORM_OK)) {
        say_error(&error);
        model_close(ret_model);
        return false;
    }
    return true;
}

void model_close(struct model *model)
{
    norm_tokenizer_free(model->tokenizer);
    norm_gpt2_free(model->gpt2);
    model->tokenizer = NULL;
    model->gpt2 = NULL;
}
