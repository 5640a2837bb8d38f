/* SPDX-License-Identifier: MIT */
/* LSSAR: lssa's weights a re-weighted by relu(n a - o)^p. The second step is itself of the form F/sum F, in
 * u = n a - o, so derivatives are those of lssa and of that step, chained. Where no u is above 0 the row keeps a. */
#include "normalizers/softplus.h"
#include "normalizers/sum.h"

enum { key_scale = 1, key_p, key_offset };

static const struct norm__key keys[] = {
    NORM__TEMPERATURE,
    {"scale", "factor of log n; log of the head width in the paper", 0, 4.1588830833596715 /* log 64 */, -INFINITY,
     INFINITY},
    {"p", "power of the re-weighting", LIBNORM_KEY_LOW_OPEN, 3, 0, INFINITY},
    {"offset", "taken off n a before the power; 0 is used in rows of up to 3", 0, 1, -INFINITY, INFINITY},
};

static uint64_t properties(const norm_normalizer *handle)
{
    return LIBNORM_PROPERTY_SIMPLEX | LIBNORM_PROPERTY_SPARSE | LIBNORM_PROPERTY_USES_N |
           (handle->value[key_p] > 1 ? LIBNORM_PROPERTY_SMOOTH : 0);
}

static double scale(const norm_normalizer *handle, size_t n)
{
    return handle->value[key_scale] * log((double)n);
}

static double scale_gradient(const norm_normalizer *handle, size_t n, size_t key)
{
    (void)handle;
    return key == key_scale ? log((double)n) : 0;
}

/* The first step and what the second needs of it. */
struct step {
    const double *a; /* lssa's weights */
    const double *u; /* n a - offset, scaled so that the largest is 1; <= 0 off the support */
    double largest;  /* of n a - offset, before the scaling; <= 0: the row keeps a */
    double *rest;    /* 7 n doubles */
};

/* n a - 1 is a difference of nearly equal numbers on flat rows: it is taken as (f - mean f)/mean f. */
static struct step first_step(const struct norm__row *row)
{
    const size_t n = row->n;
    double *a = row->scratch, *u = row->scratch + n;
    for (size_t i = 0; i < n; i++)
        a[i] = norm__softplus_member.log_f(row->z[i]);
    double top = -INFINITY;
    for (size_t i = 0; i < n; i++)
        top = fmax(top, a[i]);
    for (size_t i = 0; i < n; i++)
        a[i] = exp(a[i] - top);
    const double total = norm__total(a, n), mean = total / (double)n;
    const double left = n > 3 ? 1 - row->handle->value[key_offset] : 1;
    double largest = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        u[i] = (a[i] - mean) / mean + left;
        largest = fmax(largest, u[i]);
        a[i] /= total;
    }
    for (size_t i = 0; i < n; i++)
        u[i] /= fabs(largest) > 0 ? fabs(largest) : 1;
    return (struct step){a, u, largest, row->scratch + 2 * n};
}

static int32_t apply(const struct norm__row *row, double *w, struct norm__facts *facts)
{
    (void)facts;
    const struct step s = first_step(row);
    const double p = row->handle->value[key_p];
    for (size_t i = 0; i < row->n; i++)
        w[i] = !(s.largest > 0) ? s.a[i] : s.u[i] > 0 ? pow(s.u[i], p) : 0;
    if (!(s.largest > 0))
        return 0;
    const double total = norm__total(w, row->n);
    for (size_t i = 0; i < row->n; i++)
        w[i] /= total;
    return 0;
}

/* The second step at a: its own weights, F'/S and, if asked for, F''/S with F = u^p, as derivatives in a. */
static void second_step(const struct norm__row *row, const struct step *s, double *w, double *b, double *e)
{
    const double p = row->handle->value[key_p], n_over = (double)row->n / s->largest;
    struct norm__sum sum = {0, 0};
    for (size_t i = 0; i < row->n; i++) {
        const int inside = s->u[i] > 0;
        w[i] = inside ? pow(s->u[i], p) : 0;
        b[i] = inside ? p * n_over * pow(s->u[i], p - 1) : 0;
        if (e != NULL)
            e[i] = inside ? p * (p - 1) * n_over * n_over * pow(s->u[i], p - 2) : 0;
        norm__sum_add(&sum, w[i]);
    }
    const double total = norm__sum_value(sum);
    for (size_t i = 0; i < row->n; i++) {
        w[i] /= total;
        b[i] /= total;
        if (e != NULL)
            e[i] /= total;
    }
}

