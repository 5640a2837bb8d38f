/* SPDX-License-Identifier: MIT */
/* From the tensors of a file to the pointers of a model. */
#ifndef NORM_GPT2_WEIGHTS_H
#define NORM_GPT2_WEIGHTS_H

#include "gpt2/config.h"
#include "gpt2/model.h"
#include "gpt2/safetensors.h"

/* Fills the tensors, parameters and tied of a model whose shape and allocator are set. in_place: tensors that can be
 * used where they lie are; *ret_in_place says whether any was. On failure the model owns what norm__weights_release
 * frees. */
norm_status norm__weights_bind(norm_gpt2 *model, const struct norm__safetensors *st, int tie, bool in_place,
                               bool *ret_in_place, norm_error *error);
void norm__weights_release(norm_gpt2 *model);

#endif
