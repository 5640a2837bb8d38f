/* SPDX-License-Identifier: MIT */
/**
 * @file loss.h
 * Fenchel-Young losses of softmax, sparsemax and entmax of any alpha, their gradients, the logarithm of a sum of
 * exponentials, and the one-line calls for people who want nothing else.
 *
 * The loss of scores z against a target distribution y is Omega*(z) + Omega(y) - z.y, with Omega the negative Tsallis
 * entropy -H_alpha(p) = -(1/(alpha (alpha - 1))) sum (p - p^alpha), the Shannon entropy at alpha = 1. It is >= 0, and
 * 0 exactly when the weights of z are y; its gradient in z is weights minus y. For softmax it is the cross-entropy
 * less the entropy of y (so the cross-entropy itself for a class); for sparsemax the sparsemax loss. Source: Blondel,
 * Martins and Niculae 2019, arXiv 1901.02324; computed as a sum of terms >= 0, one an entry, so that small losses keep
 * their digits.
 */
#ifndef LIBNORM_LOSS_H
#define LIBNORM_LOSS_H

#include <libnorm/normalizer.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Losses of rows against one class each, in the normalizers softmax, ssmax, sparsemax, entmax and asentmax (others:
 * LIBNORM_E_UNSUPPORTED, see norm_normalizer_supports()). The scores are divided by the temperature, and scaled where
 * the normalizer scales, before anything else; the gradient includes that factor.
 *
 * target: batch x rows columns, packed; a negative one leaves its row out (loss 0, gradient 0); one that is not a
 * column is LIBNORM_E_ARGUMENT before anything is written. ret_loss: batch x rows doubles, packed. ret_d: the gradient
 * in z with d_stride, or NULL; it may be z. The rules of normalizer.h hold for rows; besides, a target that is hidden
 * or -inf, or that is finite beside +inf, or in an empty row, has loss +inf; a NaN in the row gives NaN. Error of the
 * loss: relative 1e-13 of its value in double arithmetic on the given scores.
 */
LIBNORM_API norm_status norm_loss_f32(const norm_normalizer *n, const norm_rows *rows, const float *z,
                                      const int64_t *target, double *ret_loss, float *ret_d, const norm_exec *exec,
                                      norm_error *ret_error);
/** norm_loss_f32() for double. */
LIBNORM_API norm_status norm_loss_f64(const norm_normalizer *n, const norm_rows *rows, const double *z,
                                      const int64_t *target, double *ret_loss, double *ret_d, const norm_exec *exec,
                                      norm_error *ret_error);

/**
 * The same against a distribution a row: y has the strides g_stride; its visible entries should be >= 0 and sum to one
 * (they are used as they are); hidden ones are not read. A row that has +inf or is empty has loss NaN and gradient 0.
 * Error of the loss: 1e-13 (1 + the loss).
 */
LIBNORM_API norm_status norm_loss_against_f32(const norm_normalizer *n, const norm_rows *rows, const float *z,
                                              const float *y, double *ret_loss, float *ret_d, const norm_exec *exec,
                                              norm_error *ret_error);
/** norm_loss_against_f32() for double. */
LIBNORM_API norm_status norm_loss_against_f64(const norm_normalizer *n, const norm_rows *rows, const double *z,
                                              const double *y, double *ret_loss, double *ret_d, const norm_exec *exec,
                                              norm_error *ret_error);

/* -- one row, one line -------------------------------------------------------------------------------------------- */

/**
 * Softmax of n packed scores, temperature 1; ret_w may be z. All of the row's rules hold: a row of -inf gives zeros. n
 * 0 touches nothing. LIBNORM_E_ARGUMENT: NULL or not aligned; LIBNORM_E_OVERLAP. Any thread.
 */
LIBNORM_API norm_status norm_softmax_f32(const float *z, size_t n, float *ret_w);
/** norm_softmax_f32() for double. */
LIBNORM_API norm_status norm_softmax_f64(const double *z, size_t n, double *ret_w);

/** Sparsemax of n packed scores; as norm_softmax_f32(), and LIBNORM_E_NOMEM, with ret_w untouched. */
LIBNORM_API norm_status norm_sparsemax_f32(const float *z, size_t n, float *ret_w);
/** norm_sparsemax_f32() for double. */
LIBNORM_API norm_status norm_sparsemax_f64(const double *z, size_t n, double *ret_w);

/**
 * log sum_i exp(z_i), without overflow: -inf for n 0 or nothing but -inf, +inf beside a +inf, NaN beside a NaN.
 * Absolute error at most 1e-6 for f32 and 1e-14 max(1, |largest score|) for f64.
 */
LIBNORM_API norm_status norm_log_sum_exp_f32(const float *z, size_t n, double *ret_value);
/** norm_log_sum_exp_f32() for double. */
LIBNORM_API norm_status norm_log_sum_exp_f64(const double *z, size_t n, double *ret_value);

#ifdef __cplusplus
}
#endif
#endif
