/* SPDX-License-Identifier: MIT */
#include <libnorm/exec.h>

#include "measure/meter_loops.h"
#include "norm_config.h"

extern const struct norm__meter_loops norm__meter_loops_baseline, norm__meter_loops_avx2, norm__meter_loops_avx512;

const struct norm__meter_loops *norm__meter_loops(int32_t level)
{
#if NORM__WITH_AVX512
    if (level >= LIBNORM_CPU_AVX512)
        return &norm__meter_loops_avx512;
#endif
#if NORM__WITH_AVX2
    if (level >= LIBNORM_CPU_AVX2)
        return &norm__meter_loops_avx2;
#endif
    (void)level;
    return &norm__meter_loops_baseline;
}
