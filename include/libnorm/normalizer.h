/* SPDX-License-Identifier: MIT */
/**
 * @file normalizer.h
 * Normalizers: what turns a row of attention scores into weights, and the operations on rows of them.
 *
 * A normalizer is a value made from a text such as "softmax:temperature=0.5". It is immutable and counted: one handle
 * serves any number of threads.
 *
 * Every row follows the same rules, in every operation, width and instruction set:
 * - only the mask hides. A hidden entry may hold anything, NaN included: its weight and gradient are 0, its log form is
 *   -inf, and it is not counted in n. A visible -inf is counted, unless LIBNORM_ROWS_NEG_INF_HIDDEN;
 * - a row with nothing visible, or with only -inf visible, is empty: weights 0, gradient 0, log form -inf;
 * - an infinite score means the limit of the formula: k visible +inf share the weight (1/k each for softmax), and the
 *   gradient of such a row is 0;
 * - a NaN in a visible entry makes every visible weight and gradient of that row NaN; hidden ones stay 0;
 * - no weight is subnormal: below the smallest normal number it is exactly 0. Gradients and the log form may be, and
 *   the log form stays finite where the weight became 0;
 * - zero rows or zero columns succeed and touch nothing.
 */
#ifndef LIBNORM_NORMALIZER_H
#define LIBNORM_NORMALIZER_H

#include <libnorm/exec.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An immutable, counted normalizer. Made by norm_normalizer_parse() and its kin; freed by norm_normalizer_free(). */
typedef struct norm_normalizer norm_normalizer;

/* -- making one --------------------------------------------------------------------------------------------------- */

/**
 * Makes the normalizer that a text names: "name" or "name:key=value,key=value". Names and keys are case-sensitive,
 * there are no blanks, numbers are decimal in the C locale whatever the program's locale is. A key that is not given
 * has its default, which never changes between releases.
 *
 * spec: length bytes, need not end in NUL. allocator: NULL for malloc; copied.
 * LIBNORM_E_SPEC with the byte offset in where: unknown name, unknown or repeated key, a value outside its range, NaN,
 * a blank, trailing text. The message says what is allowed. *ret_normalizer is untouched on failure.
 */
LIBNORM_API norm_status norm_normalizer_parse(const char *spec, size_t length, const norm_allocator *allocator,
                                              norm_normalizer **ret_normalizer, norm_error *ret_error);

/** A copy of n with one key changed. The value follows the same rules as in a text; where is -1 on failure. */
LIBNORM_API norm_status norm_normalizer_with(const norm_normalizer *n, const char *key, double value,
                                             norm_normalizer **ret_normalizer, norm_error *ret_error);

/** Counts one more owner and returns n. NULL gives NULL. Any thread. */
LIBNORM_API norm_normalizer *norm_normalizer_ref(norm_normalizer *n);

/** Counts one owner less; the last one frees. NULL is allowed. Any thread. */
LIBNORM_API void norm_normalizer_free(norm_normalizer *n);

/**
 * The canonical full text of n, all keys written out; parsing it gives an equal handle.
 * Writes at most size bytes, NUL included, and the whole length without NUL to *ret_length (may be NULL). buffer may be
 * NULL when size is 0. A buffer too small is LIBNORM_E_ARGUMENT, with *ret_length written all the same.
 */
LIBNORM_API norm_status norm_normalizer_spec(const norm_normalizer *n, char *buffer, size_t size, size_t *ret_length);

/** The value of a key ("temperature" is a key of every normalizer). Unknown key: LIBNORM_E_ARGUMENT. */
LIBNORM_API norm_status norm_normalizer_get(const norm_normalizer *n, const char *key, double *ret_value);

/* -- what it is --------------------------------------------------------------------------------------------------- */

#define LIBNORM_PROPERTY_SIMPLEX 1u         /**< Weights are >= 0 and sum to one on every row that is not empty. */
#define LIBNORM_PROPERTY_SPARSE 2u          /**< Finite scores can get a weight of exactly 0 by the formula. */
#define LIBNORM_PROPERTY_USES_N 4u          /**< The formula uses n, the number of visible entries. */
#define LIBNORM_PROPERTY_SMOOTH 8u          /**< Differentiable everywhere. */
#define LIBNORM_PROPERTY_FAMILY 16u         /**< F(z_i) / sum_j F(z_j) with a positive F of one score. */
#define LIBNORM_PROPERTY_SHIFT_INVARIANT 32u /**< Adding a constant to all scores changes nothing. */
#define LIBNORM_PROPERTY_SYMMETRIC 64u      /**< The Jacobian is symmetric, so JVP and VJP agree. */

