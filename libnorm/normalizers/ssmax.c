/* SPDX-License-Identifier: MIT */
/* Scalable softmax: scores times s log n + b, so that weights need not vanish as the row grows. */
#include <math.h>

#include "normalizers/softmax.h"
#include "normalizers/softmax_fast.h"

enum { key_s = 1, key_b };

static const struct norm__key keys[] = {
    NORM__TEMPERATURE,
    {"s", "factor of log n", 0, 0.43, -INFINITY, INFINITY},
    {"b", "part of the factor that does not depend on n", 0, 0, -INFINITY, INFINITY},
};

static uint64_t properties(const norm_normalizer *handle)
{
    (void)handle;
    return LIBNORM_PROPERTY_SIMPLEX | LIBNORM_PROPERTY_SMOOTH | LIBNORM_PROPERTY_FAMILY |
           LIBNORM_PROPERTY_SHIFT_INVARIANT | LIBNORM_PROPERTY_SYMMETRIC | LIBNORM_PROPERTY_USES_N;
}

static double scale(const norm_normalizer *handle, size_t n)
{
    return handle->value[key_s] * log((double)n) + handle->value[key_b];
}

static double scale_gradient(const norm_normalizer *handle, size_t n, size_t key)
{
    (void)handle;
    return key == key_s ? log((double)n) : key == key_b ? 1 : 0;
}

const struct norm__kind norm__ssmax = {
    .name = "ssmax",
    .formula = "softmax of (s log n + b) z",
    .source = "Nakanishi 2025, arXiv 2501.19399",
    .keys = keys,
    .n_keys = sizeof keys / sizeof keys[0],
    .flags = NORM__KIND_LOG_SUM,
    .properties = properties,
    .scale = scale,
    .scale_gradient = scale_gradient,
    .apply = norm__softmax_apply,
    .log_apply = norm__softmax_log_apply,
    .vjp = norm__softmax_vjp,
    .log_vjp = norm__softmax_log_vjp,
    .hvp = norm__softmax_hvp,
    .loss_alpha = norm__softmax_loss_alpha,
    .form = norm__softmax_form,
    .gradient_bound = norm__gradient_bound_ssmax,
    .fast_f32 = &norm__softmax_fast_f32,
    .fast_f64 = &norm__softmax_fast_f64,
};
