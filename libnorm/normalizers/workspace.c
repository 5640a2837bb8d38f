/* SPDX-License-Identifier: MIT */
/* How much memory a row operation takes at most. */
#include "normalizers/slot.h"

static bool strided(const int64_t stride[3], uint64_t cols)
{
    const bool packed = stride[0] == 0 && stride[1] == 0 && stride[2] == 0;
    return !packed && cols != 1 && stride[2] != 1;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* The most that one operation takes, with every array that it may or may not be given. */
static size_t operation_bytes(const struct norm__call *structs, int32_t operation, const struct norm__cells *cells)
{
    struct norm__call c = *structs;
    c.operation = operation;
    c.cells = cells;
    norm__call_choose_path(&c);
    size_t bytes = norm__call_bytes(&c);
    if (operation == LIBNORM_OPERATION_LOG_APPLY) { /* some row outputs need the general path */
        c.fast = NULL;
        bytes = larger(bytes, norm__call_bytes(&c));
    }
    return bytes;
}

norm_status norm_apply_workspace(const norm_normalizer *n, const norm_rows *rows, const norm_exec *exec,
                                 size_t *ret_bytes)
{
    if (ret_bytes == NULL)
        return LIBNORM_E_ARGUMENT;
    const struct norm__arguments a = {.call = __func__, .handle = n, .rows = rows, .exec = exec};
    struct norm__call call;
    norm_status status = norm__call_read_structs(&call, &a, NULL);
    if (status != LIBNORM_OK)
        return status;
    const norm_rows *r = &call.rows;
    call.gathers = strided(r->z_stride, r->cols) || strided(r->w_stride, r->cols) || strided(r->g_stride, r->cols) ||
                   strided(r->d_stride, r->cols);
    size_t most = 0;
    for (int32_t operation = LIBNORM_OPERATION_APPLY; operation <= LIBNORM_OPERATION_PARAM_VJP; operation++) {
        if (!norm_normalizer_supports(n, operation))
            continue;
        most = larger(most, operation_bytes(&call, operation, &norm__cells_f32));
        most = larger(most, operation_bytes(&call, operation, &norm__cells_f64));
    }
    if (most > SIZE_MAX - NORM__ALIGN)
        return LIBNORM_E_NOMEM;
    *ret_bytes = most == 0 ? 0 : most + NORM__ALIGN;
    return LIBNORM_OK;
}