/** LIBNORM_PROPERTY_... bits of this handle: "entmax:alpha=1" is not sparse. NULL gives 0. Any thread. */
LIBNORM_API uint64_t norm_normalizer_properties(const norm_normalizer *n);

#define LIBNORM_OPERATION_APPLY 1
#define LIBNORM_OPERATION_LOG_APPLY 2
#define LIBNORM_OPERATION_VJP 3
#define LIBNORM_OPERATION_LOG_VJP 4
#define LIBNORM_OPERATION_JVP 5
#define LIBNORM_OPERATION_HVP 6
#define LIBNORM_OPERATION_PARAM_VJP 7
#define LIBNORM_OPERATION_LOSS 8 /**< norm_loss_f32() and norm_loss_against_f32() of loss.h. */
#define LIBNORM_OPERATION_JACOBIAN 9        /**< norm_jacobian_f32() of jacobian.h. */
#define LIBNORM_OPERATION_JACOBIAN_NORMS 10 /**< norm_jacobian_norms_f32() of jacobian.h. */

/** 1 if this handle can do LIBNORM_OPERATION_..., else 0. Any thread. */
LIBNORM_API int32_t norm_normalizer_supports(const norm_normalizer *n, int32_t operation);

/* -- the registry: every built-in normalizer, as data ------------------------------------------------------------- */

#define LIBNORM_KEY_REQUIRED 1u  /**< Must be given: there is no default. */
#define LIBNORM_KEY_INTEGER 2u   /**< Whole numbers only. */
#define LIBNORM_KEY_LOW_OPEN 4u  /**< low itself is not allowed. */
#define LIBNORM_KEY_HIGH_OPEN 8u /**< high itself is not allowed. */

/** One key of a normalizer. Texts are static. */
typedef struct norm_key_info {
    uint32_t struct_size; /**< sizeof(norm_key_info), set by the caller. */
    uint32_t flags;       /**< LIBNORM_KEY_... */
    const char *name;
    const char *meaning; /**< One phrase. */
    double default_value;
    double low, high; /**< Infinite where there is no limit; an infinite value itself is never allowed. */
} norm_key_info;

/** One built-in normalizer. Texts are static. */
typedef struct norm_normalizer_info {
    uint32_t struct_size; /**< sizeof(norm_normalizer_info), set by the caller. */
    uint32_t flags;       /**< 0. */
    const char *name;
    const char *formula; /**< The weights, in one line, z being the score divided by the temperature. */
    const char *source;  /**< Where it was published. */
    uint64_t keys;       /**< How many keys, temperature first. */
    uint64_t properties; /**< LIBNORM_PROPERTY_... with every key at its default. */
} norm_normalizer_info;

/** How many normalizers are built in. */
LIBNORM_API size_t norm_registry_count(void);

/** The index-th normalizer; index from 0. LIBNORM_E_ARGUMENT if there is none, with *ret_info untouched. */
LIBNORM_API norm_status norm_registry_get(size_t index, norm_normalizer_info *ret_info, norm_error *ret_error);

/** Key number key of the index-th normalizer. */
LIBNORM_API norm_status norm_registry_key(size_t index, size_t key, norm_key_info *ret_info, norm_error *ret_error);

/* -- rows --------------------------------------------------------------------------------------------------------- */

#define LIBNORM_ROWS_CAUSAL 1u         /**< Row r sees columns below causal_offset + r + 1. */
#define LIBNORM_ROWS_NEG_INF_HIDDEN 2u /**< A visible -inf counts as hidden: for masks that were added to the scores. */

/**
 * batch x rows rows of cols scores, and what each row sees. What is visible is the intersection of the causal rule, the
 * interval and the bytes. Strides are in elements, in the order batch, row, column, may be negative, and 0, 0, 0 means
 * packed. An output stride that would write an element twice is refused; gaps between elements stay untouched.
 * All extents and offsets are checked against overflow. Pointers must be aligned to their element.
 */
