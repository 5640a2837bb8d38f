/* SPDX-License-Identifier: MIT */
/* A member of the family F / sum F whose F is the caller's. */
#include <math.h>

#include "normalizers/blame.h"
#include "normalizers/family.h"
#include "normalizers/own.h"
#include "normalizers/sum.h"

static const struct norm__key keys[] = {NORM__TEMPERATURE};

/* How a row's F add up: F_i = value_i * unit for f, F_i = exp(value_i + log_unit) for log_f. */
struct total {
    double unit;     /* the largest F; 0: all are 0; +inf: some are */
    double log_unit; /* with log_f: log F of the largest; unit is then 1, 0 or +inf */
    double sum;      /* of F / unit */
};

static const norm_family *family_of(const struct norm__row *row)
{
    return &norm__own_of(row->handle)->family;
}

static uint64_t properties(const norm_normalizer *handle)
{
    (void)handle;
    return LIBNORM_PROPERTY_SIMPLEX | LIBNORM_PROPERTY_FAMILY;
}

static int32_t call_f(const struct norm__row *row, double *f, struct total *total)
{
    const norm_family *own = family_of(row);
    const int32_t code = own->f(own->user, row->n, row->z, f);
    if (code != 0)
        return norm__blame_code(row, "f", code);
    *total = (struct total){0, 0, 0};
    for (size_t i = 0; i < row->n; i++) {
        if (!(f[i] >= 0) || (isinf(f[i]) && !isinf(row->z[i])))
            return norm__blame_value(row, "f", i, f[i], "a finite number >= 0");
        total->unit = fmax(total->unit, f[i]);
    }
    return 0;
}

static int32_t call_log_f(const struct norm__row *row, double *log_f, struct total *total)
{
    const norm_family *own = family_of(row);
    const int32_t code = own->log_f(own->user, row->n, row->z, log_f);
    if (code != 0)
        return norm__blame_code(row, "log_f", code);
    *total = (struct total){1, -INFINITY, 0};
    for (size_t i = 0; i < row->n; i++) {
        if (isnan(log_f[i]) || (log_f[i] == INFINITY && !isinf(row->z[i])))
            return norm__blame_value(row, "log_f", i, log_f[i], "a finite number or -inf");
        total->log_unit = fmax(total->log_unit, log_f[i]);
    }
    if (isinf(total->log_unit))
        total->unit = total->log_unit > 0 ? INFINITY : 0;
    return 0;
}

/* F or log F into value, as there is log_f or not, and their total. */
static int32_t call(const struct norm__row *row, double *value, struct total *total)
{
    const bool logs = family_of(row)->log_f != NULL;
    const int32_t code = logs ? call_log_f(row, value, total) : call_f(row, value, total);
    if (code != 0)
        return code;
    struct norm__sum sum = {0, 0};
    for (size_t i = 0; i < row->n; i++) {
        if (isinf(total->unit))
            norm__sum_add(&sum, value[i] == INFINITY ? 1 : 0);
        else if (total->unit > 0)
            norm__sum_add(&sum, logs ? exp(value[i] - total->log_unit) : value[i] / total->unit);
    }
    total->sum = norm__sum_value(sum);
    return 0;
}

/* In place: from what call gave to weights. */
static void to_weights(const struct norm__row *row, const struct total *total, double *w)
{
    const bool logs = family_of(row)->log_f != NULL;
    for (size_t i = 0; i < row->n; i++) {
        if (isinf(total->unit))
            w[i] = w[i] == INFINITY ? 1 / total->sum : 0;
        else if (total->unit > 0)
            w[i] = (logs ? exp(w[i] - total->log_unit) : w[i] / total->unit) / total->sum;
        else
            w[i] = 0;
    }
}

static int32_t apply(const struct norm__row *row, double *w, struct norm__facts *facts)
{
    (void)facts;
    struct total total;
    const int32_t code = call(row, w, &total);
    if (code == 0)
        to_weights(row, &total, w);
    return code;
}

static int32_t log_apply(const struct norm__row *row, double *log_w, struct norm__facts *facts)
{
    (void)facts;
    const bool logs = family_of(row)->log_f != NULL;
    struct total total;
    const int32_t code = call(row, log_w, &total);
    if (code != 0)
        return code;
    if (isinf(total.unit) || !(total.unit > 0)) {
        to_weights(row, &total, log_w);
        for (size_t i = 0; i < row->n; i++)
            log_w[i] = log(log_w[i]);
        return 0;
    }
    const double log_unit = logs ? total.log_unit : log(total.unit), log_sum = log(total.sum);
    for (size_t i = 0; i < row->n; i++)
        log_w[i] = ((logs ? log_w[i] : log(log_w[i])) - log_unit) - log_sum;
    return 0;
}

