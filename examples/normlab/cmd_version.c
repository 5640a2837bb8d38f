/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "arguments.h"
#include "machine.h"

static int run(const struct command *self, const struct program *program, int argc, char **argv)
{
    struct arguments a = {0};
    struct machine machine;
    int code;
    if (!arguments_read(&a, self, argc, argv, &code))
        return code;
    machine_describe(program, &machine);
    printf("normlab %d.%d.%d\n", LIBNORM_VERSION_MAJOR, LIBNORM_VERSION_MINOR, LIBNORM_VERSION_PATCH);
    printf("libnorm %s\n", machine.library);
    printf("CPU level %s\n", machine.cpu_level);
    printf("BLAS %s", machine.blas.library);
    if (machine.blas.kernel[0] != '\0')
        printf(", kernel %s", machine.blas.kernel);
    if (machine.blas.suits < 0 && machine.blas.advice[0] != '\0')
        printf(" (slow on this processor; OPENBLAS_CORETYPE=%s suits it)", machine.blas.advice);
    printf("\n");
    return EXIT_FINE;
}

const struct command command_version = {
    "version",
    "",
    "version, instruction set and BLAS in use",
    "Prints the versions of normlab and of the libnorm it loaded, the CPU level that the kernels use\n"
    "(LIBNORM_CPU lowers it), and the BLAS with its kernel. 'normlab --version' is the same.\n",
    run,
};
