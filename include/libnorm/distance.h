/* SPDX-License-Identifier: MIT */
/**
 * @file distance.h
 * How far a head's largest tokens stand from the rest, and how many of them stand apart: for one row of the caller's
 * own weights and vectors, and as records over many rows.
 *
 * A row is L weights w_i and L vectors x_i of dim numbers; y_i = w_i x_i. Selected are the N largest weights, among
 * equal ones the lower index first; s is the sum of their y_i, with the weights as they are. The distance is the sum
 * over the tokens that are not selected of ||y_i - s||. Norms are Euclidean. Tokens a causal row does not see do not
 * belong to it: each would add ||s|| and make the distance grow with L by itself.
 *
 * Whole heads are measured by a norm_distance_meter, as many rows as there are at once and by algebra rather than one
 * difference after the other.
 *
 * - L >= 2 and 1 <= N <= L - 1, as there must be a rest; every number finite. What is not is LIBNORM_E_ARGUMENT with a
 *   text that names argument and value, and nothing is written.
 * - Memory: norm_measure_workspace() bytes of norm_exec.workspace or allocator. Any thread.
 */
#ifndef LIBNORM_DISTANCE_H
#define LIBNORM_DISTANCE_H

#include <libnorm/exec.h>
#include <libnorm/observer.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes of norm_exec.workspace that suffice for each function of this header and of sensitivity.h, for rows of
 *  `tokens` numbers and vectors of dim; dim 0 where there are no vectors. */
LIBNORM_API norm_status norm_measure_workspace(size_t tokens, size_t dim, size_t *ret_bytes, norm_error *ret_error);

/** Indices of the `count` largest of `tokens` weights, largest first, among equal ones the lower index first: the first
 *  N of them are the N largest. 1 <= count <= tokens; ret_order must not overlap weights. */
LIBNORM_API norm_status norm_measure_order(size_t tokens, const double *weights, size_t count, size_t *ret_order,
                                           norm_error *ret_error);

/** Parts of norm_measure_distance(). What is not asked for is NaN. */
#define LIBNORM_DISTANCE_BOUNDS 1u    /**< lower, upper, theorem. */
#define LIBNORM_DISTANCE_EXPECTED 2u  /**< expected_lower, expected_upper. */
#define LIBNORM_DISTANCE_SEPARABLE 4u /**< separable_lower, _upper, _published; only with UNIT. */
/** Vectors are divided by their lengths first, onto the sphere that Theorem 2 assumes. A vector of length 0 is
 *  LIBNORM_E_ARGUMENT. Distances are then those of the unit vectors. */
#define LIBNORM_DISTANCE_UNIT 8u

/** One row. */
typedef struct norm_row_distance {
    uint32_t struct_size; /**< sizeof(norm_row_distance), set by the caller. */
    uint32_t flags;       /**< 0. */
    uint64_t tokens;      /**< L. */
    uint64_t selected;    /**< N. */
    double distance;      /**< The sum over the rest of ||y_i - s||. */
    double mean;          /**< distance / (L - N). Where N grows with L this falls, not the distance. */
    double radius;        /**< r, the smallest ||y_i - s|| of the rest. */
    double inside;        /**< N_s / N: the part of the selected with ||y_i - s|| < r, strictly. */
    double context;       /**< ||s||. */
    double mass;          /**< Sum of the selected weights. */
    double lower, upper;  /**< norm_bound_distance(). */
    double theorem;       /**< norm_bound_distance_theorem(); NaN where a weight is negative. */
    double expected_lower, expected_upper;     /**< norm_bound_expected_distance(), N tokens drawn at random. */
    double separable_lower, separable_upper;   /**< Of N_s/N for this r: norm_bound_separable_...(), form BEST. */
    double separable_published;                /**< norm_bound_separable_upper_published(), delta as measured. */
} norm_row_distance;

