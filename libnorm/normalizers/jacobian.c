/* SPDX-License-Identifier: MIT */
/* Jacobians and their norms. */
#include <libnorm/jacobian.h>

#include "normalizers/call.h"

norm_status norm_jacobian_f32(const norm_normalizer *n, const norm_rows *rows, const float *z, const int64_t *j_stride,
                              double *ret_j, const norm_exec *exec, norm_error *ret_error)
{
    const struct norm__arguments a = {.call = __func__, .operation = LIBNORM_OPERATION_JACOBIAN,
                                      .cells = &norm__cells_f32, .handle = n, .rows = rows, .z = z,
                                      .jacobian = ret_j, .jacobian_stride = j_stride, .exec = exec};
    return norm__call_run(&a, ret_error);
}

norm_status norm_jacobian_f64(const norm_normalizer *n, const norm_rows *rows, const double *z,
                              const int64_t *j_stride, double *ret_j, const norm_exec *exec, norm_error *ret_error)
{
    const struct norm__arguments a = {.call = __func__, .operation = LIBNORM_OPERATION_JACOBIAN,
                                      .cells = &norm__cells_f64, .handle = n, .rows = rows, .z = z,
                                      .jacobian = ret_j, .jacobian_stride = j_stride, .exec = exec};
    return norm__call_run(&a, ret_error);
}

norm_status norm_jacobian_norms_f32(const norm_normalizer *n, const norm_rows *rows, const float *z,
                                    const norm_jacobian_norms *ret_norms, const norm_exec *exec,
                                    norm_error *ret_error)
{
    const struct norm__arguments a = {.call = __func__, .operation = LIBNORM_OPERATION_JACOBIAN_NORMS,
                                      .cells = &norm__cells_f32, .handle = n, .rows = rows, .z = z,
                                      .norms = ret_norms, .exec = exec};
    return norm__call_run(&a, ret_error);
}

norm_status norm_jacobian_norms_f64(const norm_normalizer *n, const norm_rows *rows, const double *z,
                                    const norm_jacobian_norms *ret_norms, const norm_exec *exec,
                                    norm_error *ret_error)
{
    const struct norm__arguments a = {.call = __func__, .operation = LIBNORM_OPERATION_JACOBIAN_NORMS,
                                      .cells = &norm__cells_f64, .handle = n, .rows = rows, .z = z,
                                      .norms = ret_norms, .exec = exec};
    return norm__call_run(&a, ret_error);
}
