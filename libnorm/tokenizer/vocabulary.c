/* SPDX-License-Identifier: MIT */
#include "tokenizer/vocabulary.h"

#include "base/memory.h"
#include "json/json.h"
#include "tokenizer/letters.h"

static norm_status out_of_memory(const char *name, norm_error *error)
{
    return norm__fail(error, LIBNORM_E_NOMEM, -1, "%s: out of memory", name);
}

static norm_status parse(json_t **ret_root, const void *json, size_t size, const char *name, norm_error *error)
{
    json_t *root = NULL;
    const norm_status status = norm__json_object(&root, name, json, size, 0, error);
    if (status != LIBNORM_OK)
        return status;
    if (json_object_size(root) == 0) {
        json_decref(root);
        return norm__fail(error, LIBNORM_E_FORMAT, -1, "%s: expected tokens and ids, found no entries", name);
    }
    *ret_root = root;
    return LIBNORM_OK;
}

/* keys[id] is the token with that id, one each. *ret_letters: length of all keys together. */
static norm_status order(const char **keys, size_t count, json_t *root, size_t *ret_letters, const char *name,
                         norm_error *error)
{
    const char *key;
    json_t *value;
    *ret_letters = 0;
    for (size_t id = 0; id < count; id++)
        keys[id] = NULL;
    json_object_foreach(root, key, value)
    {
        if (!json_is_integer(value))
            return norm__fail(error, LIBNORM_E_FORMAT, -1, "%s: entry %s: expected an integer id", name,
                              norm__quote(key, strlen(key)).text);
        const json_int_t id = json_integer_value(value);
        if (id < 0 || (uintmax_t)id >= count)
            return norm__fail(error, LIBNORM_E_FORMAT, -1,
                              "%s: entry %s has id %lld: %zu entries must have the ids 0 to %zu, each once", name,
                              norm__quote(key, strlen(key)).text, (long long)id, count, count - 1);
        if (keys[id] != NULL)
            return norm__fail(error, LIBNORM_E_FORMAT, -1, "%s: entries %s and %s both have id %lld", name,
                              norm__quote(keys[id], strlen(keys[id])).text, norm__quote(key, strlen(key)).text,
                              (long long)id);
        keys[id] = key;
        *ret_letters += strlen(key);
    }
    return LIBNORM_OK;
}

/* Fills bytes and start. */
static norm_status spell(struct norm__vocabulary *v, const char *const *keys, const char *name, norm_error *error)
{
    size_t used = 0;
    for (size_t id = 0; id < v->count; id++) {
        const size_t size = strlen(keys[id]);
        size_t count;
        if (!norm__letters_to_bytes(keys[id], size, v->bytes + used, &count))
            return norm__fail(error, LIBNORM_E_FORMAT, -1,
                              "%s: entry %s (id %zu): byte %zu of it begins none of the 256 letters for bytes", name,
                              norm__quote(keys[id], size).text, id, count);
        if (count == 0)
            return norm__fail(error, LIBNORM_E_FORMAT, -1, "%s: the entry with id %zu is empty: expected a token", name,
                              id);
        v->start[id] = (uint32_t)used;
        used += count;
    }
    v->start[v->count] = (uint32_t)used;
    return LIBNORM_OK;
}

static norm_status fill(struct norm__vocabulary *v, const char **keys, json_t *root, const char *name,
                        const norm_allocator *allocator, norm_error *error)
{
    norm_status status = order(keys, v->count, root, &v->bytes_size, name, error);
    if (status != LIBNORM_OK)
        return status;
    v->bytes = norm__alloc(allocator, v->bytes_size);
    v->start = norm__alloc_array(allocator, v->count + 1, sizeof *v->start);
    if (v->bytes == NULL || v->start == NULL)
        return out_of_memory(name, error);
    status = spell(v, keys, name, error);
    if (status != LIBNORM_OK)
        return status;
    return norm__words_build(&v->words, v->bytes, v->start, v->count, allocator) ? LIBNORM_OK
                                                                                 : out_of_memory(name, error);
}

norm_status norm__vocabulary_read(struct norm__vocabulary *v, const void *json, size_t size, const char *name,
                                  const norm_allocator *allocator, norm_error *error)
{
    json_t *root = NULL;
    norm_status status = parse(&root, json, size, name, error);
    if (status != LIBNORM_OK)
        return status;
    memset(v, 0, sizeof *v);
    v->count = json_object_size(root);
    const char **keys = norm__alloc_array(allocator, v->count, sizeof *keys);
    status = keys != NULL ? fill(v, keys, root, name, allocator, error) : out_of_memory(name, error);
    norm__release(allocator, keys, v->count * sizeof *keys);
    json_decref(root);
    if (status != LIBNORM_OK) {
        norm__vocabulary_free(v, allocator);
        return status;
    }
    v->complete = true;
    for (unsigned b = 0; b < 256; b++) {
        const uint8_t byte = (uint8_t)b;
        v->byte_id[b] = norm__words_find(&v->words, &byte, 1);
        v->complete = v->complete && v->byte_id[b] >= 0;
    }
    v->special = norm__words_find(&v->words, (const uint8_t *)NORM__SPECIAL_TEXT, NORM__SPECIAL_SIZE);
    return LIBNORM_OK;
}

void norm__vocabulary_free(struct norm__vocabulary *v, const norm_allocator *allocator)
{
    norm__words_free(&v->words, allocator);
    norm__release(allocator, v->start, (v->count + 1) * sizeof *v->start);
    norm__release(allocator, v->bytes, v->bytes_size);
    v->start = NULL;
    v->bytes = NULL;
}
