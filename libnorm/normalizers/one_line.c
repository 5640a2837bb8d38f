/* SPDX-License-Identifier: MIT */
/* Calls for one packed row: no handle to make, no struct to fill. */
#include <libnorm/loss.h>

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "kernels/kernels.h"
#include "normalizers/kind.h"
#include "normalizers/registry.h"

/* A handle on the stack with every key at its default. */
static void defaults(norm_normalizer *handle, const struct norm__kind *kind)
{
    memset(handle, 0, sizeof *handle);
    handle->kind = kind;
    for (size_t i = 0; i < kind->n_keys; i++)
        handle->value[i] = kind->keys[i].default_value;
}

static norm_rows one_row(size_t n)
{
    return (norm_rows){.struct_size = sizeof(norm_rows), .batch = 1, .rows = 1, .cols = n};
}

static norm_status apply_f32(const struct norm__kind *kind, const float *z, size_t n, float *ret_w)
{
    norm_normalizer handle;
    const norm_rows rows = one_row(n);
    defaults(&handle, kind);
    return norm_apply_f32(&handle, &rows, z, ret_w, NULL, NULL, NULL);
}

static norm_status apply_f64(const struct norm__kind *kind, const double *z, size_t n, double *ret_w)
{
    norm_normalizer handle;
    const norm_rows rows = one_row(n);
    defaults(&handle, kind);
    return norm_apply_f64(&handle, &rows, z, ret_w, NULL, NULL, NULL);
}

norm_status norm_softmax_f32(const float *z, size_t n, float *ret_w)
{
    return apply_f32(&norm__softmax, z, n, ret_w);
}

norm_status norm_softmax_f64(const double *z, size_t n, double *ret_w)
{
    return apply_f64(&norm__softmax, z, n, ret_w);
}

norm_status norm_sparsemax_f32(const float *z, size_t n, float *ret_w)
{
    return apply_f32(&norm__sparsemax, z, n, ret_w);
}

norm_status norm_sparsemax_f64(const double *z, size_t n, double *ret_w)
{
    return apply_f64(&norm__sparsemax, z, n, ret_w);
}

/* The row in pieces, each through the softmax kernel into a buffer that is thrown away; sums are brought to the largest
 * score so far. */
struct running {
    double max, sum;
    bool nan, infinite;
};

enum { piece = 512 };

static void add(struct running *r, int class, const struct norm__softmax_sums *s)
{
    r->nan = r->nan || class == NORM__ROW_NAN;
    r->infinite = r->infinite || class == NORM__ROW_POS_INF;
    if (class != NORM__ROW_ORDINARY)
        return;
    if (s->max > r->max) {
        r->sum = r->sum * exp(r->max - s->max) + s->sum;
        r->max = s->max;
    } else {
        r->sum += s->sum * exp(s->max - r->max);
    }
}

static double value(const struct running *r)
{
    if (r->nan)
        return (double)NAN;
    return r->infinite ? (double)INFINITY : r->sum > 0 ? r->max + log(r->sum) : -(double)INFINITY;
}

norm_status norm_log_sum_exp_f32(const float *z, size_t n, double *ret_value)
{
    if (ret_value == NULL || (z == NULL && n > 0) || (uintptr_t)z % _Alignof(float) != 0)
        return LIBNORM_E_ARGUMENT;
    const struct norm__kernels *kernels = norm__kernels_get(norm__cpu_level(0));
    const struct norm__softmax_scale scale = norm__softmax_scale(1);
    const int saved = errno; /* exp sets it */
    struct running r = {-INFINITY, 0, false, false};
    float buffer[piece];
    for (size_t i = 0; i < n; i += piece) {
        struct norm__softmax_sums sums;
        add(&r, kernels->softmax_f32(z + i, n - i < piece ? n - i : piece, &scale, buffer, &sums), &sums);
    }
    *ret_value = value(&r);
    errno = saved;
    return LIBNORM_OK;
}

norm_status norm_log_sum_exp_f64(const double *z, size_t n, double *ret_value)
{
    if (ret_value == NULL || (z == NULL && n > 0) || (uintptr_t)z % _Alignof(double) != 0)
        return LIBNORM_E_ARGUMENT;
    const struct norm__kernels *kernels = norm__kernels_get(norm__cpu_level(0));
    const struct norm__softmax_scale scale = norm__softmax_scale(1);
    const int saved = errno; /* exp sets it */
    struct running r = {-INFINITY, 0, false, false};
    double buffer[piece];
    for (size_t i = 0; i < n; i += piece) {
        struct norm__softmax_sums sums;
        add(&r, kernels->softmax_f64(z + i, n - i < piece ? n - i : piece, &scale, buffer, &sums), &sums);
    }
    *ret_value = value(&r);
    errno = saved;
    return LIBNORM_OK;
}
