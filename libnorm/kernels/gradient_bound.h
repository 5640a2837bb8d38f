/* SPDX-License-Identifier: MIT */
/* One number a normalizer: how large the 2-norm of its Jacobian can get, whatever the scores. */
#ifndef NORM_KERNELS_GRADIENT_BOUND_H
#define NORM_KERNELS_GRADIENT_BOUND_H

/* For temperature 1: v the values of the keys after the temperature, n >= 1 entries, |scores| <= z, which may be +inf.
 * +inf: there is no bound; NaN: none is known. */
typedef double norm__gradient_bound(const double *v, double n, double z);

/* half: softmax, and the members of the family whose F'/F is at most 1 in size. */
norm__gradient_bound norm__gradient_bound_half,
    norm__gradient_bound_softmax1,
    norm__gradient_bound_topk,
    norm__gradient_bound_sparsemax,
    norm__gradient_bound_entmax,
    norm__gradient_bound_asentmax,
    norm__gradient_bound_ssmax,
    norm__gradient_bound_normmax,
    norm__gradient_bound_sasoftmax,
    norm__gradient_bound_adaptive,
    norm__gradient_bound_sigmoid,
    norm__gradient_bound_relu,
    norm__gradient_bound_lssa,
    norm__gradient_bound_lssar,
    norm__gradient_bound_softpick;

#endif
