/* SPDX-License-Identifier: MIT */
/* The numbers of a Jacobian diag(p) - p p^T / Z, checked. */
#ifndef NORM_BOUNDS_SHARES_H
#define NORM_BOUNDS_SHARES_H

#include "bounds/check.h"
#include "kernels/shares.h"

/* Checks count >= 1, p >= 0, rest >= 0, and a result pointer; then fills *ret_shares. */
norm_status norm__shares_of(size_t count, const double *p, double rest, const void *result, const char *name,
                            struct norm__shares *ret_shares, norm_error *error);

#endif
