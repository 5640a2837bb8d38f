/* SPDX-License-Identifier: MIT */
#include "kernels/shares.h"

#include <math.h>
#include <stdint.h>

struct norm__top norm__top_two(const double *w, size_t count)
{
    struct norm__top top = {SIZE_MAX, SIZE_MAX};
    for (size_t i = 0; i < count; i++) {
        if (top.first == SIZE_MAX || w[i] > w[top.first]) {
            top.second = top.first;
            top.first = i;
        } else if (top.second == SIZE_MAX || w[i] > w[top.second]) {
            top.second = i;
        }
    }
    return top;
}

struct norm__shares norm__shares_make(const double *p, size_t count, double rest)
{
    struct norm__top top = norm__top_two(p, count);
    struct norm__shares s = {.p = p, .count = count, .first = top.first, .unit = p[top.first]};
    if (!(s.unit > 0))
        return s;
    s.second = top.second == SIZE_MAX ? 0 : p[top.second] / s.unit;
    s.rest = rest / s.unit;
    for (size_t i = 0; i < count; i++) {
        double v = i == s.first ? 0 : p[i] / s.unit;
        s.others += v;
        s.other_squares += v * v;
    }
    s.total = 1 + s.others + s.rest;
    s.squares = 1 + s.other_squares;
    return s;
}

double norm__shares_diagonal(const struct norm__shares *s)
{
    double largest = 0;
    for (size_t i = 0; s->unit > 0 && i < s->count; i++)
        largest = fmax(largest, norm__shares_at(s, i) * (norm__shares_without(s, i) / s->total));
    return largest;
}

double norm__shares_second_moment(const struct norm__shares *s)
{
    if (!(s->unit > 0))
        return 0;
    /* 1 - q as the sum of p_i (Z - p_i) / Z^2: nothing cancels near one large share. */
    double squares = s->squares + s->rest * s->rest, pairs = s->rest * (1 + s->others);
    for (size_t i = 0; i < s->count; i++)
        pairs += norm__shares_at(s, i) * norm__shares_without(s, i);
    return sqrt(squares) * sqrt(pairs) / s->total;
}

double norm__shares_frobenius(const struct norm__shares *s)
{
    double sum = 0;
    for (size_t i = 0; s->unit > 0 && i < s->count; i++) {
        double v = norm__shares_at(s, i) / s->total, without = norm__shares_without(s, i);
        sum += v * v * (without * without + norm__shares_squares_without(s, i));
    }
    return s->unit * sqrt(sum);
}
