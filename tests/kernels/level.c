/* SPDX-License-Identifier: MIT */
#include "level.h"

#include <stdio.h>
#include <stdlib.h>

#include <libnorm/exec.h>

#include "base/cpu.h"

const struct norm__kernels *level_under_test(void)
{
    const char *name = getenv("TEST_LEVEL");
    int32_t level;
    if (name == NULL || norm_cpu_level_parse(name, &level, NULL) != LIBNORM_OK || level == LIBNORM_CPU_BEST) {
        fprintf(stderr, "set TEST_LEVEL to the level to test, not to '%s'\n", name == NULL ? "" : name);
        exit(EXIT_FAILURE);
    }
    const struct norm__kernels *k = norm__kernels_get(level);
    if (k->level != level || norm__cpu_level(level) != level) {
        printf("skipped: %s has no %s kernels\n", k->level != level ? "this build" : "this machine", name);
        exit(77);
    }
    return k;
}
