/* SPDX-License-Identifier: MIT */
/* Softpick: relu(e^z - 1) over the sum of |e^z - 1|. Everything is multiplied by e^-m, m = max(0, max z), which keeps
 * it finite; epsilon is added after that, so in the formula it counts e^m times. */
#include <math.h>

#include "normalizers/kind.h"
#include "normalizers/sum.h"

static const struct norm__key keys[] = {
    NORM__TEMPERATURE,
    {"epsilon", "added to the sum, after the shift by the largest score", LIBNORM_KEY_LOW_OPEN, 1e-8, 0, INFINITY},
};

static uint64_t properties(const norm_normalizer *handle)
{
    (void)handle;
    return LIBNORM_PROPERTY_SPARSE;
}

/* The shift, and the denominator after it. */
struct shifted {
    double shift, total;
    ptrdiff_t at_shift; /* first index of the largest score, if it is above 0; else -1 */
};

/* e^-m (e^z - 1), by expm1 where e^z - 1 has few digits. */
static double numerator(double z, double shift)
{
    return z <= 1 ? exp(-shift) * expm1(z) : exp(z - shift) - exp(-shift);
}

static struct shifted prepare(const struct norm__row *row)
{
    struct shifted s = {0, 0, -1};
    for (size_t i = 0; i < row->n; i++) {
        if (row->z[i] > s.shift) {
            s.shift = row->z[i];
            s.at_shift = (ptrdiff_t)i;
        }
    }
    struct norm__sum sum = {row->handle->value[1], 0};
    for (size_t i = 0; i < row->n; i++)
        norm__sum_add(&sum, fabs(numerator(row->z[i], s.shift)));
    s.total = norm__sum_value(sum);
    return s;
}

static double weight(const struct norm__row *row, const struct shifted *s, size_t i)
{
    return row->z[i] > 0 ? numerator(row->z[i], s->shift) / s->total : 0;
}

/* sum_i w_i g_i. Of weights made here: those of the caller may be rounded to float, and where all scores are near 0 the
 * Jacobian is large and small at once, so that this rounding would be larger than the gradient. */
static double weighted(const struct norm__row *row, const struct shifted *s, const double *g)
{
    struct norm__sum sum = {0, 0};
    for (size_t i = 0; i < row->n; i++)
        norm__sum_add(&sum, weight(row, s, i) * g[i]);
    return norm__sum_value(sum);
}

static int32_t apply(const struct norm__row *row, double *w, struct norm__facts *facts)
{
    (void)facts;
    const struct shifted s = prepare(row);
    for (size_t i = 0; i < row->n; i++)
        w[i] = weight(row, &s, i);
    return 0;
}

static int32_t log_apply(const struct norm__row *row, double *log_w, struct norm__facts *facts)
{
    (void)facts;
    const struct shifted s = prepare(row);
    for (size_t i = 0; i < row->n; i++) {
        const double z = row->z[i], log_f = z > 1 ? z + log1p(-exp(-z)) : log(expm1(z));
        log_w[i] = z > 0 ? log_f - s.shift - log(s.total) : -INFINITY;
    }
    return 0;
}

/* a_j = [z_j > 0] e^(z_j - m), the slope of the numerator; b_j the slope of the denominator, epsilon's share at the
 * largest score included. J_ij = (delta_ij a_j - w_i b_j) / total. */
static void slopes(const struct norm__row *row, const struct shifted *s, double *a, double *b)
{
    for (size_t i = 0; i < row->n; i++) {
        const double z = row->z[i], e = exp(z - s->shift);
        a[i] = z > 0 ? e : 0;
        b[i] = z > 0 ? e : z < 0 ? -e : 0;
        if ((ptrdiff_t)i == s->at_shift)
            b[i] += row->handle->value[1];
    }
}

static int32_t vjp(const struct norm__row *row, const double *w, const double *g, double *d)
{
    (void)w;
    const struct shifted s = prepare(row);
    double *a = row->scratch, *b = row->scratch + row->n;
    slopes(row, &s, a, b);
    const double mean = weighted(row, &s, g);
    for (size_t i = 0; i < row->n; i++)
        d[i] = (a[i] * g[i] - b[i] * mean) / s.total;
    return 0;
}

static int32_t log_vjp(const struct norm__row *row, const double *w, const double *g, double *d)
{
    (void)w;
    const struct shifted s = prepare(row);
    double *a = row->scratch, *b = row->scratch + row->n;
    slopes(row, &s, a, b);
    struct norm__sum sum = {0, 0};
    for (size_t i = 0; i < row->n; i++)
        if (row->z[i] > 0)
            norm__sum_add(&sum, g[i]);
    const double total = norm__sum_value(sum);
    for (size_t i = 0; i < row->n; i++)
        d[i] = (row->z[i] > 0 ? g[i] / -expm1(-row->z[i]) : 0) - b[i] * total / s.total;
    return 0;
}

static int32_t jvp(const struct norm__row *row, const double *w, const double *v, double *d)
{
    (void)w;
    const struct shifted s = prepare(row);
    double *a = row->scratch, *b = row->scratch + row->n;
    slopes(row, &s, a, b);
    const double change = norm__dot(b, v, row->n);
    for (size_t i = 0; i < row->n; i++)
        d[i] = (a[i] * v[i] - weight(row, &s, i) * change) / s.total;
    return 0;
}

/* a and b are exponentials: along h they change by a h and b h. */
static int32_t hvp(const struct norm__row *row, const double *w, const double *g, const double *h, double *dz,
                   double *dg)
{
    (void)w;
    const size_t n = row->n;
    const struct shifted s = prepare(row);
    double *a = row->scratch, *b = row->scratch + n;
    slopes(row, &s, a, b);
    const double change = norm__dot(b, h, n) / s.total, mean = weighted(row, &s, g);
    for (size_t i = 0; i < n; i++)
        dg[i] = a[i] * h[i] / s.total - weight(row, &s, i) * change;
    const double mean_change = norm__dot(dg, g, n);
    for (size_t i = 0; i < n; i++)
        dz[i] = ((a[i] * g[i] - b[i] * mean) * (h[i] - change) - b[i] * mean_change) / s.total;
    return 0;
}

static int32_t param_vjp(const struct norm__row *row, const double *w, const double *g, size_t key, double *ret)
{
    (void)w, (void)key;
    const struct shifted s = prepare(row);
    *ret = -weighted(row, &s, g) / s.total;
    return 0;
}

const struct norm__kind norm__softpick = {
    .name = "softpick",
    .formula = "max(e^(z_i - m) - e^-m, 0) / (sum_j |e^(z_j - m) - e^-m| + epsilon), m = max(0, max z)",
    .source = "Zuhri, Fuadi and Aji 2025, arXiv 2504.20966",
    .keys = keys,
    .n_keys = sizeof keys / sizeof keys[0],
    .flags = NORM__KIND_REMAKES,
    .scratch = 2,
    .properties = properties,
    .apply = apply,
    .log_apply = log_apply,
    .vjp = vjp,
    .log_vjp = log_vjp,
    .jvp = jvp,
    .hvp = hvp,
    .param_vjp = param_vjp,
    .gradient_bound = norm__gradient_bound_softpick,
};
