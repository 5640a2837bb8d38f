/* SPDX-License-Identifier: MIT */
#include "normalizers/supports.h"

/* What the kind's functions allow; the handle may know better. */
static bool by_functions(const norm_normalizer *handle, int32_t operation)
{
    const struct norm__kind *kind = handle->kind;
    const bool symmetric = (kind->properties(handle) & LIBNORM_PROPERTY_SYMMETRIC) != 0;
    const bool has_log = !(kind->flags & NORM__KIND_NO_LOG);
    switch (operation) {
    case LIBNORM_OPERATION_APPLY:
        return true;
    case LIBNORM_OPERATION_LOG_APPLY:
        return has_log;
    case LIBNORM_OPERATION_VJP:
    case LIBNORM_OPERATION_PARAM_VJP:
        return kind->vjp != NULL;
    case LIBNORM_OPERATION_LOG_VJP:
        return has_log && (kind->log_vjp != NULL || kind->vjp != NULL);
    case LIBNORM_OPERATION_JACOBIAN:
        return kind->vjp != NULL;
    case LIBNORM_OPERATION_JVP:
    case LIBNORM_OPERATION_JACOBIAN_NORMS:
        return kind->jvp != NULL || (symmetric && kind->vjp != NULL);
    case LIBNORM_OPERATION_HVP:
        return kind->hvp != NULL;
    case LIBNORM_OPERATION_LOSS:
        return kind->loss_alpha != NULL;
    default:
        return false;
    }
}

int32_t norm_normalizer_supports(const norm_normalizer *n, int32_t operation)
{
    if (n == NULL || !by_functions(n, operation))
        return 0;
    return n->kind->supports == NULL || n->kind->supports(n, operation) ? 1 : 0;
}

bool norm__supports_key(const norm_normalizer *handle, size_t key)
{
    const struct norm__kind *kind = handle->kind;
    if (key == 0)
        return true;
    const bool counts = (kind->keys[key].flags & LIBNORM_KEY_INTEGER) != 0; /* no slope */
    return !counts && (kind->param_vjp != NULL || kind->scale_gradient != NULL);
}