typedef struct norm_rows {
    uint32_t struct_size; /**< sizeof(norm_rows) as the caller compiled it. */
    uint32_t flags;       /**< LIBNORM_ROWS_... */
    uint64_t batch, rows, cols;
    int64_t z_stride[3]; /**< Scores. */
    int64_t w_stride[3]; /**< Weights (or their log). */
    int64_t g_stride[3]; /**< Upstream gradient. */
    int64_t d_stride[3]; /**< Result of a VJP. */
    int64_t causal_offset;      /**< With LIBNORM_ROWS_CAUSAL; may be negative. The row index restarts in each batch. */
    const int64_t *begin, *end; /**< Row sees [begin, end), cut to [0, cols); NULL: 0 and cols. */
    int64_t interval_stride[2]; /**< Of begin and end, by batch and row; 0 repeats. */
    const uint8_t *visible;     /**< Non-zero: visible. NULL: all. */
    int64_t visible_stride[3];  /**< By batch, row, column; 0 repeats. */
} norm_rows;

/**
 * What a row operation can tell besides its main result. Arrays hold batch x rows doubles, packed, or are NULL.
 * A row with a NaN gives NaN in every array but support (its visible count); an empty row gives 0, and -inf in log_sum
 * and max_score, and NaN as its threshold.
 */
typedef struct norm_row_outputs {
    uint32_t struct_size; /**< sizeof(norm_row_outputs), set by the caller. */
    uint32_t flags;       /**< 0. */
    double *log_sum;      /**< log sum_j exp(z_j / temperature) for softmax and its kin; NaN where there is none. */
    double *threshold;    /**< tau of sparse normalizers, in units of z / temperature; NaN where there is none. */
    double *support;      /**< Number of weights that are not 0. */
    double *entropy;      /**< -sum w log w in nats, of the weights divided by their sum. */
    double *max_score;    /**< Largest visible score, not divided by the temperature. */
    uint64_t empty_rows;  /**< Written on success. */
    uint64_t nan_rows;    /**< Rows with a visible NaN; written on success. */
    uint64_t inf_rows;    /**< Rows with a visible +inf and no NaN; written on success. */
} norm_row_outputs;

/**
 * Weights of scores. ret_w may be z itself with the same strides; any other overlap is LIBNORM_E_OVERLAP.
 * ret_rows may be NULL. exec may be NULL. Arrays are untouched by every failure but LIBNORM_E_CALLBACK and
 * LIBNORM_E_CANCELLED.
 *
 * A row's bits depend on its visible scores and their positions, its length, the CPU level and whether the column
 * stride is 1; not on the batch, the alignment, in-place use or the number of threads.
 *
 * Error of softmax: f32 within 4 ulp for n up to 2^20 (weights at least 2^-126 (1 + 2^-20)), f64 relative error at
 * most (4 + |z - max|/temperature) 2^-52. docs/numerics.md has the measured errors.
 */
LIBNORM_API norm_status norm_apply_f32(const norm_normalizer *n, const norm_rows *rows, const float *z, float *ret_w,
                                       norm_row_outputs *ret_rows, const norm_exec *exec, norm_error *ret_error);
/** norm_apply_f32() for double. */
LIBNORM_API norm_status norm_apply_f64(const norm_normalizer *n, const norm_rows *rows, const double *z, double *ret_w,
                                       norm_row_outputs *ret_rows, const norm_exec *exec, norm_error *ret_error);

/** Natural logarithm of the weights, without forming the weights: finite where a weight underflowed to 0.
 *  Everything else as norm_apply_f32(); strides of ret_log_w are w_stride. */
LIBNORM_API norm_status norm_log_apply_f32(const norm_normalizer *n, const norm_rows *rows, const float *z,
                                           float *ret_log_w, norm_row_outputs *ret_rows, const norm_exec *exec,
                                           norm_error *ret_error);
/** norm_log_apply_f32() for double. */
LIBNORM_API norm_status norm_log_apply_f64(const norm_normalizer *n, const norm_rows *rows, const double *z,
                                           double *ret_log_w, norm_row_outputs *ret_rows, const norm_exec *exec,
                                           norm_error *ret_error);

/**
 * Vector-Jacobian product of norm_apply: d_j = sum_i g_i dw_i/dz_j, the full derivative, 1/temperature included.
 * w: the weights that apply gave for this z, or NULL to have them computed again. ret_d may be z, w or g with the same
 * strides. |d_i - exact| <= 1e-6 w_i (|g_i| + sum_j w_j |g_j|) / temperature for softmax in f32.
 */
LIBNORM_API norm_status norm_vjp_f32(const norm_normalizer *n, const norm_rows *rows, const float *z, const float *w,
                                     const float *g, float *ret_d, const norm_exec *exec, norm_error *ret_error);
