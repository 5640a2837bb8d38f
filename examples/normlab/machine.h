/* SPDX-License-Identifier: MIT */
/* What does the arithmetic: library, instruction set, BLAS. And getting the right BLAS kernel. */
#ifndef NORMLAB_MACHINE_H
#define NORMLAB_MACHINE_H

#include <stdbool.h>

#include "program.h"

struct machine {
    char library[32];      /* version of libnorm: "0.1.0" */
    const char *cpu_level; /* in use: what the machine has, or the cap */
    norm_blas_info blas;
    int blas_threads; /* 0: not known */
};
void machine_describe(const struct program *program, struct machine *ret_machine);

/* An OpenBLAS older than the processor is several times too slow, and only its own variable helps, which it reads
 * before main(). If that is the case and the user has not set it: sets it and starts this program again. Call it before
 * anything is read or written. Returns when there is nothing to do, or when starting again failed. */
void machine_restart(const struct program *program, bool allowed);

/* Several windows run at a time, each on a thread of its own, and a BLAS with threads besides would only be in the way:
 * on two processors it costs a third. An OpenBLAS is asked to use one, unless the environment says how many. */
void machine_one_blas_thread(void);

/* A function of what libnorm brought along, the BLAS above all, into a pointer to a function; false: not there. */
bool machine_find(const char *name, void *ret_function);

#endif
