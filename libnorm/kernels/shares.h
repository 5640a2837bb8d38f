/* SPDX-License-Identifier: MIT */
/* Numbers p >= 0 and the matrix diag(p) - p p^T / Z, the shape of most normalizers' Jacobians, in units of the largest
 * p, with what is left when one is taken away. Taking the largest away by subtraction would lose its digits when it
 * dominates, so that one is summed apart. */
#ifndef NORM_KERNELS_SHARES_H
#define NORM_KERNELS_SHARES_H

#include <stddef.h>

/* Places of the largest and the second largest number (lower place first among equals); SIZE_MAX: there is none. */
struct norm__top {
    size_t first, second;
};
struct norm__top norm__top_two(const double *w, size_t count);

struct norm__shares {
    const double *p;
    size_t count, first; /* first: place of the largest */
    double unit;         /* the largest; 0 when all are 0 */
    double second;       /* second largest, in units, like everything below */
    double rest, total;  /* Z = rest + sum p */
    double others;       /* sum without the largest */
    double squares, other_squares;
};

/* count >= 1 finite p >= 0, rest >= 0. p is kept. */
struct norm__shares norm__shares_make(const double *p, size_t count, double rest);

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
/* Z sqrt(q (1 - q)), q the sum of the squared shares p_i / Z, that of rest included: at least the Frobenius norm of
 * the matrix with one more row and column for rest. In units. */
double norm__shares_second_moment(const struct norm__shares *s);

/* The Frobenius norm and the 2-norm, exact but for rounding; not in units. */
double norm__shares_frobenius(const struct norm__shares *s);
double norm__shares_spectral(const struct norm__shares *s);

#endif
