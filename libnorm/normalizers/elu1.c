/* SPDX-License-Identifier: MIT */
/* 1 + ELU: the exponential below 0, a line above. F' is continuous, F'' is not at 0. */
#include "normalizers/family.h"

static const struct norm__key keys[] = {NORM__TEMPERATURE};

static uint64_t properties(const norm_normalizer *handle)
{
    (void)handle;
    return LIBNORM_PROPERTY_SIMPLEX | LIBNORM_PROPERTY_SMOOTH | LIBNORM_PROPERTY_FAMILY;
}

static double log_f(double z)
{
    return z < 0 ? z : log1p(z);
}

static double slope(double z)
{
    return z < 0 ? 1 : 1 / (1 + z);
}

static double bend(double z)
{
    return z < 0 ? 1 : 0;
}

static const struct norm__member member = {log_f, slope, bend};

NORM__MEMBER_ROW_FUNCTIONS(member)

const struct norm__kind norm__elu1 = {
    .name = "elu1",
    .formula = "F(z_i) / sum_j F(z_j), F(z) = exp(z) below 0, 1 + z from 0 on",
    .source = "F: Katharopoulos et al. 2020, arXiv 2006.16236",
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