/** norm_vjp_f32() for double. */
LIBNORM_API norm_status norm_vjp_f64(const norm_normalizer *n, const norm_rows *rows, const double *z, const double *w,
                                     const double *g, double *ret_d, const norm_exec *exec, norm_error *ret_error);

/** Vector-Jacobian product of norm_log_apply: d_j = sum_i g_i d(log w_i)/dz_j. w: the weights (not their log), or NULL.
 *  At a visible -inf it is the limit, g_j for softmax; 0 outside the support of a sparse normalizer, and for adaptive,
 *  where the limit is infinite. Everything else as norm_vjp_f32(). */
LIBNORM_API norm_status norm_log_vjp_f32(const norm_normalizer *n, const norm_rows *rows, const float *z,
                                         const float *w, const float *g, float *ret_d, const norm_exec *exec,
                                         norm_error *ret_error);
/** norm_log_vjp_f32() for double. */
LIBNORM_API norm_status norm_log_vjp_f64(const norm_normalizer *n, const norm_rows *rows, const double *z,
                                         const double *w, const double *g, double *ret_d, const norm_exec *exec,
                                         norm_error *ret_error);

/**
 * Jacobian-vector product of norm_apply: d_i = sum_j dw_i/dz_j v_j, 1/temperature included. v has the strides of g, and
 * ret_d may be z, w or v with the same strides. A hidden entry of v counts for nothing. Where the Jacobian is symmetric
 * (LIBNORM_PROPERTY_SYMMETRIC) this is the VJP. Everything else as norm_vjp_f32().
 */
LIBNORM_API norm_status norm_jvp_f32(const norm_normalizer *n, const norm_rows *rows, const float *z, const float *w,
                                     const float *v, float *ret_d, const norm_exec *exec, norm_error *ret_error);
/** norm_jvp_f32() for double. */
LIBNORM_API norm_status norm_jvp_f64(const norm_normalizer *n, const norm_rows *rows, const double *z, const double *w,
                                     const double *v, double *ret_d, const norm_exec *exec, norm_error *ret_error);

/**
 * Second derivative: the gradients of <h, J(z)^T g> in z (ret_dz) and in g (ret_dg, which is J(z) h), for backward
 * passes through a backward pass. Almost everywhere for sparse normalizers. h has the strides of g, both results
 * those of d; each may be z, g or h with the same strides, and one of them may be NULL. Rows that are empty or hold
 * +inf give 0, rows with NaN give NaN.
 */
LIBNORM_API norm_status norm_hvp_f32(const norm_normalizer *n, const norm_rows *rows, const float *z, const float *g,
                                     const float *h, float *ret_dz, float *ret_dg, const norm_exec *exec,
                                     norm_error *ret_error);
/** norm_hvp_f32() for double. */
LIBNORM_API norm_status norm_hvp_f64(const norm_normalizer *n, const norm_rows *rows, const double *z, const double *g,
                                     const double *h, double *ret_dz, double *ret_dg, const norm_exec *exec,
                                     norm_error *ret_error);

/**
 * Gradient in one key: ret_per_row[r] = sum_i g_i dw_i/dkey of row r; batch x rows doubles, packed. The caller sums
 * over the rows that share the key. w: the weights that apply gave for this z, or NULL. Unknown key:
 * LIBNORM_E_ARGUMENT; a key that has no gradient, such as a count: LIBNORM_E_UNSUPPORTED. Rows that are empty or hold
 * +inf give 0, rows with NaN give NaN.
 */
LIBNORM_API norm_status norm_param_vjp_f32(const norm_normalizer *n, const norm_rows *rows, const float *z,
                                           const float *w, const float *g, const char *key, double *ret_per_row,
                                           const norm_exec *exec, norm_error *ret_error);
/** norm_param_vjp_f32() for double. */
LIBNORM_API norm_status norm_param_vjp_f64(const norm_normalizer *n, const norm_rows *rows, const double *z,
                                           const double *w, const double *g, const char *key, double *ret_per_row,
                                           const norm_exec *exec, norm_error *ret_error);

/**
 * Bytes of norm_exec.workspace that suffice for any of the row operations above with this normalizer, these rows
 * and this number of threads, for f32 and f64.
 */
LIBNORM_API norm_status norm_apply_workspace(const norm_normalizer *n, const norm_rows *rows, const norm_exec *exec,
                                             size_t *ret_bytes);

#ifdef __cplusplus
}
#endif
#endif
