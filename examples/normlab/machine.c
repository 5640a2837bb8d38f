/* SPDX-License-Identifier: MIT */
#include "machine.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "say.h"

#define CORETYPE "OPENBLAS_CORETYPE"

bool machine_find(const char *name, void *ret_function)
{
    void *program = dlopen(NULL, RTLD_LAZY), *symbol = program != NULL ? dlsym(program, name) : NULL;
    if (symbol != NULL)
        memcpy(ret_function, &symbol, sizeof symbol);
    if (program != NULL)
        dlclose(program);
    return symbol != NULL;
}

void machine_one_blas_thread(void)
{
    static const char *const variables[] = {"OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS"};
    void (*set)(int) = NULL;
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        if (getenv(variables[i]) != NULL)
            return;
    if (machine_find("openblas_set_num_threads", &set))
        set(1);
}

void machine_describe(const struct program *program, struct machine *ret_machine)
{
    uint32_t version = norm_version_number();
    int32_t level = norm_cpu_level();
    snprintf(ret_machine->library, sizeof ret_machine->library, "%u.%u.%u", (unsigned)(version >> 16),
             (unsigned)(version >> 8 & 255), (unsigned)(version & 255));
    if (program->cpu_level != LIBNORM_CPU_BEST && program->cpu_level < level)
        level = program->cpu_level;
    ret_machine->cpu_level = norm_cpu_level_name(level);
    memset(&ret_machine->blas, 0, sizeof ret_machine->blas);
    ret_machine->blas.struct_size = sizeof ret_machine->blas;
    norm_error error = ERROR_INIT;
    int (*get)(void) = NULL;
    ret_machine->blas_threads = machine_find("openblas_get_num_threads", &get) ? get() : 0;
    if (norm_blas_describe(&ret_machine->blas, &error) != LIBNORM_OK)
        snprintf(ret_machine->blas.library, sizeof ret_machine->blas.library, "none");
}

void machine_restart(const struct program *program, bool allowed)
{
    struct machine machine;
    /* The variable being set is also what ends the loop: the second start finds it. */
    if (!allowed || getenv(CORETYPE) != NULL)
        return;
    machine_describe(program, &machine);
    const norm_blas_info *blas = &machine.blas;
    if (blas->kernel[0] == '\0' || blas->suits >= 0 || blas->advice[0] == '\0')
        return;
    if (setenv(CORETYPE, blas->advice, 1) != 0)
        return;
    say("OpenBLAS does not know this processor and uses its slow %s kernels: starting again with %s=%s", blas->kernel,
        CORETYPE, blas->advice);
    execv("/proc/self/exe", program->argv);
    if (strchr(program->argv[0], '/') != NULL)
        execv(program->argv[0], program->argv);
    else
        execvp(program->argv[0], program->argv);
    unsetenv(CORETYPE);
}
