/* SPDX-License-Identifier: MIT */
#include <libnorm/exec.h>

#include "measure/sums.h"
#include "norm_config.h"

extern const struct norm__sum_functions norm__sums_baseline, norm__sums_avx2, norm__sums_avx512;

const struct norm__sum_functions *norm__sum_functions(int32_t level)
{
#if NORM__WITH_AVX512
    if (level >= LIBNORM_CPU_AVX512)
        return &norm__sums_avx512;
#endif
#if NORM__WITH_AVX2
    if (level >= LIBNORM_CPU_AVX2)
        return &norm__sums_avx2;
#endif
    (void)level;
    return &norm__sums_baseline;
}
