/* SPDX-License-Identifier: MIT */
/**
 * @file own.h Normalizers of the caller's own: from a function F of one score, or from a function of a whole row. They
 * work in every call that takes a normalizer; what they cannot do is LIBNORM_E_UNSUPPORTED, and
 * norm_normalizer_supports() tells. norm_check_gradients() of gradient.h compares their derivatives with differences.
 *
 * Callbacks get one row at a time: its n >= 1 visible scores divided by the temperature, packed, always double,
 * whatever the width of the call. Hidden entries are left out. They write n numbers to each result, which overlaps
 * nothing; the results are memory of the call, so a failing callback leaves nothing half-written that matters. They
 * return 0, or any other number to stop the call: it then fails with LIBNORM_E_CALLBACK and norm_error.where is that
 * number. They must not unwind through libnorm (no exception, no longjmp), and may call libnorm.
 *
 * Special rows, besides what normalizer.h says: a score of -inf is visible and reaches the callbacks; rows with a NaN,
 * rows with nothing but -inf, and derivatives of rows with +inf do not. A callback of an empty row is not called.
 */
#ifndef LIBNORM_OWN_H
#define LIBNORM_OWN_H

#include <libnorm/normalizer.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The callbacks may run on any thread, several at a time. Without it a call stays on the thread that makes it. */
#define LIBNORM_CALLBACK_ANY_THREAD 1u

/**
 * A member of the family w_i = F(z_i / T) / sum_j F(z_j / T), given by F >= 0 and its derivatives.
 *
 * f must give finite numbers >= 0, df and d2f finite ones; another value is LIBNORM_E_CALLBACK with where = -1, and the
 * text names callback, value, row and column. At t = -inf or +inf f gives its limit, which may be +inf: the entries
 * with an infinite F then share the weight equally; what df and d2f give there is not used. A row whose F are all 0 is
 * empty: weights 0, gradient 0, log form -inf.
 *
 * With log_f, weights and derivatives are computed from log F: f is not called, rows in which F would overflow or
 * underflow keep their weights, and df and d2f are used with exp(-log_f) and must still be finite. log_f gives -inf
 * where F = 0. Without log_f, weights are right as long as no single F overflows; their sum may. Where df underflowed
 * to 0 while log_f is finite, the derivative of the log form is 0.
 */
typedef struct norm_family {
    uint32_t struct_size; /**< sizeof(norm_family) as the caller compiled it. */
    uint32_t flags;       /**< LIBNORM_CALLBACK_ANY_THREAD. */
    void *user;           /**< Passed to every callback. */
    /** Called once, with user, when the last handle that shares it is freed, on that thread. NULL allowed. */
    void (*release)(void *user);
    int32_t (*f)(void *user, size_t n, const double *t, double *ret_f);         /**< F(t_i). */
    int32_t (*df)(void *user, size_t n, const double *t, double *ret_df);       /**< F'(t_i). */
    int32_t (*d2f)(void *user, size_t n, const double *t, double *ret_d2f);     /**< F''(t_i). NULL: no HVP. */
    int32_t (*log_f)(void *user, size_t n, const double *t, double *ret_log_f); /**< log F(t_i). NULL allowed. */
} norm_family;

/**
 * A normalizer whose weights may each depend on the whole row.
 *
 * z: the scores divided by the temperature; with LIBNORM_PROPERTY_SHIFT_INVARIANT the largest is 0. w: the weights
 * apply gave for this z, perhaps rounded to float. Derivatives are those of apply in z as it is given here: the
 * temperature is libnorm's business. Weights must be finite, and not negative where their log is wanted: else
 * LIBNORM_E_CALLBACK with where = -1 and a text that names value, row and column. Where a score is infinite its weight
 * may be.
 *
 * properties: what is true of apply, bits of LIBNORM_PROPERTY_...; they are believed. SIMPLEX: a row with +inf shares
 * its weight among these without a call of apply; else apply sees the infinities and gives the limit. SHIFT_INVARIANT:
 * see z. SYMMETRIC: vjp serves as jvp. FAMILY is refused: that is norm_family. norm_check_gradients() does not check
 * them.
 */
typedef struct norm_row_function {
    uint32_t struct_size; /**< sizeof(norm_row_function) as the caller compiled it. */
    uint32_t flags;       /**< LIBNORM_CALLBACK_ANY_THREAD. */
    uint64_t properties;  /**< LIBNORM_PROPERTY_... */
    void *user;           /**< Passed to every callback. */
    /** Called once, with user, when the last handle that shares it is freed, on that thread. NULL allowed. */
    void (*release)(void *user);
    /** The weights. */
    int32_t (*apply)(void *user, size_t n, const double *z, double *ret_w);
    /** d_j = sum_i g_i dw_i/dz_j. */
    int32_t (*vjp)(void *user, size_t n, const double *z, const double *w, const double *g, double *ret_d);
    /** d_i = sum_j dw_i/dz_j v_j. NULL: vjp, n times unless the Jacobian is symmetric. */
    int32_t (*jvp)(void *user, size_t n, const double *z, const double *w, const double *v, double *ret_d);
    /** Gradients of <h, J(z)^T g> in z and in g; the latter is J(z) h. NULL: no HVP. */
    int32_t (*hvp)(void *user, size_t n, const double *z, const double *g, const double *h, double *ret_dz,
                   double *ret_dg);
} norm_row_function;

/**
 * Makes a normalizer of a family. name: 1 to 32 letters, digits, '_' or '-' for texts and messages, where it stands as
 * "own.NAME"; NULL: "own.family". allocator: NULL for malloc; copied, as *family is.
 *
 * The only key is temperature (1). norm_normalizer_with() gives a handle that shares the callbacks; user is released
 * with the last of them. norm_normalizer_spec() gives "own.NAME:temperature=1", which norm_normalizer_parse() refuses:
 * a text has no callbacks. On failure release is not called and *ret_normalizer is untouched. LIBNORM_E_ARGUMENT: f or
 * df is NULL, a name that is not allowed, unknown flags.
 */
LIBNORM_API norm_status norm_normalizer_from_family(const norm_family *family, const char *name,
                                                    const norm_allocator *allocator, norm_normalizer **ret_normalizer,
                                                    norm_error *ret_error);

/** Makes a normalizer of a row function; name NULL: "own.row". LIBNORM_E_ARGUMENT: apply or vjp is NULL, properties
 *  with FAMILY or unknown bits. Everything else as norm_normalizer_from_family(). */
LIBNORM_API norm_status norm_normalizer_from_row_function(const norm_row_function *function, const char *name,
                                                          const norm_allocator *allocator,
                                                          norm_normalizer **ret_normalizer, norm_error *ret_error);

#ifdef __cplusplus
}
#endif
#endif