/**
 * Measures one row. parts: LIBNORM_DISTANCE_... Everything is computed directly, in double, from the differences
 * themselves: each ||y_i - s|| has the error of norm_bound_distance_value(), so equal contributions have equal
 * distances, and a duplicate of a selected token outside counts as near as that token. separable_... are NaN where a
 * weight is negative; they assume independent uniform vectors (bounds.h), which real ones are not. Costs L dim;
 * BOUNDS N (L-N) dim, SEPARABLE L^2 dim / 2 for the smallest distance of two tokens.
 */
LIBNORM_API norm_status norm_measure_distance(size_t tokens, size_t dim, const double *weights, const double *x,
                                              int64_t x_stride, size_t selected, uint32_t parts,
                                              norm_row_distance *ret_row, const norm_exec *exec,
                                              norm_error *ret_error);

/**
 * How many selected tokens stand apart for a radius r > 0 of the caller's: *ret_inside counts the selected with
 * ||y_i - s|| < r, *ret_joint is the same number if no other token has ||y_i - s|| < r, else 0. Either may be NULL.
 * With the radius of norm_measure_distance() both are N_s.
 */
LIBNORM_API norm_status norm_measure_inside(size_t tokens, size_t dim, const double *weights, const double *x,
                                            int64_t x_stride, size_t selected, double r, size_t *ret_inside,
                                            size_t *ret_joint, const norm_exec *exec, norm_error *ret_error);

/* -- records ------------------------------------------------------------------------------------------------------ */

/**
 * Sums over the rows of one head in one window that see more than the length before and at most `length` tokens, for
 * one N. The mean over all rows up to a length comes from the records of this length and all before it. NaN in a row
 * makes the sum of that member NaN.
 */
typedef struct norm_distance_record {
    uint32_t struct_size; /**< sizeof(norm_distance_record), set by the caller. */
    uint32_t flags;       /**< 0. */
    int32_t layer, head;
    double window;   /**< Index of the window in the text, from 0. */
    double length;   /**< The most tokens a row of this record sees. */
    double selected; /**< N. */
    double rows;     /**< Rows in the sums. */
    double short_rows; /**< Rows left out as they see no more than N tokens. */
    double nan_rows;   /**< Rows left out for a weight or vector that is not finite (or has no direction, UNIT). */
    double tokens;     /**< Sum of the numbers of tokens. */
    double distance, mean, radius, inside, context, mass, lower, upper, theorem; /**< Sums; norm_row_distance. */
    double expected_lower, expected_upper, separable_lower, separable_upper, separable_published;
} norm_distance_record;

/** Empties a record. struct_size must be set. length >= 2, selected >= 1, both whole. */
LIBNORM_API norm_status norm_distance_record_init(norm_distance_record *record, int32_t layer, int32_t head,
                                                  double window, uint64_t length, uint64_t selected,
                                                  norm_error *ret_error);

/** Adds a row, whose selected is the record's and whose tokens are at most its length. Rows that cannot be measured the
 *  caller counts in short_rows and nan_rows. */
LIBNORM_API norm_status norm_distance_record_add(norm_distance_record *record, const norm_row_distance *row,
                                                 norm_error *ret_error);

/** Means over rows. NaN where no row counts. */
typedef struct norm_distance_summary {
    uint32_t struct_size; /**< sizeof(norm_distance_summary), set by the caller. */
    uint32_t flags;       /**< 0. */
    int32_t layer, head;
    double windows;  /**< Different windows among the records. */
    double length;   /**< The largest length among the records. */
    double selected; /**< N. */
    double rows, short_rows, nan_rows;
    double tokens; /**< Mean number of tokens. */
    double distance, mean, radius, inside, context, mass, lower, upper, theorem;
    double expected_lower, expected_upper, separable_lower, separable_upper, separable_published;
} norm_distance_summary;

/**
 * Summary of count records of one head and one N, in strictly ascending order of window, within a window of length.
 * Sums are added in this order: the records alone decide the bits. Other orders, other heads, count 0 are
 * LIBNORM_E_ARGUMENT.
 */
