/* SPDX-License-Identifier: MIT */
#include "search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A number that people can read and type: three significant digits are finer than any loss can tell. */
static double rounded(double x)
{
    char text[32];
    snprintf(text, sizeof text, "%.2e", x);
    return strtod(text, NULL);
}

struct point {
    double x, value; /* x: the logarithm */
};

static bool look(const struct search *s, double x, struct point *ret)
{
    ret->x = x;
    if (!s->value(s->user, rounded(exp(x)), &ret->value))
        return false;
    if (isnan(ret->value))
        ret->value = INFINITY;
    return true;
}

/* The step to the lowest point of the parabola through three; NaN where there is none. */
static double parabola(struct point best, struct point second, struct point third)
{
    const double r = (best.x - second.x) * (best.value - third.value);
    const double q = (best.x - third.x) * (best.value - second.value);
    const double step = ((best.x - third.x) * q - (best.x - second.x) * r) / (2 * (r - q));
    return isfinite(step) ? step : (double)NAN;
}

/* Brent's method between low and high, best inside and no worse than either. */
static bool narrow(const struct search *s, double low, double high, struct point best)
{
    const double tolerance = log(s->ratio), golden = 0.3819660112501051;
    struct point second = best, third = best, now;
    double step = 0, before = 0;
    while (fabs(best.x - (low + high) / 2) > 2 * tolerance - (high - low) / 2) {
        const double middle = (low + high) / 2;
        double next = parabola(best, second, third);
        const bool use = fabs(next) < fabs(before) / 2 && best.x + next > low && best.x + next < high;
        before = step;
        if (!use) {
            before = (best.x < middle ? high : low) - best.x;
            next = golden * before;
        }
        /* Never nearer than the tolerance: two such points would tell nothing apart. */
        step = fabs(next) >= tolerance ? next : copysign(tolerance, use ? middle - best.x : next);
        if (!look(s, best.x + step, &now))
            return false;
        if (now.value <= best.value) {
            *(now.x < best.x ? &high : &low) = best.x;
            third = second;
            second = best;
            best = now;
        } else {
            *(now.x < best.x ? &low : &high) = now.x;
            third = now.value <= second.value || second.x == best.x ? second : third;
            second = now.value <= second.value || second.x == best.x ? now : second;
        }
    }
    return true;
}

/* Remembers the best x that was looked at, rounding included. */
struct keeper {
    const struct search *search;
    double x, value;
    bool any;
};

static bool keep(void *user, double x, double *ret)
{
    struct keeper *k = user;
    if (!k->search->value(k->search->user, x, ret))
        return false;
    if (!k->any || *ret < k->value || isnan(k->value)) {
        k->x = x;
        k->value = *ret;
        k->any = true;
    }
    return true;
}

bool search_least(const struct search *search, double start, double *ret_x, double *ret_value)
{
    struct keeper k = {.search = search};
    const struct search kept = {keep, &k, search->ratio, search->reach};
    const double factor = log(2);
    struct point low, middle, high, next;
    int left = search->reach, right = search->reach;
    bool fine = look(&kept, log(start), &middle) && look(&kept, middle.x - factor, &low) &&
                look(&kept, middle.x + factor, &high);
    left--;
    right--;
    while (fine && low.value < middle.value && low.value <= high.value && left > 0) {
        fine = look(&kept, low.x - factor, &next);
        high = middle;
        middle = low;
        low = next;
        left--;
    }
    while (fine && high.value < middle.value && right > 0) {
        fine = look(&kept, high.x + factor, &next);
        low = middle;
        middle = high;
        high = next;
        right--;
    }
    /* At the end of the reach the least may lie between the last two. */
    if (fine && low.value < middle.value && low.value <= high.value)
        fine = narrow(&kept, low.x, middle.x, low);
    else if (fine && high.value < middle.value)
        fine = narrow(&kept, middle.x, high.x, high);
    else if (fine)
        fine = narrow(&kept, low.x, high.x, middle);
    *ret_x = k.x;
    *ret_value = k.value;
    return fine;
}

bool search_near(const struct search *search, double start, double factor, double *ret_x, double *ret_value)
{
    struct keeper k = {.search = search};
    const struct search kept = {keep, &k, search->ratio, search->reach};
    struct point middle;
    bool fine = look(&kept, log(start), &middle) &&
                narrow(&kept, middle.x - log(factor), middle.x + log(factor), middle);
    *ret_x = k.x;
    *ret_value = k.value;
    return fine;
}
