/* SPDX-License-Identifier: MIT */
/* With f(tau) = sum (x - tau)_+^p - 1, convex and falling, the root is cornered from both sides: Newton's step from
 * the left never passes it and throws out what lies below; what a set of values would give as its own tau bounds
 * it from the right. Values between the bounds are `open`; those above the right bound are in the support
 * and kept as sums. Where a round settles less than half of the open values, one of them is tried as tau, which halves
 * them on average: so no row needs more than linear expected time. */
#include "normalizers/threshold.h"

#include <math.h>

#include "normalizers/sum.h"

/* Count, sum and sum of squares of a set of values. */
struct moments {
    double count, sum, square;
};

static void moments_add(struct moments *m, double x)
{
    m->count += 1;
    m->sum += x;
    m->square += x * x;
}

/* sum (x - tau)^p over the set, for p = 1 and 2. */
static double moments_power(const struct moments *m, double tau, int p)
{
    return p == 1 ? m->sum - m->count * tau : m->square - 2 * tau * m->sum + m->count * tau * tau;
}

static struct moments moments_of(struct moments start, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        moments_add(&start, x[i]);
    return start;
}

/* The tau for which the set alone would fill sum (x - tau)^p = 1; +inf where no tau does. */
static double own_tau(const struct moments *m, int p)
{
    if (p == 1)
        return (m->sum - 1) / m->count;
    const double mean = m->sum / m->count, rest = 1 - (m->square - m->sum * mean);
    return rest < 0 ? INFINITY : mean - sqrt(rest / m->count);
}

/* Newton's step on the p-norm of (x - tau)_+, all of the set lying above tau. */
static double newton(const struct moments *m, double tau, int p)
{
    if (p == 1)
        return own_tau(m, 1);
    const double first = moments_power(m, tau, 1), norm = sqrt(moments_power(m, tau, 2));
    return tau + (norm - 1) * norm / first;
}

/* Drops open values <= low and moves those > high into the support; returns how many stay open. */
static size_t settle(double *open, size_t n, double low, double high, struct moments *support)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        const double x = open[i];
        if (x > high)
            moments_add(support, x);
        else if (x > low)
            open[kept++] = x;
    }
    return kept;
}

/* Whether tau is at or left of the root. */
static int left_of_root(const struct moments *support, const double *open, size_t n, double tau, int p)
{
    struct moments m = *support;
    for (size_t i = 0; i < n; i++)
        if (open[i] > tau)
            moments_add(&m, open[i]);
    return moments_power(&m, tau, p) >= 1;
}

static double middle_of_three(double a, double b, double c)
{
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* A tau whose support is that of the root, all but for values within rounding of the threshold. */
static double corner(double *open, size_t n, int p)
{
    struct moments support = {0, 0, 0};
    double low = -1;
    while (n > 0) {
        const struct moments all = moments_of(support, open, n);
        const double high = own_tau(&all, p), step = newton(&all, low, p);
        low = fmax(low, step);
        size_t left = settle(open, n, low, p == 1 ? INFINITY : fmax(high, low), &support);
        if (left == n && p == 1)
            return high;
        if (left > n / 2) {
            const double pivot = middle_of_three(open[0], open[left / 2], open[left - 1]);
            if (left_of_root(&support, open, left, pivot, p)) {
                low = fmax(low, pivot);
                left = settle(open, left, low, INFINITY, &support);
            } else {
                /* The root lies left of the pivot, so the pivot itself is in the support. */
                left = settle(open, left, low, nextafter(pivot, -INFINITY), &support);
            }
        }
        n = left;
    }
    return own_tau(&support, p);
}

/* The final tau from the support alone, in sums that keep their digits. */
static double refine(const double *x, size_t n, double tau, int p)
{
    struct norm__sum sum = {0, 0}, square = {0, 0};
    double count = 0;
    for (size_t i = 0; i < n; i++) {
        if (x[i] > tau) {
            norm__sum_add(&sum, x[i]);
            count += 1;
        }
    }
    if (count == 0)
        return tau;
    const double mean = norm__sum_value(sum) / count;
    if (p == 1)
        return mean - 1 / count;
    for (size_t i = 0; i < n; i++)
        if (x[i] > tau)
            norm__sum_add(&square, (x[i] - mean) * (x[i] - mean));
    return mean - sqrt(fmax(0, 1 - norm__sum_value(square)) / count);
}

/* Only values above -1 can be in the support: the largest is 0 and alone already gives tau >= -1. */
static size_t candidates(const double *x, size_t n, double *ret)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (x[i] > -1)
            ret[kept++] = x[i];
    return kept;
}

double norm__threshold_linear(const double *x, size_t n, double *scratch)
{
    return refine(x, n, corner(scratch, candidates(x, n, scratch), 1), 1);
}

double norm__threshold_square(const double *x, size_t n, double *scratch)
{
    return refine(x, n, corner(scratch, candidates(x, n, scratch), 2), 2);
}

double norm__threshold_power(const double *x, size_t n, double e, double *scratch)
{
    /* The e-norm of (x - tau)_+ is convex in tau: Newton from -1 climbs to the root without passing it, and what it
     * leaves behind never comes back. */
    size_t left = candidates(x, n, scratch);
    double tau = -1;
    for (int round = 0; round < 100; round++) {
        struct norm__sum power = {0, 0}, slope = {0, 0};
        size_t kept = 0;
        for (size_t i = 0; i < left; i++) {
            const double u = scratch[i] - tau;
            if (u > 0) {
                const double lower = pow(u, e - 1);
                norm__sum_add(&power, lower * u);
                norm__sum_add(&slope, lower);
                scratch[kept++] = scratch[i];
            }
        }
        left = kept;
        const double total = norm__sum_value(power);
        const double step = (total - pow(total, 1 - 1 / e)) / norm__sum_value(slope);
        if (!(step > 0x1p-51 * -tau))
            break;
        tau += step;
    }
    return tau;
}
