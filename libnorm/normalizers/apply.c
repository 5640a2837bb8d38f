/* SPDX-License-Identifier: MIT */
/* Weights and their logarithms. */
#include "normalizers/call.h"

norm_status norm_apply_f32(const norm_normalizer *n, const norm_rows *rows, const float *z, float *ret_w,
                           norm_row_outputs *ret_rows, const norm_exec *exec, norm_error *ret_error)
{
    const struct norm__arguments a = {.call = __func__, .operation = LIBNORM_OPERATION_APPLY, .cells = &norm__cells_f32,
                                      .handle = n, .rows = rows, .z = z, .d = ret_w, .d_name = "ret_w",
                                      .outputs = ret_rows, .exec = exec};
    return norm__call_run(&a, ret_error);
}

norm_status norm_apply_f64(const norm_normalizer *n, const norm_rows *rows, const double *z, double *ret_w,
                           norm_row_outputs *ret_rows, const norm_exec *exec, norm_error *ret_error)
{
    const struct norm__arguments a = {.call = __func__, .operation = LIBNORM_OPERATION_APPLY, .cells = &norm__cells_f64,
                                      .handle = n, .rows = rows, .z = z, .d = ret_w, .d_name = "ret_w",
                                      .outputs = ret_rows, .exec = exec};
    return norm__call_run(&a, ret_error);
}

norm_status norm_log_apply_f32(const norm_normalizer *n, const norm_rows *rows, const float *z, float *ret_log_w,
                               norm_row_outputs *ret_rows, const norm_exec *exec, norm_error *ret_error)
{
    const struct norm__arguments a = {.call = __func__, .operation = LIBNORM_OPERATION_LOG_APPLY,
                                      .cells = &norm__cells_f32, .handle = n, .rows = rows, .z = z, .d = ret_log_w,
                                      .d_name = "ret_log_w", .outputs = ret_rows, .exec = exec};
    return norm__call_run(&a, ret_error);
}

norm_status norm_log_apply_f64(const norm_normalizer *n, const norm_rows *rows, const double *z, double *ret_log_w,
                               norm_row_outputs *ret_rows, const norm_exec *exec, norm_error *ret_error)
{
    const struct norm__arguments a = {.call = __func__, .operation = LIBNORM_OPERATION_LOG_APPLY,
                                      .cells = &norm__cells_f64, .handle = n, .rows = rows, .z = z, .d = ret_log_w,
                                      .d_name = "ret_log_w", .outputs = ret_rows, .exec = exec};
    return norm__call_run(&a, ret_error);
}
