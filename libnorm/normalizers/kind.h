/* SPDX-License-Identifier: MIT */
/* What a normalizer is, privately: its name, its keys as data, and functions of one row.
 *
 * How to add one: write name.c with a const struct norm__kind and add a line to registry.c (sorted as `normlab list`
 * should print it) and to meson.build. Nothing else knows a normalizer by name.
 *
 * The engine (rows_*.c) deals with masks, strides, widths, threads, workspace, special rows, the temperature and the
 * scale. A row function gets one row of doubles:
 *
 *   z        row->n >= 1 visible scores, packed, already divided by the temperature and multiplied by kind->scale.
 *            No NaN and no +inf (unless NORM__KIND_TAKES_INF); -inf may stand among them, at least one is not -inf.
 *            With LIBNORM_PROPERTY_SHIFT_INVARIANT the largest is exactly 0: the engine has subtracted it from the
 *            scores before the division, so that large scores lose nothing.
 *   w        the row's weights: as apply gave them, or as the caller saved them (then rounded to float, no subnormals).
 *   g, v, h  upstream gradient, tangent, second tangent: any doubles.
 *   results  row->n doubles each, every one to be written. A result never overlaps anything: write in any order.
 *   scratch  row->scratch: kind->scratch x n doubles, not initialized.
 *   keys     row->handle->value[i], in the order of kind->keys; value[0] is the temperature and needs no attention.
 *
 * Functions return 0, or the caller's code when a callback failed (LIBNORM_E_CALLBACK); built-in ones return 0. They
 * allocate nothing, keep nothing and run on any thread. Derivatives are with respect to z as it is given here; the
 * engine multiplies by scale / temperature (twice for dz of hvp). A weight that is subnormal in the caller's width is
 * made 0 by the engine.
 *
 *   apply      w from z. Also fills *facts where it can: log_sum or threshold in the units of z as given.
 *   log_apply  log w, finite where w would underflow. NULL: log of apply.
 *   vjp        d_j = sum_i g_i dw_i/dz_j, on the support at kinks.
 *   log_vjp    the same of log w. NULL: vjp of g / w where w > 0.
 *   jvp        d_i = sum_j dw_i/dz_j v_j. NULL: vjp, if LIBNORM_PROPERTY_SYMMETRIC; else not supported.
 *   hvp        of <h, J(z)^T g>: dz its gradient in z, dg its gradient in g (that is J h). NULL: not supported.
 *   param_vjp  *ret = sum_i g_i dw_i/dkey at fixed z, for key >= 1. The temperature, and keys of which only the scale
 *              depends (scale_gradient), are done by the engine. NULL: there is no other key.
 *   loss_alpha the alpha for which apply is entmax, which gives the loss of norm_loss_f32. NULL: no loss.
 *   form       shape, s and rest of the Jacobian (norm__form); w as for vjp, to be filled with NORM__KIND_REMAKES.
 *              NULL: NORM__FORM_NONE.
 *   gradient_bound   what the 2-norm of the Jacobian never exceeds, scale included. NULL: none is known.
 *   limit      weights of a row with +inf: w >= 0, every entry. NULL: the +inf entries share 1 equally, all else 0.
 *              The engine gives such a row gradient 0. NORM__KIND_TAKES_INF: apply, vjp ... see +inf themselves.
 */
#ifndef NORM_NORMALIZERS_KIND_H
#define NORM_NORMALIZERS_KIND_H

#include <math.h>

#include <libnorm/normalizer.h>

#include "kernels/gradient_bound.h"
#include "normalizers/handle.h"

struct norm__key {
    const char *name, *meaning;
    uint32_t flags; /* LIBNORM_KEY_... */
    double default_value, low, high;
};

/* The first key of every normalizer. */
#define NORM__TEMPERATURE                                                                                              \
    {                                                                                                                  \
        "temperature", "scores are divided by it before anything else", LIBNORM_KEY_LOW_OPEN, 1, 0, INFINITY           \
    }

struct norm__blame;

struct norm__row {
    const norm_normalizer *handle;
    size_t n;
    const double *z;
    double *scratch;
    struct norm__blame *blame; /* filled when a callback of the caller's fails */
};

/* What apply and log_apply can tell besides; NaN when they are called. The engine adds back what it subtracted. */
struct norm__facts {
    double log_sum, threshold;
    double max_score; /* from kernels (fast.h) alone: the general path knows it */
};
#define NORM__NO_FACTS ((struct norm__facts){NAN, NAN, NAN})

#define NORM__KIND_TAKES_INF 1u   /* Row functions take +inf entries themselves: sigmoid, relu. */
#define NORM__KIND_NEG_INF_TOO 2u /* A -inf counts as +inf (even F: square1). */
#define NORM__KIND_LOG_SUM 4u     /* Gives log_sum; it is +inf for a row with +inf. */
#define NORM__KIND_THRESHOLD 8u   /* Gives threshold; likewise. */
#define NORM__KIND_NO_LOG 16u     /* Weights may be negative: no log form. */
#define NORM__KIND_REMAKES 32u    /* Derivatives do not look at w: it need not be there. */

/* The Jacobian in a closed form. s: n doubles of the engine, to be filled. */
#define NORM__FORM_NONE 0
#define NORM__FORM_DIAGONAL 1  /* diag(s) */
#define NORM__FORM_SYMMETRIC 2 /* diag(s) - s s^T / (rest + sum s), s >= 0 */
#define NORM__FORM_FAMILY 3    /* diag(s) - w s^T, w summing to one */
struct norm__form {
    int shape;
    double *s, rest;
};

struct norm__fast;

struct norm__kind {
    const char *name, *formula, *source;
    const struct norm__key *keys;
    size_t n_keys;
    uint32_t flags; /* NORM__KIND_... */
    size_t scratch; /* row->scratch holds scratch x n doubles */

    /* LIBNORM_PROPERTY_... of this handle. */
    uint64_t (*properties)(const norm_normalizer *handle);
    /* Whether this handle can do an operation that the functions below would allow; NULL: yes. */
    int (*supports)(const norm_normalizer *handle, int32_t operation);

    /* Factor on z / temperature, any finite number; NULL: 1. A row with n = 1 has weight 1 and gradient 0 without it
     * being asked, and a factor of 0 makes a row uniform. scale_gradient: its derivative in a key, 0 for others. */
    double (*scale)(const norm_normalizer *handle, size_t n);
    double (*scale_gradient)(const norm_normalizer *handle, size_t n, size_t key);

    int32_t (*apply)(const struct norm__row *row, double *w, struct norm__facts *facts);
    int32_t (*log_apply)(const struct norm__row *row, double *log_w, struct norm__facts *facts);
    int32_t (*vjp)(const struct norm__row *row, const double *w, const double *g, double *d);
    int32_t (*log_vjp)(const struct norm__row *row, const double *w, const double *g, double *d);
    int32_t (*jvp)(const struct norm__row *row, const double *w, const double *v, double *d);
    int32_t (*hvp)(const struct norm__row *row, const double *w, const double *g, const double *h, double *dz,
                   double *dg);
    int32_t (*param_vjp)(const struct norm__row *row, const double *w, const double *g, size_t key, double *ret);
    int32_t (*limit)(const struct norm__row *row, double *w);
    double (*loss_alpha)(const norm_normalizer *handle);
    int32_t (*form)(const struct norm__row *row, double *w, struct norm__form *ret);
    norm__gradient_bound *gradient_bound;

    const struct norm__fast *fast_f32, *fast_f64; /* kernels for packed rows, see fast.h; NULL: none */
};

#endif
