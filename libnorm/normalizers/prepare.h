/* SPDX-License-Identifier: MIT */
/* From raw scores to the z that row functions get. */
#ifndef NORM_NORMALIZERS_PREPARE_H
#define NORM_NORMALIZERS_PREPARE_H

#include "normalizers/call.h"

struct norm__prepared {
    int class;        /* NORM__ROW_... */
    bool has_inf;     /* a visible +inf among the raw scores */
    double max_score; /* largest raw score */
    double factor;    /* dz / d(raw score): scale / temperature */
    double added;     /* what was subtracted, in units of z: log_sum and threshold get it back */
};

/* z: n raw scores, replaced by (score - shift) / temperature * scale. y: NULL, or gets (score - shift) / temperature.
 * Unless the class is ORDINARY or POS_INF, z and y are not to be used. */
void norm__prepare(const struct norm__call *call, double *z, size_t n, double *y, struct norm__prepared *ret);

#endif
