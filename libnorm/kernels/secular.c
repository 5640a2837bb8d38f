/* SPDX-License-Identifier: MIT */
/* The exact 2-norm of J = diag(p) - p p^T / Z: the largest root of a secular equation. */
#include <math.h>

#include "kernels/shares.h"

/* In units of the largest p, which is then 1; b < 1 is the second largest. The eigenvalue x = b + e is the root in
 * (b, 1) of
 *     f(x) = 1 / (1 - x) + phi(x),     phi(x) = sum over the others of p_i / (p_i - x) - rest / x,
 * which rises from -inf to +inf there. Only the first term is positive, so its sign is sure except within rounding of
 * the root. e, not x, is kept: x may be closer to b than to 0 by many orders. */
struct phi {
    double value, slope;
};

static struct phi phi_at(const struct norm__shares *s, double e)
{
    double x = s->second + e;
    struct phi phi = {-s->rest / x, s->rest / (x * x)};
    for (size_t i = 0; i < s->count; i++) {
        if (i == s->first)
            continue;
        double v = norm__shares_at(s, i), d = (v - s->second) - e, term = v / d;
        phi.value += term;
        phi.slope += term / d;
    }
    return phi;
}

/* The root when phi is replaced by p - q / e with its value and slope at the present e: of
 * p e^2 - (1 + p g + q) e + q g, g = 1 - b, the one in (0, g). */
static double next_of(const struct phi *phi, double e, double g)
{
    double q = phi->slope * e * e, p = phi->value + phi->slope * e, linear = 1 + p * g + q;
    double root = sqrt(fmax(0, linear * linear - 4 * p * (q * g)));
    return linear > 0 ? 2 * q * g / (linear + root) : (linear - root) / (2 * p);
}

/* Converges quadratically, from one side; a bracket and halving catch what rounding could do to it. */
static double find_root(const struct norm__shares *s, double low, double high)
{
    double g = 1 - s->second, e = low + (high - low) / 2;
    for (int step = 0; step < 100 && low < high; step++) {
        struct phi phi = phi_at(s, e);
        double f = 1 / (g - e) + phi.value;
        if (f < 0)
            low = e;
        else
            high = e;
        double next = next_of(&phi, e, g);
        if (fabs(next - e) <= 0x1p-51 * (s->second + e))
            break;
        e = next > low && next < high ? next : low + (high - low) / 2;
    }
    return s->second + e;
}

double norm__shares_spectral(const struct norm__shares *s)
{
    if (!(s->unit > 0))
        return 0;
    if (!(s->second > 0))
        return s->unit * (s->rest / (1 + s->rest));
    if (!(s->second < 1))
        return s->unit; /* of two equal largest, their difference is an eigenvector */
    double m = norm__shares_diagonal(s);
    return s->unit * find_root(s, fmax(m - s->second, 0), fmin(2 * m, 1) - s->second);
}
