/* SPDX-License-Identifier: MIT */
/**
 * @file jacobian.h
 * The Jacobian of norm_apply, row by row, and its norms. Every normalizer that has a VJP has them, the caller's own
 * included. Results are double for both widths of scores.
 */
#ifndef LIBNORM_JACOBIAN_H
#define LIBNORM_JACOBIAN_H

#include <libnorm/normalizer.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The full Jacobian of each row: batch x rows blocks of cols x cols doubles, entry (i, j) = dw_i/dz_j, 1/temperature
 * included. Hidden rows and columns of a block are 0; so is the whole block of a row that is empty or holds +inf; a row
 * with NaN has NaN in its visible rows and columns. On the support at kinks.
 *
 * j_stride: elements from one block to the next (over batch x rows), from i to i + 1, from j to j + 1; NULL or 0, 0, 0:
 * packed. ret_j must not overlap any input. O(cols^2) a row in closed form, else cols VJPs a row. Threads work on rows.
 * Errors are those of norm_vjp_f32(); rounding is that of the VJP in double, with every 1 - w_i taken from the other
 * weights where the form is closed. norm_apply_workspace() covers it.
 */
LIBNORM_API norm_status norm_jacobian_f32(const norm_normalizer *n, const norm_rows *rows, const float *z,
                                          const int64_t *j_stride, double *ret_j, const norm_exec *exec,
                                          norm_error *ret_error);
/** norm_jacobian_f32() for double scores. */
LIBNORM_API norm_status norm_jacobian_f64(const norm_normalizer *n, const norm_rows *rows, const double *z,
                                          const int64_t *j_stride, double *ret_j, const norm_exec *exec,
                                          norm_error *ret_error);

/** Where norm_jacobian_norms_f32() writes: batch x rows doubles each, packed; NULL is not computed. */
typedef struct norm_jacobian_norms {
    uint32_t struct_size; /**< sizeof(norm_jacobian_norms) as the caller compiled it. */
    uint32_t flags;       /**< 0. */
    /**
     * The 2-norm. Exact but for rounding, relative error (2 cols + 16) 2^-53, where the Jacobian is diag(s) -
     * s s^T / Z (softmax, softmax1, ssmax, sparsemax, entmax, asentmax, topk that renormalizes) or diagonal (sigmoid,
     * relu). Else by Golub and Kahan's bidiagonalization, the power iteration on J^T J that remembers its steps: it
     * stops when three estimates agree within 1e-14 or after 300 steps, and is a lower bound but for rounding. In the
     * tests it came within 1e-10 of the exact value, relative for softplus, elu1, square1, lssa and a family of the
     * caller's, else relative to the larger of the norm and 1e-3 / temperature: products cancel near one-hot weights.
     * A step takes a JVP and a VJP.
     */
    double *spectral;
    /** The Frobenius norm. In closed form where there is one (those above and softplus, elu1, square1, lssa, a family
     *  of the caller's), else from cols VJPs. */
    double *frobenius;
    /** An upper bound on spectral from the weights of this row (docs/theory.md), never above constant for its largest
     *  score; +inf where none is known. */
    double *bound;
    /** An upper bound on spectral for every row with as many visible entries, whatever the scores; +inf where there is
     *  none or none is known. */
    double *constant;
} norm_jacobian_norms;

/**
 * Norms of the Jacobian of each row. A row that is empty or holds +inf has norms and bound 0, a row with NaN has NaN;
 * neither changes constant. O(cols) memory. The arrays of *ret_norms must not overlap any input.
 */
LIBNORM_API norm_status norm_jacobian_norms_f32(const norm_normalizer *n, const norm_rows *rows, const float *z,
                                                const norm_jacobian_norms *ret_norms, const norm_exec *exec,
                                                norm_error *ret_error);
/** norm_jacobian_norms_f32() for double scores. */
LIBNORM_API norm_status norm_jacobian_norms_f64(const norm_normalizer *n, const norm_rows *rows, const double *z,
                                                const norm_jacobian_norms *ret_norms, const norm_exec *exec,
                                                norm_error *ret_error);

#ifdef __cplusplus
}
#endif
#endif