static int32_t limit(const struct norm__row *row, double *w)
{
    struct norm__facts facts = NORM__NO_FACTS;
    return apply(row, w, &facts);
}

/* Derivatives divided by S, in place. Where F is infinite or nowhere positive they are 0, and so they are at an
 * infinite score. With logs 1 / S is taken in two halves: S itself may not be a double. */
static int32_t scale_derivative(const struct norm__row *row, const char *name, const struct total *total, double *x)
{
    const bool logs = family_of(row)->log_f != NULL, none = isinf(total->unit) || !(total->unit > 0);
    const double half = logs && !none ? exp(-total->log_unit / 2) : 1;
    for (size_t i = 0; i < row->n; i++) {
        if (none || isinf(row->z[i]))
            x[i] = 0;
        else if (!isfinite(x[i]))
            return norm__blame_value(row, name, i, x[i], "a finite number");
        else
            x[i] = (logs ? x[i] * half * half : x[i] / total->unit) / total->sum;
    }
    return 0;
}

/* w = F/S, b = F'/S, and e = F''/S unless e is NULL. */
static int32_t shares(const struct norm__row *row, double *w, double *b, double *e)
{
    const norm_family *own = family_of(row);
    struct total total;
    int32_t code = call(row, w, &total);
    if (code != 0)
        return code;
    code = norm__blame_code(row, "df", own->df(own->user, row->n, row->z, b));
    if (code == 0)
        code = scale_derivative(row, "df", &total, b);
    if (code == 0 && e != NULL)
        code = norm__blame_code(row, "d2f", own->d2f(own->user, row->n, row->z, e));
    if (code == 0 && e != NULL)
        code = scale_derivative(row, "d2f", &total, e);
    if (code == 0)
        to_weights(row, &total, w);
    return code;
}

static int32_t vjp(const struct norm__row *row, const double *unused, const double *g, double *d)
{
    (void)unused;
    double *w = row->scratch, *b = w + row->n;
    const int32_t code = shares(row, w, b, NULL);
    if (code == 0)
        norm__family_product(w, b, g, row->n, d);
    return code;
}

static int32_t jvp(const struct norm__row *row, const double *unused, const double *v, double *d)
{
    (void)unused;
    double *w = row->scratch, *b = w + row->n;
    const int32_t code = shares(row, w, b, NULL);
    if (code == 0)
        norm__family_tangent(w, b, v, row->n, d);
    return code;
}

static int32_t hvp(const struct norm__row *row, const double *unused, const double *g, const double *h, double *dz,
                   double *dg)
{
    (void)unused;
    double *w = row->scratch, *b = w + row->n, *e = b + row->n;
    const int32_t code = shares(row, w, b, e);
    if (code != 0)
        return code;
    norm__family_tangent(w, b, h, row->n, dg);
    norm__family_second(w, b, e, g, h, row->n, dz);
    return 0;
}

static int32_t form(const struct norm__row *row, double *w, struct norm__form *ret)
{
    ret->shape = NORM__FORM_FAMILY;
    return shares(row, w, ret->s, NULL);
}

/* d log w_i / dz_j = F'_j/F_j delta_ij - b_j. An entry with F = 0 has no log, and its g does not count. */
static int32_t log_vjp(const struct norm__row *row, const double *unused, const double *g, double *d)
{
    (void)unused;
    const norm_family *own = family_of(row);
    double *f = row->scratch, *df = f + row->n;
    struct total total;
    int32_t code = call(row, f, &total);
    if (code == 0)
        code = norm__blame_code(row, "df", own->df(own->user, row->n, row->z, df));
    if (code != 0)
        return code;
    const bool logs = own->log_f != NULL, none = isinf(total.unit) || !(total.unit > 0);
    struct norm__sum sum = {0, 0};
    for (size_t i = 0; i < row->n; i++) {
        const bool has_log = !none && !isinf(row->z[i]) && (logs ? f[i] > -INFINITY : f[i] > 0);
        const double half = logs && has_log ? exp(-f[i] / 2) : 1;
        d[i] = !has_log ? 0 : g[i] * (logs ? df[i] * half * half : df[i] / f[i]);
        if (has_log || isinf(row->z[i]))
            norm__sum_add(&sum, g[i]);
    }
    code = scale_derivative(row, "df", &total, df);
    const double all = norm__sum_value(sum);
    for (size_t i = 0; code == 0 && i < row->n; i++)
        d[i] -= df[i] * all;
    return code;
}

const struct norm__kind norm__own_family = {
    .formula = "F(z_i) / sum_j F(z_j), F given by the program",
    .source = "the program",
    .keys = keys,
    .n_keys = sizeof keys / sizeof keys[0],
    .flags = NORM__KIND_REMAKES,
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
};
