/* SPDX-License-Identifier: MIT */
/* Adaptive temperature: softmax(beta z) with beta >= 1 a polynomial of the entropy H of softmax(z). beta is 1 up to
 * H = 0.5 and wherever the polynomial is below 1, so it acts only between H = 0.8486 and 5.9445. */
#include <math.h>

#include "normalizers/kind.h"
#include "normalizers/sum.h"

static const struct norm__key keys[] = {NORM__TEMPERATURE};

static uint64_t properties(const norm_normalizer *handle)
{
    (void)handle;
    return LIBNORM_PROPERTY_SIMPLEX | LIBNORM_PROPERTY_SHIFT_INVARIANT;
}

/* The inner softmax p0 with its logarithm, its entropy, and beta with two derivatives in H; the outer softmax p. */
struct inner {
    double *p0, *log_p0, *p;
    double entropy, beta, slope, bend, log_sum;
    double *rest; /* 4 n doubles */
};

static double softmax_of(const double *z, double beta, size_t n, double *p)
{
    for (size_t i = 0; i < n; i++)
        p[i] = exp(beta * z[i]);
    const double total = norm__total(p, n);
    for (size_t i = 0; i < n; i++)
        p[i] /= total;
    return log(total);
}

static struct inner prepare(const struct norm__row *row)
{
    const size_t n = row->n;
    struct inner a = {row->scratch, row->scratch + n, row->scratch + 2 * n, 0, 1, 0, 0, 0, row->scratch + 3 * n};
    const double log_total = softmax_of(row->z, 1, n, a.p0);
    struct norm__sum sum = {0, 0};
    for (size_t i = 0; i < n; i++) {
        a.log_p0[i] = a.p0[i] > 0 ? row->z[i] - log_total : 0; /* only ever multiplied by p0 */
        norm__sum_add(&sum, -a.p0[i] * a.log_p0[i]);
    }
    const double h = a.entropy = norm__sum_value(sum);
    const double poly = (((-0.037 * h + 0.481) * h - 2.3) * h + 4.917) * h - 1.791;
    if (h > 0.5 && poly > 1) {
        a.beta = poly;
        a.slope = ((-0.148 * h + 1.443) * h - 4.6) * h + 4.917;
        a.bend = (-0.444 * h + 2.886) * h - 4.6;
    }
    a.log_sum = softmax_of(row->z, a.beta, n, a.p);
    return a;
}

static int32_t apply(const struct norm__row *row, double *w, struct norm__facts *facts)
{
    (void)facts;
    const struct inner a = prepare(row);
    for (size_t i = 0; i < row->n; i++)
        w[i] = a.p[i];
    return 0;
}

static int32_t log_apply(const struct norm__row *row, double *log_w, struct norm__facts *facts)
{
    (void)facts;
    const struct inner a = prepare(row);
    for (size_t i = 0; i < row->n; i++)
        log_w[i] = a.beta * row->z[i] - a.log_sum;
    return 0;
}

/* x.z over the entries where x is not 0: z may be -inf where it is. */
static double dot_scores(const double *x, const double *z, size_t n)
{
    struct norm__sum sum = {0, 0};
    for (size_t i = 0; i < n; i++)
        if (x[i] != 0)
            norm__sum_add(&sum, x[i] * z[i]);
    return norm__sum_value(sum);
}

/* dH/dz_j = -p0_j (log p0_j + H) */
static double entropy_slope(const struct inner *a, size_t j)
{
    return -a->p0[j] * (a->log_p0[j] + a->entropy);
}

/* u: the gradient at beta z; to z directly and through beta. */
static void carry(const struct inner *a, const double *z, const double *u, size_t n, double *d)
{
    const double through = a->slope != 0 ? dot_scores(u, z, n) * a->slope : 0;
    for (size_t i = 0; i < n; i++)
        d[i] = a->beta * u[i] + through * entropy_slope(a, i);
}

