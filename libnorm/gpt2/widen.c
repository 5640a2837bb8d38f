/* SPDX-License-Identifier: MIT */
#include "gpt2/widen.h"

#include <string.h>

#include "gpt2/safetensors.h"
#include "norm_config.h"

/* Loads and stores by memcpy: the file has no alignment, and the compiler makes vectors of them all the same. */
static inline uint32_t load_16(const unsigned char *p)
{
#if NORM__BIG_ENDIAN
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
#else
    uint16_t x;
    memcpy(&x, p, sizeof x);
    return x;
#endif
}

static inline uint32_t load_32(const unsigned char *p)
{
#if NORM__BIG_ENDIAN
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
#else
    uint32_t x;
    memcpy(&x, p, sizeof x);
    return x;
#endif
}

static inline void store(float *out, uint32_t bits)
{
    memcpy(out, &bits, sizeof bits);
}

/* A half with exponent field e means 2^(e - 15) as a float with e - 15 + 127: 112 more. Infinities and NaNs (e = 31)
 * need 224 more. A subnormal half is an integer m times 2^-24; the float 0.5 has 2^-24 in its last place, so its bits
 * plus m are 0.5 + m 2^-24, and taking 0.5 away is exact. Everything is chosen by masks, so that loops make vectors. */
static inline uint32_t half_bits(uint32_t half)
{
    const uint32_t bias = 112u << 23, magnitude = half & 0x7fffu;
    const uint32_t half_bits = 0x3f000000u | magnitude;
    float fraction;
    uint32_t small, normal = (magnitude << 13) + bias;
    memcpy(&fraction, &half_bits, sizeof fraction);
    fraction -= 0.5f;
    memcpy(&small, &fraction, sizeof small);
    normal += magnitude >= 0x7c00u ? bias : 0;
    const uint32_t subnormal = 0u - (uint32_t)(magnitude < 0x400u);
    small &= 0x7fffffffu; /* rounding down, 0.5 - 0.5 is -0 */
    return (half & 0x8000u) << 16 | (small & subnormal) | (normal & ~subnormal);
}

void norm__widen(float *out, const unsigned char *in, int32_t dtype, size_t n)
{
    if (dtype == NORM__F16) {
        for (size_t i = 0; i < n; i++)
            store(out + i, half_bits(load_16(in + 2 * i)));
    } else if (dtype == NORM__BF16) {
        for (size_t i = 0; i < n; i++)
            store(out + i, load_16(in + 2 * i) << 16);
    } else {
        for (size_t i = 0; i < n; i++)
            store(out + i, load_32(in + 4 * i));
    }
}
