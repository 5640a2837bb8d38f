/* SPDX-License-Identifier: MIT */
#include <libnorm/exec.h>

#include "gpt2/rows.h"
#include "norm_config.h"

extern const struct norm__row_functions norm__rows_baseline, norm__rows_avx2, norm__rows_avx512;

const struct norm__row_functions *norm__row_functions(int32_t level)
{
#if NORM__WITH_AVX512
    if (level >= LIBNORM_CPU_AVX512)
        return &norm__rows_avx512;
#endif
#if NORM__WITH_AVX2
    if (level >= LIBNORM_CPU_AVX2)
        return &norm__rows_avx2;
#endif
    (void)level;
    return &norm__rows_baseline;
}