static int32_t vjp(const struct norm__row *row, const double *w, const double *g, double *d)
{
    (void)w;
    const struct inner a = prepare(row);
    const double mean = norm__dot(a.p, g, row->n);
    for (size_t i = 0; i < row->n; i++)
        a.rest[i] = a.p[i] * (g[i] - mean);
    carry(&a, row->z, a.rest, row->n, d);
    return 0;
}

static int32_t log_vjp(const struct norm__row *row, const double *w, const double *g, double *d)
{
    (void)w;
    const struct inner a = prepare(row);
    const double total = norm__total(g, row->n);
    for (size_t i = 0; i < row->n; i++)
        a.rest[i] = row->z[i] == -INFINITY ? 0 : g[i] - a.p[i] * total;
    carry(&a, row->z, a.rest, row->n, d);
    return 0;
}

/* The change of x = beta z along v into dx, 0 where p is 0 (there z may be -inf); returns dH. */
static double scaled_along(const struct inner *a, const double *z, const double *v, size_t n, double *dx)
{
    struct norm__sum sum = {0, 0};
    for (size_t i = 0; i < n; i++)
        norm__sum_add(&sum, entropy_slope(a, i) * v[i]);
    const double change = norm__sum_value(sum);
    for (size_t i = 0; i < n; i++)
        dx[i] = a->p[i] > 0 ? a->beta * v[i] + a->slope * change * z[i] : 0;
    return change;
}

static void softmax_along(const double *p, const double *dx, size_t n, double *dp)
{
    const double mean = norm__dot(p, dx, n);
    for (size_t i = 0; i < n; i++)
        dp[i] = p[i] * (dx[i] - mean);
}

static int32_t jvp(const struct norm__row *row, const double *w, const double *v, double *d)
{
    (void)w;
    const struct inner a = prepare(row);
    scaled_along(&a, row->z, v, row->n, a.rest);
    softmax_along(a.p, a.rest, row->n, d);
    return 0;
}

/* The derivative along h of beta u + (u.z) beta' dH, with u = p (g - p.g) at beta z. */
static int32_t hvp(const struct norm__row *row, const double *w, const double *g, const double *h, double *dz,
                   double *dg)
{
    (void)w;
    const size_t n = row->n;
    const struct inner a = prepare(row);
    double *dx = a.rest, *u = a.rest + n, *du = a.rest + 2 * n, *dp0 = a.rest + 3 * n;
    const double dh = scaled_along(&a, row->z, h, n, dx);
    softmax_along(a.p, dx, n, dg);
    const double mean = norm__dot(a.p, g, n), mean_change = norm__dot(dg, g, n);
    for (size_t i = 0; i < n; i++) {
        u[i] = a.p[i] * (g[i] - mean);
        du[i] = dg[i] * (g[i] - mean) - a.p[i] * mean_change;
        dz[i] = a.beta * du[i] + a.slope * dh * u[i];
    }
    if (a.slope == 0)
        return 0;
    const double uz = dot_scores(u, row->z, n);
    const double change = (dot_scores(du, row->z, n) + norm__dot(u, h, n)) * a.slope + uz * a.bend * dh;
    const double inner_mean = norm__dot(a.p0, h, n);
    for (size_t i = 0; i < n; i++) {
        const double dlog = h[i] - inner_mean;
        dp0[i] = a.p0[i] * dlog;
        const double ddh = -dp0[i] * (a.log_p0[i] + a.entropy) - a.p0[i] * (dlog + dh);
        dz[i] += change * entropy_slope(&a, i) + uz * a.slope * ddh;
    }
    return 0;
}

const struct norm__kind norm__adaptive = {
    .name = "adaptive",
    .formula = "softmax(beta z), beta = max(1, a polynomial of the entropy of softmax(z)), 1 for entropies up to 0.5",
    .source = "Velickovic et al. 2024, arXiv 2410.01104",
    .keys = keys,
    .n_keys = sizeof keys / sizeof keys[0],
    .scratch = 7,
    .properties = properties,
    .apply = apply,
    .log_apply = log_apply,
    .vjp = vjp,
    .log_vjp = log_vjp,
    .jvp = jvp,
    .hvp = hvp,
    .gradient_bound = norm__gradient_bound_adaptive,
};
