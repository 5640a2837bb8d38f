/* SPDX-License-Identifier: MIT */
/* The public doors of a run. */
#include <errno.h>

#include "base/error.h"
#include "gpt2/pass.h"

/* ids, and a result that may be missing only when there is nothing to write. */
static norm_status check_pointers(const char *function, const int32_t *ids, const void *result, size_t align,
                                  const char *name, int needed, norm_error *error)
{
    if (ids == NULL || (needed && result == NULL))
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "%s: %s is NULL", function, ids == NULL ? "ids" : name);
    if ((uintptr_t)ids % _Alignof(int32_t) != 0 || (uintptr_t)result % align != 0)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "%s: %s is not aligned to its elements", function,
                          (uintptr_t)result % align != 0 ? name : "ids");
    return LIBNORM_OK;
}

norm_status norm_gpt2_forward(const norm_gpt2 *model, const int32_t *ids, size_t count, const norm_gpt2_run *run,
                              float *ret_logits, const norm_exec *exec, norm_error *ret_error)
{
    static const char function[] = "norm_gpt2_forward";
    struct norm__pass pass;
    size_t bytes;
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = check_pointers(function, ids, ret_logits, _Alignof(float), "ret_logits", 0, ret_error);
    if (status == LIBNORM_OK)
        status = norm__pass_read(&pass, function, model, ids, count, run, true, exec, ret_error);
    if (status != LIBNORM_OK)
        return status;
    const uint64_t rows = pass.run.logits == LIBNORM_GPT2_LOGITS_NONE     ? 0
                          : pass.run.logits == LIBNORM_GPT2_LOGITS_CHOSEN ? pass.run.position_count
                          : pass.run.logits == LIBNORM_GPT2_LOGITS_ALL    ? count
                                                                          : 1;
    if (rows != 0 && ret_logits == NULL)
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "%s: ret_logits is NULL", function);
    if (rows > SIZE_MAX || !norm__mul((size_t)rows, (size_t)model->shape.vocab_size * sizeof(float), &bytes))
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "%s: logits of %llu positions do not fit into memory",
                          function, (unsigned long long)rows);
    const int saved = errno;
    status = norm__pass_open(&pass);
    if (status == LIBNORM_OK)
        status = norm__pass_logits(&pass, ret_logits);
    norm__pass_close(&pass);
    errno = saved;
    return status;
}

norm_status norm_gpt2_loss(const norm_gpt2 *model, const int32_t *ids, size_t count, const norm_gpt2_run *run,
                           double *ret_loss, const norm_exec *exec, norm_error *ret_error)
{
    static const char function[] = "norm_gpt2_loss";
    struct norm__pass pass;
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = check_pointers(function, ids, ret_loss, _Alignof(double), "ret_loss", count > 1, ret_error);
    if (status == LIBNORM_OK)
        status = norm__pass_read(&pass, function, model, ids, count, run, false, exec, ret_error);
    if (status != LIBNORM_OK)
        return status;
    const int saved = errno;
    status = norm__pass_open(&pass);
    if (status == LIBNORM_OK)
        status = norm__pass_loss(&pass, ret_loss);
    norm__pass_close(&pass);
    errno = saved;
    return status;
}

norm_status norm_gpt2_workspace(const norm_gpt2 *model, size_t count, const norm_gpt2_run *run, const norm_exec *exec,
                                size_t *ret_bytes, norm_error *ret_error)
{
    static const char function[] = "norm_gpt2_workspace";
    struct norm__pass pass;
    size_t bytes = 0;
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    if (ret_bytes == NULL)
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "%s: ret_bytes is NULL", function);
    norm_status status = norm__pass_read(&pass, function, model, NULL, count, run, false, exec, ret_error);
    if (status != LIBNORM_OK)
        return status;
    const int saved = errno;
    status = norm__pass_size(&pass, &bytes);
    norm__pass_close(&pass);
    errno = saved;
    if (status == LIBNORM_OK && !norm__add(bytes, NORM__ALIGN, &bytes))
        return norm__fail(ret_error, LIBNORM_E_NOMEM, -1, "%s: the workspace does not fit into memory", function);
    if (status == LIBNORM_OK)
        *ret_bytes = bytes;
    return status;
}
