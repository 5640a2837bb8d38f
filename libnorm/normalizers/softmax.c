/* SPDX-License-Identifier: MIT */
/* Softmax. The largest z is 0 here, so nothing overflows and the sum is at least 1. */
#include "normalizers/softmax.h"

#include <math.h>

#include "normalizers/softmax_fast.h"
#include "normalizers/sum.h"

static const struct norm__key keys[] = {NORM__TEMPERATURE};

static uint64_t properties(const norm_normalizer *handle)
{
    (void)handle;
    return LIBNORM_PROPERTY_SIMPLEX | LIBNORM_PROPERTY_SMOOTH | LIBNORM_PROPERTY_FAMILY |
           LIBNORM_PROPERTY_SHIFT_INVARIANT | LIBNORM_PROPERTY_SYMMETRIC;
}

int32_t norm__softmax_apply(const struct norm__row *row, double *w, struct norm__facts *facts)
{
    for (size_t i = 0; i < row->n; i++)
        w[i] = exp(row->z[i]);
    const double sum = norm__total(w, row->n);
    for (size_t i = 0; i < row->n; i++)
        w[i] /= sum;
    facts->log_sum = log(sum);
    return 0;
}

int32_t norm__softmax_log_apply(const struct norm__row *row, double *log_w, struct norm__facts *facts)
{
    struct norm__sum sum = {0, 0};
    for (size_t i = 0; i < row->n; i++)
        norm__sum_add(&sum, exp(row->z[i]));
    facts->log_sum = log(norm__sum_value(sum));
    for (size_t i = 0; i < row->n; i++)
        log_w[i] = row->z[i] - facts->log_sum;
    return 0;
}

/* J = diag(w) - w w^T */
int32_t norm__softmax_vjp(const struct norm__row *row, const double *w, const double *g, double *d)
{
    const double mean = norm__dot(w, g, row->n);
    for (size_t i = 0; i < row->n; i++)
        d[i] = w[i] * (g[i] - mean);
    return 0;
}

int32_t norm__softmax_log_vjp(const struct norm__row *row, const double *w, const double *g, double *d)
{
    const double total = norm__total(g, row->n);
    for (size_t i = 0; i < row->n; i++)
        d[i] = g[i] - w[i] * total;
    return 0;
}

int32_t norm__softmax_hvp(const struct norm__row *row, const double *w, const double *g, const double *h, double *dz,
                          double *dg)
{
    const double mean_g = norm__dot(w, g, row->n), mean_h = norm__dot(w, h, row->n);
    for (size_t i = 0; i < row->n; i++) {
        dg[i] = w[i] * (h[i] - mean_h);
        dz[i] = dg[i] * (g[i] - mean_g);
    }
    const double total = norm__total(dz, row->n);
    for (size_t i = 0; i < row->n; i++)
        dz[i] -= w[i] * total;
    return 0;
}

int32_t norm__softmax_form(const struct norm__row *row, double *w, struct norm__form *ret)
{
    ret->shape = NORM__FORM_SYMMETRIC;
    for (size_t i = 0; i < row->n; i++)
        ret->s[i] = w[i];
    return 0;
}

double norm__softmax_loss_alpha(const norm_normalizer *handle)
{
    (void)handle;
    return 1;
}

const struct norm__kind norm__softmax = {
    .name = "softmax",
    .formula = "exp(z_i) / sum_j exp(z_j)",
    .source = "Boltzmann 1868; Bridle 1990",
    .keys = keys,
    .n_keys = sizeof keys / sizeof keys[0],
    .flags = NORM__KIND_LOG_SUM,
    .properties = properties,
    .apply = norm__softmax_apply,
    .log_apply = norm__softmax_log_apply,
    .vjp = norm__softmax_vjp,
    .log_vjp = norm__softmax_log_vjp,
    .hvp = norm__softmax_hvp,
    .loss_alpha = norm__softmax_loss_alpha,
    .form = norm__softmax_form,
    .gradient_bound = norm__gradient_bound_half,
    .fast_f32 = &norm__softmax_fast_f32,
    .fast_f64 = &norm__softmax_fast_f64,
};
