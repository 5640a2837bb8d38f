/* SPDX-License-Identifier: MIT */
/* Self-adjusted softmax: the weights p of softmax times the scores (variant 1), or times the scores brought to [0, 1]
 * by the row's least and largest (variant 2): (z - lo) / (hi - lo), lo = min(min z, 0), hi = max(max z, 0). */
#include "normalizers/sasoftmax.h"

#include "normalizers/sum.h"

static const struct norm__key keys[] = {
    NORM__TEMPERATURE,
    {"variant", "1: z p; 2: z brought to [0, 1] by the row's range, times p", LIBNORM_KEY_INTEGER, 1, 1, 2},
};

static int is_plain(const norm_normalizer *handle)
{
    return handle->value[1] == 1;
}

static uint64_t properties(const norm_normalizer *handle)
{
    return is_plain(handle) ? LIBNORM_PROPERTY_SMOOTH : 0;
}

/* Variant 1 has negative weights. */
static int supports(const norm_normalizer *handle, int32_t operation)
{
    return !is_plain(handle) || (operation != LIBNORM_OPERATION_LOG_APPLY && operation != LIBNORM_OPERATION_LOG_VJP);
}

struct norm__adjusted norm__adjusted_row(const struct norm__row *row)
{
    const size_t n = row->n;
    struct norm__adjusted r = {row->scratch, row->scratch + n, 1, -1, -1};
    double top = -INFINITY, least = 0, most = 0;
    for (size_t i = 0; i < n; i++) {
        top = fmax(top, row->z[i]);
        if (row->z[i] < least) {
            least = row->z[i];
            r.at_least = (ptrdiff_t)i;
        }
        if (row->z[i] > most) {
            most = row->z[i];
            r.at_most = (ptrdiff_t)i;
        }
    }
    for (size_t i = 0; i < n; i++)
        r.p[i] = exp(row->z[i] - top);
    const double total = norm__total(r.p, n);
    for (size_t i = 0; i < n; i++)
        r.p[i] /= total;
    if (is_plain(row->handle)) {
        r.at_least = r.at_most = -1;
        for (size_t i = 0; i < n; i++)
            r.t[i] = row->z[i] == -INFINITY ? 0 : row->z[i]; /* its p is 0 */
        return r;
    }
    r.range = most - least;
    /* A -inf makes the range infinite: every finite score is then at the top of it, and nothing moves with it. */
    for (size_t i = 0; i < n; i++)
        r.t[i] = r.range == INFINITY ? row->z[i] != -INFINITY : r.range > 0 ? (row->z[i] - least) / r.range : 0;
    return r;
}

static int32_t apply(const struct norm__row *row, double *w, struct norm__facts *facts)
{
    (void)facts;
    const struct norm__adjusted r = norm__adjusted_row(row);
    for (size_t i = 0; i < row->n; i++)
        w[i] = r.t[i] * r.p[i];
    return 0;
}

static int32_t log_apply(const struct norm__row *row, double *log_w, struct norm__facts *facts)
{
    (void)facts;
    const struct norm__adjusted r = norm__adjusted_row(row);
    double top = -INFINITY;
    for (size_t i = 0; i < row->n; i++)
        top = fmax(top, row->z[i]);
    struct norm__sum sum = {0, 0};
    for (size_t i = 0; i < row->n; i++)
        norm__sum_add(&sum, exp(row->z[i] - top));
    const double log_sum = log(norm__sum_value(sum));
    for (size_t i = 0; i < row->n; i++)
        log_w[i] = log(r.t[i]) + (row->z[i] - top - log_sum);
    return 0;
}

/* Plus infinity stays in variant 1 (inf times its share) and shares 1 in variant 2. */
static int32_t limit(const struct norm__row *row, double *w)
{
    double infinite = 0;
    for (size_t i = 0; i < row->n; i++)
        infinite += row->z[i] == INFINITY;
    for (size_t i = 0; i < row->n; i++)
        w[i] = row->z[i] != INFINITY ? 0 : is_plain(row->handle) ? INFINITY : 1 / infinite;
    return 0;
}

const struct norm__kind norm__sasoftmax = {
    .name = "sasoftmax",
    .formula = "t_i softmax(z)_i; variant 1: t = z; 2: t = (z - lo)/(hi - lo), lo = min(min z, 0), hi = max(max z, 0)",
    .source = "Zheng et al. 2025, arXiv 2502.18277",
    .keys = keys,
    .n_keys = sizeof keys / sizeof keys[0],
    .scratch = 5,
    .properties = properties,
    .supports = supports,
    .apply = apply,
    .log_apply = log_apply,
    .vjp = norm__adjusted_vjp,
    .jvp = norm__adjusted_jvp,
    .hvp = norm__adjusted_hvp,
    .limit = limit,
    .gradient_bound = norm__gradient_bound_sasoftmax,
};
