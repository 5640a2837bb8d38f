/* SPDX-License-Identifier: MIT */
#include "tokenizer/handle.h"

#include <errno.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "tokenizer/merge.h"

/* Offsets into the vocabulary are 32 bits wide; GPT-2's files are 1 and 0.5 MB. */
#define FILE_LIMIT ((size_t)256 << 20)

struct source {
    const void *data;
    size_t size;
    const char *name; /* for messages */
};

static void destroy(norm_tokenizer *t)
{
    const norm_allocator allocator = t->allocator;
    norm__release(&allocator, t->whole, t->vocabulary.count);
    norm__merges_free(&t->merges, &allocator);
    norm__vocabulary_free(&t->vocabulary, &allocator);
    norm__release(&allocator, t, sizeof *t);
}

static void find_whole(norm_tokenizer *t)
{
    const struct norm__vocabulary *v = &t->vocabulary;
    int32_t ids[NORM__SHORT_PIECE];
    for (size_t id = 0; id < v->count; id++) {
        const uint8_t *bytes = v->bytes + v->start[id];
        const size_t size = v->start[id + 1] - v->start[id];
        bool spelled = size <= NORM__SHORT_PIECE;
        for (size_t i = 0; spelled && i < size; i++)
            spelled = v->byte_id[bytes[i]] >= 0;
        t->whole[id] = spelled && norm__merge_short(v, &t->merges, bytes, size, ids) == 1 && ids[0] == (int32_t)id;
    }
}

static norm_status build(const struct source *vocab, const struct source *merges, const norm_allocator *allocator,
                         norm_tokenizer **ret_tokenizer, norm_error *error)
{
    norm_tokenizer *t = norm__alloc(allocator, sizeof *t);
    if (t == NULL)
        return norm__fail(error, LIBNORM_E_NOMEM, -1, "out of memory: %zu bytes for the tokenizer", sizeof *t);
    memset(t, 0, sizeof *t);
    atomic_init(&t->owners, 1);
    t->allocator = norm__allocator_or_default(allocator);
    norm_status status = norm__vocabulary_read(&t->vocabulary, vocab->data, vocab->size, vocab->name, allocator, error);
    if (status == LIBNORM_OK)
        status =
            norm__merges_read(&t->merges, merges->data, merges->size, &t->vocabulary, merges->name, allocator, error);
    if (status == LIBNORM_OK) {
        t->whole = norm__alloc(allocator, t->vocabulary.count);
        if (t->whole == NULL)
            status = norm__fail(error, LIBNORM_E_NOMEM, -1, "out of memory: %zu bytes for the tokenizer",
                                t->vocabulary.count);
    }
    if (status != LIBNORM_OK) {
        destroy(t);
        return status;
    }
    find_whole(t);
    *ret_tokenizer = t;
    return LIBNORM_OK;
}

/* Opens directory/name; name_for_messages gets its path in quotes. */
static norm_status open_source(struct norm__file *file, struct source *source, norm__quoted *name_for_messages,
                               const char *directory, const char *name, const norm_allocator *allocator,
                               norm_error *error)
{
    char *path = norm__file_join(allocator, directory, name);
    if (path == NULL)
        return norm__fail(error, LIBNORM_E_NOMEM, -1, "%s: out of memory", name);
    const size_t path_size = strlen(path) + 1;
    const norm_status status = norm__file_open(file, path, false, FILE_LIMIT, allocator, error);
    *name_for_messages = norm__quote(path, path_size - 1);
    norm__release(allocator, path, path_size);
    if (status == LIBNORM_OK)
        *source = (struct source){file->data, file->size, name_for_messages->text};
    return status;
}

static norm_status check_common(const norm_allocator *allocator, norm_tokenizer **ret_tokenizer, norm_error *error)
{
    if (allocator != NULL && (allocator->alloc == NULL || allocator->release == NULL))
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "allocator lacks alloc or release");
    if (ret_tokenizer == NULL)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "ret_tokenizer is NULL");
    return LIBNORM_OK;
}

norm_status norm_tokenizer_open(const char *directory, const norm_allocator *allocator, norm_tokenizer **ret_tokenizer,
                                norm_error *ret_error)
{
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    if (directory == NULL)
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "directory is NULL");
    norm_status status = check_common(allocator, ret_tokenizer, ret_error);
    if (status != LIBNORM_OK)
        return status;
    const int saved = errno;
    struct norm__file vocab_file = {.data = NULL}, merges_file = {.data = NULL};
    struct source vocab, merges;
    norm__quoted vocab_name, merges_name;
    status = open_source(&vocab_file, &vocab, &vocab_name, directory, "vocab.json", allocator, ret_error);
    if (status == LIBNORM_OK)
        status = open_source(&merges_file, &merges, &merges_name, directory, "merges.txt", allocator, ret_error);
    if (status == LIBNORM_OK)
        status = build(&vocab, &merges, allocator, ret_tokenizer, ret_error);
    norm__file_close(&merges_file);
    norm__file_close(&vocab_file);
    errno = saved;
    return status;
}

norm_status norm_tokenizer_open_memory(const void *vocab, size_t vocab_size, const void *merges, size_t merges_size,
                                       const norm_allocator *allocator, norm_tokenizer **ret_tokenizer,
                                       norm_error *ret_error)
{
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    if (vocab == NULL || merges == NULL)
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "%s is NULL", vocab == NULL ? "vocab" : "merges");
    norm_status status = check_common(allocator, ret_tokenizer, ret_error);
    if (status != LIBNORM_OK)
        return status;
    if (vocab_size > FILE_LIMIT || merges_size > FILE_LIMIT)
        return norm__fail(ret_error, LIBNORM_E_FORMAT, -1, "%s: %zu bytes: expected at most %zu",
                          vocab_size > FILE_LIMIT ? "vocab.json" : "merges.txt",
                          vocab_size > FILE_LIMIT ? vocab_size : merges_size, FILE_LIMIT);
    const int saved = errno;
    const struct source vocab_source = {vocab, vocab_size, "vocab.json"};
    const struct source merges_source = {merges, merges_size, "merges.txt"};
    status = build(&vocab_source, &merges_source, allocator, ret_tokenizer, ret_error);
    errno = saved;
    return status;
}

norm_tokenizer *norm_tokenizer_ref(norm_tokenizer *t)
{
    if (t != NULL)
        atomic_fetch_add_explicit(&t->owners, 1, memory_order_relaxed);
    return t;
}

void norm_tokenizer_free(norm_tokenizer *t)
{
    /* Release and acquire: whoever frees sees all that the other owners did before they let go. */
    if (t != NULL && atomic_fetch_sub_explicit(&t->owners, 1, memory_order_acq_rel) == 1)
        destroy(t);
}

size_t norm_tokenizer_size(const norm_tokenizer *t)
{
    return t != NULL ? t->vocabulary.count : 0;
}
