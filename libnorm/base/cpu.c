/* SPDX-License-Identifier: MIT */
#include "base/cpu.h"

#include <stdatomic.h>
#include <string.h>

#include "base/error.h"
#include "norm_config.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

static const struct {
    const char *name;
    int32_t level;
    int compiled;
} levels[] = {
    {"best", LIBNORM_CPU_BEST, 1},
    {"scalar", LIBNORM_CPU_SCALAR, 1},
    {"baseline", LIBNORM_CPU_BASELINE, 1},
    {"neon", LIBNORM_CPU_NEON, NORM__WITH_NEON},
    {"avx2", LIBNORM_CPU_AVX2, NORM__WITH_AVX2},
    {"avx512", LIBNORM_CPU_AVX512, NORM__WITH_AVX512},
};
enum { n_levels = sizeof levels / sizeof levels[0] };

#if defined(__x86_64__) || defined(__i386__)
/* Not __builtin_cpu_supports: it would put a constructor into the library. */
static int32_t detect(void)
{
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d))
        return LIBNORM_CPU_BASELINE;
    const unsigned fma = 1u << 12, osxsave = 1u << 27, avx = 1u << 28;
    if ((c & (fma | osxsave | avx)) != (fma | osxsave | avx))
        return LIBNORM_CPU_BASELINE;
    /* The operating system must save the wide registers, else their contents do not survive a task switch. */
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if ((low & 0x06u) != 0x06u)
        return LIBNORM_CPU_BASELINE;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & 1u << 5))
        return LIBNORM_CPU_BASELINE;
    const unsigned avx512 = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31; /* F, DQ, BW, VL */
    if ((low & 0xE6u) == 0xE6u && (b & avx512) == avx512)
        return LIBNORM_CPU_AVX512;
    return LIBNORM_CPU_AVX2;
}
#elif defined(__aarch64__)
static int32_t detect(void)
{
    return LIBNORM_CPU_NEON; /* part of the architecture */
}
#else
static int32_t detect(void)
{
    return LIBNORM_CPU_BASELINE;
}
#endif

int norm__cpu_compiled(int32_t level)
{
    for (int i = 0; i < n_levels; i++)
        if (levels[i].level == level)
            return levels[i].compiled;
    return 0;
}

int norm__cpu_level_known(int32_t level)
{
    for (int i = 0; i < n_levels; i++)
        if (levels[i].level == level)
            return 1;
    return 0;
}

int32_t norm__cpu_level(int32_t cap)
{
    /* The only writable object of the library. Two threads that meet here write the same value. */
    static atomic_int detected;
    int32_t machine = atomic_load_explicit(&detected, memory_order_relaxed);
    if (machine == 0) {
        machine = detect();
        atomic_store_explicit(&detected, machine, memory_order_relaxed);
    }
    int32_t best = LIBNORM_CPU_SCALAR;
    for (int i = 1; i < n_levels; i++)
        if (levels[i].compiled && levels[i].level <= machine && (cap == 0 || levels[i].level <= cap))
            best = levels[i].level;
    return best;
}

int32_t norm_cpu_level(void)
{
    return norm__cpu_level(0);
}

const char *norm_cpu_level_name(int32_t level)
{
    for (int i = 0; i < n_levels; i++)
        if (levels[i].level == level)
            return levels[i].name;
    return "unknown";
}

norm_status norm_cpu_level_parse(const char *name, int32_t *ret_level, norm_error *ret_error)
{
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    if (name == NULL || ret_level == NULL)
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "norm_cpu_level_parse: %s is NULL",
                          name == NULL ? "name" : "ret_level");
    for (int i = 0; i < n_levels; i++) {
        if (strcmp(levels[i].name, name) == 0) {
            *ret_level = levels[i].level;
            return LIBNORM_OK;
        }
    }
    return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1,
                      "unknown CPU level %s: expected best, scalar, baseline, neon, avx2 or avx512",
                      norm__quote(name, strlen(name)).text);
}
