/* SPDX-License-Identifier: MIT */
#include "normalizers/softplus.h"

static const struct norm__key keys[] = {NORM__TEMPERATURE};

static uint64_t properties(const norm_normalizer *handle)
{
    (void)handle;
    return LIBNORM_PROPERTY_SIMPLEX | LIBNORM_PROPERTY_SMOOTH | LIBNORM_PROPERTY_FAMILY;
}

double norm__sigmoid_of(double z)
{
    return z >= 0 ? 1 / (1 + exp(-z)) : exp(z) / (1 + exp(z));
}

double norm__softplus_of(double z)
{
    return fmax(z, 0) + log1p(exp(-fabs(z)));
}

/* Far below 0, F and F' are both e^z to the last digit. */
static double log_f(double z)
{
    return z < -40 ? z : log(norm__softplus_of(z));
}

static double slope(double z)
{
    return z < -40 ? 1 : norm__sigmoid_of(z) / norm__softplus_of(z);
}

static double bend(double z)
{
    return slope(z) * norm__sigmoid_of(-z);
}

const struct norm__member norm__softplus_member = {log_f, slope, bend};

NORM__MEMBER_ROW_FUNCTIONS(norm__softplus_member)

const struct norm__kind norm__softplus = {
    .name = "softplus",
    .formula = "F(z_i) / sum_j F(z_j), F(z) = log(1 + exp(z))",
    .source = "Gao, Spratling and Letizia 2025, arXiv 2501.13428 (unscaled)",
    .keys = keys,
    .n_keys = sizeof keys / sizeof keys[0],
    .scratch = 2,
    .properties = properties,
    .apply = apply,
    .log_apply = log_apply,
    .vjp = vjp,
    .log_vjp = log_vjp,
    .jvp = jvp,
    .hvp = hvp,
    .form = form,
    .gradient_bound = norm__gradient_bound_half,
};
