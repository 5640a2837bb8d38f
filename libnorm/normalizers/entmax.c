/* SPDX-License-Identifier: MIT */
/* Entmax: softmax at alpha = 1, sparsemax at 2, in between as smooth and as sparse as one likes. Closed forms at 1, 1.5
 * and 2; elsewhere the weights follow from the largest or the smallest one, see entmax_solve.h. */
#include "normalizers/entmax.h"

#include "normalizers/entmax_fast.h"
#include "normalizers/entmax_solve.h"
#include "normalizers/softmax.h"
#include "normalizers/sum.h"
#include "normalizers/threshold.h"

static const struct norm__key keys[] = {NORM__TEMPERATURE, NORM__ENTMAX_ALPHA_KEY};

static double alpha_of(const struct norm__row *row)
{
    return row->handle->value[1];
}

uint64_t norm__entmax_properties(const norm_normalizer *handle)
{
    const uint64_t always =
        LIBNORM_PROPERTY_SIMPLEX | LIBNORM_PROPERTY_SHIFT_INVARIANT | LIBNORM_PROPERTY_SYMMETRIC;
    const double alpha = handle->value[1];
    if (alpha == 1)
        return always | LIBNORM_PROPERTY_SMOOTH | LIBNORM_PROPERTY_FAMILY;
    /* p is a power 1/(alpha - 1) of the distance to the threshold: differentiable there when that power is above 1. */
    return always | LIBNORM_PROPERTY_SPARSE | (alpha < 2 ? LIBNORM_PROPERTY_SMOOTH : 0);
}

/* alpha = 1.5 and 2: a power of the distance to a threshold. */
static void apply_threshold(const struct norm__row *row, double *w, struct norm__facts *facts)
{
    const double *z = row->z;
    if (alpha_of(row) == 2) {
        facts->threshold = norm__threshold_linear(z, row->n, row->scratch);
        for (size_t i = 0; i < row->n; i++)
            w[i] = fmax(z[i] - facts->threshold, 0);
        return;
    }
    double *half = row->scratch + row->n;
    for (size_t i = 0; i < row->n; i++)
        half[i] = 0.5 * z[i];
    const double tau = norm__threshold_square(half, row->n, row->scratch);
    for (size_t i = 0; i < row->n; i++) {
        const double u = fmax(half[i] - tau, 0);
        w[i] = u * u;
    }
    facts->threshold = 2 * tau;
}

int32_t norm__entmax_apply(const struct norm__row *row, double *w, struct norm__facts *facts)
{
    const double alpha = alpha_of(row), delta = alpha - 1;
    if (alpha == 2 || alpha == 1.5) {
        apply_threshold(row, w, facts);
        return 0;
    }
    if (alpha > 2) {
        norm__entmax_steep(row->z, row->n, alpha, w, &facts->threshold, row->scratch);
        return 0;
    }
    const double log_largest = norm__entmax_log_largest(row->z, row->n, alpha, row->scratch);
    const double power = exp(delta * log_largest);
    for (size_t i = 0; i < row->n; i++)
        w[i] = norm__entmax_ratio(row->z[i], delta, power);
    const double total = norm__total(w, row->n);
    for (size_t i = 0; i < row->n; i++)
        w[i] /= total;
    if (delta == 0)
        facts->log_sum = -log_largest;
    else
        facts->threshold = -power / delta; /* where 1 + delta z / power is 0 */
    return 0;
}

int32_t norm__entmax_log_apply(const struct norm__row *row, double *log_w, struct norm__facts *facts)
{
    const double alpha = alpha_of(row), delta = alpha - 1;
    if (alpha > 2) { /* a root of the distance to the threshold: it does not underflow */
        norm__entmax_steep(row->z, row->n, alpha, log_w, &facts->threshold, row->scratch);
        for (size_t i = 0; i < row->n; i++)
            log_w[i] = log(log_w[i]);
        return 0;
    }
    const double log_largest = norm__entmax_log_largest(row->z, row->n, alpha, row->scratch);
    const double power = exp(delta * log_largest);
    for (size_t i = 0; i < row->n; i++) {
        const double x = delta * row->z[i] / power;
        if (delta == 0)
            log_w[i] = row->z[i] + log_largest;
        else
            log_w[i] = x > -1 ? log1p(x) / delta + log_largest : -INFINITY;
    }
    if (delta == 0)
        facts->log_sum = -log_largest;
    else
        facts->threshold = -power / delta;
    return 0;
}

