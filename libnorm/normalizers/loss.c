/* SPDX-License-Identifier: MIT */
/* Fenchel-Young losses on rows. */
#include <libnorm/loss.h>

#include "base/error.h"
#include "normalizers/call.h"

/* A target or a distribution must be there: in the engine a missing target stands for a distribution. */
static norm_status run(const char *call, const norm_normalizer *n, const norm_rows *rows,
                       const struct norm__cells *cells, const void *z, bool by_class, const int64_t *target,
                       const void *y, double *ret_loss, void *ret_d, const norm_exec *exec, norm_error *ret_error)
{
    static const int64_t none = -1;
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    if (by_class && target == NULL) {
        if (rows != NULL && rows->batch != 0 && rows->rows != 0)
            return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "%s: target is NULL", call);
        target = &none;
    }
    const struct norm__arguments a = {.call = call, .operation = LIBNORM_OPERATION_LOSS, .cells = cells, .handle = n,
                                      .rows = rows, .z = z, .target = by_class ? target : NULL, .h = y,
                                      .per_row = ret_loss, .d = ret_d, .d_name = "ret_d", .exec = exec};
    return norm__call_run(&a, ret_error);
}

norm_status norm_loss_f32(const norm_normalizer *n, const norm_rows *rows, const float *z, const int64_t *target,
                          double *ret_loss, float *ret_d, const norm_exec *exec, norm_error *ret_error)
{
    return run(__func__, n, rows, &norm__cells_f32, z, true, target, NULL, ret_loss, ret_d, exec, ret_error);
}

norm_status norm_loss_f64(const norm_normalizer *n, const norm_rows *rows, const double *z, const int64_t *target,
                          double *ret_loss, double *ret_d, const norm_exec *exec, norm_error *ret_error)
{
    return run(__func__, n, rows, &norm__cells_f64, z, true, target, NULL, ret_loss, ret_d, exec, ret_error);
}

norm_status norm_loss_against_f32(const norm_normalizer *n, const norm_rows *rows, const float *z, const float *y,
                                  double *ret_loss, float *ret_d, const norm_exec *exec, norm_error *ret_error)
{
    return run(__func__, n, rows, &norm__cells_f32, z, false, NULL, y, ret_loss, ret_d, exec, ret_error);
}

norm_status norm_loss_against_f64(const norm_normalizer *n, const norm_rows *rows, const double *z, const double *y,
                                  double *ret_loss, double *ret_d, const norm_exec *exec, norm_error *ret_error)
{
    return run(__func__, n, rows, &norm__cells_f64, z, false, NULL, y, ret_loss, ret_d, exec, ret_error);
}
