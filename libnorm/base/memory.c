/* SPDX-License-Identifier: MIT */
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"

bool norm__mul(size_t a, size_t b, size_t *ret)
{
    if (b != 0 && a > SIZE_MAX / b)
        return false;
    *ret = a * b;
    return true;
}

bool norm__add(size_t a, size_t b, size_t *ret)
{
    if (a > SIZE_MAX - b)
        return false;
    *ret = a + b;
    return true;
}

static void *default_alloc(void *user, size_t size, size_t align)
{
    (void)user;
    void *p = NULL;
    return posix_memalign(&p, align, size) == 0 ? p : NULL;
}

static void default_release(void *user, void *p, size_t size)
{
    (void)user;
    (void)size;
    free(p);
}

norm_allocator norm__allocator_or_default(const norm_allocator *allocator)
{
    if (allocator != NULL)
        return *allocator;
    return (norm_allocator){NULL, default_alloc, default_release};
}

void *norm__alloc(const norm_allocator *allocator, size_t size)
{
    /* No object is larger: pointers into it could not be subtracted. Allocators need not know such sizes. */
    if (size > PTRDIFF_MAX)
        return NULL;
    norm_allocator a = norm__allocator_or_default(allocator);
    return a.alloc(a.user, size != 0 ? size : 1, NORM__ALIGN);
}

void *norm__alloc_array(const norm_allocator *allocator, size_t count, size_t size)
{
    size_t bytes;
    return norm__mul(count, size, &bytes) ? norm__alloc(allocator, bytes) : NULL;
}

void norm__release(const norm_allocator *allocator, void *p, size_t size)
{
    if (p == NULL)
        return;
    norm_allocator a = norm__allocator_or_default(allocator);
    a.release(a.user, p, size != 0 ? size : 1);
}

size_t norm__piece(size_t bytes)
{
    return bytes > SIZE_MAX - (NORM__ALIGN - 1) ? SIZE_MAX : (bytes + (NORM__ALIGN - 1)) & ~(NORM__ALIGN - 1);
}

norm_status norm__workspace_open(struct norm__workspace *w, const norm_exec *exec, size_t bytes, norm_error *error)
{
    w->allocator = norm__allocator_or_default(exec != NULL ? exec->allocator : NULL);
    w->owned = NULL;
    w->owned_size = 0;
    w->at = NULL;
    w->left = 0;
    if (bytes == 0)
        return LIBNORM_OK;
    if (exec != NULL && exec->workspace != NULL) {
        size_t skip = (NORM__ALIGN - (size_t)((uintptr_t)exec->workspace & (NORM__ALIGN - 1))) & (NORM__ALIGN - 1);
        if (exec->workspace_size < skip || exec->workspace_size - skip < bytes)
            return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "workspace of %llu bytes is too small: %llu are needed",
                              (unsigned long long)exec->workspace_size, (unsigned long long)(bytes + NORM__ALIGN));
        w->at = (unsigned char *)exec->workspace + skip;
        w->left = bytes;
        return LIBNORM_OK;
    }
    w->owned = norm__alloc(&w->allocator, bytes);
    if (w->owned == NULL)
        return norm__fail(error, LIBNORM_E_NOMEM, -1, "out of memory: %llu bytes of workspace",
                          (unsigned long long)bytes);
    w->owned_size = bytes;
    w->at = w->owned;
    w->left = bytes;
    return LIBNORM_OK;
}

void *norm__workspace_take(struct norm__workspace *w, size_t bytes)
{
    size_t size = norm__piece(bytes);
    assert(size <= w->left);
    void *p = w->at;
    w->at += size;
    w->left -= size;
    return p;
}

void norm__workspace_close(struct norm__workspace *w)
{
    norm__release(&w->allocator, w->owned, w->owned_size);
    w->owned = NULL;
}
