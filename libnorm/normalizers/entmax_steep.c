/* SPDX-License-Identifier: MIT */
/* Entmax for alpha > 2. A weight is then a high root of the distance to the threshold and jumps from 0 to a large value
 * within one unit in the last place of that threshold. So the unknown is the smallest weight q itself: with b the
 * smallest score in the support and delta = alpha - 1, the weights are (q^delta + delta (y_i - b))^(1/delta), each
 * smooth and convex in q, and Newton's steps from the right never pass the root.
 * A score b is in the support when the scores above it do not fill the sum on their own at q = 0. */
#include "normalizers/entmax_solve.h"

#include "normalizers/sum.h"

/* Sum of the weights of the values above b at q = 0. */
static double filled(const double *y, size_t n, double b, double delta)
{
    struct norm__sum sum = {0, 0};
    for (size_t i = 0; i < n; i++)
        if (y[i] > b)
            norm__sum_add(&sum, pow(delta * (y[i] - b), 1 / delta));
    return norm__sum_value(sum);
}

static double middle_of_three(double a, double b, double c)
{
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* Smallest score of the support: a search by pivots, each of which settles one side of what is open. */
static double smallest_score(const double *y, size_t n, double delta, double *open)
{
    double inside = 0; /* the largest is always in the support */
    size_t left = 0;
    for (size_t i = 0; i < n; i++)
        if (delta * y[i] > -1 && y[i] < 0)
            open[left++] = y[i];
    while (left > 0) {
        const double pivot = middle_of_three(open[0], open[left / 2], open[left - 1]);
        const int is_inside = filled(y, n, pivot, delta) < 1;
        size_t kept = 0;
        for (size_t i = 0; i < left; i++)
            if (is_inside ? open[i] < pivot : open[i] > pivot)
                open[kept++] = open[i];
        if (is_inside)
            inside = pivot;
        left = kept;
    }
    return inside;
}

/* (q^delta + delta a)^(1/delta), from the logarithm of q^delta. */
static double weight(double log_power, double a, double delta)
{
    if (a == 0)
        return exp(log_power / delta);
    const double other = log(delta * a), high = fmax(other, log_power), low = fmin(other, log_power);
    return exp((high + log1p(exp(low - high))) / delta);
}

void norm__entmax_steep(const double *y, size_t n, double alpha, double *ret_w, double *ret_threshold, double *scratch)
{
    const double delta = alpha - 1, b = smallest_score(y, n, delta, scratch);
    double support = 0;
    for (size_t i = 0; i < n; i++)
        support += y[i] >= b;
    double log_q = -log(support); /* right of the root: no weight is below q */
    for (int round = 0; round < 100; round++) {
        struct norm__sum total = {0, 0}, slope = {0, 0};
        for (size_t i = 0; i < n; i++) {
            ret_w[i] = y[i] >= b ? weight(delta * log_q, y[i] - b, delta) : 0;
            if (y[i] >= b) {
                norm__sum_add(&total, ret_w[i]);
                norm__sum_add(&slope, pow(exp(log_q) / ret_w[i], delta - 1));
            }
        }
        /* The step relative to q, at most 1: q stays positive. */
        const double step = (norm__sum_value(total) - 1) / (norm__sum_value(slope) * exp(log_q));
        if (!(step > 0x1p-50) || !(step < 1))
            break;
        log_q += log1p(-step);
    }
    const double total = norm__total(ret_w, n);
    for (size_t i = 0; i < n; i++)
        ret_w[i] /= total;
    *ret_threshold = b - exp(delta * log_q) / delta;
}
