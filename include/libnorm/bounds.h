/* SPDX-License-Identifier: MIT */
/**
 * @file bounds.h
 * What can be proved about attention weights: how small they get, how far the selected tokens stand from the rest, how
 * many of them can be told apart, and how strongly weights answer to scores.
 *
 * The statements are those of "Limitations of Normalization in Attention Mechanism" (arXiv 2508.17821, called "the
 * paper" below), corrected where they are wrong, and sharper ones proved in docs/theory.md ("derived"). A form the
 * paper prints and that is not a bound has _published in its name and is there for comparison only.
 *
 * In this whole header:
 * - L = tokens; x holds L vectors of dim numbers, x_stride elements from one to the next (0: packed, may be negative);
 *   y_i = weights[i] x_i; selected holds L bytes, non-zero for the N selected tokens; s = the sum of y_i over them;
 *   the distance is the sum over tokens that are not selected of ||y_i - s||. Norms are Euclidean, logarithms natural;
 * - every argument is looked at: NULL where a pointer is needed, NaN, an infinity, a value outside the stated range is
 *   LIBNORM_E_ARGUMENT with a text that names argument and value, and nothing is written. Vectors so large that sums
 *   of their squares overflow (beyond about 1e150) are refused; contributions below 1e-154 count as 0;
 * - the results of a pair may be NULL where one is not wanted. Result arrays must not overlap inputs
 *   (LIBNORM_E_OVERLAP);
 * - these are pure functions: no memory is taken unless there is a norm_exec to say where from; any thread;
 * - u = 2^-53. "Error" is rounding, relative unless said otherwise; a bound that is attained can be off by it.
 */
#ifndef LIBNORM_BOUNDS_H
#define LIBNORM_BOUNDS_H

#include <libnorm/exec.h>

