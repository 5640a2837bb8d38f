/* SPDX-License-Identifier: MIT */
/* Opening, sharing and freeing a model. */
#include "gpt2/model.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/structs.h"
#include "gpt2/config.h"
#include "gpt2/safetensors.h"
#include "gpt2/weights.h"

/* Far above any configuration, and small enough to read whole. */
#define MAX_CONFIG ((size_t)16 << 20)

static norm_status read_options(norm_gpt2_options *own, const norm_gpt2_options *given, norm_error *error)
{
    const size_t first = offsetof(norm_gpt2_options, allocator) + sizeof own->allocator;
    norm_status status =
        norm__struct_read(own, sizeof *own, given, first, LIBNORM_GPT2_COPY, "norm_gpt2_options", error);
    if (status == LIBNORM_OK && own->allocator != NULL &&
        (own->allocator->alloc == NULL || own->allocator->release == NULL))
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "norm_gpt2_options.allocator lacks alloc or release");
    return status;
}

/* A model over size bytes of weights at data. file, which it takes over also on failure, is where they lie; NULL: in
 * the caller's memory. */
static norm_status build(const struct norm__config *config, const char *label, const void *data, size_t size,
                         struct norm__file *file, bool in_place, const norm_allocator *allocator, norm_gpt2 **ret_model,
                         norm_error *error)
{
    struct norm__safetensors st;
    bool used_in_place = false;
    norm_gpt2 *model = norm__alloc(allocator, sizeof *model);
    if (model == NULL) {
        if (file != NULL)
            norm__file_close(file);
        return norm__fail(error, LIBNORM_E_NOMEM, -1, "out of memory: %zu bytes of a model", sizeof *model);
    }
    memset(model, 0, sizeof *model);
    atomic_init(&model->count, 1);
    model->allocator = norm__allocator_or_default(allocator);
    model->shape = config->shape;
    if (file != NULL)
        model->file = *file;
    norm_status status = norm__safetensors_open(&st, label, data, size, allocator, error);
    if (status == LIBNORM_OK) {
        status = norm__weights_bind(model, &st, config->tie, in_place, &used_in_place, error);
        norm__safetensors_close(&st);
    }
    if (status != LIBNORM_OK) {
        norm_gpt2_free(model);
        return status;
    }
    if (!used_in_place) /* all of it was widened */
        norm__file_close(&model->file);
    *ret_model = model;
    return LIBNORM_OK;
}

/* Opens directory/name; *ret_label is its path as messages show it. */
static norm_status open_file(struct norm__file *file, norm__quoted *ret_label, const char *directory, const char *name,
                             bool map, size_t limit, const norm_allocator *allocator, norm_error *error)
{
    char *path = norm__file_join(allocator, directory, name);
    if (path == NULL)
        return norm__fail(error, LIBNORM_E_NOMEM, -1, "out of memory: the path of %s", name);
    *ret_label = norm__quote(path, strlen(path));
    norm_status status = norm__file_open(file, path, map, limit, allocator, error);
    norm__release(allocator, path, strlen(path) + 1);
    return status;
}

static norm_status open_directory(const char *directory, const norm_gpt2_options *options, norm_gpt2 **ret_model,
                                  norm_error *error)
{
    const norm_allocator *allocator = options->allocator;
    const bool map = (options->flags & LIBNORM_GPT2_COPY) == 0;
    struct norm__config config;
    struct norm__file file = {0};
    norm__quoted label;
    norm_status status = open_file(&file, &label, directory, "config.json", false, MAX_CONFIG, allocator, error);
    if (status != LIBNORM_OK)
        return status;
    status = norm__config_read(&config, label.text, file.data, file.size, error);
    norm__file_close(&file);
    if (status != LIBNORM_OK)
        return status;
    status = open_file(&file, &label, directory, "model.safetensors", map, SIZE_MAX, allocator, error);
    if (status != LIBNORM_OK)
        return status;
    return build(&config, label.text, file.data, file.size, &file, true, allocator, ret_model, error);
}

norm_status norm_gpt2_open(const char *directory, const norm_gpt2_options *options, norm_gpt2 **ret_model,
                           norm_error *ret_error)
{
    norm_gpt2_options own;
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    if (directory == NULL || ret_model == NULL)
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "norm_gpt2_open: %s is NULL",
                          directory == NULL ? "directory" : "ret_model");
    norm_status status = read_options(&own, options, ret_error);
    if (status != LIBNORM_OK)
        return status;
    const int saved = errno;
    status = open_directory(directory, &own, ret_model, ret_error);
    errno = saved;
    return status;
}

norm_status norm_gpt2_open_memory(const void *config, size_t config_size, const void *weights, size_t weights_size,
                                  const norm_gpt2_options *options, norm_gpt2 **ret_model, norm_error *ret_error)
{
    norm_gpt2_options own;
    struct norm__config read;
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    if (config == NULL || weights == NULL || ret_model == NULL)
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "norm_gpt2_open_memory: %s is NULL",
                          config == NULL    ? "config"
                          : weights == NULL ? "weights"
                                            : "ret_model");
    norm_status status = read_options(&own, options, ret_error);
    if (status != LIBNORM_OK)
        return status;
    const int saved = errno;
    status = norm__config_read(&read, "config.json in memory", config, config_size, ret_error);
    if (status == LIBNORM_OK)
        status = build(&read, "model.safetensors in memory", weights, weights_size, NULL,
                       (own.flags & LIBNORM_GPT2_COPY) == 0, own.allocator, ret_model, ret_error);
    errno = saved;
    return status;
}

norm_gpt2 *norm_gpt2_ref(norm_gpt2 *model)
{
    if (model != NULL)
        atomic_fetch_add_explicit(&model->count, 1, memory_order_relaxed);
    return model;
}

void norm_gpt2_free(norm_gpt2 *model)
{
    if (model == NULL || atomic_fetch_sub_explicit(&model->count, 1, memory_order_acq_rel) != 1)
        return;
    const norm_allocator allocator = model->allocator;
    const int saved = errno;
    norm__weights_release(model);
    norm__file_close(&model->file);
    norm__release(&allocator, model, sizeof *model);
    errno = saved;
}

norm_status norm_gpt2_get_shape(const norm_gpt2 *model, norm_gpt2_shape *ret_shape, norm_error *ret_error)
{
    const size_t first = offsetof(norm_gpt2_shape, bos_token_id) + sizeof(int32_t);
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    if (model == NULL)
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "norm_gpt2_get_shape: model is NULL");
    norm_status status = norm__struct_writable(ret_shape, first, "norm_gpt2_shape", ret_error);
    if (status == LIBNORM_OK)
        norm__struct_write(ret_shape, &model->shape, sizeof model->shape);
    return status;
}
