/* SPDX-License-Identifier: MIT */
/* Derivatives of w = t p: J = diag(t) P + diag(p) T with P = diag(p) - p p^T and
 * dt_i = (dz_i - dlo - t_i (dhi - dlo)) / range, where dlo and dhi are dz at the least and the largest score, or 0. */
#include "normalizers/sasoftmax.h"

#include "normalizers/sum.h"

/* 1/range; 0 where t does not move: all scores 0, or a range without end. */
static double rate(const struct norm__adjusted *r)
{
    return r->range > 0 && r->range < INFINITY ? 1 / r->range : 0;
}

static double at(const double *x, ptrdiff_t index)
{
    return index >= 0 ? x[index] : 0;
}

/* The change of t along v. */
static void t_along(const struct norm__adjusted *r, const double *v, size_t n, double *ret)
{
    const double low = at(v, r->at_least), spread = at(v, r->at_most) - low, k = rate(r);
    for (size_t i = 0; i < n; i++)
        ret[i] = k * (v[i] - low - r->t[i] * spread);
}

/* d += T^T x */
static void t_gradient(const struct norm__adjusted *r, const double *x, size_t n, double *d)
{
    const double k = rate(r);
    struct norm__sum all = {0, 0}, weighted = {0, 0};
    for (size_t i = 0; i < n; i++) {
        d[i] += k * x[i];
        norm__sum_add(&all, x[i]);
        norm__sum_add(&weighted, x[i] * r->t[i]);
    }
    const double high = k * norm__sum_value(weighted), low = k * norm__sum_value(all) - high;
    if (r->at_least >= 0)
        d[r->at_least] -= low;
    if (r->at_most >= 0)
        d[r->at_most] -= high;
}

/* d = P x */
static void p_product(const double *p, const double *x, size_t n, double *d)
{
    const double mean = norm__dot(p, x, n);
    for (size_t i = 0; i < n; i++)
        d[i] = p[i] * (x[i] - mean);
}

int32_t norm__adjusted_vjp(const struct norm__row *row, const double *w, const double *g, double *d)
{
    (void)w;
    const size_t n = row->n;
    const struct norm__adjusted r = norm__adjusted_row(row);
    double *x = row->scratch + 2 * n;
    for (size_t i = 0; i < n; i++)
        x[i] = r.t[i] * g[i];
    p_product(r.p, x, n, d);
    for (size_t i = 0; i < n; i++)
        x[i] = r.p[i] * g[i];
    t_gradient(&r, x, n, d);
    return 0;
}

int32_t norm__adjusted_jvp(const struct norm__row *row, const double *w, const double *v, double *d)
{
    (void)w;
    const size_t n = row->n;
    const struct norm__adjusted r = norm__adjusted_row(row);
    double *dt = row->scratch + 2 * n;
    t_along(&r, v, n, dt);
    p_product(r.p, v, n, d);
    for (size_t i = 0; i < n; i++)
        d[i] = r.t[i] * d[i] + r.p[i] * dt[i];
    return 0;
}

/* Along h: d of P(t g) + T^T(p g), with dp = P h and dt. The range changes by spread = h at the largest - h at the
 * least, so 1/range by -spread/range^2; in T^T only t and the range move. */
int32_t norm__adjusted_hvp(const struct norm__row *row, const double *w, const double *g, const double *h, double *dz,
                           double *dg)
{
    (void)w;
    const size_t n = row->n;
    const struct norm__adjusted r = norm__adjusted_row(row);
    double *dt = row->scratch + 2 * n, *dp = row->scratch + 3 * n, *x = row->scratch + 4 * n;
    t_along(&r, h, n, dt);
    p_product(r.p, h, n, dp);
    for (size_t i = 0; i < n; i++)
        dg[i] = r.t[i] * dp[i] + r.p[i] * dt[i];

    /* P(dt g) + dP(t g), where dP y = dp (y - p.y) - p (dp.y) */
    for (size_t i = 0; i < n; i++)
        x[i] = r.t[i] * g[i];
    const double mean = norm__dot(r.p, x, n), slope = norm__dot(dp, x, n);
    for (size_t i = 0; i < n; i++)
        dz[i] = dp[i] * (x[i] - mean) - r.p[i] * slope;
    for (size_t i = 0; i < n; i++)
        x[i] = dt[i] * g[i];
    const double dt_mean = norm__dot(r.p, x, n);
    for (size_t i = 0; i < n; i++)
        dz[i] += r.p[i] * (x[i] - dt_mean);

    /* T^T(dp g) and the change of T itself acting on p g */
    const double k = rate(&r), stretch = k * (at(h, r.at_most) - at(h, r.at_least));
    struct norm__sum moved = {0, 0};
    for (size_t i = 0; i < n; i++) {
        x[i] = (dp[i] - stretch * r.p[i]) * g[i];
        norm__sum_add(&moved, r.p[i] * g[i] * dt[i]);
    }
    t_gradient(&r, x, n, dz);
    if (r.at_least >= 0)
        dz[r.at_least] += k * norm__sum_value(moved);
    if (r.at_most >= 0)
        dz[r.at_most] -= k * norm__sum_value(moved);
    return 0;
}