#ifdef __cplusplus
extern "C" {
#endif

/* -- how small and how large a weight is -------------------------------------------------------------------------- */

/**
 * Lemma 1 of the paper, constants made explicit: w_i = F(z_i) / sum_j F(z_j) with f_min <= F <= f_max on the scores
 * lies between f_min / (L f_max) and f_max / (L f_min), cut at 1. Assumes f_min > 0, L >= 1. Use the true range of the
 * scores. Attained only for f_min = f_max: norm_bound_weight_family() is sharper from the same numbers. Error 3u.
 */
LIBNORM_API norm_status norm_bound_weight_lemma(size_t tokens, double f_min, double f_max, double *ret_lower,
                                                double *ret_upper, norm_error *ret_error);

/** Derived from the same assumptions: 1 / (1 + (L-1) f_max/f_min) <= w_i <= 1 / (1 + (L-1) f_min/f_max). Both ends are
 *  attained. Error 5u. */
LIBNORM_API norm_status norm_bound_weight_family(size_t tokens, double f_min, double f_max, double *ret_lower,
                                                 double *ret_upper, norm_error *ret_error);

/**
 * Corollary 1 of the paper: softmax of inner products with a query of norm query_norm and keys of norm at most key_norm
 * lies between exp(-2D/T)/L and exp(2D/T)/L, cut at 1, D = query_norm key_norm. Needs no score; far from attained.
 * Error (4 + 4D/T)u.
 */
LIBNORM_API norm_status norm_bound_weight_norms(size_t tokens, double query_norm, double key_norm, double temperature,
                                                double *ret_lower, double *ret_upper, norm_error *ret_error);

/** Derived, softmax of scores with max - min = score_range >= 0: 1 / (1 + (L-1) e^(R)) <= w_i <= 1 / (1 + (L-1)
 *  e^(-R)), R = score_range / temperature. Both ends are attained. Also the scalable-softmax, with temperature
 *  1 / (s log L + b). Error (5 + R)u. */
LIBNORM_API norm_status norm_bound_weight_softmax(size_t tokens, double score_range, double temperature,
                                                  double *ret_lower, double *ret_upper, norm_error *ret_error);

/** The same for one token whose score is known, score_min <= score <= score_max: sharper, and attained.
 *  Error as there. */
LIBNORM_API norm_status norm_bound_weight_entry(size_t tokens, double score, double score_min, double score_max,
                                                double temperature, double *ret_lower, double *ret_upper,
                                                norm_error *ret_error);

/**
 * Derived, the largest weight of scalable-softmax, softmax(c z), c = scale log L + bias: 1 / (1 + (L-1) e^(-c gap)) and
 * 1 / (1 + (L-1) e^(-c score_range)), gap being the distance of the two largest scores, 0 <= gap <= score_range.
 * Attained. Assumes c >= 0: a negative c reverses the order of the weights and the pair fails; apply it to the negated
 * scores with -scale and -bias then. Error (8 + 2 |c| score_range)u.
 */
LIBNORM_API norm_status norm_bound_weight_ssmax(size_t tokens, double scale, double bias, double score_range,
                                                double gap, double *ret_lower, double *ret_upper,
                                                norm_error *ret_error);

/* -- distance of the rest from the selected tokens, for a given set ----------------------------------------------- */

/** ret_selected (L bytes): 1 for the `selected` largest weights, among equal ones the lower index first; else 0.
 *  0 <= selected <= L. 64 passes over the weights, no memory. */
LIBNORM_API norm_status norm_bound_select_top(size_t tokens, const double *weights, size_t selected,
                                              uint8_t *ret_selected, norm_error *ret_error);

/**
 * The distance itself, computed directly. ret_context: dim numbers, s. ret_distances: L numbers, ||y_i - s|| of every
 * token, the selected ones too, or NULL. *ret_distance: their sum over the rest, 0 when N = L. N = 0 is allowed: s = 0.
 * Any finite weights. Absolute error of each ||y_i - s|| at most
 * (N + dim + 4)u (||y_i|| + sum over the selected of ||y_j||).
 */
LIBNORM_API norm_status norm_bound_distance_value(size_t tokens, size_t dim, const double *weights, const double *x,
                                                  int64_t x_stride, const uint8_t *selected, double *ret_context,
                                                  double *ret_distances, double *ret_distance, norm_error *ret_error);

/**
 * The tightest of the three below: the largest lower and the smallest upper bound. Any finite weights and any set;
 * norm_bound_distance_theorem() takes part where its assumptions hold. Costs N (L-N) dim for that part.
 * Absolute error 2(L + dim)u (L ||s|| + sum ||y_i||), here and in the three.
 */
LIBNORM_API norm_status norm_bound_distance(size_t tokens, size_t dim, const double *weights, const double *x,
                                            int64_t x_stride, const uint8_t *selected, double *ret_lower,
                                            double *ret_upper, norm_error *ret_error);

/**
 * Theorem 1, part 1 of the paper, freed of two assumptions (derived): distance <= t d + m sum |W - w_i|, sums over the
 * rest, t = sum w_i, W = the selected weight, d = the largest ||x_i - x_j|| and m = the largest ||x_j|| over pairs of a
 * token i of the rest and a selected j. For the N largest of weights that sum to one it is the paper's bound. Assumes
 * weights >= 0 and N >= 1; the sum of the weights and the set are free. Attained when all tokens are equal.
 */
LIBNORM_API norm_status norm_bound_distance_theorem(size_t tokens, size_t dim, const double *weights, const double *x,
                                                    int64_t x_stride, const uint8_t *selected, double *ret_upper,
                                                    norm_error *ret_error);

/** Derived: |distance - (L-N) ||s||| <= sum ||y_i|| over the rest, the lower end cut at 0. Any weights, any set, N = 0
 *  too. Says what is linear in L: the slope is ||s||. */
LIBNORM_API norm_status norm_bound_distance_sandwich(size_t tokens, size_t dim, const double *weights, const double *x,
                                                     int64_t x_stride, const uint8_t *selected, double *ret_lower,
                                                     double *ret_upper, norm_error *ret_error);

/**
 * Derived: the norm of the sum and Cauchy-Schwarz, ||sum (y_i - s)|| <= distance <= sqrt((L-N) sum ||y_i - s||^2), sums
 * over the rest. Any weights, any set. Both are attained when the y_i of the rest are equal; on random unit
 * vectors they agree to a percent. Centred form: nothing cancels.
 */
LIBNORM_API norm_status norm_bound_distance_moments(size_t tokens, size_t dim, const double *weights, const double *x,
                                                    int64_t x_stride, const uint8_t *selected, double *ret_lower,
                                                    double *ret_upper, norm_error *ret_error);

/** Theorem 1, part 1 as printed: (1 - W) d + m (W (L-N) - (1 - W)). Equal to norm_bound_distance_theorem() for the N
 *  largest of weights that sum to one; for another set it is no bound. Weights >= 0, N >= 1. */
LIBNORM_API norm_status norm_bound_distance_published(size_t tokens, size_t dim, const double *weights, const double *x,
                                                      int64_t x_stride, const uint8_t *selected, double *ret_value,
                                                      norm_error *ret_error);

/* -- expected distance, for a set drawn at random ----------------------------------------------------------------- */

/**
 * What every bound on the expected distance needs of one head's row, made once by norm_bound_random_set(). The set is
 * uniform over all sets of N tokens. along and across are the caller's arrays and must stay: y_i minus the mean
 * contribution, split into its part along the mean (signed) and the length of the part across it.
 */
typedef struct norm_random_set {
    uint32_t struct_size; /**< sizeof(norm_random_set), set by the caller. */
    uint32_t flags;       /**< 0. */
    uint64_t tokens;      /**< L. */
    double mean;          /**< ||(1/L) sum y_i||. */
    double spread;        /**< sum over i of ||y_i - mean||^2. */
    double length;        /**< sum ||y_i||. */
    const double *along, *across;
} norm_random_set;

/** Fills *ret_set and the two arrays of L numbers: O(L dim), after which every N costs O(L). Any finite weights. Two
 *  sweeps, so tokens that nearly coincide keep the digits of their differences: error of along and across
 *  (L + dim + 8)u (||y_i|| + mean), absolute. */
LIBNORM_API norm_status norm_bound_random_set(size_t tokens, size_t dim, const double *weights, const double *x,
                                              int64_t x_stride, double *ret_along, double *ret_across,
                                              norm_random_set *ret_set, norm_error *ret_error);

/**
 * Theorem 1, part 2 made right (derived). Lower: the paper's main sum with the right weights, c sum ||m_i||, c =
 * (L-N)/L, m_i = E[y_i - s | i is not selected] (Jensen). Upper: c sum sqrt(||m_i||^2 + V_i), V_i the variance of s
 * given that. Exact for N = 0 and N >= L-1. 0 <= N <= L; N = L gives 0. Absolute error about (L + dim)u (N+1) sum
 * ||y_i||.
 */
LIBNORM_API norm_status norm_bound_expected_distance(const norm_random_set *set, size_t selected, double *ret_lower,
                                                     double *ret_upper, norm_error *ret_error);

/** Derived: c sum ||m_i|| + c sum sqrt(V_i). Never below the upper bound above; its two parts are the paper's main sum
 *  and a bound on its remainder. */
LIBNORM_API norm_status norm_bound_expected_distance_additive(const norm_random_set *set, size_t selected,
                                                              double *ret_upper, norm_error *ret_error);

/** Derived: c (1+N) sum ||y_i||, at most c (1+N) max ||x_i|| for weights that sum to one. Does not grow with L,
 *  whatever the tokens are. Attained for N = 0 and for equal tokens. */
LIBNORM_API norm_status norm_bound_expected_distance_cap(const norm_random_set *set, size_t selected, double *ret_upper,
                                                         norm_error *ret_error);

/** Derived, exact: the expected sum of squared distances, c sum (||m_i||^2 + V_i). */
LIBNORM_API norm_status norm_bound_expected_square(const norm_random_set *set, size_t selected, double *ret_value,
                                                   norm_error *ret_error);

/**
 * Corollary 2 (i) of the paper with what it leaves out (derived): the limit c sum ||y_i||, and how far the lower bound
 * of norm_bound_expected_distance() (*ret_lower_error) and the expected distance itself (*ret_error_bound) can be from
 * it. For N << L the errors are of the order N ||sum y_i||, as large as the limit: the corollary alone is not true.
 */
LIBNORM_API norm_status norm_bound_expected_distance_limit(const norm_random_set *set, size_t selected,
                                                           double *ret_limit, double *ret_lower_error,
                                                           double *ret_error_bound, norm_error *ret_error);

/** Corollary 2 (i) as printed: sum ||y_i||, said to be the limit for fixed N and L to infinity. Wrong by the errors
 *  above. */
LIBNORM_API norm_status norm_bound_expected_distance_limit_published(const norm_random_set *set, double *ret_value,
                                                                     norm_error *ret_error);

/** Theorem 1, part 2 as the summaries print it: c sum ||(w_i + N/(L-1)) x_i - sum_j y_j||. Wrong by a factor that grows
 *  like L. 0 <= N < L, L >= 2. Workspace: norm_bound_workspace(). */
LIBNORM_API norm_status norm_bound_expected_distance_published(size_t tokens, size_t dim, const double *weights,
                                                               const double *x, int64_t x_stride, size_t selected,
                                                               double *ret_value, const norm_exec *exec,
                                                               norm_error *ret_error);

/* -- how many selected tokens can be told apart (Theorem 2) -------------------------------------------------------- */

/**
 * For `count` = N selected tokens with weights >= 0 on a sphere of the given radius M > 0: X_i = ||y_i - s||, the norm
 * of what the other selected ones contribute. A token is inside when X_i < r; N_s counts those, and the fraction is
 * N_s/N. A = sum of the squared other weights. Assumption A1: each x_i uniform on the sphere in R^dim, independent,
 * weights fixed apart from them. Scores of real heads depend on x, so A1 is a model there. Assumption A2: ||x_i - x_j||
 * >= delta and ||x_i|| = M, nothing random; 0 <= delta <= 2M. N >= 1; weights are those of the selected tokens alone.
 * All values of this part are rounded to the safe side by (4 count + 32)u, so equal cases stay bounds.
 */

/** xi_i of the paper (N numbers): X_i <= xi_i under A2, always. Attained when every x_i.x_j is M^2 - delta^2/2. */
LIBNORM_API norm_status norm_bound_separable_spread(size_t count, const double *weights, double radius, double delta,
                                                    double *ret_spread, norm_error *ret_error);

/**
 * Under A1 (derived), N numbers each, NULL where not wanted: E X_i^2 = M^2 A (exact), Var X_i^2 (exact), a lower bound
 * on E X_i (M sqrt(A) is an upper one), and low <= X_i <= high, always. Not rounded to a side; error 3 count u.
 */
LIBNORM_API norm_status norm_bound_separable_moments(size_t count, const double *weights, double radius, size_t dim,
                                                     double *ret_square, double *ret_variance, double *ret_mean,
                                                     double *ret_low, double *ret_high, norm_error *ret_error);

/** Forms of norm_bound_separable_upper(), under A1, derived; m is the lower bound on E X_i, t = max(0, m - r). */
#define LIBNORM_SEPARABLE_BEST 0      /**< The smallest of Cantelli, range, and sphere (dim = 1: McDiarmid). */
#define LIBNORM_SEPARABLE_CANTELLI 1  /**< V / (V + (M^2 A - r^2)^2), V = Var X_i^2, for r^2 < M^2 A. */
#define LIBNORM_SEPARABLE_MCDIARMID 2 /**< exp(-t^2 / (2 M^2 A)). */
#define LIBNORM_SEPARABLE_REPAIRED 3  /**< exp(-t^2 / (16 M^2)), the paper's shape; needs sum w^2 <= 8. */
#define LIBNORM_SEPARABLE_RANGE 4     /**< exp(-2 t^2 / (high - low)^2), 0 for r < low, 1 for r >= high. */
#define LIBNORM_SEPARABLE_SPHERE 5    /**< exp(-(dim-1) t^2 / (2 M^2 A)); needs dim >= 2. */

/**
 * Upper bounds on P(X_i <= r), N numbers (or NULL), and their mean: E[N_s]/N is at most that. r >= 0. Cantelli is best
 * on average, the sphere in the far tail; for N = 1 the fraction is 1, for N = 2 it is exact.
 */
LIBNORM_API norm_status norm_bound_separable_upper(size_t count, const double *weights, double radius, size_t dim,
                                                   double r, int32_t form, double *ret_items, double *ret_mean,
                                                   norm_error *ret_error);

/** Forms of norm_bound_separable_lower(), under A1. */
#define LIBNORM_SEPARABLE_MARKOV 6 /**< max(0, 1 - (1/(rN)) sum M sqrt(A)): the paper's shape, no items. */

/** Lower bounds on P(X_i < r) and their mean, at most E[N_s]/N. Form BEST (derived) takes the best of four tail bounds
 *  for each token and is never below MARKOV. r >= 0. The paper's wish that no other token be inside is the caller's to
 *  check. */
LIBNORM_API norm_status norm_bound_separable_lower(size_t count, const double *weights, double radius, size_t dim,
                                                   double r, int32_t form, double *ret_items, double *ret_mean,
                                                   norm_error *ret_error);

/** The paper's lower bound, correct: E[N_s]/N >= max(0, 1 - (1/(rN)) sum xi_i) under A2. */
LIBNORM_API norm_status norm_bound_separable_lower_spread(size_t count, const double *weights, double radius,
                                                          double delta, double r, double *ret_mean,
                                                          norm_error *ret_error);

/** How many X_i are below r for certain under A2 (derived): those with xi_i < r. Never below N times the one above. */
LIBNORM_API norm_status norm_bound_separable_count(size_t count, const double *weights, double radius, double delta,
                                                   double r, size_t *ret_count, norm_error *ret_error);

/** The paper's upper bound, (1/N) sum exp(-(r - xi_i)^2 / (16 M^2)). Not a bound: it is below 1 where every token is
 *  inside, and never below 0.939 where weights sum to at most 1 and r <= M. */
LIBNORM_API norm_status norm_bound_separable_upper_published(size_t count, const double *weights, double radius,
                                                             double delta, double r, double *ret_value,
                                                             norm_error *ret_error);

/** Fraction that at least one of `heads` heads separates when each separates `fraction` on its own: 1 - (1-p)^H. From
 *  the paper; a model (heads are not independent). heads >= 1, 0 <= fraction <= 1. */
LIBNORM_API norm_status norm_bound_coverage(size_t heads, double fraction, double *ret_fraction, norm_error *ret_error);

/* -- Jacobians ----------------------------------------------------------------------------------------------------- */

/** Forms of norm_bound_family_gradient(): all hold for the 2-norm. w weights, q = sum w^2. */
#define LIBNORM_FAMILY_BEST 0      /**< The smallest of those below. */
#define LIBNORM_FAMILY_FROBENIUS 1 /**< The Frobenius norm, exact. */
#define LIBNORM_FAMILY_LENGTH 2    /**< max |slope_j w_j| sqrt(L q). */
#define LIBNORM_FAMILY_LEMMA 3     /**< norm_bound_family_lemma() at these weights; needs all weights > 0. */
#define LIBNORM_FAMILY_HALF 5      /**< max |slope| / 2. Attained at two equal weights. */
#define LIBNORM_FAMILY_SPECTRUM 6  /**< max |slope| min(sqrt(q (1-q)), 2 max w (1-w)). */

/**
 * Upper bound on ||J||_2, J_ij = dw_i/dz_j, for w_i = F(z_i) / sum F(z_j) with F > 0 (derived). weights: `count` >= 1
 * numbers >= 0 that sum to one; slopes: F'(z_j)/F(z_j), 1/T for softmax. What counts is the logarithmic slope of F, not
 * how small F gets. Nothing cancels near one-hot weights. Error (2 count + 16)u.
 */
LIBNORM_API norm_status norm_bound_family_gradient(size_t count, const double *weights, const double *slopes,
                                                   int32_t form, double *ret_upper, norm_error *ret_error);

/** Lemma 2 of the paper in the one shape its text allows, proved: max|F'| / (L f_min) (1 + f_max/f_min), from bounds on
 *  F and |F'| over the scores alone. f_min > 0. Loose: compare LIBNORM_FAMILY_HALF. */
LIBNORM_API norm_status norm_bound_family_lemma(size_t tokens, double f_min, double f_max, double slope_max,
                                                double *ret_upper, norm_error *ret_error);

/**
 * The functions named norm_bound_jacobian_... treat J = diag(p) - p p^T / (rest + sum p), p >= 0 (`count` >= 1
 * numbers), the Jacobian of a normalizer: softmax p = weights; sparsemax p = 1 on the support, 0 off it; entmax p =
 * weight^(2 - alpha) on the support; rest = 0 for these; softmax1 p = weights, rest = 1 - sum of the weights >= 0.
 * Divide results by T. No value loses digits near one-hot weights.
 */

/** ||J||_2, exact, by its secular equation: four or five sweeps. Derived. Error (2 count + 16)u. */
LIBNORM_API norm_status norm_bound_jacobian_spectral(size_t count, const double *p, double rest, double *ret_norm,
                                                     norm_error *ret_error);
/** ||J||_2 within a factor of 2 in one sweep (derived): a diagonal entry, and Gershgorin's discs. Upper end attained at
 *  two equal weights, lower end at count = 1. */
LIBNORM_API norm_status norm_bound_jacobian_spectral_range(size_t count, const double *p, double rest,
                                                           double *ret_lower, double *ret_upper, norm_error *ret_error);
/** ||J||_F, exact. Error (2 count + 16)u. */
LIBNORM_API norm_status norm_bound_jacobian_frobenius(size_t count, const double *p, double rest, double *ret_norm,
                                                      norm_error *ret_error);
/** The largest sum of |J_ij| over a row: the norm from infinity to infinity and from 1 to 1, exact. */
LIBNORM_API norm_status norm_bound_jacobian_row(size_t count, const double *p, double rest, double *ret_norm,
                                                norm_error *ret_error);
/** The largest |J_ij|: the norm from 1 to infinity, exact. */
LIBNORM_API norm_status norm_bound_jacobian_entry(size_t count, const double *p, double rest, double *ret_norm,
                                                  norm_error *ret_error);

/**
 * The norm from infinity to 1 with rest = 0: 4 Z max_S Q(S)(1 - Q(S)), Z = sum p, Q(S) the share of a set ("balanced
 * mass", derived). Exact, lower = upper, when one share is >= 1/2 or at most 10 are positive; otherwise a subset-sum
 * problem: lower from Karmarkar-Karp differencing, upper from the subsets of the 10 largest. They agree to about
 * 1e-11 for 64 ordinary weights and better for more. Workspace: norm_bound_workspace().
 */
LIBNORM_API norm_status norm_bound_jacobian_balanced(size_t count, const double *p, double *ret_lower,
                                                     double *ret_upper, const norm_exec *exec, norm_error *ret_error);
/** The same without memory or order: Z (1 - max^2) and Z, max the largest share, when it is below 1/2; else exact. */
LIBNORM_API norm_status norm_bound_jacobian_balanced_quick(size_t count, const double *p, double *ret_lower,
                                                           double *ret_upper, norm_error *ret_error);

/** Bytes of norm_exec.workspace that suffice for each function of this header, for `tokens` numbers or vectors. */
LIBNORM_API norm_status norm_bound_workspace(size_t tokens, size_t dim, size_t *ret_bytes, norm_error *ret_error);

/** Softmax, any scores (derived): ||J||_2 <= ||J||_F <= 1/(2T). Attained at two equal weights. */
LIBNORM_API norm_status norm_bound_softmax_gradient(double temperature, double *ret_upper, norm_error *ret_error);
/** Softmax, any scores (derived): no |J_ij| exceeds 1/(4T). Attained at a weight of 1/2. */
LIBNORM_API norm_status norm_bound_softmax_entry(double temperature, double *ret_upper, norm_error *ret_error);
/** Softmax at these weights (derived): ||J||_F <= sqrt(q (1-q)) / T, q = sum w^2. Attained when positive weights are
 *  equal. */
LIBNORM_API norm_status norm_bound_softmax_second_moment(size_t count, const double *weights, double temperature,
                                                         double *ret_upper, norm_error *ret_error);
/** Corollary 3 of the paper, min(1/(4T), sqrt 2), said to bound ||J||_2. Wrong by a factor of 2; sqrt 2 bounds a change
 *  of weights, not a derivative. */
LIBNORM_API norm_status norm_bound_softmax_gradient_published(double temperature, double *ret_value,
                                                              norm_error *ret_error);

/**
 * A constant K with ||J||_2 <= K for every row of `tokens` finite scores of absolute value at most max_score (+infinity
 * where that is not known), for a built-in normalizer: name as in its text, keys and values as in
 * norm_normalizer_get(), those not given at their defaults. *ret_upper is +infinity where no constant exists (entmax
 * with alpha > 2 and L > 2, normmax with gamma > 2, sasoftmax of unknown scores, relu with a power other than 1
 * likewise). LIBNORM_E_UNSUPPORTED where none is known: adaptive, lssar, softpick. docs/theory.md lists K and which are
 * attained.
 */
LIBNORM_API norm_status norm_bound_normalizer_gradient(const char *name, const char *const *keys, const double *values,
                                                       size_t key_count, size_t tokens, double max_score,
                                                       double *ret_upper, norm_error *ret_error);

/* -- finite changes of scores -------------------------------------------------------------------------------------- */

/**
 * Softmax when all scores change by amounts of range score_range = max - min (derived): half the sum of |changes| of
 * the weights is at most tanh(score_range / (4T)), and the 2-norm of the change at most sqrt 2 times that. Attained, L
 * = 2.
 */
LIBNORM_API norm_status norm_bound_softmax_change(double score_range, double temperature, double *ret_variation,
                                                  double *ret_change, norm_error *ret_error);

/** ||softmax((z + step v)/T) - softmax(z/T)|| / step for unit v: at most (sqrt 2/step) tanh(step / (2 sqrt 2 T))
 *  (derived); attained at L = 2. Implies both 1/(2T) and sqrt 2/step. step > 0. */
LIBNORM_API norm_status norm_bound_softmax_sensitivity(double temperature, double step, double *ret_upper,
                                                       norm_error *ret_error);
/** The same when max v - min v = direction_range is known, 0 <= direction_range <= sqrt 2. For F = softplus(c z) (lssa)
 *  it holds with T = 1/c and direction_range = max(max v, 0) - min(min v, 0). */
LIBNORM_API norm_status norm_bound_softmax_sensitivity_range(double temperature, double step, double direction_range,
                                                             double *ret_upper, norm_error *ret_error);
/** Any normalizer whose weights are >= 0 and sum to at most one, with ||J||_2 <= gradient (+infinity allowed): at most
 *  min(gradient, sqrt 2/step). Derived. */
LIBNORM_API norm_status norm_bound_simplex_sensitivity(double gradient, double step, double *ret_upper,
                                                       norm_error *ret_error);

/**
 * softmax((z + step v)/T) - softmax(z/T), `count` >= 1 numbers, without subtracting: digits are kept for a step of any
 * size (derived). Relative error of the norm below 1e-13 for count up to 10^4 and |z|/T up to 100. scores and direction
 * must be finite.
 */
LIBNORM_API norm_status norm_bound_softmax_difference(size_t count, const double *scores, const double *direction,
                                                      double temperature, double step, double *ret_change,
                                                      norm_error *ret_error);

#ifdef __cplusplus
}
#endif
#endif
