/* SPDX-License-Identifier: MIT */
/* The parallel loop: fixed pieces through the host's parallel_for, or on threads that live for the call. */
#ifndef NORM_BASE_PARALLEL_H
#define NORM_BASE_PARALLEL_H

#include <libnorm/exec.h>

/* Runs task(arg, 0) ... task(arg, tasks - 1), in any order, and returns when all are done. How the work is cut into
 * tasks must not depend on exec->threads if results are to be the same for any number. exec may be NULL. Never call it
 * from inside a task, nor around a BLAS that threads by itself. */
void norm__parallel(const norm_exec *exec, size_t tasks, void (*task)(void *arg, size_t index), void *arg);

/* A number that tells this thread from the others that are alive. */
uintptr_t norm__thread(void);

#endif
