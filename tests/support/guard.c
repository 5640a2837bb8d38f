/* SPDX-License-Identifier: MIT */
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { margin = 128, filler = 0xA5 };

struct support_guard support_guard_new(size_t size, size_t offset)
{
    struct support_guard g = {NULL, size + 2 * margin + 64, size, NULL};
    void *block = NULL;
    if (posix_memalign(&block, 64, g.block_size) != 0)
        abort();
    g.block = block;
    memset(g.block, filler, g.block_size);
    g.data = g.block + margin + offset % 64;
    return g;
}

int support_guard_intact(const struct support_guard *g)
{
    const unsigned char *data = g->data;
    for (const unsigned char *p = g->block; p < data; p++)
        if (*p != filler)
            return 0;
    for (const unsigned char *p = data + g->size; p < g->block + g->block_size; p++)
        if (*p != filler)
            return 0;
    return 1;
}

void support_guard_free(struct support_guard *g)
{
    free(g->block);
    g->block = NULL;
}

uint64_t support_ulp_f32(float a, float b)
{
    if (a == b || (isnan(a) && isnan(b)))
        return 0;
    if (isnan(a) || isnan(b))
        return UINT64_MAX;
    int32_t i, j;
    memcpy(&i, &a, sizeof i);
    memcpy(&j, &b, sizeof j);
    int64_t x = i < 0 ? -(int64_t)(i & 0x7FFFFFFF) : i, y = j < 0 ? -(int64_t)(j & 0x7FFFFFFF) : j;
    return (uint64_t)(x > y ? x - y : y - x);
}

uint64_t support_ulp_f64(double a, double b)
{
    if (a == b || (isnan(a) && isnan(b)))
        return 0;
    if (isnan(a) || isnan(b))
        return UINT64_MAX;
    int64_t i, j;
    memcpy(&i, &a, sizeof i);
    memcpy(&j, &b, sizeof j);
    int64_t x = i < 0 ? -(i & INT64_MAX) : i, y = j < 0 ? -(j & INT64_MAX) : j;
    return x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
}
