/* SPDX-License-Identifier: MIT */
/* The numbers p >= 0 of a Jacobian diag(p) - p p^T / Z, in units of the largest, with what is left when one is taken
 * away. Taking the largest away by subtraction would lose its digits when it dominates, so that one is summed apart. */
#ifndef NORM_BOUNDS_SHARES_H
#define NORM_BOUNDS_SHARES_H

#include "bounds/check.h"

struct norm__shares {
    const double *p;
    size_t count, first; /* first: place of the largest */
    double unit;         /* the largest; 0 when all are 0 */
    double second;       /* second largest, in units, like everything below */
    double rest, total;  /* Z = rest + sum p */
    double others;       /* sum without the largest */
    double squares, other_squares;
};

/* Checks count >= 1, p >= 0, rest >= 0, and a result pointer; then fills *ret_shares. */
norm_status norm__shares_of(size_t count, const double *p, double rest, const void *result, const char *name,
                            struct norm__shares *ret_shares, norm_error *error);

static inline double norm__shares_at(const struct norm__shares *s, size_t i)
{
    return s->p[i] / s->unit;
}

/* Z - p_i */
static inline double norm__shares_without(const struct norm__shares *s, size_t i)
{
    return i == s->first ? s->others + s->rest : s->total - norm__shares_at(s, i);
}

/* sum of p_k^2 over k != i */
static inline double norm__shares_squares_without(const struct norm__shares *s, size_t i)
{
    double v = norm__shares_at(s, i);
    return i == s->first ? s->other_squares : s->squares - v * v;
}

/* The largest p_i (Z - p_i) / Z: the largest diagonal entry, and the largest entry. In units. */
double norm__shares_diagonal(const struct norm__shares *s);

#endif
