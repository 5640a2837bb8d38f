/* SPDX-License-Identifier: MIT */
#include "blas/suits.h"

#include <string.h>
#include <strings.h>

#include "base/cpu.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

/* What the kernels of OpenBLAS's x86 cores are made of. Cores that are not listed are not judged. */
enum { sse = 1, avx, avx2, avx512 };
static const struct {
    const char *name;
    int made_of;
} cores[] = {
    {"Katmai", sse},       {"Coppermine", sse},   {"Northwood", sse},   {"Prescott", sse},      {"Banias", sse},
    {"Atom", sse},         {"Core2", sse},        {"Penryn", sse},      {"Dunnington", sse},    {"Nehalem", sse},
    {"Athlon", sse},       {"Opteron", sse},      {"Opteron_SSE3", sse}, {"Barcelona", sse},    {"Bobcat", sse},
    {"Nano", sse},         {"Sandybridge", avx},  {"Bulldozer", avx},   {"Piledriver", avx},    {"Steamroller", avx},
    {"Excavator", avx},    {"Haswell", avx2},     {"Zen", avx2},        {"SkylakeX", avx512},   {"Cooperlake", avx512},
    {"SapphireRapids", avx512},
};

struct norm__processor norm__processor(void)
{
    struct norm__processor p = {NORM__VENDOR_OTHER, 0, norm__cpu_level(0)};
#if defined(__x86_64__) || defined(__i386__)
    unsigned a, b, c, d;
    if (!__get_cpuid(0, &a, &b, &c, &d))
        return p;
    char name[12];
    memcpy(name, &b, 4);
    memcpy(name + 4, &d, 4);
    memcpy(name + 8, &c, 4);
    if (memcmp(name, "GenuineIntel", sizeof name) == 0)
        p.vendor = NORM__VENDOR_INTEL;
    else if (memcmp(name, "AuthenticAMD", sizeof name) == 0)
        p.vendor = NORM__VENDOR_AMD;
    if (__get_cpuid(1, &a, &b, &c, &d)) {
        p.family = (int32_t)(a >> 8 & 15u);
        if (p.family == 15)
            p.family += (int32_t)(a >> 20 & 255u);
    }
#endif
    return p;
}

static int made_of(const char *kernel)
{
    for (size_t i = 0; i < sizeof cores / sizeof cores[0]; i++)
        if (strcasecmp(cores[i].name, kernel) == 0)
            return cores[i].made_of;
    return 0;
}

/* N of "OpenBLAS 0.3.N"; 0 for texts that say something else, large for later series. */
static int patch_level(const char *config)
{
    static const char series[] = "OpenBLAS 0.";
    if (strncmp(config, series, sizeof series - 1) != 0)
        return 0;
    const char *at = config + sizeof series - 1;
    if (at[0] < '3' || at[0] > '9' || at[1] != '.')
        return 0;
    if (at[0] > '3')
        return 1000;
    int patch = 0;
    for (at += 2; *at >= '0' && *at <= '9' && patch < 1000; at++)
        patch = patch * 10 + (*at - '0');
    return patch;
}

/* The best core to ask for. SkylakeX rather than the AVX-512 cores after it: it needs nothing beyond F, DQ, BW and VL.
 * Its first releases gave wrong products on Intel; on AMD it is known to be right from 0.3.21 on. */
static const char *best_core(int wanted, const char *config, const struct norm__processor *processor)
{
    if (strstr(config, "DYNAMIC_ARCH") == NULL)
        return ""; /* one kernel is all it has */
    const int patch = patch_level(config);
    if (wanted == avx512 && processor->vendor == NORM__VENDOR_INTEL && patch >= 10)
        return "SkylakeX";
    if (wanted == avx512 && processor->vendor == NORM__VENDOR_AMD && patch >= 21)
        return "SkylakeX";
    if (patch == 0)
        return "";
    return processor->vendor == NORM__VENDOR_AMD ? "Zen" : "Haswell";
}

int32_t norm__kernel_suits(const char *kernel, const char *config, const struct norm__processor *processor,
                           const char **ret_advice)
{
    *ret_advice = "";
    const int has = made_of(kernel);
    if (has == 0 || (processor->level != LIBNORM_CPU_AVX2 && processor->level != LIBNORM_CPU_AVX512))
        return 0;
    int wanted = processor->level == LIBNORM_CPU_AVX512 ? avx512 : avx2;
    /* Zen 4 runs a 512-bit instruction in two halves: the AVX2 kernels are as fast there. Zen 5 does not. */
    if (has == avx2 && wanted == avx512 && processor->vendor == NORM__VENDOR_AMD && processor->family < 0x1A)
        wanted = avx2;
    if (has == wanted)
        return 1;
    if (has == avx2 && wanted == avx512 && processor->vendor == NORM__VENDOR_OTHER)
        return 0;
    const char *advice = best_core(wanted, config, processor);
    if (strcasecmp(advice, kernel) != 0)
        *ret_advice = advice;
    return -1;
}
