/* SPDX-License-Identifier: MIT */
#include "support/allocator.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A block: bytes in front that hold its size, the caller's bytes, and bytes behind that must stay as they are. */
enum { front = 64, behind = 16, filler = 0xA5 };

static void *take(void *user, size_t size, size_t align)
{
    struct support_allocator *a = user;
    const size_t call = atomic_fetch_add(&a->calls, 1) + 1;
    if (size == 0 || align < sizeof(void *) || (align & (align - 1)) != 0 || align > front)
        atomic_fetch_add(&a->wrong, 1);
    void *block = NULL;
    if ((a->fail_at != 0 && call >= a->fail_at) || size > SIZE_MAX / 2 ||
        posix_memalign(&block, front, front + size + behind) != 0)
        return NULL;
    unsigned char *const p = (unsigned char *)block + front;
    memcpy(block, &size, sizeof size);
    memset(p, 0x5A, size); /* nobody may rely on zeros */
    memset(p + size, filler, behind);
    atomic_fetch_add(&a->live, 1);
    return p;
}

static void give_back(void *user, void *p, size_t size)
{
    struct support_allocator *a = user;
    unsigned char *const at = p;
    size_t taken;
    memcpy(&taken, at - front, sizeof taken);
    bool intact = taken == size;
    for (size_t i = 0; i < behind; i++)
        intact = intact && at[taken + i] == filler;
    if (!intact)
        atomic_fetch_add(&a->wrong, 1);
    atomic_fetch_sub(&a->live, 1);
    free(at - front);
}

void support_allocator_init(struct support_allocator *a, size_t fail_at)
{
    a->allocator = (norm_allocator){a, take, give_back};
    atomic_init(&a->calls, 0);
    atomic_init(&a->live, 0);
    atomic_init(&a->wrong, 0);
    a->fail_at = fail_at;
}
