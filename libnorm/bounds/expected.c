/* SPDX-License-Identifier: MIT */
/* Theorem 1, part 2, and Corollary 2: the expected distance when the set is drawn at random. */
#include <libnorm/bounds.h>

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/structs.h"
#include "bounds/check.h"

/* What the number of selected tokens N makes of L tokens. */
struct draw {
    double outside; /* c = (L - N) / L, the chance of a token not to be selected */
    double kappa;   /* N / (L - 1), the chance of another token to be selected then */
    double others;  /* N - 1 */
    double spread;  /* factor of the variance V_i; 0 where the set has no freedom */
    double own;     /* L / (L - 1) */
};

static struct draw draw_of(const norm_random_set *set, size_t selected)
{
    double l = (double)set->tokens, n = (double)selected;
    struct draw d = {(l - n) / l, 0, n - 1, 0, 1};
    if (set->tokens > 1) {
        d.kappa = n / (l - 1);
        d.own = l / (l - 1);
    }
    if (set->tokens > 2 && selected + 1 < set->tokens)
        d.spread = d.kappa * ((l - 1 - n) / (l - 2));
    return d;
}

/* ||E[y_i - s | i is not selected]||^2, and the variance of s then. */
static double mean_square(const norm_random_set *set, const struct draw *d, size_t i)
{
    double along = (1 + d->kappa) * set->along[i] - d->others * set->mean, across = (1 + d->kappa) * set->across[i];
    return along * along + across * across;
}

static double variance(const norm_random_set *set, const struct draw *d, size_t i)
{
    double square = set->along[i] * set->along[i] + set->across[i] * set->across[i];
    return d->spread * fmax(0, set->spread - d->own * square);
}

/* ||sum_j y_j - y_i||^2 */
static double others_square(const norm_random_set *set, size_t i)
{
    double along = (double)(set->tokens - 1) * set->mean - set->along[i];
    return along * along + set->across[i] * set->across[i];
}

