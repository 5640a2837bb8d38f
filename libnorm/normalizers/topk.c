/* SPDX-License-Identifier: MIT */
/* Top-k: softmax over the k largest scores, ties to the lower index; or, without renormalizing, softmax over all of
 * them with the rest of the weights deleted. */
#include <math.h>

#include "normalizers/kind.h"
#include "normalizers/sum.h"

enum { key_k = 1, key_renormalize };

static const struct norm__key keys[] = {
    NORM__TEMPERATURE,
    {"k", "how many scores keep their weight", LIBNORM_KEY_REQUIRED | LIBNORM_KEY_INTEGER, 0, 1, 9007199254740992.0},
    {"renormalize", "1: softmax over the kept scores; 0: softmax over all, the others deleted", LIBNORM_KEY_INTEGER, 1,
     0, 1},
};

static int renormalizes(const norm_normalizer *handle)
{
    return handle->value[key_renormalize] != 0;
}

static uint64_t properties(const norm_normalizer *handle)
{
    return LIBNORM_PROPERTY_SPARSE | LIBNORM_PROPERTY_SHIFT_INVARIANT |
           (renormalizes(handle) ? LIBNORM_PROPERTY_SIMPLEX | LIBNORM_PROPERTY_SYMMETRIC : 0);
}

static double middle_of_three(double a, double b, double c)
{
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* The k-th largest of x, 1 <= k <= n, and how many values are larger than it. Reorders x. Linear expected time: each
 * round keeps one side of a pivot, and equal values all at once. */
static double kth_largest(double *x, size_t n, size_t k, size_t *ret_larger)
{
    size_t larger_before = 0;
    for (;;) {
        const double pivot = middle_of_three(x[0], x[n / 2], x[n - 1]);
        size_t larger = 0, equal = 0, smaller = 0;
        for (size_t i = 0; i < n; i++) {
            larger += x[i] > pivot;
            equal += x[i] == pivot;
        }
        if (k > larger && k <= larger + equal) {
            *ret_larger = larger_before + larger;
            return pivot;
        }
        const int up = k <= larger;
        for (size_t i = 0; i < n; i++)
            if (up ? x[i] > pivot : x[i] < pivot)
                x[smaller++] = x[i];
        if (!up) {
            larger_before += larger + equal;
            k -= larger + equal;
        }
        n = smaller;
    }
}

/* kept[i] = 1 for the k largest, ties to the lower index; uses n more doubles behind kept. */
static void keep_largest(const struct norm__row *row, double *kept)
{
    const double k_value = row->handle->value[key_k];
    const size_t n = row->n, k = k_value < (double)n ? (size_t)k_value : n;
    double *copy = kept + n;
    for (size_t i = 0; i < n; i++)
        copy[i] = row->z[i];
    size_t larger;
    const double last = kth_largest(copy, n, k, &larger);
    size_t ties = k - larger;
    for (size_t i = 0; i < n; i++) {
        const int tie = row->z[i] == last && ties > 0;
        ties -= (size_t)tie;
        kept[i] = row->z[i] > last || tie ? 1 : 0;
    }
}

/* log of the sum of exp(z) over the kept scores, or over all. */
static double log_sum(const struct norm__row *row, const double *kept)
{
    struct norm__sum sum = {0, 0};
    for (size_t i = 0; i < row->n; i++)
        if (!renormalizes(row->handle) || kept[i] > 0)
            norm__sum_add(&sum, exp(row->z[i]));
    return log(norm__sum_value(sum));
}

static int32_t log_apply(const struct norm__row *row, double *log_w, struct norm__facts *facts)
{
    double *kept = row->scratch;
    keep_largest(row, kept);
    facts->log_sum = log_sum(row, kept);
    for (size_t i = 0; i < row->n; i++)
        log_w[i] = kept[i] > 0 ? row->z[i] - facts->log_sum : -INFINITY;
    return 0;
}

static int32_t apply(const struct norm__row *row, double *w, struct norm__facts *facts)
{
    double *kept = row->scratch;
    keep_largest(row, kept);
    facts->log_sum = log_sum(row, kept);
    const double sum = exp(facts->log_sum);
    for (size_t i = 0; i < row->n; i++)
        w[i] = kept[i] > 0 ? exp(row->z[i]) / sum : 0;
    return 0;
}

/* The softmax over all scores whose entries the weights are, into p: without renormalizing, a dropped entry still takes
 * part in the sum and receives a gradient. */
static void underlying(const struct norm__row *row, const double *w, double *p)
{
    if (renormalizes(row->handle)) {
        for (size_t i = 0; i < row->n; i++)
            p[i] = w[i];
        return;
    }
    for (size_t i = 0; i < row->n; i++)
        p[i] = exp(row->z[i]);
    const double sum = norm__total(p, row->n);
    for (size_t i = 0; i < row->n; i++)
        p[i] /= sum;
}

/* d = p (x - p.x), x taken as 0 where cut says so on the way in (vjp) or the result cut on the way out (jvp) */
static void softmax_product(const double *p, const double *x, const double *kept, int cut_in, int cut_out, size_t n,
                            double *d)
{
    for (size_t i = 0; i < n; i++)
        d[i] = !cut_in || kept[i] > 0 ? x[i] : 0;
    const double mean = norm__dot(p, d, n);
    for (size_t i = 0; i < n; i++)
        d[i] = !cut_out || kept[i] > 0 ? p[i] * (d[i] - mean) : 0;
}

static int32_t vjp(const struct norm__row *row, const double *w, const double *g, double *d)
{
    double *kept = row->scratch, *p = row->scratch + 2 * row->n;
    keep_largest(row, kept);
    underlying(row, w, p);
    softmax_product(p, g, kept, 1, renormalizes(row->handle), row->n, d);
    return 0;
}

static int32_t log_vjp(const struct norm__row *row, const double *w, const double *g, double *d)
{
    double *kept = row->scratch, *p = row->scratch + 2 * row->n;
    keep_largest(row, kept);
    underlying(row, w, p);
    for (size_t i = 0; i < row->n; i++)
        d[i] = kept[i] > 0 ? g[i] : 0;
    const double total = norm__total(d, row->n);
    for (size_t i = 0; i < row->n; i++)
        d[i] -= p[i] * total;
    return 0;
}

static int32_t jvp(const struct norm__row *row, const double *w, const double *v, double *d)
{
    double *kept = row->scratch, *p = row->scratch + 2 * row->n;
    keep_largest(row, kept);
    underlying(row, w, p);
    softmax_product(p, v, kept, renormalizes(row->handle), 1, row->n, d);
    return 0;
}

/* On a fixed kept set: softmax's, of g cut to the set, with the Jacobian of the softmax underneath. */
static int32_t hvp(const struct norm__row *row, const double *w, const double *g, const double *h, double *dz,
                   double *dg)
{
    const size_t n = row->n;
    double *kept = row->scratch, *p = row->scratch + 2 * n;
    keep_largest(row, kept);
    underlying(row, w, p);
    softmax_product(p, h, kept, renormalizes(row->handle), 1, n, dg);
    struct norm__sum mean_g = {0, 0}, mean_h = {0, 0};
    for (size_t i = 0; i < n; i++) {
        if (kept[i] > 0)
            norm__sum_add(&mean_g, p[i] * g[i]);
        if (p[i] > 0)
            norm__sum_add(&mean_h, p[i] * h[i]);
    }
    const double g_mean = norm__sum_value(mean_g), h_mean = norm__sum_value(mean_h);
    for (size_t i = 0; i < n; i++) {
        const double cut = kept[i] > 0 ? g[i] : 0;
        dz[i] = p[i] > 0 ? p[i] * (h[i] - h_mean) * (cut - g_mean) : 0;
    }
    const double total = norm__total(dz, n);
    for (size_t i = 0; i < n; i++)
        dz[i] -= p[i] * total;
    return 0;
}

static int32_t form(const struct norm__row *row, double *w, struct norm__form *ret)
{
    ret->shape = renormalizes(row->handle) ? NORM__FORM_SYMMETRIC : NORM__FORM_NONE;
    for (size_t i = 0; i < row->n; i++)
        ret->s[i] = w[i];
    return 0;
}

/* Among +inf the first k keep an equal share. */
static int32_t limit(const struct norm__row *row, double *w)
{
    const double k = row->handle->value[key_k];
    double infinite = 0, seen = 0;
    for (size_t i = 0; i < row->n; i++)
        infinite += row->z[i] == INFINITY;
    const double share = 1 / (renormalizes(row->handle) ? fmin(k, infinite) : infinite);
    for (size_t i = 0; i < row->n; i++) {
        const int keep = row->z[i] == INFINITY && seen < k;
        seen += keep;
        w[i] = keep ? share : 0;
    }
    return 0;
}

const struct norm__kind norm__topk = {
    .name = "topk",
    .formula = "exp(z_i) / sum over the k largest, 0 for the others; ties go to the lower index",
    .source = "Fan, Lewis and Dauphin 2018, arXiv 1805.04833 (for sampling); Gupta et al. 2021, arXiv 2106.06899",
    .keys = keys,
    .n_keys = sizeof keys / sizeof keys[0],
    .flags = NORM__KIND_LOG_SUM,
    .scratch = 3,
    .properties = properties,
    .apply = apply,
    .log_apply = log_apply,
    .vjp = vjp,
    .log_vjp = log_vjp,
    .jvp = jvp,
    .hvp = hvp,
    .limit = limit,
    .form = form,
    .gradient_bound = norm__gradient_bound_topk,
};
