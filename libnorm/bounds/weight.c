/* SPDX-License-Identifier: MIT */
/* Vanishing weights: Lemma 1, its softmax corollary, and the sharper forms that are attained. */
#include <libnorm/bounds.h>

#include <math.h>

#include "base/error.h"
#include "base/number.h"
#include "bounds/check.h"

/* 1 / (1 + (tokens - 1) ratio). A ratio that overflowed to infinity gives the correct 0, one that underflowed 1. */
static double share(size_t tokens, double ratio)
{
    return tokens == 1 ? 1 : 1 / (1 + (double)(tokens - 1) * ratio);
}

static norm_status give(double lower, double upper, double *ret_lower, double *ret_upper, norm_error *error)
{
    if (ret_lower == NULL && ret_upper == NULL)
        return norm__bound_pointer(NULL, "ret_upper", error);
    if (ret_lower != NULL)
        *ret_lower = lower;
    if (ret_upper != NULL)
        *ret_upper = upper;
    return LIBNORM_OK;
}

static norm_status check_family(size_t tokens, double f_min, double f_max, norm_error *error)
{
    if (!norm__error_usable(error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = norm__bound_count(tokens, 1, SIZE_MAX, "tokens", error);
    if (status == LIBNORM_OK)
        status = norm__bound_number(f_min, NORM__POSITIVE, "f_min", error);
    if (status == LIBNORM_OK)
        status = norm__bound_number(f_max, NORM__POSITIVE, "f_max", error);
    if (status == LIBNORM_OK && f_max < f_min)
        status = norm__fail(error, LIBNORM_E_ARGUMENT, -1, "f_max = %s: expected at least f_min = %s",
                            norm__text_f64(f_max).text, norm__text_f64(f_min).text);
    return status;
}

norm_status norm_bound_weight_lemma(size_t tokens, double f_min, double f_max, double *ret_lower, double *ret_upper,
                                    norm_error *ret_error)
{
    norm_status status = check_family(tokens, f_min, f_max, ret_error);
    if (status == LIBNORM_OK)
        status = give(f_min / f_max / (double)tokens, fmin(1, f_max / f_min / (double)tokens), ret_lower, ret_upper,
                      ret_error);
    return status;
}

norm_status norm_bound_weight_family(size_t tokens, double f_min, double f_max, double *ret_lower, double *ret_upper,
                                     norm_error *ret_error)
{
    norm_status status = check_family(tokens, f_min, f_max, ret_error);
    if (status == LIBNORM_OK)
        status = give(share(tokens, f_max / f_min), share(tokens, f_min / f_max), ret_lower, ret_upper, ret_error);
    return status;
}

static norm_status check_softmax(size_t tokens, double temperature, norm_error *error)
{
    if (!norm__error_usable(error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = norm__bound_count(tokens, 1, SIZE_MAX, "tokens", error);
    if (status == LIBNORM_OK)
        status = norm__bound_number(temperature, NORM__POSITIVE, "temperature", error);
    return status;
}

norm_status norm_bound_weight_norms(size_t tokens, double query_norm, double key_norm, double temperature,
                                    double *ret_lower, double *ret_upper, norm_error *ret_error)
{
    norm_status status = check_softmax(tokens, temperature, ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_number(query_norm, NORM__NOT_NEGATIVE, "query_norm", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_number(key_norm, NORM__NOT_NEGATIVE, "key_norm", ret_error);
    if (status != LIBNORM_OK)
        return status;
    double reach = 2 * query_norm * key_norm / temperature;
    return give(exp(-reach) / (double)tokens, fmin(1, exp(reach) / (double)tokens), ret_lower, ret_upper, ret_error);
}

norm_status norm_bound_weight_softmax(size_t tokens, double score_range, double temperature, double *ret_lower,
                                      double *ret_upper, norm_error *ret_error)
{
    norm_status status = check_softmax(tokens, temperature, ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_number(score_range, NORM__NOT_NEGATIVE, "score_range", ret_error);
    if (status == LIBNORM_OK)
        status = give(share(tokens, exp(score_range / temperature)), share(tokens, exp(-score_range / temperature)),
                      ret_lower, ret_upper, ret_error);
    return status;
}

norm_status norm_bound_weight_entry(size_t tokens, double score, double score_min, double score_max, double temperature,
                                    double *ret_lower, double *ret_upper, norm_error *ret_error)
{
    norm_status status = check_softmax(tokens, temperature, ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_number(score, NORM__ANY, "score", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_number(score_min, NORM__ANY, "score_min", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_number(score_max, NORM__ANY, "score_max", ret_error);
    if (status == LIBNORM_OK && !(score_min <= score && score <= score_max))
        status = norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "score = %s: expected score_min = %s to score_max = %s",
                            norm__text_f64(score).text, norm__text_f64(score_min).text, norm__text_f64(score_max).text);
    if (status == LIBNORM_OK)
        status = give(share(tokens, exp((score_max - score) / temperature)),
                      share(tokens, exp(-(score - score_min) / temperature)), ret_lower, ret_upper, ret_error);
    return status;
}

norm_status norm_bound_weight_ssmax(size_t tokens, double scale, double bias, double score_range, double gap,
                                    double *ret_lower, double *ret_upper, norm_error *ret_error)
{
    norm_status status = check_softmax(tokens, 1, ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_number(scale, NORM__ANY, "scale", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_number(bias, NORM__ANY, "bias", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_number(score_range, NORM__NOT_NEGATIVE, "score_range", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_number(gap, NORM__NOT_NEGATIVE, "gap", ret_error);
    if (status == LIBNORM_OK && gap > score_range)
        status = norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "gap = %s: expected at most score_range = %s",
                            norm__text_f64(gap).text, norm__text_f64(score_range).text);
    double factor = tokens > 1 ? scale * log((double)tokens) + bias : 0; /* one token has weight 1 whatever it is */
    if (status == LIBNORM_OK)
        status = norm__bound_number(factor, NORM__NOT_NEGATIVE, "scale log(tokens) + bias", ret_error);
    if (status == LIBNORM_OK)
        status = give(share(tokens, exp(-factor * gap)), share(tokens, exp(-factor * score_range)), ret_lower,
                      ret_upper, ret_error);
    return status;
}