static norm_status open_set(const norm_random_set *given, norm_random_set *own, size_t selected, norm_error *error)
{
    if (!norm__error_usable(error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = norm__bound_pointer(given, "set", error);
    if (status == LIBNORM_OK)
        status = norm__struct_read(own, sizeof *own, given, NORM__RANDOM_SET_FIRST, 0, "norm_random_set", error);
    if (status == LIBNORM_OK)
        status = norm__bound_count((size_t)own->tokens, 1, SIZE_MAX / sizeof(double), "set.tokens", error);
    if (status == LIBNORM_OK)
        status = norm__bound_count(selected, 0, (size_t)own->tokens, "selected", error);
    if (status == LIBNORM_OK)
        status = norm__bound_number(own->mean, NORM__NOT_NEGATIVE, "set.mean", error);
    if (status == LIBNORM_OK)
        status = norm__bound_number(own->spread, NORM__NOT_NEGATIVE, "set.spread", error);
    if (status == LIBNORM_OK)
        status = norm__bound_number(own->length, NORM__NOT_NEGATIVE, "set.length", error);
    if (status == LIBNORM_OK)
        status = norm__bound_array(own->along, (size_t)own->tokens, NORM__ANY, "set.along", error);
    if (status == LIBNORM_OK)
        status = norm__bound_array(own->across, (size_t)own->tokens, NORM__NOT_NEGATIVE, "set.across", error);
    return status;
}

norm_status norm_bound_expected_distance(const norm_random_set *set, size_t selected, double *ret_lower,
                                         double *ret_upper, norm_error *ret_error)
{
    norm_random_set own;
    norm_status status = open_set(set, &own, selected, ret_error);
    if (status == LIBNORM_OK && ret_lower == NULL)
        status = norm__bound_pointer(ret_upper, "ret_upper", ret_error);
    if (status != LIBNORM_OK)
        return status;
    struct draw d = draw_of(&own, selected);
    double lower = 0, upper = 0;
    for (size_t i = 0; selected < own.tokens && i < own.tokens; i++) {
        double square = mean_square(&own, &d, i);
        lower += sqrt(square);
        upper += sqrt(square + variance(&own, &d, i));
    }
    if (ret_lower != NULL)
        *ret_lower = d.outside * lower;
    if (ret_upper != NULL)
        *ret_upper = d.outside * upper;
    return LIBNORM_OK;
}

norm_status norm_bound_expected_distance_additive(const norm_random_set *set, size_t selected, double *ret_upper,
                                                  norm_error *ret_error)
{
    norm_random_set own;
    norm_status status = open_set(set, &own, selected, ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_pointer(ret_upper, "ret_upper", ret_error);
    if (status != LIBNORM_OK)
        return status;
    struct draw d = draw_of(&own, selected);
    double sum = 0;
    for (size_t i = 0; selected < own.tokens && i < own.tokens; i++)
        sum += sqrt(mean_square(&own, &d, i)) + sqrt(variance(&own, &d, i));
    *ret_upper = d.outside * sum;
    return LIBNORM_OK;
}

norm_status norm_bound_expected_distance_cap(const norm_random_set *set, size_t selected, double *ret_upper,
                                             norm_error *ret_error)
{
    norm_random_set own;
    norm_status status = open_set(set, &own, selected, ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_pointer(ret_upper, "ret_upper", ret_error);
    if (status == LIBNORM_OK)
        *ret_upper = draw_of(&own, selected).outside * (1 + (double)selected) * own.length;
    return status;
}

norm_status norm_bound_expected_square(const norm_random_set *set, size_t selected, double *ret_value,
                                       norm_error *ret_error)
{
    norm_random_set own;
    norm_status status = open_set(set, &own, selected, ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_pointer(ret_value, "ret_value", ret_error);
    if (status != LIBNORM_OK)
        return status;
    struct draw d = draw_of(&own, selected);
    double sum = 0;
    for (size_t i = 0; selected < own.tokens && i < own.tokens; i++)
        sum += mean_square(&own, &d, i) + variance(&own, &d, i);
    *ret_value = d.outside * sum;
    return LIBNORM_OK;
}

norm_status norm_bound_expected_distance_limit(const norm_random_set *set, size_t selected, double *ret_limit,
                                               double *ret_lower_error, double *ret_error_bound, norm_error *ret_error)
{
    norm_random_set own;
    norm_status status = open_set(set, &own, selected, ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_pointer(ret_limit, "ret_limit", ret_error);
    if (status != LIBNORM_OK)
        return status;
    struct draw d = draw_of(&own, selected);
    double lower = 0, whole = 0;
    for (size_t i = 0; selected < own.tokens && i < own.tokens; i++) {
        double square = d.kappa * d.kappa * others_square(&own, i);
        lower += sqrt(square);
        whole += sqrt(square + variance(&own, &d, i));
    }
    *ret_limit = d.outside * own.length;
    if (ret_lower_error != NULL)
        *ret_lower_error = d.outside * lower;
    if (ret_error_bound != NULL)
        *ret_error_bound = d.outside * whole;
    return LIBNORM_OK;
}

norm_status norm_bound_expected_distance_limit_published(const norm_random_set *set, double *ret_value,
                                                         norm_error *ret_error)
{
    norm_random_set own;
    norm_status status = open_set(set, &own, 0, ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_pointer(ret_value, "ret_value", ret_error);
    if (status == LIBNORM_OK)
        *ret_value = own.length;
    return status;
}

/* c sum || (w_i + N/(L-1)) x_i - total ||, total = sum y_j */
static double as_printed(const struct norm__tokens *t, size_t selected, double *total)
{
    double kappa = (double)selected / (double)(t->tokens - 1), sum = 0;
    for (size_t k = 0; k < t->dim; k++)
        total[k] = 0;
    for (size_t i = 0; i < t->tokens; i++)
        for (size_t k = 0; k < t->dim; k++)
            total[k] += t->weights[i] * norm__token(t, i)[k];
    for (size_t i = 0; i < t->tokens; i++) {
        double square = 0;
        for (size_t k = 0; k < t->dim; k++) {
            double d = (t->weights[i] + kappa) * norm__token(t, i)[k] - total[k];
            square += d * d;
        }
        sum += sqrt(square);
    }
    return sum * ((double)(t->tokens - selected) / (double)t->tokens);
}

norm_status norm_bound_expected_distance_published(size_t tokens, size_t dim, const double *weights, const double *x,
                                                   int64_t x_stride, size_t selected, double *ret_value,
                                                   const norm_exec *exec, norm_error *ret_error)
{
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    struct norm__tokens t = {tokens, dim, weights, x, x_stride, NULL, 0};
    norm_exec own;
    norm_status status = norm__exec_read(&own, exec, ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_count(tokens, 2, SIZE_MAX, "tokens", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_count(selected, 0, tokens - 1, "selected", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_tokens(&t, false, ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_pointer(ret_value, "ret_value", ret_error);
    if (status != LIBNORM_OK)
        return status;
    struct norm__workspace w;
    status = norm__workspace_open(&w, &own, norm__piece(dim * sizeof(double)), ret_error);
    if (status != LIBNORM_OK)
        return status;
    *ret_value = as_printed(&t, selected, norm__workspace_take(&w, dim * sizeof(double)));
    norm__workspace_close(&w);
    return LIBNORM_OK;
}
