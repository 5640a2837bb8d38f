/* SPDX-License-Identifier: MIT */
/* Sparsemax: the Euclidean projection onto the simplex. Its Jacobian is a projection on the support. */
#include <math.h>

#include "normalizers/entmax_fast.h"
#include "normalizers/kind.h"
#include "normalizers/sum.h"
#include "normalizers/threshold.h"

static const struct norm__key keys[] = {NORM__TEMPERATURE};

static uint64_t properties(const norm_normalizer *handle)
{
    (void)handle;
    return LIBNORM_PROPERTY_SIMPLEX | LIBNORM_PROPERTY_SPARSE | LIBNORM_PROPERTY_SHIFT_INVARIANT |
           LIBNORM_PROPERTY_SYMMETRIC;
}

static int32_t apply(const struct norm__row *row, double *w, struct norm__facts *facts)
{
    const double tau = norm__threshold_linear(row->z, row->n, row->scratch);
    for (size_t i = 0; i < row->n; i++)
        w[i] = fmax(row->z[i] - tau, 0);
    facts->threshold = tau;
    return 0;
}

/* Takes the mean over the support from the support; 0 elsewhere. */
static void project(const double *w, const double *g, size_t n, double *d)
{
    struct norm__sum sum = {0, 0};
    double count = 0;
    for (size_t i = 0; i < n; i++) {
        if (w[i] > 0) {
            norm__sum_add(&sum, g[i]);
            count += 1;
        }
    }
    const double mean = norm__sum_value(sum) / count;
    for (size_t i = 0; i < n; i++)
        d[i] = w[i] > 0 ? g[i] - mean : 0;
}

static int32_t vjp(const struct norm__row *row, const double *w, const double *g, double *d)
{
    project(w, g, row->n, d);
    return 0;
}

static int32_t hvp(const struct norm__row *row, const double *w, const double *g, const double *h, double *dz,
                   double *dg)
{
    (void)g;
    project(w, h, row->n, dg);
    for (size_t i = 0; i < row->n; i++)
        dz[i] = 0;
    return 0;
}

static int32_t form(const struct norm__row *row, double *w, struct norm__form *ret)
{
    ret->shape = NORM__FORM_SYMMETRIC;
    for (size_t i = 0; i < row->n; i++)
        ret->s[i] = w[i] > 0 ? 1 : 0;
    return 0;
}

static double loss_alpha(const norm_normalizer *handle)
{
    (void)handle;
    return 2;
}

const struct norm__kind norm__sparsemax = {
    .name = "sparsemax",
    .formula = "max(z_i - tau, 0), tau such that the sum is 1",
    .source = "Martins and Astudillo 2016, arXiv 1602.02068",
    .keys = keys,
    .n_keys = sizeof keys / sizeof keys[0],
    .flags = NORM__KIND_THRESHOLD,
    .scratch = 1,
    .properties = properties,
    .apply = apply,
    .vjp = vjp,
    .hvp = hvp,
    .loss_alpha = loss_alpha,
    .form = form,
    .gradient_bound = norm__gradient_bound_sparsemax,
    .fast_f32 = &norm__sparsemax_fast_f32,
};
