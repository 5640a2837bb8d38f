/* SPDX-License-Identifier: MIT */
/* Sizes that cannot wrap, memory through the caller's allocator, and workspaces cut into pieces. */
#ifndef NORM_BASE_MEMORY_H
#define NORM_BASE_MEMORY_H

#include <stdbool.h>

#include <libnorm/exec.h>

/* Alignment of every piece of memory we take: a cache line, and the widest vector. */
#define NORM__ALIGN ((size_t)64)

/* a * b or a + b into *ret; false when it does not fit. */
bool norm__mul(size_t a, size_t b, size_t *ret);
bool norm__add(size_t a, size_t b, size_t *ret);

/* size bytes aligned to NORM__ALIGN, or NULL; size 0 is served as 1, more than PTRDIFF_MAX never. NULL: malloc. */
void *norm__alloc(const norm_allocator *allocator, size_t size);
/* count x size bytes, or NULL also when the product does not fit. */
void *norm__alloc_array(const norm_allocator *allocator, size_t count, size_t size);
/* size as it was asked for. p may be NULL. */
void norm__release(const norm_allocator *allocator, void *p, size_t size);

/* The default allocator, for handles that keep a copy of what they were made with. */
norm_allocator norm__allocator_or_default(const norm_allocator *allocator);

/* A block of memory for one call, handed out piece by piece: the caller's workspace, or allocated. */
struct norm__workspace {
    norm_allocator allocator;
    void *owned;
    size_t owned_size;
    unsigned char *at;
    size_t left;
};

/* Room for pieces that sum to bytes, each rounded up with norm__piece. Fails with LIBNORM_E_ARGUMENT when the caller's
 * workspace is too small (..._workspace functions must report bytes + NORM__ALIGN), else with LIBNORM_E_NOMEM. */
norm_status norm__workspace_open(struct norm__workspace *w, const norm_exec *exec, size_t bytes, norm_error *error);
/* The next piece, aligned to NORM__ALIGN. The sum was checked when the workspace was opened. */
void *norm__workspace_take(struct norm__workspace *w, size_t bytes);
void norm__workspace_close(struct norm__workspace *w);

/* bytes rounded up to NORM__ALIGN; SIZE_MAX when that does not fit. */
size_t norm__piece(size_t bytes);

#endif
