/* SPDX-License-Identifier: MIT */
#include "normalizers/entmax_fast.h"

#include <math.h>

static int apply_of(double alpha, const struct norm__fast_context *c, const void *z, size_t n, void *spare,
                    void *ret_w, struct norm__facts *facts)
{
    struct norm__entmax_sums sums;
    const int class = c->kernels->entmax_f32(z, n, alpha, c->temperature, spare, ret_w, &sums);
    if (class == NORM__ROW_ORDINARY && facts != NULL) {
        facts->max_score = sums.max;
        facts->threshold = sums.max / c->temperature + sums.threshold;
    }
    return class;
}

/* Entropy of weights that apply gave. */
static double entropy(const struct norm__fast_context *c, const void *w, size_t n)
{
    return c->kernels->entropy_f32(w, n);
}

/* -- entmax -------------------------------------------------------------------------------------------------------- */

static double alpha_of(const struct norm__fast_context *c)
{
    return c->handle->value[1];
}

/* Between 1.5 and 2 the gradient grows like a root of the distance to the threshold: a weight just above it, known to
 * 1e-7 as a float kernel knows it, would give a gradient that is wrong in the third digit. */
static bool serves(const norm_normalizer *handle)
{
    return handle->value[1] <= 1.5 || handle->value[1] == 2;
}

/* alpha = 1 is softmax, to the bit. */
static int apply_softmax(const struct norm__fast_context *c, const void *z, size_t n, void *ret_w,
                         struct norm__facts *facts)
{
    struct norm__softmax_sums sums;
    const int class = c->kernels->softmax_f32(z, n, &c->softmax, ret_w, &sums);
    if (class == NORM__ROW_ORDINARY && facts != NULL) {
        facts->max_score = sums.max;
        facts->log_sum = sums.max / c->temperature + log(sums.sum);
    }
    return class;
}

static int apply(const struct norm__fast_context *c, const void *z, size_t n, void *spare, void *ret_w,
                 struct norm__facts *facts)
{
    const double alpha = alpha_of(c);
    return alpha == 1 ? apply_softmax(c, z, n, ret_w, facts) : apply_of(alpha, c, z, n, spare, ret_w, facts);
}

static void vjp(const struct norm__fast_context *c, const void *w, const void *g, size_t n, void *ret_d)
{
    const double alpha = alpha_of(c);
    if (alpha == 1)
        c->kernels->softmax_vjp_f32(w, g, n, c->temperature, ret_d);
    else
        c->kernels->entmax_vjp_f32(w, g, n, alpha, c->temperature, ret_d);
}

const struct norm__fast norm__entmax_fast_f32 = {
    .serves = serves,
    .spare_rows = 1,
    .spare_cells = norm__entmax_spare,
    .apply = apply,
    .vjp = vjp,
    .entropy = entropy,
};

/* -- sparsemax ----------------------------------------------------------------------------------------------------- */

static int apply_sparsemax(const struct norm__fast_context *c, const void *z, size_t n, void *spare, void *ret_w,
                           struct norm__facts *facts)
{
    return apply_of(2, c, z, n, spare, ret_w, facts);
}

static void vjp_sparsemax(const struct norm__fast_context *c, const void *w, const void *g, size_t n, void *ret_d)
{
    c->kernels->entmax_vjp_f32(w, g, n, 2, c->temperature, ret_d);
}

const struct norm__fast norm__sparsemax_fast_f32 = {
    .spare_rows = 1,
    .spare_cells = norm__entmax_spare,
    .apply = apply_sparsemax,
    .vjp = vjp_sparsemax,
    .entropy = entropy,
};
