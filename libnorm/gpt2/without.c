/* SPDX-License-Identifier: MIT */
/* A build without GPT-2 exports the same functions; all say so. */
#include <libnorm/gpt2.h>

#include "base/error.h"

static norm_status without(norm_error *error)
{
    if (!norm__error_usable(error))
        return LIBNORM_E_ARGUMENT;
    return norm__fail(error, LIBNORM_E_UNSUPPORTED, -1, "this libnorm was built without GPT-2 (-Dgpt2=disabled)");
}

norm_status norm_gpt2_open(const char *directory, const norm_gpt2_options *options, norm_gpt2 **ret_model,
                           norm_error *ret_error)
{
    (void)directory, (void)options, (void)ret_model;
    return without(ret_error);
}

norm_status norm_gpt2_open_memory(const void *config, size_t config_size, const void *weights, size_t weights_size,
                                  const norm_gpt2_options *options, norm_gpt2 **ret_model, norm_error *ret_error)
{
    (void)config, (void)config_size, (void)weights, (void)weights_size, (void)options, (void)ret_model;
    return without(ret_error);
}

norm_gpt2 *norm_gpt2_ref(norm_gpt2 *model)
{
    return model;
}

void norm_gpt2_free(norm_gpt2 *model)
{
    (void)model;
}

norm_status norm_gpt2_get_shape(const norm_gpt2 *model, norm_gpt2_shape *ret_shape, norm_error *ret_error)
{
    (void)model, (void)ret_shape;
    return without(ret_error);
}

norm_status norm_gpt2_forward(const norm_gpt2 *model, const int32_t *ids, size_t count, const norm_gpt2_run *run,
                              float *ret_logits, const norm_exec *exec, norm_error *ret_error)
{
    (void)model, (void)ids, (void)count, (void)run, (void)ret_logits, (void)exec;
    return without(ret_error);
}

norm_status norm_gpt2_loss(const norm_gpt2 *model, const int32_t *ids, size_t count, const norm_gpt2_run *run,
                           double *ret_loss, const norm_exec *exec, norm_error *ret_error)
{
    (void)model, (void)ids, (void)count, (void)run, (void)ret_loss, (void)exec;
    return without(ret_error);
}

norm_status norm_gpt2_workspace(const norm_gpt2 *model, size_t count, const norm_gpt2_run *run, const norm_exec *exec,
                                size_t *ret_bytes, norm_error *ret_error)
{
    (void)model, (void)count, (void)run, (void)exec, (void)ret_bytes;
    return without(ret_error);
}
