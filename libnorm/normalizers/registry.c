/* SPDX-License-Identifier: MIT */
#include "normalizers/registry.h"

#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/structs.h"
#include "normalizers/kind.h"

/* Sizes of the first release, frozen. */
#define INFO_FIRST (offsetof(norm_normalizer_info, properties) + sizeof(uint64_t))
#define KEY_FIRST (offsetof(norm_key_info, high) + sizeof(double))

/* In the order they are listed to people. */
extern const struct norm__kind norm__softmax, norm__softmax1, norm__topk, norm__sparsemax, norm__entmax,
    norm__normmax, norm__ssmax, norm__asentmax, norm__sasoftmax, norm__adaptive, norm__sigmoid, norm__relu,
    norm__lssa, norm__lssar, norm__softpick, norm__softplus, norm__elu1, norm__square1;

const struct norm__kind *const norm__registry[] = {
    &norm__softmax,
    &norm__softmax1,
    &norm__topk,
    &norm__sparsemax,
    &norm__entmax,
    &norm__normmax,
    &norm__ssmax,
    &norm__asentmax,
    &norm__sasoftmax,
    &norm__adaptive,
    &norm__sigmoid,
    &norm__relu,
    &norm__lssa,
    &norm__lssar,
    &norm__softpick,
    &norm__softplus,
    &norm__elu1,
    &norm__square1,
};
const size_t norm__registry_count = sizeof norm__registry / sizeof norm__registry[0];

size_t norm_registry_count(void)
{
    return norm__registry_count;
}

static uint64_t default_properties(const struct norm__kind *kind)
{
    norm_normalizer handle;
    memset(&handle, 0, sizeof handle);
    handle.kind = kind;
    for (size_t i = 0; i < kind->n_keys; i++)
        handle.value[i] = kind->keys[i].flags & LIBNORM_KEY_REQUIRED ? kind->keys[i].low : kind->keys[i].default_value;
    return kind->properties(&handle);
}

static norm_status find(size_t index, norm_error *error)
{
    if (index >= norm__registry_count)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "no normalizer number %zu: there are %zu, from 0", index,
                          norm__registry_count);
    return LIBNORM_OK;
}

norm_status norm_registry_get(size_t index, norm_normalizer_info *ret_info, norm_error *ret_error)
{
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = norm__struct_writable(ret_info, INFO_FIRST, "norm_normalizer_info", ret_error);
    if (status == LIBNORM_OK)
        status = find(index, ret_error);
    if (status != LIBNORM_OK)
        return status;
    const struct norm__kind *kind = norm__registry[index];
    const norm_normalizer_info info = {
        .struct_size = sizeof info,
        .name = kind->name,
        .formula = kind->formula,
        .source = kind->source,
        .keys = kind->n_keys,
        .properties = default_properties(kind),
    };
    norm__struct_write(ret_info, &info, sizeof info);
    return LIBNORM_OK;
}

norm_status norm_registry_key(size_t index, size_t key, norm_key_info *ret_info, norm_error *ret_error)
{
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = norm__struct_writable(ret_info, KEY_FIRST, "norm_key_info", ret_error);
    if (status == LIBNORM_OK)
        status = find(index, ret_error);
    if (status != LIBNORM_OK)
        return status;
    const struct norm__kind *kind = norm__registry[index];
    if (key >= kind->n_keys)
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "%s has no key number %zu: it has %zu, from 0", kind->name,
                          key, kind->n_keys);
    const struct norm__key *k = &kind->keys[key];
    const norm_key_info info = {
        .struct_size = sizeof info,
        .flags = k->flags,
        .name = k->name,
        .meaning = k->meaning,
        .default_value = k->default_value,
        .low = k->low,
        .high = k->high,
    };
    norm__struct_write(ret_info, &info, sizeof info);
    return LIBNORM_OK;
}
