/* SPDX-License-Identifier: MIT */
/* Sigmoid attention: each weight by itself, with a bias of -log n so that the weights of a row sum to about one. */
#include "normalizers/kind.h"
#include "normalizers/softplus.h"
#include "normalizers/sum.h"

enum { key_bias = 1, key_length };

static const struct norm__key keys[] = {
    NORM__TEMPERATURE,
    {"bias", "added to z", 0, 0, -INFINITY, INFINITY},
    {"length", "1: log n is taken off as well", LIBNORM_KEY_INTEGER, 1, 0, 1},
};

static uint64_t properties(const norm_normalizer *handle)
{
    return LIBNORM_PROPERTY_SMOOTH | LIBNORM_PROPERTY_SYMMETRIC |
           (handle->value[key_length] != 0 ? LIBNORM_PROPERTY_USES_N : 0);
}

static double shift(const struct norm__row *row)
{
    const double *v = row->handle->value;
    return v[key_bias] - v[key_length] * log((double)row->n);
}

static int32_t apply(const struct norm__row *row, double *w, struct norm__facts *facts)
{
    (void)facts;
    const double b = shift(row);
    for (size_t i = 0; i < row->n; i++)
        w[i] = norm__sigmoid_of(row->z[i] + b);
    return 0;
}

static int32_t log_apply(const struct norm__row *row, double *log_w, struct norm__facts *facts)
{
    (void)facts;
    const double b = shift(row);
    for (size_t i = 0; i < row->n; i++)
        log_w[i] = -norm__softplus_of(-(row->z[i] + b));
    return 0;
}

/* 1 - w as a sigmoid too: near w = 1 the difference has no digits. */
static int32_t vjp(const struct norm__row *row, const double *w, const double *g, double *d)
{
    const double b = shift(row);
    for (size_t i = 0; i < row->n; i++)
        d[i] = g[i] * w[i] * norm__sigmoid_of(-(row->z[i] + b));
    return 0;
}

static int32_t log_vjp(const struct norm__row *row, const double *w, const double *g, double *d)
{
    (void)w;
    const double b = shift(row);
    for (size_t i = 0; i < row->n; i++)
        d[i] = g[i] * norm__sigmoid_of(-(row->z[i] + b));
    return 0;
}

static int32_t hvp(const struct norm__row *row, const double *w, const double *g, const double *h, double *dz,
                   double *dg)
{
    const double b = shift(row);
    for (size_t i = 0; i < row->n; i++) {
        const double other = norm__sigmoid_of(-(row->z[i] + b));
        dg[i] = h[i] * w[i] * other;
        dz[i] = dg[i] * g[i] * (other - w[i]);
    }
    return 0;
}

static int32_t form(const struct norm__row *row, double *w, struct norm__form *ret)
{
    const double b = shift(row);
    ret->shape = NORM__FORM_DIAGONAL;
    for (size_t i = 0; i < row->n; i++)
        ret->s[i] = w[i] * norm__sigmoid_of(-(row->z[i] + b));
    return 0;
}

static int32_t param_vjp(const struct norm__row *row, const double *w, const double *g, size_t key, double *ret)
{
    const double b = shift(row), factor = key == key_length ? -log((double)row->n) : 1;
    struct norm__sum sum = {0, 0};
    for (size_t i = 0; i < row->n; i++)
        norm__sum_add(&sum, g[i] * w[i] * norm__sigmoid_of(-(row->z[i] + b)));
    *ret = factor * norm__sum_value(sum);
    return 0;
}

const struct norm__kind norm__sigmoid = {
    .name = "sigmoid",
    .formula = "1 / (1 + exp(-(z_i + bias - length log n)))",
    .source = "Ramapuram et al. 2024, arXiv 2409.04431",
    .keys = keys,
    .n_keys = sizeof keys / sizeof keys[0],
    .flags = NORM__KIND_TAKES_INF,
    .properties = properties,
    .apply = apply,
    .log_apply = log_apply,
    .vjp = vjp,
    .log_vjp = log_vjp,
    .hvp = hvp,
    .param_vjp = param_vjp,
    .form = form,
    .gradient_bound = norm__gradient_bound_sigmoid,
};
