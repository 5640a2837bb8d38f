/* SPDX-License-Identifier: MIT */
/* The row of one head made ready for random sets: contributions seen from their mean. */
#include <libnorm/bounds.h>

#include <math.h>

#include "base/error.h"
#include "base/structs.h"
#include "bounds/check.h"

enum { BLOCK = 8 }; /* columns at a time: one cache line */

/* Mean contribution of columns first ... first + width - 1, corrected by the mean of what it leaves. Both sweeps below
 * call it, and get the same bits. */
static void block_mean(const struct norm__tokens *t, size_t first, size_t width, double mean[BLOCK])
{
    double left[BLOCK] = {0};
    for (size_t k = 0; k < width; k++)
        mean[k] = 0;
    for (size_t i = 0; i < t->tokens; i++)
        for (size_t k = 0; k < width; k++)
            mean[k] += t->weights[i] * norm__token(t, i)[first + k];
    for (size_t k = 0; k < width; k++)
        mean[k] /= (double)t->tokens;
    for (size_t i = 0; i < t->tokens; i++)
        for (size_t k = 0; k < width; k++)
            left[k] += t->weights[i] * norm__token(t, i)[first + k] - mean[k];
    for (size_t k = 0; k < width; k++)
        mean[k] += left[k] / (double)t->tokens;
}

/* along[i] = (y_i - mean) . mean; returns ||mean||^2. */
static double sweep_along(const struct norm__tokens *t, double *along)
{
    double square = 0, mean[BLOCK];
    for (size_t i = 0; i < t->tokens; i++)
        along[i] = 0;
    for (size_t first = 0; first < t->dim; first += BLOCK) {
        size_t width = t->dim - first < BLOCK ? t->dim - first : BLOCK;
        block_mean(t, first, width, mean);
        for (size_t k = 0; k < width; k++)
            square += mean[k] * mean[k];
        for (size_t i = 0; i < t->tokens; i++)
            for (size_t k = 0; k < width; k++)
                along[i] += (t->weights[i] * norm__token(t, i)[first + k] - mean[k]) * mean[k];
    }
    return square;
}

/* across[i] = || y_i - mean - along[i] (mean / norm) ||, from the vectors themselves: as a difference of squares it
 * would lose its digits where a contribution points along the mean. */
static void sweep_across(const struct norm__tokens *t, double norm, const double *along, double *across)
{
    double mean[BLOCK];
    for (size_t i = 0; i < t->tokens; i++)
        across[i] = 0;
    for (size_t first = 0; first < t->dim; first += BLOCK) {
        size_t width = t->dim - first < BLOCK ? t->dim - first : BLOCK;
        block_mean(t, first, width, mean);
        for (size_t i = 0; i < t->tokens; i++)
            for (size_t k = 0; k < width; k++) {
                double c = t->weights[i] * norm__token(t, i)[first + k] - mean[k];
                double e = norm > 0 ? c - along[i] * (mean[k] / norm) : c;
                across[i] += e * e;
            }
    }
    for (size_t i = 0; i < t->tokens; i++)
        across[i] = sqrt(across[i]);
}

norm_status norm_bound_random_set(size_t tokens, size_t dim, const double *weights, const double *x, int64_t x_stride,
                                  double *ret_along, double *ret_across, norm_random_set *ret_set,
                                  norm_error *ret_error)
{
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    struct norm__tokens t = {tokens, dim, weights, x, x_stride, NULL, 0};
    norm_status status = norm__struct_writable(ret_set, NORM__RANDOM_SET_FIRST, "norm_random_set", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_tokens(&t, false, ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_tokens_result(ret_along, tokens, &t, false, "ret_along", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_tokens_result(ret_across, tokens, &t, false, "ret_across", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_result(ret_across, tokens, ret_along, tokens, false, "ret_across", ret_error);
    if (status != LIBNORM_OK)
        return status;
    norm_random_set set = {sizeof set, 0, tokens, 0, 0, 0, ret_along, ret_across};
    set.mean = sqrt(sweep_along(&t, ret_along));
    for (size_t i = 0; i < tokens; i++)
        ret_along[i] = set.mean > 0 ? ret_along[i] / set.mean : 0;
    sweep_across(&t, set.mean, ret_along, ret_across);
    for (size_t i = 0; i < tokens; i++) {
        double p = ret_along[i], q = ret_across[i], y = p + set.mean;
        set.spread += p * p + q * q;
        set.length += sqrt(y * y + q * q);
    }
    norm__struct_write(ret_set, &set, sizeof set);
    return LIBNORM_OK;
}
