/* SPDX-License-Identifier: MIT */
/* Checking what a bound was given. A bound of a NaN is not a bound, so every number is looked at before the first sum;
 * each failure names the argument, its value and what was expected. */
#ifndef NORM_BOUNDS_CHECK_H
#define NORM_BOUNDS_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include <libnorm/bounds.h>

/* Size of norm_random_set in the first release, frozen. */
#define NORM__RANDOM_SET_FIRST (offsetof(norm_random_set, across) + sizeof(const double *))

/* What a number may be. Infinities and NaN never are. */
enum norm__sign { NORM__ANY, NORM__NOT_NEGATIVE, NORM__POSITIVE };

norm_status norm__bound_pointer(const void *p, const char *name, norm_error *error);
/* value in [low, high]. */
norm_status norm__bound_count(size_t value, size_t low, size_t high, const char *name, norm_error *error);
norm_status norm__bound_number(double value, enum norm__sign sign, const char *name, norm_error *error);
/* values[0 ... count - 1], with the index in the message. A pointer not aligned to a double is refused. */
norm_status norm__bound_array(const double *values, size_t count, enum norm__sign sign, const char *name,
                              norm_error *error);
/* A result array of count doubles: may be NULL if optional, and apart from one input array. */
norm_status norm__bound_result(const double *result, size_t count, const double *input, size_t input_count,
                               bool optional, const char *name, norm_error *error);

/* Tokens x_0 ... x_{tokens-1}, their weights, and for each whether it is selected. */
struct norm__tokens {
    size_t tokens, dim;
    const double *weights, *x;
    int64_t stride;
    const uint8_t *selected; /* NULL where no set is given */
    size_t chosen;           /* how many are selected; filled by the check */
};

/* Checks sizes, pointers and every entry, and that no square of a contribution can overflow. set: selected is needed.
 *  */
norm_status norm__bound_tokens(struct norm__tokens *t, bool set, norm_error *error);

/* A result array of count doubles, apart from weights and x. */
norm_status norm__bound_tokens_result(const double *result, size_t count, const struct norm__tokens *t, bool optional,
                                      const char *name, norm_error *error);

static inline const double *norm__token(const struct norm__tokens *t, size_t i)
{
    return t->x + (int64_t)i * t->stride;
}

#endif
