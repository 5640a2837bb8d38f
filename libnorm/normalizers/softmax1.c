/* SPDX-License-Identifier: MIT */
/* Softmax with one more term of 1 in the sum, as if there were one more score of 0 whose weight is thrown away: a row
 * can attend to nothing. */
#include <math.h>

#include "normalizers/kind.h"
#include "normalizers/sum.h"

static const struct norm__key keys[] = {NORM__TEMPERATURE};

static uint64_t properties(const norm_normalizer *handle)
{
    (void)handle;
    return LIBNORM_PROPERTY_SMOOTH | LIBNORM_PROPERTY_SYMMETRIC;
}

/* Of the scores and the unseen 0. */
static double largest_of(const struct norm__row *row)
{
    double largest = 0;
    for (size_t i = 0; i < row->n; i++)
        largest = fmax(largest, row->z[i]);
    return largest;
}

static int32_t apply(const struct norm__row *row, double *w, struct norm__facts *facts)
{
    const double largest = largest_of(row);
    struct norm__sum sum = {exp(-largest), 0};
    for (size_t i = 0; i < row->n; i++) {
        w[i] = exp(row->z[i] - largest);
        norm__sum_add(&sum, w[i]);
    }
    const double total = norm__sum_value(sum);
    for (size_t i = 0; i < row->n; i++)
        w[i] /= total;
    facts->log_sum = largest + log(total);
    return 0;
}

static int32_t log_apply(const struct norm__row *row, double *log_w, struct norm__facts *facts)
{
    const double largest = largest_of(row);
    struct norm__sum sum = {exp(-largest), 0};
    for (size_t i = 0; i < row->n; i++)
        norm__sum_add(&sum, exp(row->z[i] - largest));
    const double log_total = log(norm__sum_value(sum));
    for (size_t i = 0; i < row->n; i++)
        log_w[i] = (row->z[i] - largest) - log_total;
    facts->log_sum = largest + log_total;
    return 0;
}

/* J = diag(w) - w w^T, as softmax's, but w does not sum to one. */
static int32_t vjp(const struct norm__row *row, const double *w, const double *g, double *d)
{
    const double mean = norm__dot(w, g, row->n);
    for (size_t i = 0; i < row->n; i++)
        d[i] = w[i] * (g[i] - mean);
    return 0;
}

static int32_t log_vjp(const struct norm__row *row, const double *w, const double *g, double *d)
{
    const double total = norm__total(g, row->n);
    for (size_t i = 0; i < row->n; i++)
        d[i] = g[i] - w[i] * total;
    return 0;
}

static int32_t hvp(const struct norm__row *row, const double *w, const double *g, const double *h, double *dz,
                   double *dg)
{
    const double mean_g = norm__dot(w, g, row->n), mean_h = norm__dot(w, h, row->n);
    for (size_t i = 0; i < row->n; i++) {
        dg[i] = w[i] * (h[i] - mean_h);
        dz[i] = h[i] * g[i] - h[i] * mean_g - g[i] * mean_h;
    }
    const double mean = norm__dot(w, dz, row->n);
    for (size_t i = 0; i < row->n; i++)
        dz[i] = w[i] * (dz[i] - mean);
    return 0;
}

/* The rest is the weight of the unseen 0. */
static int32_t form(const struct norm__row *row, double *w, struct norm__form *ret)
{
    const double largest = largest_of(row);
    struct norm__sum sum = {exp(-largest), 0};
    for (size_t i = 0; i < row->n; i++) {
        norm__sum_add(&sum, exp(row->z[i] - largest));
        ret->s[i] = w[i];
    }
    ret->shape = NORM__FORM_SYMMETRIC;
    ret->rest = exp(-largest) / norm__sum_value(sum);
    return 0;
}

const struct norm__kind norm__softmax1 = {
    .name = "softmax1",
    .formula = "exp(z_i) / (1 + sum_j exp(z_j))",
    .source = "Miller 2023, Attention is off by one",
    .keys = keys,
    .n_keys = sizeof keys / sizeof keys[0],
    .flags = NORM__KIND_LOG_SUM,
    .properties = properties,
    .apply = apply,
    .log_apply = log_apply,
    .vjp = vjp,
    .log_vjp = log_vjp,
    .hvp = hvp,
    .form = form,
    .gradient_bound = norm__gradient_bound_softmax1,
};
