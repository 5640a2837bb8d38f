/* SPDX-License-Identifier: MIT */
/* Whether an OpenBLAS kernel fits a processor: a judgement on names and numbers, apart from asking for them. */
#ifndef NORM_BLAS_SUITS_H
#define NORM_BLAS_SUITS_H

#include <stdbool.h>
#include <stdint.h>

enum norm__vendor { NORM__VENDOR_OTHER, NORM__VENDOR_INTEL, NORM__VENDOR_AMD };

struct norm__processor {
    enum norm__vendor vendor;
    int32_t family; /* as the vendor counts: 0x19 is AMD's Zen 3 and Zen 4, 0x1A Zen 5 */
    int32_t level;  /* LIBNORM_CPU_... of the machine */
};

/* The processor this runs on. */
struct norm__processor norm__processor(void);

/* 1: the kernel fits, -1: it is slower than the processor allows (or needs more than it has), 0: not known.
 * config is what OpenBLAS says of itself ("OpenBLAS 0.3.21 DYNAMIC_ARCH ..."), "" if not known. *ret_advice: a value
 * for OPENBLAS_CORETYPE that fits better, static text, "" where there is none. */
int32_t norm__kernel_suits(const char *kernel, const char *config, const struct norm__processor *processor,
                           const char **ret_advice);

#endif