LIBNORM_API norm_status norm_distance_summarize(const norm_distance_record *records, size_t count,
                                                norm_distance_summary *ret_summary, norm_error *ret_error);

/* -- whole heads -------------------------------------------------------------------------------------------------- */

/** What a meter measures. */
typedef struct norm_distance_plan {
    uint32_t struct_size; /**< sizeof(norm_distance_plan) as the caller compiled it. */
    uint32_t flags;       /**< 0. */
    uint32_t parts;       /**< LIBNORM_DISTANCE_... */
    int32_t cpu_level;    /**< A cap, LIBNORM_CPU_...; the bits are the same at each. */
    uint64_t max_tokens;  /**< The most tokens a row may see, 2 to 2^20. */
    uint64_t dim;         /**< Numbers of a vector, 1 to 2^20. */
    const uint64_t *lengths; /**< Ascending, each >= 2. NULL with a count of 0: max_tokens alone. */
    uint64_t length_count;
    const uint64_t *tops; /**< The N, strictly ascending, each from 1 to max_tokens - 1; at least one. */
    uint64_t top_count;
    const norm_allocator *allocator; /**< NULL: malloc. Must outlive the meter. */
} norm_distance_plan;

/** Memory and state of measuring one head after the other. One thread at a time. */
typedef struct norm_distance_meter norm_distance_meter;

/**
 * Takes all memory: about 8 max_tokens (2 dim + 30 + 8 N) bytes, N the number of tops, and 4 max_tokens^2 more with
 * LIBNORM_DISTANCE_BOUNDS. The plan's arrays are copied. *ret_meter is untouched on failure.
 */
LIBNORM_API norm_status norm_distance_meter_open(const norm_distance_plan *plan, norm_distance_meter **ret_meter,
                                                 norm_error *ret_error);

/** Frees. NULL is allowed. */
LIBNORM_API void norm_distance_meter_free(norm_distance_meter *meter);

/**
 * Adds the rows of a block of one head to its records: length_count x top_count of them, length by length, each with
 * its struct_size, the same in all. Of the view weights, visible and values are read; row r sees visible[r] tokens, the
 * first ones. vectors, when not NULL, stand in for the values: cols x dim floats, vector_stride from one to the next
 * (0: dim), the same for every block of a head. A view with first_row 0 begins a head and empties its records; the rows
 * of further blocks follow without a gap.
 *
 * Rows longer than the last length are left out. A row with a weight that is not finite, or that sees a vector with a
 * component that is not finite or beyond 1e30 (or, UNIT, without a direction), is counted in nan_rows.
 *
 * Values are those of norm_measure_distance() within 1e-6, relative, and 1e-13 n sum ||y_i|| absolute: squared
 * distances are expanded into norms and inner products, and wherever digits cancel the difference is formed itself;
 * N_s is decided on differences where it is close. theorem is rounded upwards, by 1e-6. How rows are cut into blocks
 * does not matter to the bits. On failure records keep what they held, but for those of a first block.
 */
LIBNORM_API norm_status norm_distance_meter_add(norm_distance_meter *meter, const norm_head_view *view,
                                                const float *vectors, int64_t vector_stride, double window,
                                                norm_distance_record *records, norm_error *ret_error);

/** A norm_observer for one window: user points to a norm_distance_observer. */
typedef struct norm_distance_observer {
    uint32_t struct_size; /**< sizeof(norm_distance_observer). */
    uint32_t flags;       /**< 0. */
    double window;        /**< Index given to the records. */
    uint64_t n_layer, n_head;
    norm_distance_meter *meter;
    /** n_layer x n_head x length_count x top_count, the caller's; each with its struct_size, the same in all. */
    norm_distance_record *records;
    const float *vectors; /**< As above; NULL: the heads' values. */
    int64_t vector_stride;
} norm_distance_observer;

/** Measures each head it sees. Non-zero: a norm_status. */
LIBNORM_API int32_t norm_distance_observe(void *user, const norm_head_view *view);

#ifdef __cplusplus
}
#endif
#endif
