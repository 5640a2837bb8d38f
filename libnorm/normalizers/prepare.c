/* SPDX-License-Identifier: MIT */
#include "normalizers/prepare.h"

#include <math.h>

#include "normalizers/row.h"

struct range {
    bool nan;
    double low, high;                /* of all */
    double finite_low, finite_high;  /* of the finite ones; high < low where there is none */
};

static struct range find_range(const double *z, size_t n)
{
    struct range r = {false, INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (size_t i = 0; i < n; i++) {
        const double x = z[i];
        r.nan = r.nan || isnan(x);
        r.low = x < r.low ? x : r.low;
        r.high = x > r.high ? x : r.high;
        if (isfinite(x)) {
            r.finite_low = x < r.finite_low ? x : r.finite_low;
            r.finite_high = x > r.finite_high ? x : r.finite_high;
        }
    }
    return r;
}

/* What z became: the scale may have turned infinities round, and a quotient may have become one. */
static int classify(const struct norm__kind *kind, const double *z, size_t n)
{
    bool pos = false, all_neg = true;
    for (size_t i = 0; i < n; i++) {
        pos = pos || z[i] == INFINITY || (z[i] == -INFINITY && (kind->flags & NORM__KIND_NEG_INF_TOO));
        all_neg = all_neg && z[i] == -INFINITY;
    }
    if (pos && !(kind->flags & NORM__KIND_TAKES_INF))
        return NORM__ROW_POS_INF;
    return all_neg ? NORM__ROW_EMPTY : NORM__ROW_ORDINARY;
}

void norm__prepare(const struct norm__call *call, double *z, size_t n, double *y, struct norm__prepared *ret)
{
    const struct norm__kind *kind = call->kind;
    const struct range range = find_range(z, n);
    *ret = (struct norm__prepared){.class = NORM__ROW_ORDINARY, .max_score = range.high, .factor = 0};
    ret->has_inf = range.high == INFINITY;
    if (range.nan)
        ret->class = NORM__ROW_NAN;
    else if (range.high == -INFINITY) /* nothing visible, or nothing but -inf */
        ret->class = NORM__ROW_EMPTY;
    else if (kind->scale != NULL && n == 1)
        ret->class = NORM__ROW_ALONE;
    if (ret->class != NORM__ROW_ORDINARY)
        return;
    const double temperature = call->handle->value[0];
    const double scale = kind->scale != NULL ? kind->scale(call->handle, n) : 1;
    double shift = 0;
    if (call->shifts && range.finite_low <= range.finite_high)
        shift = scale >= 0 ? range.finite_high : range.finite_low;
    for (size_t i = 0; i < n; i++) {
        const double x = (z[i] - shift) / temperature;
        if (y != NULL)
            y[i] = x;
        z[i] = scale == 0 ? 0 : scale * x;
    }
    ret->factor = scale / temperature;
    ret->added = scale * (shift / temperature);
    ret->class = classify(kind, z, n);
}
