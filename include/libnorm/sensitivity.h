/* SPDX-License-Identifier: MIT */
/**
 * @file sensitivity.h
 * How strongly the weights of a row answer to its scores: finite differences, the exact norm of the Jacobian, and the
 * mass that can be balanced; for one row, and as records over many.
 *
 * Every argument is checked: LIBNORM_E_ARGUMENT with a text that names argument and value, and nothing is written.
 * Memory as in distance.h, dim 0. Any thread.
 */
#ifndef LIBNORM_SENSITIVITY_H
#define LIBNORM_SENSITIVITY_H

#include <libnorm/exec.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A unit vector of count >= 1 normal numbers divided by their length: uniform on the sphere. The same seed and stream
 *  (a row, say) give the same direction, different ones independent ones. count 1 gives 1 or -1. */
LIBNORM_API norm_status norm_measure_direction(uint64_t seed, uint64_t stream, size_t count, double *ret_direction,
                                               norm_error *ret_error);

/**
 * g(T, step) = ||softmax((z + step v)/T) - softmax(z/T)|| / step for count >= 2 finite scores z and a direction v of
 * length 1 (within 1e-6), temperature > 0, step > 0. At most norm_bound_softmax_sensitivity(). Small steps lose
 * nothing: relative error below 1e-13 for count up to 10^4 and |z|/T up to 100.
 */
LIBNORM_API norm_status norm_measure_sensitivity(size_t count, const double *scores, const double *direction,
                                                 double temperature, double step, double *ret_sensitivity,
                                                 const norm_exec *exec, norm_error *ret_error);

/** The same for any normalizer, from weights that were computed already: ||after - before|| / step. count >= 1,
 *  step > 0. The digits are those that the subtraction leaves. */
LIBNORM_API norm_status norm_measure_change(size_t count, const double *before, const double *after, double step,
                                            double *ret_sensitivity, norm_error *ret_error);

/** ||J||_2 of softmax at a temperature, exact: what g(T, step) comes to for the worst direction and a small step.
 *  count >= 2. Error as norm_bound_jacobian_spectral(), which serves other normalizers. */
LIBNORM_API norm_status norm_measure_spectral(size_t count, const double *scores, double temperature,
                                              double *ret_norm, const norm_exec *exec, norm_error *ret_error);

/**
 * Balanced mass 4Q(1-Q), Q the part of the weight in the set of tokens that comes nearest to one half: 1 where the row
 * can be cut into equal halves, 0 where one token has all. T times the norm of softmax's Jacobian from infinity to 1.
 * weights: count >= 2 numbers >= 0, not all 0, divided by their sum here. Two ends as in
 * norm_bound_jacobian_balanced(), equal to about 1e-11 for rows of 64 and more; either may be NULL.
 */
LIBNORM_API norm_status norm_measure_balanced(size_t count, const double *weights, double *ret_lower,
                                              double *ret_upper, const norm_exec *exec, norm_error *ret_error);

/* -- records ------------------------------------------------------------------------------------------------------ */

/** One row at one temperature and step. NaN in a member: not measured. */
typedef struct norm_row_sensitivity {
    uint32_t struct_size; /**< sizeof(norm_row_sensitivity), set by the caller. */
    uint32_t flags;       /**< 0. */
    double sensitivity;   /**< g. */
    double spectral;      /**< ||J||_2. */
    double balanced;      /**< Balanced mass. */
} norm_row_sensitivity;

/** Sums over the rows of one head in one window. NaN in a row makes the sum of that member NaN. */
typedef struct norm_sensitivity_record {
    uint32_t struct_size; /**< sizeof(norm_sensitivity_record), set by the caller. */
    uint32_t flags;       /**< 0. */
    int32_t layer, head;
    double window; /**< Index of the window in the text, from 0. */
    double temperature, step;
    double rows;     /**< Rows in the sums. */
    double nan_rows; /**< Rows the caller left out, as it counted them. */
    double sensitivity, spectral, balanced; /**< Sums. */
    double largest_sensitivity, largest_spectral; /**< Of all rows; NaN passed over, 0 when there was none. */
} norm_sensitivity_record;

/** Empties a record. struct_size must be set; temperature > 0, step > 0. */
LIBNORM_API norm_status norm_sensitivity_record_init(norm_sensitivity_record *record, int32_t layer, int32_t head,
                                                     double window, double temperature, double step,
                                                     norm_error *ret_error);

/** Adds a row. Members must be >= 0 or NaN. */
LIBNORM_API norm_status norm_sensitivity_record_add(norm_sensitivity_record *record, const norm_row_sensitivity *row,
                                                    norm_error *ret_error);

/** Means over rows. NaN where no row counts. */
typedef struct norm_sensitivity_summary {
    uint32_t struct_size; /**< sizeof(norm_sensitivity_summary), set by the caller. */
    uint32_t flags;       /**< 0. */
    int32_t layer, head;
    double windows, temperature, step, rows, nan_rows;
    double sensitivity, spectral, balanced;
    double largest_sensitivity, largest_spectral;
} norm_sensitivity_summary;

/** Summary of count records of one head, temperature and step, in strictly ascending window order. Others, and count
 *  0, are LIBNORM_E_ARGUMENT. */
LIBNORM_API norm_status norm_sensitivity_summarize(const norm_sensitivity_record *records, size_t count,
                                                   norm_sensitivity_summary *ret_summary, norm_error *ret_error);

#ifdef __cplusplus
}
#endif
#endif
