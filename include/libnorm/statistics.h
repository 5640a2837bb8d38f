/* SPDX-License-Identifier: MIT */
/**
 * @file statistics.h
 * What is asked of the figures of many heads: whether two samples differ, from which N on they do not, and how one
 * number grows with another.
 *
 * Every argument is checked: LIBNORM_E_ARGUMENT with a text that names argument and value, and nothing is written. Any
 * thread.
 */
#ifndef LIBNORM_STATISTICS_H
#define LIBNORM_STATISTICS_H

#include <libnorm/exec.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Two samples compared by Kolmogorov and Smirnov. */
typedef struct norm_ks {
    uint32_t struct_size; /**< sizeof(norm_ks), set by the caller. */
    uint32_t flags;       /**< 0. */
    double statistic;     /**< D, the largest distance of the two empirical distributions. */
    double threshold;     /**< sqrt(-ln(level/2)/2) sqrt((a+b)/(ab)): the large-sample critical value of D. */
    double p_value;       /**< Chance of a D at least this large if both come from one continuous distribution. */
    double smallest_p;    /**< p_value of samples that do not overlap at all: above level, nothing can be told. */
    int32_t exact;        /**< 1: p_value is exact; 0: asymptotic. */
    int32_t rejected;     /**< 1: p_value < level, the samples differ. */
} norm_ks;

/**
 * Two samples of at least one finite number each, 0 < level < 1. The p-value is exact for samples of equal size and
 * for a_count b_count <= 2^24 (error 1e-12), else asymptotic with Stephens' correction, a little small. Equal values
 * are passed together before the distributions are compared, which makes the p-value an upper bound. The paper says
 * level 0.01 in its text and 0.05 in its algorithm. Workspace: norm_measure_ks_workspace().
 */
LIBNORM_API norm_status norm_measure_ks(size_t a_count, const double *a, size_t b_count, const double *b, double level,
                                        norm_ks *ret_ks, const norm_exec *exec, norm_error *ret_error);
/** Bytes of norm_exec.workspace that suffice. */
LIBNORM_API norm_status norm_measure_ks_workspace(size_t a_count, size_t b_count, size_t *ret_bytes,
                                                  norm_error *ret_error);

#define LIBNORM_CRITICAL_SCAN 0   /**< N = low + 1, low + 2, ... up to high: the paper's. */
#define LIBNORM_CRITICAL_BISECT 1 /**< high first, then halves. */

/**
 * Search for the critical N: the smallest at which the heads' mean distances from their N largest tokens can no longer
 * be told from the expected ones. The search asks, the caller measures: while next is not 0, measure every head with
 * N = next and call norm_critical_tell().
 */
typedef struct norm_critical {
    uint32_t struct_size; /**< sizeof(norm_critical), set by the caller. */
    uint32_t flags;       /**< 0. */
    int32_t method;       /**< LIBNORM_CRITICAL_... */
    int32_t reserved;     /**< 0. */
    double level;
    uint64_t low;      /**< The largest N so far at which the samples differ; at first the caller's. */
    uint64_t high;     /**< The largest N that may be asked for; with BISECT the smallest one known to fit below. */
    uint64_t next;     /**< N to measure next; 0: finished. */
    uint64_t critical; /**< The answer once next is 0: the samples do not differ there. 0: they differ up to high. */
} norm_critical;

/**
 * Begins. low: an N at which the samples are known to differ, or 0; low < high. BISECT asks for high and then about
 * log2(high - low) more; it finds a place where the answer changes, which is the scan's where it changes once.
 */
LIBNORM_API norm_status norm_critical_start(uint64_t low, uint64_t high, double level, int32_t method,
                                            norm_critical *ret_search, norm_error *ret_error);

/** Tells the two samples at N = next, one number a head each. Compares them as norm_measure_ks() does; ret_ks may be
 *  NULL. */
LIBNORM_API norm_status norm_critical_tell(norm_critical *search, size_t heads, const double *measured,
                                           const double *expected, norm_ks *ret_ks, const norm_exec *exec,
                                           norm_error *ret_error);

/** A straight line through points. */
typedef struct norm_line {
    uint32_t struct_size; /**< sizeof(norm_line), set by the caller. */
    uint32_t flags;       /**< 0. */
    double slope, intercept;
    double slope_error; /**< Standard error of the slope; NaN for two points. */
    double r_squared;   /**< Part of the variance explained; NaN where all y are equal. */
} norm_line;

/** Least squares through count >= 2 finite points, x not all equal: of the entropy on log n, how it rises with length
 *  (1 for uniform weights, 0 for a fixed number of tokens); of logarithms, an exponent. */
LIBNORM_API norm_status norm_measure_line(size_t count, const double *x, const double *y, norm_line *ret_line,
                                          norm_error *ret_error);

#ifdef __cplusplus
}
#endif
#endif
