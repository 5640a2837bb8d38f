/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "attention/attention.h"

/* By the bits of the exponent, which compilers turn into vectors; a comparison of floats they do not. */
bool norm__all_finite_f32(const float *x, size_t stride, size_t rows, size_t cols)
{
    const uint32_t exponent = 0x7F800000;
    uint32_t found = 0;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++) {
            uint32_t bits;
            memcpy(&bits, &x[i * stride + j], sizeof bits);
            found |= (bits & exponent) == exponent;
        }
    return found == 0;
}
