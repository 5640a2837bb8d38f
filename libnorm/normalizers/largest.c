/* SPDX-License-Identifier: MIT */
#include "normalizers/largest.h"

#include <math.h>

#include "kernels/bidiagonal.h"

enum { most_steps = 300 };
/* A step this small is made of rounding: to go on from it would find the same value again, coupled to itself. */
static const double nothing = 1e-12;

/* Length without overflow; x becomes a unit vector unless it is 0. */
static double normalize(double *x, size_t n)
{
    double largest = 0, sum = 0;
    for (size_t i = 0; i < n; i++)
        largest = isnan(x[i]) ? x[i] : fmax(largest, fabs(x[i])); /* a NaN stays, or comes again in the sum */
    if (!(largest > 0) || isinf(largest))
        return isinf(largest) ? (double)NAN : largest;
    for (size_t i = 0; i < n; i++)
        sum += (x[i] / largest) * (x[i] / largest);
    const double length = sqrt(sum);
    for (size_t i = 0; i < n; i++)
        x[i] = x[i] / largest / length;
    return largest * length;
}

/* No direction of any normalizer's own: every entry its own sign and size. */
static void start(double *x, size_t n)
{
    uint64_t state = 0x9E3779B97F4A7C15u;
    for (size_t i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        x[i] = 0.5 + (double)(state >> 11) * 0x1p-53;
        x[i] = state & (UINT64_C(1) << 40) ? x[i] : -x[i];
    }
    normalize(x, n);
}

int32_t norm__largest_singular(const struct norm__matrix *a, double *const work[3], double *ret)
{
    double b[2 * most_steps], estimate = 0, before = -1;
    double *u = work[0], *v = work[1], *next = work[2];
    size_t count = 0;
    start(v, a->n);
    for (size_t i = 0; i < a->n; i++)
        u[i] = 0;
    *ret = 0;
    for (int step = 0, agree = 0; step < most_steps && agree < 2; step++) {
        int32_t code = a->multiply(a->data, v, false, next);
        if (code != 0)
            return code;
        for (size_t i = 0; i < a->n; i++)
            u[i] = count == 0 ? next[i] : next[i] - b[count - 1] * u[i];
        b[count++] = normalize(u, a->n);
        if (isnan(b[count - 1])) {
            *ret = (double)NAN;
            return 0;
        }
        before = estimate;
        estimate = norm__bidiagonal_norm(b, count);
        agree = fabs(estimate - before) <= 1e-14 * estimate ? agree + 1 : 0;
        if (!(b[count - 1] > nothing * estimate)) /* all that the start can reach has been seen */
            break;
        code = a->multiply(a->data, u, true, next);
        if (code != 0)
            return code;
        for (size_t i = 0; i < a->n; i++)
            v[i] = next[i] - b[count - 1] * v[i];
        b[count++] = normalize(v, a->n);
        if (!(b[count - 1] > nothing * estimate))
            break;
    }
    *ret = norm__bidiagonal_norm(b, count);
    return 0;
}
