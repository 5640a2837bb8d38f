/* SPDX-License-Identifier: MIT */
/* Normmax: argmax over the simplex of p.z - ||p||_gamma. With tau solving sum (z - tau)_+^(gamma/(gamma-1)) = 1 and
 * q = (z - tau)_+^(1/(gamma-1)), the weights are q / sum q. Since sum q^gamma = 1, Q = sum q follows from the
 * weights. */
#include <math.h>

#include "normalizers/kind.h"
#include "normalizers/sum.h"
#include "normalizers/threshold.h"

static const struct norm__key keys[] = {
    NORM__TEMPERATURE,
    {"gamma", "order of the norm that is subtracted", LIBNORM_KEY_LOW_OPEN, 2, 1, 100},
};

static double gamma_of(const struct norm__row *row)
{
    return row->handle->value[1];
}

static uint64_t properties(const norm_normalizer *handle)
{
    (void)handle;
    return LIBNORM_PROPERTY_SIMPLEX | LIBNORM_PROPERTY_SPARSE | LIBNORM_PROPERTY_SHIFT_INVARIANT |
           LIBNORM_PROPERTY_SYMMETRIC;
}

static int32_t apply(const struct norm__row *row, double *w, struct norm__facts *facts)
{
    const double gamma = gamma_of(row);
    const double tau = norm__threshold_power(row->z, row->n, gamma / (gamma - 1), row->scratch);
    /* Relative to the largest, which is -tau, so that no power underflows where its weight does not. */
    for (size_t i = 0; i < row->n; i++) {
        const double u = row->z[i] - tau;
        w[i] = u > 0 ? pow(u / -tau, 1 / (gamma - 1)) : 0;
    }
    const double total = norm__total(w, row->n);
    for (size_t i = 0; i < row->n; i++)
        w[i] /= total;
    facts->threshold = tau;
    return 0;
}

/* Q from sum (w Q)^gamma = 1, by the largest weight first: w^gamma may underflow. */
static double q_total(const double *w, size_t n, double gamma)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, w[i]);
    struct norm__sum sum = {0, 0};
    for (size_t i = 0; i < n; i++)
        if (w[i] > 0)
            norm__sum_add(&sum, pow(w[i] / largest, gamma));
    return pow(norm__sum_value(sum), -1 / gamma) / largest;
}

/* t_i = q_i^(2 - gamma) / ((gamma - 1) Q) on the support, 0 elsewhere; returns Q. */
static double slopes(const struct norm__row *row, const double *w, double *t)
{
    const double gamma = gamma_of(row), total = q_total(w, row->n, gamma);
    for (size_t i = 0; i < row->n; i++)
        t[i] = w[i] > 0 ? pow(w[i] * total, 2 - gamma) / ((gamma - 1) * total) : 0;
    return total;
}

/* J = (I - w 1^T) diag(t) (I - 1 w^T), applied to g. */
static void product(const double *w, const double *t, const double *g, size_t n, double *d)
{
    const double mean = norm__dot(w, g, n);
    for (size_t i = 0; i < n; i++)
        d[i] = t[i] > 0 ? t[i] * (g[i] - mean) : 0;
    const double sum = norm__total(d, n);
    for (size_t i = 0; i < n; i++)
        d[i] -= w[i] * sum;
}

static int32_t vjp(const struct norm__row *row, const double *w, const double *g, double *d)
{
    slopes(row, w, row->scratch);
    product(w, row->scratch, g, row->n, d);
    return 0;
}

static int32_t hvp(const struct norm__row *row, const double *w, const double *g, const double *h, double *dz,
                   double *dg)
{
    const size_t n = row->n;
    const double gamma = gamma_of(row);
    double *t = row->scratch, *dr = row->scratch + n;
    const double total = slopes(row, w, t);
    product(w, t, h, n, dg);
    const double mean_g = norm__dot(w, g, n), mean_h = norm__dot(w, h, n), slope_g = norm__dot(dg, g, n);
    /* dq = q^(2-gamma) (h - w.h) / (gamma - 1) = t Q (h - w.h) */
    struct norm__sum dq_sum = {0, 0};
    for (size_t i = 0; i < n; i++)
        norm__sum_add(&dq_sum, t[i] > 0 ? t[i] * total * (h[i] - mean_h) : 0);
    const double dq_relative = norm__sum_value(dq_sum) / total;
    struct norm__sum r = {0, 0};
    for (size_t i = 0; i < n; i++) {
        dr[i] = 0;
        if (!(t[i] > 0))
            continue;
        const double dq = t[i] * (h[i] - mean_h); /* over Q, as is w below */
        const double dt = t[i] * ((2 - gamma) * dq / w[i] - dq_relative);
        dr[i] = dt * (g[i] - mean_g) - t[i] * slope_g;
        norm__sum_add(&r, t[i] * (g[i] - mean_g));
    }
    const double r_sum = norm__sum_value(r), dr_sum = norm__total(dr, n);
    for (size_t i = 0; i < n; i++)
        dz[i] = dr[i] - dg[i] * r_sum - w[i] * dr_sum;
    return 0;
}

/* dtau/dgamma = -sum q^gamma log q / (gamma Q), dq = -(q log q + q^(2-gamma) dtau) / (gamma - 1),
 * dw = (dq - w sum dq)/Q */
static int32_t param_vjp(const struct norm__row *row, const double *w, const double *g, size_t key, double *ret)
{
    (void)key;
    const double gamma = gamma_of(row), total = q_total(w, row->n, gamma);
    struct norm__sum entropy = {0, 0}, g_dq = {0, 0}, dq_sum = {0, 0};
    for (size_t i = 0; i < row->n; i++)
        if (w[i] > 0)
            norm__sum_add(&entropy, pow(w[i] * total, gamma) * log(w[i] * total));
    const double tau_slope = -norm__sum_value(entropy) / (gamma * total);
    for (size_t i = 0; i < row->n; i++) {
        if (!(w[i] > 0))
            continue;
        const double q = w[i] * total;
        const double dq = -(q * log(q) + pow(q, 2 - gamma) * tau_slope) / (gamma - 1);
        norm__sum_add(&g_dq, g[i] * dq);
        norm__sum_add(&dq_sum, dq);
    }
    *ret = (norm__sum_value(g_dq) - norm__dot(w, g, row->n) * norm__sum_value(dq_sum)) / total;
    return 0;
}

const struct norm__kind norm__normmax = {
    .name = "normmax",
    .formula = "q_i / sum_j q_j, q_i = max(z_i - tau, 0)^(1 / (gamma - 1)), tau such that sum q^gamma = 1",
    .source = "Blondel, Martins and Niculae 2019, arXiv 1901.02324; Santos et al. 2024, arXiv 2402.13725",
    .keys = keys,
    .n_keys = sizeof keys / sizeof keys[0],
    .flags = NORM__KIND_THRESHOLD,
    .scratch = 2,
    .properties = properties,
    .apply = apply,
    .vjp = vjp,
    .hvp = hvp,
    .param_vjp = param_vjp,
    .gradient_bound = norm__gradient_bound_normmax,
};
