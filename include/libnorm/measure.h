/* SPDX-License-Identifier: MIT */
/**
 * @file measure.h
 * What a real head does: entropy, effective support, mass on the first token, distance looked back. With it come
 * distance.h (how far the largest tokens stand from the rest), sensitivity.h (how weights answer to scores) and
 * statistics.h (samples, critical N, lines).
 *
 * Measurements are kept as records of sums, one a (window, layer, head). A summary is computed from records in window
 * order and from nothing else, so joining the records of two runs and summarising gives what one run would have given,
 * to the bit.
 */
#ifndef LIBNORM_MEASURE_H
#define LIBNORM_MEASURE_H

#include <libnorm/distance.h>
#include <libnorm/observer.h>
#include <libnorm/sensitivity.h>
#include <libnorm/statistics.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Sums over the rows of one head in one window. A row's p is its weights divided by their sum (the weights themselves
 * for a normalizer that sums to one). Rows whose weights sum to 0 are counted in empty_rows, rows with a weight that is
 * NaN, infinite or negative in nan_rows; both are left out of all sums.
 * n is the row's visible count; logarithms are natural; 0 log 0 is 0.
 */
typedef struct norm_head_record {
    uint32_t struct_size; /**< sizeof(norm_head_record), set by the caller. */
    uint32_t flags;       /**< 0. */
    int32_t layer, head;
    double window;  /**< Index of the window in the text, from 0. */
    double rows;    /**< Rows in the sums. */
    double empty_rows, nan_rows;
    double entropy;         /**< Sum of H = -sum p log p, nats. */
    double relative_rows;   /**< Rows with n >= 2, the ones in relative_entropy. */
    double relative_entropy; /**< Sum of H / log n. */
    double exp_entropy;     /**< Sum of exp(H), the effective number of tokens attended to. */
    double inverse_square;  /**< Sum of 1 / sum p^2. */
    double max_weight;      /**< Sum of the largest p. */
    double first_mass;      /**< Sum of p on the first token of the window. */
    double self_mass;       /**< Sum of p on the row's own token. */
    double previous_rows;   /**< Rows with n >= 2, the ones in previous_mass. */
    double previous_mass;   /**< Sum of p on the token before. */
    double distance;        /**< Sum of sum_j p_j (t - j), in tokens; t is the row's own column. */
    double support;         /**< Sum of the number of weights that are not 0. */
    double weight_sum;      /**< Sum of the rows' weight sums: rows for a normalizer that sums to one. */
    double max_score;       /**< Largest visible score of all rows, NaN passed over; -inf when there was none. */
    double row_max_score;   /**< Sum over rows of the largest visible score; NaN when a view came without scores. */
    /** 0: of rows of any length. Else of rows that see at most this many tokens, and more than the length before. */
    double length;
    double log_tokens; /**< Sum of log n over the rows: what their entropy could be at most. */
} norm_head_record;

/** Empties a record: all sums 0, max_score -inf. struct_size must be set. */
LIBNORM_API norm_status norm_head_record_init(norm_head_record *record, int32_t layer, int32_t head, double window,
                                              norm_error *ret_error);

/**
 * Adds the rows of a view to a record. The view may come from an observer or from the caller's own weights: only
 * weights, visible and, where it is not NULL, scores are read. Row r's own token is column visible[r] - 1.
 * Sums in double, added row after row: how the rows were cut into views does not matter to the bit. The entropy of a
 * row has a relative error below 1e-6, however peaked the row. The record is untouched on failure.
 */
LIBNORM_API norm_status norm_head_record_add(norm_head_record *record, const norm_head_view *view,
                                             norm_error *ret_error);

/** A norm_observer for one window: user points to a norm_head_observer. */
typedef struct norm_head_observer {
    uint32_t struct_size; /**< sizeof(norm_head_observer). */
    uint32_t flags;       /**< 0. */
    double window;        /**< Index given to the records. */
    uint64_t n_layer, n_head;
    /** n_layer x n_head, layer by layer; the caller's. Each with its struct_size, the same in all. */
    norm_head_record *records;
    /** length_count > 0: rows are told apart by the number of tokens they see, up to lengths[0], above that up to
     *  lengths[1], and so on, ascending; longer rows are left out. records then holds length_count for each head. */
    const uint64_t *lengths;
    uint64_t length_count;
} norm_head_observer;

/** Fills the record of each head it sees; a head's first row empties its record, and rows must follow without a gap.
 *  Row r of a head is taken to see r + 1 tokens where there are lengths. Non-zero: a norm_status. */
LIBNORM_API int32_t norm_head_observe(void *user, const norm_head_view *view);

/** Means over the rows of all windows of one head. NaN where no row counts. */
typedef struct norm_head_summary {
    uint32_t struct_size; /**< sizeof(norm_head_summary), set by the caller. */
    uint32_t flags;       /**< 0. */
    int32_t layer, head;
    double windows, rows, empty_rows, nan_rows;
    double entropy;          /**< Mean H, nats. */
    double relative_entropy; /**< Mean H / log n, 0 to 1. */
    double exp_entropy;      /**< Mean exp(H). */
    double inverse_square;   /**< Mean 1 / sum p^2. */
    double max_weight, first_mass, self_mass, previous_mass;
    double distance; /**< Mean attended distance, tokens. */
    double support;  /**< Mean number of weights that are not 0. */
    double weight_sum;
    double max_score;     /**< Largest score seen. */
    double row_max_score; /**< Mean of the rows' largest scores. */
    double length;        /**< The largest length of the records. */
    double log_tokens;    /**< Mean log n: against it, entropy rises at most with slope 1. */
} norm_head_summary;

/**
 * Summary of count records of one head, given in strictly ascending order of window, within a window of length. Records
 * of different heads, out of order or repeated are LIBNORM_E_ARGUMENT, and so is count 0.
 */
LIBNORM_API norm_status norm_head_summarize(const norm_head_record *records, size_t count,
                                            norm_head_summary *ret_summary, norm_error *ret_error);

#ifdef __cplusplus
}
#endif
#endif