/* The first step's F'/S in z. */
static void first_slopes(const struct norm__row *row, const double *a, double *b)
{
    for (size_t i = 0; i < row->n; i++)
        b[i] = a[i] * norm__softplus_member.slope(row->z[i]);
}

static int32_t vjp(const struct norm__row *row, const double *w, const double *g, double *d)
{
    (void)w;
    const size_t n = row->n;
    const struct step s = first_step(row);
    double *w2 = s.rest, *b = s.rest + n, *ga = s.rest + 2 * n;
    if (s.largest > 0) {
        second_step(row, &s, w2, b, NULL);
        norm__family_product(w2, b, g, n, ga);
    } else {
        for (size_t i = 0; i < n; i++)
            ga[i] = g[i];
    }
    first_slopes(row, s.a, b);
    norm__family_product(s.a, b, ga, n, d);
    return 0;
}

static int32_t jvp(const struct norm__row *row, const double *w, const double *v, double *d)
{
    (void)w;
    const size_t n = row->n;
    const struct step s = first_step(row);
    double *w2 = s.rest, *b = s.rest + n, *da = s.rest + 2 * n;
    first_slopes(row, s.a, b);
    norm__family_tangent(s.a, b, v, n, s.largest > 0 ? da : d);
    if (s.largest > 0) {
        second_step(row, &s, w2, b, NULL);
        norm__family_tangent(w2, b, da, n, d);
    }
    return 0;
}

/* The gradient ga that reaches a changes along da = A h by the second step's own second derivative, and is carried to z
 * by the first step; the first step's second derivative with upstream ga comes on top. */
static int32_t hvp(const struct norm__row *row, const double *w, const double *g, const double *h, double *dz,
                   double *dg)
{
    (void)w;
    const size_t n = row->n;
    const struct step s = first_step(row);
    double *w2 = s.rest, *b = s.rest + n, *e = s.rest + 2 * n, *da = s.rest + 3 * n, *ga = s.rest + 4 * n,
           *change = s.rest + 5 * n, *b1 = s.rest + 6 * n;
    first_slopes(row, s.a, b1);
    norm__family_tangent(s.a, b1, h, n, da);
    if (s.largest > 0) {
        second_step(row, &s, w2, b, e);
        norm__family_product(w2, b, g, n, ga);
        norm__family_second(w2, b, e, g, da, n, change);
        norm__family_tangent(w2, b, da, n, dg);
    } else {
        for (size_t i = 0; i < n; i++) {
            ga[i] = g[i];
            change[i] = 0;
            dg[i] = da[i];
        }
    }
    for (size_t i = 0; i < n; i++)
        e[i] = s.a[i] * norm__softplus_member.bend(row->z[i]);
    norm__family_second(s.a, b1, e, ga, h, n, dz);
    norm__family_product(s.a, b1, change, n, da);
    for (size_t i = 0; i < n; i++)
        dz[i] += da[i];
    return 0;
}

/* d log w_i is log u_i for p and -p / u_i for the offset, each minus its mean under w. */
static int32_t param_vjp(const struct norm__row *row, const double *w, const double *g, size_t key, double *ret)
{
    const struct step s = first_step(row);
    *ret = 0;
    if (key == key_scale || !(s.largest > 0) || (key == key_offset && row->n <= 3))
        return 0;
    const double mean = norm__dot(w, g, row->n);
    struct norm__sum sum = {0, 0};
    for (size_t i = 0; i < row->n; i++) {
        if (!(s.u[i] > 0))
            continue;
        const double slope = key == key_p ? log(s.u[i]) : -row->handle->value[key_p] / (s.u[i] * s.largest);
        norm__sum_add(&sum, (g[i] - mean) * w[i] * slope);
    }
    *ret = norm__sum_value(sum);
    return 0;
}

const struct norm__kind norm__lssar = {
    .name = "lssar",
    .formula = "max(n a_i - o, 0)^p / sum, a = lssa's weights, o = offset for n > 3, else 0; all 0: a",
    .source = "Gao, Spratling and Letizia 2025, arXiv 2501.13428",
    .keys = keys,
    .n_keys = sizeof keys / sizeof keys[0],
    .scratch = 9,
    .properties = properties,
    .scale = scale,
    .scale_gradient = scale_gradient,
    .apply = apply,
    .vjp = vjp,
    .jvp = jvp,
    .hvp = hvp,
    .param_vjp = param_vjp,
    .gradient_bound = norm__gradient_bound_lssar,
};
