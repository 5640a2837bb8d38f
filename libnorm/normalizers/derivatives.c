/* SPDX-License-Identifier: MIT */
/* Jacobian-vector products, second derivatives and gradients in keys. */
#include "normalizers/call.h"

norm_status norm_jvp_f32(const norm_normalizer *n, const norm_rows *rows, const float *z, const float *w,
                         const float *v, float *ret_d, const norm_exec *exec, norm_error *ret_error)
{
    const struct norm__arguments a = {.call = __func__, .operation = LIBNORM_OPERATION_JVP, .cells = &norm__cells_f32,
                                      .handle = n, .rows = rows, .z = z, .w = w, .g = v, .d = ret_d, .d_name = "ret_d",
                                      .exec = exec};
    return norm__call_run(&a, ret_error);
}

norm_status norm_jvp_f64(const norm_normalizer *n, const norm_rows *rows, const double *z, const double *w,
                         const double *v, double *ret_d, const norm_exec *exec, norm_error *ret_error)
{
    const struct norm__arguments a = {.call = __func__, .operation = LIBNORM_OPERATION_JVP, .cells = &norm__cells_f64,
                                      .handle = n, .rows = rows, .z = z, .w = w, .g = v, .d = ret_d, .d_name = "ret_d",
                                      .exec = exec};
    return norm__call_run(&a, ret_error);
}

norm_status norm_hvp_f32(const norm_normalizer *n, const norm_rows *rows, const float *z, const float *g,
                         const float *h, float *ret_dz, float *ret_dg, const norm_exec *exec,
                         norm_error *ret_error)
{
    const struct norm__arguments a = {.call = __func__, .operation = LIBNORM_OPERATION_HVP, .cells = &norm__cells_f32,
                                      .handle = n, .rows = rows, .z = z, .g = g, .h = h, .d = ret_dz,
                                      .d_name = "ret_dz", .e = ret_dg, .exec = exec};
    return norm__call_run(&a, ret_error);
}

norm_status norm_hvp_f64(const norm_normalizer *n, const norm_rows *rows, const double *z, const double *g,
                         const double *h, double *ret_dz, double *ret_dg, const norm_exec *exec,
                         norm_error *ret_error)
{
    const struct norm__arguments a = {.call = __func__, .operation = LIBNORM_OPERATION_HVP, .cells = &norm__cells_f64,
                                      .handle = n, .rows = rows, .z = z, .g = g, .h = h, .d = ret_dz,
                                      .d_name = "ret_dz", .e = ret_dg, .exec = exec};
    return norm__call_run(&a, ret_error);
}

norm_status norm_param_vjp_f32(const norm_normalizer *n, const norm_rows *rows, const float *z, const float *w,
                               const float *g, const char *key, double *ret_per_row, const norm_exec *exec,
                               norm_error *ret_error)
{
    const struct norm__arguments a = {.call = __func__, .operation = LIBNORM_OPERATION_PARAM_VJP,
                                      .cells = &norm__cells_f32, .handle = n, .rows = rows, .z = z, .w = w, .g = g,
                                      .key = key, .per_row = ret_per_row, .exec = exec};
    return norm__call_run(&a, ret_error);
}

norm_status norm_param_vjp_f64(const norm_normalizer *n, const norm_rows *rows, const double *z, const double *w,
                               const double *g, const char *key, double *ret_per_row, const norm_exec *exec,
                               norm_error *ret_error)
{
    const struct norm__arguments a = {.call = __func__, .operation = LIBNORM_OPERATION_PARAM_VJP,
                                      .cells = &norm__cells_f64, .handle = n, .rows = rows, .z = z, .w = w, .g = g,
                                      .key = key, .per_row = ret_per_row, .exec = exec};
    return norm__call_run(&a, ret_error);
}
