/* SPDX-License-Identifier: MIT */
/* Random bits that are the same on every machine. */
#ifndef NORMLAB_DRAW_H
#define NORMLAB_DRAW_H

#include <stdint.h>

/* SplitMix64 (Steele, Lea and Flood 2014). Any state to start with. */
uint64_t draw_bits(uint64_t *state);
/* In (0, 1). */
double draw_uniform(uint64_t *state);

#endif
