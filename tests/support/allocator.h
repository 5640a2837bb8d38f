/* SPDX-License-Identifier: MIT */
/* An allocator that counts what is out, checks what comes back, and fails when told to. */
#ifndef SUPPORT_ALLOCATOR_H
#define SUPPORT_ALLOCATOR_H

#include <libnorm/exec.h>
#include <stdatomic.h>

struct support_allocator {
    norm_allocator allocator; /* to pass on */
    atomic_size_t calls;      /* of alloc, failed ones included */
    atomic_size_t live;       /* blocks not released */
    atomic_size_t wrong;      /* odd requests; blocks released with another size or written beyond */
    size_t fail_at;           /* this call of alloc, counted from 1, and all later ones fail; 0: none */
};

void support_allocator_init(struct support_allocator *a, size_t fail_at);

#endif
