/* SPDX-License-Identifier: MIT */
#include "bench/draw.h"

uint64_t draw_bits(uint64_t *state)
{
    uint64_t x = *state += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

double draw_uniform(uint64_t *state)
{
    return ((double)(draw_bits(state) >> 11) + .5) * 0x1p-53;
}
