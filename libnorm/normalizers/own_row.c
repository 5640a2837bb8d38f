/* SPDX-License-Identifier: MIT */
/* A normalizer of the caller's own, from functions of a whole row. */
#include <math.h>

#include "normalizers/blame.h"
#include "normalizers/own.h"
#include "normalizers/sum.h"

static const struct norm__key keys[] = {NORM__TEMPERATURE};

static const norm_row_function *function_of(const struct norm__row *row)
{
    return &norm__own_of(row->handle)->function;
}

static uint64_t properties(const norm_normalizer *handle)
{
    return norm__own_of(handle)->function.properties;
}

static int32_t apply(const struct norm__row *row, double *w, struct norm__facts *facts)
{
    (void)facts;
    const norm_row_function *own = function_of(row);
    const int32_t code = own->apply(own->user, row->n, row->z, w);
    if (code != 0)
        return norm__blame_code(row, "apply", code);
    for (size_t i = 0; i < row->n; i++)
        if (isnan(w[i]) || (isinf(w[i]) && !isinf(row->z[i])))
            return norm__blame_value(row, "apply", i, w[i], "a finite number");
    return 0;
}

static int32_t log_apply(const struct norm__row *row, double *log_w, struct norm__facts *facts)
{
    const int32_t code = apply(row, log_w, facts);
    for (size_t i = 0; code == 0 && i < row->n; i++) {
        if (log_w[i] < 0)
            return norm__blame_value(row, "apply", i, log_w[i], "a number >= 0, whose logarithm was asked for");
        log_w[i] = log(log_w[i]);
    }
    return code;
}

static int32_t vjp(const struct norm__row *row, const double *w, const double *g, double *d)
{
    const norm_row_function *own = function_of(row);
    return norm__blame_code(row, "vjp", own->vjp(own->user, row->n, row->z, w, g, d));
}

/* Row i of the Jacobian is the VJP of the i-th unit vector. */
static int32_t jvp_by_rows(const struct norm__row *row, const double *w, const double *v, double *d)
{
    double *unit = row->scratch, *line = row->scratch + row->n;
    for (size_t i = 0; i < row->n; i++)
        unit[i] = 0;
    for (size_t i = 0; i < row->n; i++) {
        unit[i] = 1;
        const int32_t code = vjp(row, w, unit, line);
        if (code != 0)
            return code;
        unit[i] = 0;
        d[i] = norm__dot(line, v, row->n);
    }
    return 0;
}

static int32_t jvp(const struct norm__row *row, const double *w, const double *v, double *d)
{
    const norm_row_function *own = function_of(row);
    if (own->jvp != NULL)
        return norm__blame_code(row, "jvp", own->jvp(own->user, row->n, row->z, w, v, d));
    return own->properties & LIBNORM_PROPERTY_SYMMETRIC ? vjp(row, w, v, d) : jvp_by_rows(row, w, v, d);
}

static int32_t hvp(const struct norm__row *row, const double *w, const double *g, const double *h, double *dz,
                   double *dg)
{
    (void)w;
    const norm_row_function *own = function_of(row);
    return norm__blame_code(row, "hvp", own->hvp(own->user, row->n, row->z, g, h, dz, dg));
}

/* A row with +inf: of a simplex they share 1; otherwise apply knows the limit. */
static int32_t limit(const struct norm__row *row, double *w)
{
    struct norm__facts facts = NORM__NO_FACTS;
    if (!(function_of(row)->properties & LIBNORM_PROPERTY_SIMPLEX))
        return apply(row, w, &facts);
    double k = 0;
    for (size_t i = 0; i < row->n; i++)
        k += row->z[i] == INFINITY;
    for (size_t i = 0; i < row->n; i++)
        w[i] = row->z[i] == INFINITY ? 1 / k : 0;
    return 0;
}

const struct norm__kind norm__own_row = {
    .formula = "a function of the row, given by the program",
    .source = "the program",
    .keys = keys,
    .n_keys = sizeof keys / sizeof keys[0],
    .scratch = 2,
    .properties = properties,
    .apply = apply,
    .log_apply = log_apply,
    .vjp = vjp,
    .jvp = jvp,
    .hvp = hvp,
    .limit = limit,
};
