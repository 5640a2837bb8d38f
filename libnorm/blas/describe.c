/* SPDX-License-Identifier: MIT */
/* What does the products. OpenBLAS is asked through the dynamic linker: only standard CBLAS names are linked, so any
 * BLAS can stand in at run time. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <dlfcn.h>
#include <string.h>

#include <libnorm/exec.h>

#include "base/error.h"
#include "base/structs.h"
#include "blas/suits.h"
#include "norm_config.h"

/* Cut to fit, always ending in NUL. */
static void put_text(char *to, size_t size, const char *text)
{
    size_t n = strlen(text);
    if (n >= size)
        n = size - 1;
    memcpy(to, text, n);
    to[n] = '\0';
}

#if NORM__WITH_BLAS && defined(RTLD_DEFAULT)
/* The text a function of the loaded OpenBLAS returns, or "". */
static const char *ask(const char *function)
{
    char *(*get)(void) = NULL;
    void *symbol = dlsym(RTLD_DEFAULT, function);
    /* POSIX lets a pointer from dlsym be a function; ISO C has no cast for it. */
    memcpy(&get, &symbol, sizeof get);
    const char *text = get != NULL ? get() : NULL;
    return text != NULL ? text : "";
}
#else
static const char *ask(const char *function)
{
    (void)function;
    return "";
}
#endif

norm_status norm_blas_describe(norm_blas_info *ret_info, norm_error *ret_error)
{
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    /* The first release's size, frozen. */
    norm_status status = norm__struct_writable(ret_info, 144, "norm_blas_info", ret_error);
    if (status != LIBNORM_OK)
        return status;
    norm_blas_info own = {.struct_size = sizeof own};
    put_text(own.library, sizeof own.library, NORM__BLAS_NAME);
    put_text(own.kernel, sizeof own.kernel, ask("openblas_get_corename"));
    const struct norm__processor processor = norm__processor();
    const char *advice = "";
    own.suits = norm__kernel_suits(own.kernel, ask("openblas_get_config"), &processor, &advice);
    put_text(own.advice, sizeof own.advice, advice);
    norm__struct_write(ret_info, &own, sizeof own);
    return LIBNORM_OK;
}
