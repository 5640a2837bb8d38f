/* SPDX-License-Identifier: MIT */
/* Terms of Fenchel-Young losses of entmax, one coordinate at a time. The loss of weights p against a target y is the
 * Bregman divergence of the entropy's negative, a sum over coordinates of terms >= 0, so that nothing cancels between
 * them, plus what a target costs beyond the threshold. delta = alpha - 1; delta = 0 is the cross-entropy. */
#ifndef NORM_NORMALIZERS_FENCHEL_YOUNG_H
#define NORM_NORMALIZERS_FENCHEL_YOUNG_H

/* y = 0. */
double norm__fenchel_young_absent(double p, double delta);

/* y = 1. log_p is finite also where p underflowed; others = 1 - p, as the sum of the other weights. */
double norm__fenchel_young_certain(double log_p, double others, double delta);

/* Any y >= 0. */
double norm__fenchel_young_term(double y, double p, double log_p, double delta);

#endif
