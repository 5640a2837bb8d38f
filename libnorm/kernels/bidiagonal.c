/* SPDX-License-Identifier: MIT */
#include "kernels/bidiagonal.h"

#include <math.h>
#include <stdbool.h>

/* The singular values are the positive eigenvalues of the symmetric matrix with zeros on the diagonal and b beside it
 * (Golub and Kahan). x is above all of them if and only if every pivot of that matrix minus x is negative. */
static bool above_all(const double *b, size_t count, double unit, double x)
{
    double pivot = -x;
    for (size_t i = 0; i < count; i++) {
        const double v = b[i] / unit;
        pivot = -x - v * v / pivot;
        if (!(pivot < 0))
            return false;
    }
    return true;
}

double norm__bidiagonal_norm(const double *b, size_t count)
{
    double unit = 0;
    for (size_t i = 0; i < count; i++)
        unit = fmax(unit, b[i]);
    if (!(unit > 0) || isinf(unit))
        return unit;
    double low = 1, high = 2; /* at least the largest entry, at most the largest sum of two */
    for (;;) {
        const double middle = low + (high - low) / 2;
        if (!(middle > low && middle < high))
            return unit * low;
        if (above_all(b, count, unit, middle))
            high = middle;
        else
            low = middle;
    }
}
