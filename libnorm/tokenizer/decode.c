/* SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "tokenizer/handle.h"

/* Sum of the ids' lengths. */
static norm_status measure(const norm_tokenizer *t, const int32_t *ids, size_t count, size_t *ret_size,
                           norm_error *error)
{
    const struct norm__vocabulary *v = &t->vocabulary;
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        if (ids[i] < 0 || (size_t)ids[i] >= v->count)
            return norm__fail(error, LIBNORM_E_ARGUMENT, (int64_t)i, "ids[%zu] is %ld: expected 0 to %zu", i,
                              (long)ids[i], v->count - 1);
        const size_t length = v->start[ids[i] + 1] - v->start[ids[i]];
        if (length > PTRDIFF_MAX - size)
            return norm__fail(error, LIBNORM_E_ARGUMENT, (int64_t)i, "the text is larger than any array at ids[%zu]",
                              i);
        size += length;
    }
    *ret_size = size;
    return LIBNORM_OK;
}

static void write(const norm_tokenizer *t, const int32_t *ids, size_t count, uint8_t *to)
{
    const struct norm__vocabulary *v = &t->vocabulary;
    for (size_t i = 0; i < count; i++) {
        const size_t length = v->start[ids[i] + 1] - v->start[ids[i]];
        memcpy(to, v->bytes + v->start[ids[i]], length);
        to += length;
    }
}

/* Whether count ids at a and size bytes at b meet. */
static bool overlap(const int32_t *a, size_t count, const void *b, size_t size)
{
    const uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return count > 0 && size > 0 && (x <= y ? y - x < count * sizeof *a : x - y < size);
}

norm_status norm_tokenizer_decode(const norm_tokenizer *t, const int32_t *ids, size_t count, void *ret_bytes,
                                  size_t capacity, size_t *ret_size, norm_error *ret_error)
{
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    if (t == NULL || (ids == NULL && count > 0) || (ret_bytes == NULL && capacity > 0) || ret_size == NULL)
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "%s is NULL",
                          t == NULL                  ? "t"
                          : ids == NULL && count > 0 ? "ids"
                          : ret_size == NULL         ? "ret_size"
                                                     : "ret_bytes (with a capacity above 0)");
    if (count > PTRDIFF_MAX / sizeof *ids || capacity > PTRDIFF_MAX)
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "%s is larger than any array",
                          capacity > PTRDIFF_MAX ? "capacity" : "count");
    if ((uintptr_t)ids % sizeof *ids != 0)
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "ids is not aligned to its element");
    if (overlap(ids, count, ret_bytes, capacity))
        return norm__fail(ret_error, LIBNORM_E_OVERLAP, -1, "ids and ret_bytes overlap");
    size_t size = 0;
    const norm_status status = measure(t, ids, count, &size, ret_error);
    if (status != LIBNORM_OK)
        return status;
    if (ret_bytes != NULL) {
        if (size > capacity)
            return norm__fail(ret_error, LIBNORM_E_ARGUMENT, (int64_t)size, "capacity is %zu: these ids have %zu bytes",
                              capacity, size);
        write(t, ids, count, ret_bytes);
    }
    *ret_size = size;
    return LIBNORM_OK;
}

norm_status norm_tokenizer_token(const norm_tokenizer *t, int32_t id, const uint8_t **ret_bytes, size_t *ret_size,
                                 norm_error *ret_error)
{
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    if (t == NULL || ret_bytes == NULL || ret_size == NULL)
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "%s is NULL",
                          t == NULL           ? "t"
                          : ret_bytes == NULL ? "ret_bytes"
                                              : "ret_size");
    const struct norm__vocabulary *v = &t->vocabulary;
    if (id < 0 || (size_t)id >= v->count)
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "id is %ld: expected 0 to %zu", (long)id, v->count - 1);
    *ret_bytes = v->bytes + v->start[id];
    *ret_size = v->start[id + 1] - v->start[id];
    return LIBNORM_OK;
}

norm_status norm_tokenizer_id(const norm_tokenizer *t, const void *bytes, size_t size, int32_t *ret_id,
                              norm_error *ret_error)
{
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    if (t == NULL || (bytes == NULL && size > 0) || ret_id == NULL)
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "%s is NULL",
                          t == NULL        ? "t"
                          : ret_id == NULL ? "ret_id"
                                           : "bytes");
    const int32_t id = size > 0 ? norm__words_find(&t->vocabulary.words, bytes, size) : -1;
    if (id < 0)
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "no id has the bytes %s",
                          norm__quote(size > 0 ? bytes : "", size).text);
    *ret_id = id;
    return LIBNORM_OK;
}
