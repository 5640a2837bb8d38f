/* SPDX-License-Identifier: MIT */
/* Vector-Jacobian products. */
#include "normalizers/call.h"

norm_status norm_vjp_f32(const norm_normalizer *n, const norm_rows *rows, const float *z, const float *w,
                         const float *g, float *ret_d, const norm_exec *exec, norm_error *ret_error)
{
    const struct norm__arguments a = {.call = __func__, .operation = LIBNORM_OPERATION_VJP, .cells = &norm__cells_f32,
                                      .handle = n, .rows = rows, .z = z, .w = w, .g = g, .d = ret_d, .d_name = "ret_d",
                                      .exec = exec};
    return norm__call_run(&a, ret_error);
}

norm_status norm_vjp_f64(const norm_normalizer *n, const norm_rows *rows, const double *z, const double *w,
                         const double *g, double *ret_d, const norm_exec *exec, norm_error *ret_error)
{
    const struct norm__arguments a = {.call = __func__, .operation = LIBNORM_OPERATION_VJP, .cells = &norm__cells_f64,
                                      .handle = n, .rows = rows, .z = z, .w = w, .g = g, .d = ret_d, .d_name = "ret_d",
                                      .exec = exec};
    return norm__call_run(&a, ret_error);
}

norm_status norm_log_vjp_f32(const norm_normalizer *n, const norm_rows *rows, const float *z, const float *w,
                             const float *g, float *ret_d, const norm_exec *exec, norm_error *ret_error)
{
    const struct norm__arguments a = {.call = __func__, .operation = LIBNORM_OPERATION_LOG_VJP,
                                      .cells = &norm__cells_f32, .handle = n, .rows = rows, .z = z, .w = w, .g = g,
                                      .d = ret_d, .d_name = "ret_d", .exec = exec};
    return norm__call_run(&a, ret_error);
}

norm_status norm_log_vjp_f64(const norm_normalizer *n, const norm_rows *rows, const double *z, const double *w,
                             const double *g, double *ret_d, const norm_exec *exec, norm_error *ret_error)
{
    const struct norm__arguments a = {.call = __func__, .operation = LIBNORM_OPERATION_LOG_VJP,
                                      .cells = &norm__cells_f64, .handle = n, .rows = rows, .z = z, .w = w, .g = g,
                                      .d = ret_d, .d_name = "ret_d", .exec = exec};
    return norm__call_run(&a, ret_error);
}
