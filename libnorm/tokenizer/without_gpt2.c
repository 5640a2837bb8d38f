/* SPDX-License-Identifier: MIT */
/* The tokenizer of a build without Jansson and utf8proc: the same functions, none of which can do its work. */
#include <libnorm/tokenizer.h>

#include "base/error.h"

static norm_status refuse(norm_error *error)
{
    if (!norm__error_usable(error))
        return LIBNORM_E_ARGUMENT;
    return norm__fail(error, LIBNORM_E_UNSUPPORTED, -1,
                      "this libnorm was built without the tokenizer (-Dgpt2=disabled)");
}

norm_status norm_tokenizer_open(const char *directory, const norm_allocator *allocator, norm_tokenizer **ret_tokenizer,
                                norm_error *ret_error)
{
    (void)directory, (void)allocator, (void)ret_tokenizer;
    return refuse(ret_error);
}

norm_status norm_tokenizer_open_memory(const void *vocab, size_t vocab_size, const void *merges, size_t merges_size,
                                       const norm_allocator *allocator, norm_tokenizer **ret_tokenizer,
                                       norm_error *ret_error)
{
    (void)vocab, (void)vocab_size, (void)merges, (void)merges_size, (void)allocator, (void)ret_tokenizer;
    return refuse(ret_error);
}

norm_tokenizer *norm_tokenizer_ref(norm_tokenizer *t)
{
    return t;
}

void norm_tokenizer_free(norm_tokenizer *t)
{
    (void)t;
}

size_t norm_tokenizer_size(const norm_tokenizer *t)
{
    (void)t;
    return 0;
}

norm_status norm_tokenizer_encode(const norm_tokenizer *t, const void *text, size_t size, uint32_t flags,
                                  int32_t *ret_ids, size_t capacity, size_t *ret_count, const norm_exec *exec,
                                  norm_error *ret_error)
{
    (void)t, (void)text, (void)size, (void)flags, (void)ret_ids, (void)capacity, (void)ret_count, (void)exec;
    return refuse(ret_error);
}

norm_status norm_tokenizer_encode_workspace(const norm_tokenizer *t, size_t size, size_t *ret_bytes,
                                            norm_error *ret_error)
{
    (void)t, (void)size, (void)ret_bytes;
    return refuse(ret_error);
}

norm_status norm_tokenizer_decode(const norm_tokenizer *t, const int32_t *ids, size_t count, void *ret_bytes,
                                  size_t capacity, size_t *ret_size, norm_error *ret_error)
{
    (void)t, (void)ids, (void)count, (void)ret_bytes, (void)capacity, (void)ret_size;
    return refuse(ret_error);
}

norm_status norm_tokenizer_token(const norm_tokenizer *t, int32_t id, const uint8_t **ret_bytes, size_t *ret_size,
                                 norm_error *ret_error)
{
    (void)t, (void)id, (void)ret_bytes, (void)ret_size;
    return refuse(ret_error);
}

norm_status norm_tokenizer_id(const norm_tokenizer *t, const void *bytes, size_t size, int32_t *ret_id,
                              norm_error *ret_error)
{
    (void)t, (void)bytes, (void)size, (void)ret_id;
    return refuse(ret_error);
}
