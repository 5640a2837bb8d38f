/* SPDX-License-Identifier: MIT */
/**
 * @file gradient.h
 * Checking derivatives against differences: for normalizers of your own (own.h), and for any other.
 */
#ifndef LIBNORM_GRADIENT_H
#define LIBNORM_GRADIENT_H

#include <libnorm/normalizer.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What to check, and what was found. Set struct_size; all other fields may be 0 before the call. */
typedef struct norm_gradient_check {
    uint32_t struct_size; /**< sizeof(norm_gradient_check) as the caller compiled it. */
    uint32_t flags;       /**< 0. */
    /** Given: bits 1 << LIBNORM_OPERATION_... of VJP, LOG_VJP, JVP, HVP and PARAM_VJP; 0 for all that n supports. */
    uint64_t operations;
    uint64_t seed;    /**< Given: of the random directions. */
    double tolerance; /**< Given: largest error that passes, 1e-8 to 1; 0 for 1e-6. */

    int32_t passed;    /**< 1: no error above tolerance. Look at compared, too. */
    int32_t operation; /**< LIBNORM_OPERATION_... of the worst entry; 0 where nothing could be compared. */
    uint64_t batch, row;
    int64_t column; /**< -1 for PARAM_VJP, which has one number a row. */
    char key[32];   /**< Of PARAM_VJP; else empty. */
    double got;      /**< What the operation gave. */
    double expected; /**< What differences gave. */
    double error;    /**< |got - expected| / (|expected| + unit / 1000); +inf if got is not finite. */
    uint64_t compared; /**< Entries compared. */
    uint64_t skipped;  /**< Entries left out: at or near a kink or a jump, or too rough for differences. */
} norm_gradient_check;

/**
 * Compares derivatives of n at these rows of scores with central differences of norm_apply_f64(), norm_log_apply_f64()
 * and, for HVP, of norm_vjp_f64(), along random directions: VJP and HVP entry by entry in z, JVP entry by entry of the
 * result, keys by norm_normalizer_with(). Returns LIBNORM_OK whether the check passes or not.
 *
 * The worst entry is that of the first operation, in the order VJP, LOG_VJP, JVP, HVP, PARAM_VJP, whose error is above
 * the tolerance: a wrong F' is then reported at the score where it is wrong. If there is none: the worst of all.
 *
 * unit is what a derivative of ordinary size is there: the largest weight (log weight, VJP) times the largest entry of
 * the direction, over the temperature for derivatives in z. Steps of temperature / 1024 and less, three sizes at a
 * time, extrapolated; an entry counts when these agree within tolerance / 4 of the same measure, else steps 16 times
 * smaller are tried, twice. A kink exactly at the scores shows in the second difference. Entries that never agree are
 * skipped, and so are rows with nothing visible or with scores that are not finite, hidden entries, keys at the end of
 * their range, and log weights of entries without weight or of rows with a negative one.
 *
 * Takes about 20 n calls of apply and of the VJP for a row of n visible entries, O(n^2): meant for short rows. The call
 * allocates with exec's allocator; workspace and threads of exec are not used. progress is called after each row.
 */
LIBNORM_API norm_status norm_check_gradients(const norm_normalizer *n, const norm_rows *rows, const double *z,
                                             norm_gradient_check *check, const norm_exec *exec,
                                             norm_error *ret_error);

#ifdef __cplusplus
}
#endif
#endif
