/* SPDX-License-Identifier: MIT */
#include "support/support.h"

#include <math.h>
#include <stdlib.h>

uint64_t support_seed(uint64_t fallback)
{
    const char *text = getenv("TEST_SEED");
    return text != NULL ? strtoull(text, NULL, 0) : fallback;
}

uint64_t support_next(struct support_random *r)
{
    uint64_t z = r->state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

double support_uniform(struct support_random *r, double low, double high)
{
    return low + (high - low) * ((double)(support_next(r) >> 11) * 0x1p-53);
}

double support_normal(struct support_random *r)
{
    double u = support_uniform(r, 0x1p-53, 1.0), v = support_uniform(r, 0.0, 1.0);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

size_t support_below(struct support_random *r, size_t n)
{
    return n == 0 ? 0 : (size_t)(support_next(r) % n);
}