/* s_i = w_i^(2 - alpha) on the support: the Jacobian is diag(s) - s s^T / sum s. For alpha > 2 it grows without limit
 * as a weight goes to 0; the cap keeps sums finite. */
static void slopes(const struct norm__row *row, const double *w, double *s)
{
    const double alpha = alpha_of(row);
    for (size_t i = 0; i < row->n; i++) {
        if (!(w[i] > 0))
            s[i] = 0;
        else
            s[i] = alpha == 1     ? w[i]
                   : alpha == 1.5 ? sqrt(w[i])
                   : alpha == 2   ? 1
                                  : fmin(pow(w[i], 2 - alpha), 1e280);
    }
}

/* Where one s outweighs all others together, its entry of a result that sums to 0 is minus the sum of the others: its
 * own formula would be a difference of nearly equal numbers times a huge one. */
static void balance(const double *s, size_t n, double *d)
{
    size_t largest = 0;
    struct norm__sum others = {0, 0}, rest = {0, 0};
    for (size_t i = 1; i < n; i++)
        if (s[i] > s[largest])
            largest = i;
    for (size_t i = 0; i < n; i++) {
        norm__sum_add(&others, i == largest ? 0 : s[i]);
        norm__sum_add(&rest, i == largest ? 0 : d[i]);
    }
    if (s[largest] > norm__sum_value(others))
        d[largest] = -norm__sum_value(rest);
}

/* d = s (g - mean of g under s) */
static void centre(const double *s, const double *g, size_t n, double *d)
{
    const double mean = norm__dot(s, g, n) / norm__total(s, n);
    for (size_t i = 0; i < n; i++)
        d[i] = s[i] > 0 ? s[i] * (g[i] - mean) : 0;
    balance(s, n, d);
}

int32_t norm__entmax_vjp(const struct norm__row *row, const double *w, const double *g, double *d)
{
    slopes(row, w, row->scratch);
    centre(row->scratch, g, row->n, d);
    return 0;
}

int32_t norm__entmax_log_vjp(const struct norm__row *row, const double *w, const double *g, double *d)
{
    /* d log w_i / dz_i has the factor w_i^(1 - alpha) = 1 / (power (1 + x_i)), which is known also where w_i became 0
     * by underflow: near alpha = 1 such entries keep their gradient, as they do for softmax. */
    const double delta = alpha_of(row) - 1;
    double largest = 0, *s = row->scratch, *r = row->scratch + row->n;
    if (delta == 0) /* no score is outside the support, not even -inf */
        return norm__softmax_log_vjp(row, w, g, d);
    for (size_t i = 0; i < row->n; i++)
        largest = fmax(largest, w[i]);
    const double power = pow(largest, delta);
    slopes(row, w, s);
    for (size_t i = 0; i < row->n; i++) {
        const double u = 1 + delta * row->z[i] / power;
        const int inside = w[i] > 0 || (delta < 1 && u > 1e-6);
        r[i] = !inside ? 0 : w[i] > 0 ? s[i] / w[i] : 1 / (power * u);
    }
    const double mean = norm__dot(r, g, row->n) / norm__total(s, row->n);
    for (size_t i = 0; i < row->n; i++)
        d[i] = r[i] > 0 ? r[i] * g[i] - s[i] * mean : 0;
    return 0;
}

/* With g~ and h~ centred under s: dg = s h~ and dz = c - s sum c / sum s, where c_i = (2 - alpha) w_i^(3 - 2 alpha)
 * g~_i h~_i, since ds_i/dz_i is (2 - alpha) s_i s_i / w_i. */
