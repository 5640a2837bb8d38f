/* SPDX-License-Identifier: MIT */
#include "kernels/kernels.h"

#include <libnorm/exec.h>

#include "norm_config.h"

extern const struct norm__kernels norm__kernels_baseline, norm__kernels_neon, norm__kernels_avx2, norm__kernels_avx512;

const struct norm__kernels *norm__kernels_get(int32_t level)
{
#if NORM__WITH_AVX512
    if (level >= LIBNORM_CPU_AVX512)
        return &norm__kernels_avx512;
#endif
#if NORM__WITH_AVX2
    if (level >= LIBNORM_CPU_AVX2)
        return &norm__kernels_avx2;
#endif
#if NORM__WITH_NEON
    if (level >= LIBNORM_CPU_NEON)
        return &norm__kernels_neon;
#endif
#if NORM__WITH_BASELINE
    if (level >= LIBNORM_CPU_BASELINE)
        return &norm__kernels_baseline;
#endif
    return &norm__kernels_scalar;
}
