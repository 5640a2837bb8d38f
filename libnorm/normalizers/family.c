/* SPDX-License-Identifier: MIT */
#include "normalizers/family.h"

#include <float.h>
#include <math.h>

#include "normalizers/sum.h"

void norm__family_product(const double *w, const double *b, const double *g, size_t n, double *d)
{
    const double mean = norm__dot(w, g, n);
    for (size_t i = 0; i < n; i++)
        d[i] = b[i] * (g[i] - mean);
}

void norm__family_tangent(const double *w, const double *b, const double *v, size_t n, double *d)
{
    const double total = norm__dot(b, v, n);
    for (size_t i = 0; i < n; i++)
        d[i] = b[i] * v[i] - w[i] * total;
}

void norm__family_second(const double *w, const double *b, const double *e, const double *g, const double *h, size_t n,
                         double *dz)
{
    const double mean = norm__dot(w, g, n), m = norm__dot(b, h, n);
    struct norm__sum sum = {0, 0};
    for (size_t i = 0; i < n; i++)
        norm__sum_add(&sum, (b[i] * h[i] - w[i] * m) * (g[i] - mean));
    const double c = norm__sum_value(sum);
    for (size_t i = 0; i < n; i++) {
        const double centred = g[i] - mean;
        dz[i] = e[i] * h[i] * centred - b[i] * (m * centred + c);
    }
}

/* log F into log_w; returns log of their sum. */
static double logarithms(const struct norm__member *f, const struct norm__row *row, double *log_w)
{
    double largest = -INFINITY;
    for (size_t i = 0; i < row->n; i++) {
        log_w[i] = f->log_f(row->z[i]);
        largest = fmax(largest, log_w[i]);
    }
    struct norm__sum sum = {0, 0};
    for (size_t i = 0; i < row->n; i++)
        norm__sum_add(&sum, exp(log_w[i] - largest));
    return largest + log(norm__sum_value(sum));
}

int32_t norm__member_apply(const struct norm__member *f, const struct norm__row *row, double *w)
{
    double largest = -INFINITY;
    for (size_t i = 0; i < row->n; i++) {
        w[i] = f->log_f(row->z[i]);
        largest = fmax(largest, w[i]);
    }
    for (size_t i = 0; i < row->n; i++)
        w[i] = exp(w[i] - largest);
    const double total = norm__total(w, row->n);
    for (size_t i = 0; i < row->n; i++)
        w[i] /= total;
    return 0;
}

int32_t norm__member_log_apply(const struct norm__member *f, const struct norm__row *row, double *log_w)
{
    const double log_sum = logarithms(f, row, log_w);
    for (size_t i = 0; i < row->n; i++)
        log_w[i] -= log_sum;
    return 0;
}

/* b = w F'/F into row->scratch. */
static double *slopes(const struct norm__member *f, const struct norm__row *row, const double *w)
{
    for (size_t i = 0; i < row->n; i++)
        row->scratch[i] = w[i] * f->slope(row->z[i]);
    return row->scratch;
}

int32_t norm__member_vjp(const struct norm__member *f, const struct norm__row *row, const double *w, const double *g,
                         double *d)
{
    norm__family_product(w, slopes(f, row, w), g, row->n, d);
    return 0;
}

int32_t norm__member_log_vjp(const struct norm__member *f, const struct norm__row *row, const double *w,
                             const double *g, double *d)
{
    /* d log w_i / dz_j = rho_j (delta_ij - w_j) */
    const double total = norm__total(g, row->n);
    for (size_t i = 0; i < row->n; i++)
        d[i] = f->slope(fmax(row->z[i], -DBL_MAX)) * (g[i] - w[i] * total); /* at -inf the limit */
    return 0;
}

int32_t norm__member_jvp(const struct norm__member *f, const struct norm__row *row, const double *w, const double *v,
                         double *d)
{
    norm__family_tangent(w, slopes(f, row, w), v, row->n, d);
    return 0;
}

int32_t norm__member_form(const struct norm__member *f, const struct norm__row *row, const double *w,
                          struct norm__form *ret)
{
    ret->shape = NORM__FORM_FAMILY;
    for (size_t i = 0; i < row->n; i++)
        ret->s[i] = w[i] * f->slope(row->z[i]);
    return 0;
}

int32_t norm__member_hvp(const struct norm__member *f, const struct norm__row *row, const double *w, const double *g,
                         const double *h, double *dz, double *dg)
{
    const double *b = slopes(f, row, w);
    double *e = row->scratch + row->n;
    for (size_t i = 0; i < row->n; i++)
        e[i] = w[i] * f->bend(row->z[i]);
    norm__family_tangent(w, b, h, row->n, dg);
    norm__family_second(w, b, e, g, h, row->n, dz);
    return 0;
}
