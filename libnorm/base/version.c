/* SPDX-License-Identifier: MIT */
#include <libnorm/exec.h>

#include <string.h>

#include "base/cpu.h"
#include "norm_config.h"

uint32_t norm_version_number(void)
{
    return (uint32_t)LIBNORM_VERSION_MAJOR << 16 | (uint32_t)LIBNORM_VERSION_MINOR << 8 |
           (uint32_t)LIBNORM_VERSION_PATCH;
}

int32_t norm_has_feature(const char *name)
{
    int32_t level;
    if (name == NULL)
        return 0;
    if (strcmp(name, "blas") == 0)
        return NORM__WITH_BLAS;
    if (strcmp(name, "gpt2") == 0)
        return NORM__WITH_GPT2;
    if (strcmp(name, "threads") == 0)
        return 1;
    if (strcmp(name, "best") != 0 && norm_cpu_level_parse(name, &level, NULL) == LIBNORM_OK)
        return norm__cpu_compiled(level);
    return 0;
}
