/* SPDX-License-Identifier: MIT */
/* 1 + z^2: even, so -inf counts as +inf. Squares that would overflow are never formed. */
#include "normalizers/family.h"

static const struct norm__key keys[] = {NORM__TEMPERATURE};

static uint64_t properties(const norm_normalizer *handle)
{
    (void)handle;
    return LIBNORM_PROPERTY_SIMPLEX | LIBNORM_PROPERTY_SMOOTH | LIBNORM_PROPERTY_FAMILY;
}

/* From here on 1 + z^2 is z^2 to the last digit. */
static const double far = 1e9;

static double log_f(double z)
{
    return fabs(z) > far ? 2 * log(fabs(z)) : log1p(z * z);
}

static double slope(double z)
{
    return fabs(z) > far ? 2 / z : 2 * z / (1 + z * z);
}

static double bend(double z)
{
    return fabs(z) > far ? 2 / z / z : 2 / (1 + z * z);
}

static const struct norm__member member = {log_f, slope, bend};

NORM__MEMBER_ROW_FUNCTIONS(member)

const struct norm__kind norm__square1 = {
    .name = "square1",
    .formula = "F(z_i) / sum_j F(z_j), F(z) = 1 + z^2",
    .source = "a quadratic member of the family of arXiv 2508.17821, section 2",
    .keys = keys,
    .n_keys = sizeof keys / sizeof keys[0],
    .flags = NORM__KIND_NEG_INF_TOO,
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
