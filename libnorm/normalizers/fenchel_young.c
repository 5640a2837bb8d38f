/* SPDX-License-Identifier: MIT */
/* With w(t) = (t^alpha - t)/(alpha delta) the term is w(y) - w(p) - w'(p)(y - p)
 *   = (y (y^delta - p^delta)/delta - p^delta (y - p)) / alpha. */
#include "normalizers/fenchel_young.h"

#include <math.h>

/* (e^(delta x) - 1)/delta, x itself at delta = 0. */
static double power_log(double x, double delta)
{
    return delta == 0 ? x : expm1(delta * x) / delta;
}

/* p^delta; 1 at delta = 0, p = 0 included. */
static double power_of(double log_p, double delta)
{
    return delta == 0 ? 1 : exp(delta * log_p);
}

double norm__fenchel_young_absent(double p, double delta)
{
    return (delta == 0 ? p : delta == 1 ? p * p : pow(p, 1 + delta)) / (1 + delta);
}

/* Near p = 1 both parts are about 1 - p and their difference is of second order: there its series in e = 1 - p,
 * sum over k >= 2 of (-1)^k E_k (k - 1)(1 + delta)/k e^k with E_2 = 1, E_(k+1) = E_k (delta - k + 1)/k. */
double norm__fenchel_young_certain(double log_p, double others, double delta)
{
    const double alpha = 1 + delta;
    if (!(others * fmax(1, delta) < 0.1)) /* 1 - p^delta is -expm1(delta log p) */
        return (-power_log(log_p, delta) - power_of(log_p, delta) * others) / alpha;
    double coefficient = 1, power = others * others, sum = 0;
    for (int k = 2; k < 40; k++) {
        sum += (k % 2 == 0 ? coefficient : -coefficient) * (k - 1) / k * power;
        coefficient *= (delta - k + 1) / k;
        power *= others;
    }
    return sum;
}

double norm__fenchel_young_term(double y, double p, double log_p, double delta)
{
    if (y == 0)
        return norm__fenchel_young_absent(p, delta);
    const double power = power_of(log_p, delta);
    if (power == 0) /* off the support, delta > 0 */
        return y * pow(y, delta) / delta / (1 + delta);
    return (y * power * power_log(log(y) - log_p, delta) - power * (y - p)) / (1 + delta);
}