int32_t norm__entmax_hvp(const struct norm__row *row, const double *w, const double *g, const double *h, double *dz,
                         double *dg)
{
    const double alpha = alpha_of(row);
    double *s = row->scratch;
    slopes(row, w, s);
    centre(s, h, row->n, dg);
    centre(s, g, row->n, dz);
    for (size_t i = 0; i < row->n; i++)
        dz[i] = s[i] > 0 ? (2 - alpha) * (dz[i] / w[i]) * dg[i] : 0;
    const double sum = norm__total(dz, row->n) / norm__total(s, row->n);
    for (size_t i = 0; i < row->n; i++)
        dz[i] -= s[i] * sum;
    balance(s, row->n, dz);
    return 0;
}

/* (e^x - 1 - x) / x^2 for x >= 0, without cancelling near 0. */
static double second_remainder(double x)
{
    if (x >= 0.5)
        return (expm1(x) - x) / (x * x);
    double term = 0.5, sum = 0.5;
    for (int k = 3; k < 20; k++) {
        term *= x / k;
        sum += term;
    }
    return sum;
}

/* With u = log w, x = -delta u, Phi = u^2 (e^x - 1 - x)/x^2 and Z = sum w e^x, on the support
 *     dw_i/dalpha = (w_i / Z) ((1 + x_i) sum w Phi - (1 + sum w x) Phi_i):
 * the terms in 1/delta of the usual form have cancelled, so alpha = 1 needs no limit. */
int32_t norm__entmax_param_vjp(const struct norm__row *row, const double *w, const double *g, size_t key, double *ret)
{
    (void)key;
    const double delta = alpha_of(row) - 1;
    struct norm__sum sum_x = {0, 0}, sum_phi = {0, 0}, sum_e = {0, 0}, g_one = {0, 0}, g_phi = {0, 0};
    for (size_t i = 0; i < row->n; i++) {
        if (!(w[i] > 0))
            continue;
        const double u = log(w[i]), x = -delta * u;
        /* w e^x as one power, so that a tiny weight cannot overflow on the way. */
        const double power = exp(u + x);
        const double phi = x < 0.5 ? w[i] * u * u * second_remainder(x) : (power - w[i] - w[i] * x) / (delta * delta);
        norm__sum_add(&sum_x, w[i] * x);
        norm__sum_add(&sum_phi, phi);
        norm__sum_add(&sum_e, power);
        norm__sum_add(&g_one, g[i] * w[i] * (1 + x));
        norm__sum_add(&g_phi, g[i] * phi);
    }
    *ret = (norm__sum_value(g_one) * norm__sum_value(sum_phi) -
            (1 + norm__sum_value(sum_x)) * norm__sum_value(g_phi)) /
           norm__sum_value(sum_e);
    return 0;
}

int32_t norm__entmax_form(const struct norm__row *row, double *w, struct norm__form *ret)
{
    ret->shape = NORM__FORM_SYMMETRIC;
    slopes(row, w, ret->s);
    return 0;
}

double norm__entmax_loss_alpha(const norm_normalizer *handle)
{
    return handle->value[1];
}

const struct norm__kind norm__entmax = {
    .name = "entmax",
    .formula = "max((alpha - 1) z_i - tau, 0)^(1 / (alpha - 1)), tau such that the sum is 1",
    .source = "Peters, Niculae and Martins 2019, arXiv 1905.05702; gradient in alpha: Correia, Niculae and Martins "
              "2019, arXiv 1909.00015",
    .keys = keys,
    .n_keys = sizeof keys / sizeof keys[0],
    .flags = NORM__KIND_THRESHOLD | NORM__KIND_LOG_SUM,
    .scratch = 2,
    .properties = norm__entmax_properties,
    .apply = norm__entmax_apply,
    .log_apply = norm__entmax_log_apply,
    .vjp = norm__entmax_vjp,
    .log_vjp = norm__entmax_log_vjp,
    .hvp = norm__entmax_hvp,
    .param_vjp = norm__entmax_param_vjp,
    .loss_alpha = norm__entmax_loss_alpha,
    .form = norm__entmax_form,
    .gradient_bound = norm__gradient_bound_entmax,
    .fast_f32 = &norm__entmax_fast_f32,
};
