/* SPDX-License-Identifier: MIT */
/* Length-scaled softplus attention: softplus of scale log(n) z over its sum. z is meant to be a cosine: queries and
 * keys of length one. */
#include "normalizers/softplus.h"

enum { key_scale = 1 };

static const struct norm__key keys[] = {
    NORM__TEMPERATURE,
    {"scale", "factor of log n; log of the head width in the paper", 0, 4.1588830833596715 /* log 64 */, -INFINITY,
     INFINITY},
};

static uint64_t properties(const norm_normalizer *handle)
{
    (void)handle;
    return LIBNORM_PROPERTY_SIMPLEX | LIBNORM_PROPERTY_SMOOTH | LIBNORM_PROPERTY_FAMILY | LIBNORM_PROPERTY_USES_N;
}

static double scale(const norm_normalizer *handle, size_t n)
{
    return handle->value[key_scale] * log((double)n);
}

static double scale_gradient(const norm_normalizer *handle, size_t n, size_t key)
{
    (void)handle;
    return key == key_scale ? log((double)n) : 0;
}

NORM__MEMBER_ROW_FUNCTIONS(norm__softplus_member)

const struct norm__kind norm__lssa = {
    .name = "lssa",
    .formula = "F(z_i) / sum_j F(z_j), F(z) = log(1 + exp(scale log(n) z))",
    .source = "Gao, Spratling and Letizia 2025, arXiv 2501.13428",
    .keys = keys,
    .n_keys = sizeof keys / sizeof keys[0],
    .scratch = 2,
    .properties = properties,
    .scale = scale,
    .scale_gradient = scale_gradient,
    .apply = apply,
    .log_apply = log_apply,
    .vjp = vjp,
    .log_vjp = log_vjp,
    .jvp = jvp,
    .hvp = hvp,
    .form = form,
    .gradient_bound = norm__gradient_bound_lssa,
};
