/* SPDX-License-Identifier: MIT */
/* What the processor can do, and what we let it do. Capability (cpu_has) is kept apart from policy (cpu_level). */
#ifndef NORM_BASE_CPU_H
#define NORM_BASE_CPU_H

#include <libnorm/exec.h>

/* 1 if this build holds kernels of the level. */
int norm__cpu_compiled(int32_t level);

/* The level to run at under a cap (0: none): the best one that is compiled in, that the machine has and that is not
 * above the cap. The machine is asked once. */
int32_t norm__cpu_level(int32_t cap);

/* 1 if the number is 0 or one of LIBNORM_CPU_... */
int norm__cpu_level_known(int32_t level);

#endif
