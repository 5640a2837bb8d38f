/* SPDX-License-Identifier: MIT */
/* The exact 2-norm of J = diag(p) - p p^T / Z: the largest root of a secular equation. */
#include <libnorm/bounds.h>

#include <math.h>

#include "bounds/shares.h"

/* Everything in units of the largest p, which is 1; b < 1 is the second largest. The eigenvalue is the root in (b, 1)
 *     of x sum p_i / (p_i - x) - rest,
 * which rises from -inf to +inf there. Multiplied by (1 - x)(x - b) it has no poles at the ends, and every term but the
 * first is negative, so the sign is sure except within rounding of the root. */
static double secular(const struct norm__shares *s, double x)
{
    double b = s->second, ends = (1 - x) * (x - b), equal = 0, sum = 0;
    for (size_t i = 0; i < s->count; i++) {
        double v = norm__shares_at(s, i);
        if (i == s->first)
            continue;
        if (v == b)
            equal += b;
        else
            sum += v / (v - x);
    }
    return x * ((x - b) - equal * (1 - x) + ends * sum) - s->rest * ends;
}

/* Regula falsi with the Illinois rule, and a halving whenever three steps have not halved the bracket. */
static double find_root(const struct norm__shares *s, double low, double high)
{
    double f_low = secular(s, low), f_high = secular(s, high), width = high - low;
    int side = 0;
    if (f_low >= 0)
        return low;
    if (f_high <= 0)
        return high;
    for (int step = 0; step < 200 && high - low > 0x1p-52 * high; step++) {
        double x = low + (high - low) * (f_low / (f_low - f_high));
        if (step % 3 == 2) {
            if (high - low > width / 2)
                x = low + (high - low) / 2;
            width = high - low;
        }
        x = fmin(fmax(x, low + (high - low) * 0x1p-10), high - (high - low) * 0x1p-10);
        double f = secular(s, x);
        if (f == 0)
            return x;
        if (f < 0) {
            low = x;
            f_low = f;
            if (side == -1)
                f_high /= 2;
            side = -1;
        } else {
            high = x;
            f_high = f;
            if (side == 1)
                f_low /= 2;
            side = 1;
        }
    }
    return low + (high - low) / 2;
}

norm_status norm_bound_jacobian_spectral(size_t count, const double *p, double rest, double *ret_norm,
                                         norm_error *ret_error)
{
    struct norm__shares s;
    norm_status status = norm__shares_of(count, p, rest, ret_norm, "ret_norm", &s, ret_error);
    if (status != LIBNORM_OK)
        return status;
    if (!(s.unit > 0)) {
        *ret_norm = 0;
    } else if (!(s.second > 0)) {
        *ret_norm = s.unit * (s.rest / (1 + s.rest));
    } else if (!(s.second < 1)) {
        *ret_norm = s.unit; /* of two equal largest, their difference is an eigenvector */
    } else {
        double m = norm__shares_diagonal(&s);
        *ret_norm = s.unit * find_root(&s, fmax(m, s.second), fmin(2 * m, 1));
    }
    return LIBNORM_OK;
}
