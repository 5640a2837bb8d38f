/* SPDX-License-Identifier: MIT */
#include "kernels/gradient_bound.h"

#include <math.h>

double norm__gradient_bound_half(const double *v, double n, double z)
{
    (void)v;
    (void)z;
    return n < 2 ? 0 : 0.5;
}

double norm__gradient_bound_softmax1(const double *v, double n, double z)
{
    (void)v;
    (void)z;
    return n < 2 ? 0.25 : 0.5; /* softmax with one more score */
}

double norm__gradient_bound_topk(const double *v, double n, double z)
{
    (void)z;
    return n < 2 || (v[0] < 2 && v[1] != 0) ? 0 : 0.5; /* almost everywhere: it jumps where the set changes */
}

static double entmax_of(double alpha, double n)
{
    if (n < 2)
        return 0;
    if (alpha == 1)
        return 0.5;
    if (n < 3) /* the norm is 2 / (p^(alpha-2) + (1-p)^(alpha-2)): largest at the middle, or towards the ends */
        return alpha > 2 && alpha < 3 ? 2 : exp2(alpha - 2);
    return alpha <= 2 ? 1 : INFINITY;
}

double norm__gradient_bound_sparsemax(const double *v, double n, double z)
{
    (void)v;
    (void)z;
    return entmax_of(2, n);
}

double norm__gradient_bound_entmax(const double *v, double n, double z)
{
    (void)z;
    return entmax_of(v[0], n);
}

static double scaled(double factor, double bound)
{
    return factor == 0 ? 0 : fabs(factor) * bound;
}

double norm__gradient_bound_asentmax(const double *v, double n, double z)
{
    (void)z;
    return n < 2 ? 0 : scaled(v[1] + v[2] * pow(log(n), v[3]), entmax_of(v[0], n));
}

double norm__gradient_bound_ssmax(const double *v, double n, double z)
{
    (void)z;
    return n < 2 ? 0 : scaled(v[0] * log(n) + v[1], 0.5);
}

double norm__gradient_bound_normmax(const double *v, double n, double z)
{
    (void)z;
    return n < 2 ? 0 : v[0] <= 2 ? n / (v[0] - 1) : INFINITY;
}

double norm__gradient_bound_sasoftmax(const double *v, double n, double z)
{
    if (n < 2)
        return v[0] < 2 ? 1 : 0;
    return v[0] < 2 ? 1 + z / 2 : INFINITY; /* the second divides by a range that can be as small as one likes */
}

double norm__gradient_bound_adaptive(const double *v, double n, double z)
{
    (void)v;
    (void)z;
    return n < 2 ? 0 : n < 3 ? 0.5 : NAN; /* two tokens never have the entropy at which it sharpens */
}

double norm__gradient_bound_sigmoid(const double *v, double n, double z)
{
    (void)v;
    (void)n;
    (void)z;
    return 0.25;
}

double norm__gradient_bound_relu(const double *v, double n, double z)
{
    double slope = v[0] == 1 ? 1 : v[0] < 1 ? INFINITY : v[0] * pow(z, v[0] - 1);
    return isinf(slope) ? slope : slope * pow(n, -v[1]);
}

double norm__gradient_bound_lssa(const double *v, double n, double z)
{
    (void)z;
    return n < 2 ? 0 : scaled(v[0] * log(n), 0.5);
}

double norm__gradient_bound_lssar(const double *v, double n, double z)
{
    (void)v;
    (void)z;
    return n < 2 ? 0 : NAN;
}

double norm__gradient_bound_softpick(const double *v, double n, double z)
{
    (void)v;
    (void)n;
    (void)z;
    return NAN;
}
