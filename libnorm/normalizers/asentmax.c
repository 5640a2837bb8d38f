/* SPDX-License-Identifier: MIT */
/* Adaptive-scalable entmax: entmax of scores multiplied by delta + beta (log n)^gamma. */
#include "normalizers/entmax.h"

#include "normalizers/entmax_fast.h"

enum { key_alpha = 1, key_delta, key_beta, key_gamma };

static const struct norm__key keys[] = {
    NORM__TEMPERATURE,
    NORM__ENTMAX_ALPHA_KEY,
    {"delta", "part of the scale that does not depend on n", 0, 1, -INFINITY, INFINITY},
    {"beta", "factor of the power of log n", 0, 0.5, -INFINITY, INFINITY},
    {"gamma", "power of log n", 0, 1, -INFINITY, INFINITY},
};

static uint64_t properties(const norm_normalizer *handle)
{
    /* The family's F has one score only; n in the factor leaves it one. */
    return norm__entmax_properties(handle) | LIBNORM_PROPERTY_USES_N;
}

/* n >= 2 here, so log n > 0 and every gamma is allowed. */
static double scale(const norm_normalizer *handle, size_t n)
{
    const double *v = handle->value;
    return v[key_delta] + v[key_beta] * pow(log((double)n), v[key_gamma]);
}

static double scale_gradient(const norm_normalizer *handle, size_t n, size_t key)
{
    const double *v = handle->value, log_n = log((double)n), power = pow(log_n, v[key_gamma]);
    return key == key_delta ? 1 : key == key_beta ? power : key == key_gamma ? v[key_beta] * power * log(log_n) : 0;
}

static int32_t param_vjp(const struct norm__row *row, const double *w, const double *g, size_t key, double *ret)
{
    *ret = 0; /* the others act through the scale alone */
    return key == key_alpha ? norm__entmax_param_vjp(row, w, g, key, ret) : 0;
}

const struct norm__kind norm__asentmax = {
    .name = "asentmax",
    .formula = "entmax_alpha of (delta + beta (log n)^gamma) z",
    .source = "Vasylenko et al. 2025, arXiv 2506.16640",
    .keys = keys,
    .n_keys = sizeof keys / sizeof keys[0],
    .flags = NORM__KIND_THRESHOLD | NORM__KIND_LOG_SUM,
    .scratch = 2,
    .properties = properties,
    .scale = scale,
    .scale_gradient = scale_gradient,
    .apply = norm__entmax_apply,
    .log_apply = norm__entmax_log_apply,
    .vjp = norm__entmax_vjp,
    .log_vjp = norm__entmax_log_vjp,
    .hvp = norm__entmax_hvp,
    .param_vjp = param_vjp,
    .loss_alpha = norm__entmax_loss_alpha,
    .form = norm__entmax_form,
    .gradient_bound = norm__gradient_bound_asentmax,
    .fast_f32 = &norm__entmax_fast_f32,
};
