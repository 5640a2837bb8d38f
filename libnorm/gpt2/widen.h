/* SPDX-License-Identifier: MIT */
/* Float32 numbers from the little-endian types of weight files. */
#ifndef NORM_GPT2_WIDEN_H
#define NORM_GPT2_WIDEN_H

#include <stddef.h>
#include <stdint.h>

/* n numbers of the type (NORM__F32, NORM__F16, NORM__BF16) at in, of any alignment, to out. Exact: subnormal numbers,
 * infinities and the payload of NaNs included, whatever the rounding and denormal modes of the thread. No overlap. */
void norm__widen(float *out, const unsigned char *in, int32_t dtype, size_t n);

#endif
