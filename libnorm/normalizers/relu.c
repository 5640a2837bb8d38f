/* SPDX-License-Identifier: MIT */
/* ReLU attention: the positive part, to a power, over a power of n. */
#include "normalizers/kind.h"
#include "normalizers/sum.h"

enum { key_power = 1, key_decay };

static const struct norm__key keys[] = {
    NORM__TEMPERATURE,
    {"power", "power of the positive part", LIBNORM_KEY_LOW_OPEN, 1, 0, INFINITY},
    {"decay", "power of n that divides", 0, 1, -INFINITY, INFINITY},
};

static uint64_t properties(const norm_normalizer *handle)
{
    return LIBNORM_PROPERTY_SPARSE | LIBNORM_PROPERTY_SYMMETRIC |
           (handle->value[key_power] > 1 ? LIBNORM_PROPERTY_SMOOTH : 0) |
           (handle->value[key_decay] != 0 ? LIBNORM_PROPERTY_USES_N : 0);
}

/* n^-decay */
static double share(const struct norm__row *row)
{
    return pow((double)row->n, -row->handle->value[key_decay]);
}

/* z^power on the support, with no call to pow where it is the usual 1 or 0. */
static double raise(double z, double power)
{
    return !(z > 0) ? 0 : power == 1 ? z : power == 0 ? 1 : pow(z, power);
}

static int32_t apply(const struct norm__row *row, double *w, struct norm__facts *facts)
{
    (void)facts;
    const double factor = share(row), power = row->handle->value[key_power];
    for (size_t i = 0; i < row->n; i++)
        w[i] = factor * raise(row->z[i], power);
    return 0;
}

static int32_t log_apply(const struct norm__row *row, double *log_w, struct norm__facts *facts)
{
    (void)facts;
    const double power = row->handle->value[key_power];
    const double log_factor = -row->handle->value[key_decay] * log((double)row->n);
    for (size_t i = 0; i < row->n; i++)
        log_w[i] = row->z[i] > 0 ? log_factor + power * log(row->z[i]) : -INFINITY;
    return 0;
}

static int32_t vjp(const struct norm__row *row, const double *w, const double *g, double *d)
{
    (void)w;
    const double power = row->handle->value[key_power], factor = power * share(row);
    for (size_t i = 0; i < row->n; i++)
        d[i] = row->z[i] > 0 ? g[i] * factor * raise(row->z[i], power - 1) : 0;
    return 0;
}

static int32_t form(const struct norm__row *row, double *w, struct norm__form *ret)
{
    (void)w;
    const double power = row->handle->value[key_power], factor = power * share(row);
    ret->shape = NORM__FORM_DIAGONAL;
    for (size_t i = 0; i < row->n; i++)
        ret->s[i] = row->z[i] > 0 ? factor * raise(row->z[i], power - 1) : 0;
    return 0;
}

static int32_t log_vjp(const struct norm__row *row, const double *w, const double *g, double *d)
{
    (void)w;
    for (size_t i = 0; i < row->n; i++)
        d[i] = row->z[i] > 0 ? g[i] * row->handle->value[key_power] / row->z[i] : 0;
    return 0;
}

static int32_t hvp(const struct norm__row *row, const double *w, const double *g, const double *h, double *dz,
                   double *dg)
{
    (void)w;
    const double power = row->handle->value[key_power], factor = power * share(row);
    for (size_t i = 0; i < row->n; i++) {
        const int inside = row->z[i] > 0;
        dg[i] = inside ? h[i] * factor * raise(row->z[i], power - 1) : 0;
        dz[i] = inside && power != 1 ? g[i] * h[i] * factor * (power - 1) * raise(row->z[i], power - 2) : 0;
    }
    return 0;
}

static int32_t param_vjp(const struct norm__row *row, const double *w, const double *g, size_t key, double *ret)
{
    const double log_n = log((double)row->n);
    struct norm__sum sum = {0, 0};
    for (size_t i = 0; i < row->n; i++)
        if (row->z[i] > 0)
            norm__sum_add(&sum, g[i] * w[i] * (key == key_power ? log(row->z[i]) : -log_n));
    *ret = norm__sum_value(sum);
    return 0;
}

const struct norm__kind norm__relu = {
    .name = "relu",
    .formula = "max(z_i, 0)^power / n^decay",
    .source = "Wortsman et al. 2023, arXiv 2309.08586",
    .keys = keys,
    .n_keys = sizeof keys / sizeof keys[0],
    .flags = NORM__KIND_TAKES_INF,
    .properties = properties,
    .apply = apply,
    .log_apply = log_apply,
    .form = form,
    .gradient_bound = norm__gradient_bound_relu,
    .vjp = vjp,
    .log_vjp = log_vjp,
    .hvp = hvp,
    .param_vjp = param_vjp,
};
