/* SPDX-License-Identifier: MIT */
/* Theorem 1, part 1: the distance of the rest from the selected tokens, for a given set. */
#include <libnorm/bounds.h>

#include <math.h>

#include "base/error.h"
#include "bounds/check.h"

/* Columns are taken in blocks of one cache line, so that sums over tokens need no array of dim numbers. */
enum { BLOCK = 8 };

static norm_status open_tokens(struct norm__tokens *t, size_t tokens, size_t dim, const double *weights,
                               const double *x, int64_t x_stride, const uint8_t *selected, norm_error *error)
{
    *t = (struct norm__tokens){tokens, dim, weights, x, x_stride, selected, 0};
    return norm__error_usable(error) ? norm__bound_tokens(t, true, error) : LIBNORM_E_ARGUMENT;
}

static double length(const double *v, size_t dim)
{
    double sum = 0;
    for (size_t k = 0; k < dim; k++)
        sum += v[k] * v[k];
    return sqrt(sum);
}

/* ||w v - s|| */
static double distance_to(const double *v, double w, const double *s, size_t dim)
{
    double sum = 0;
    for (size_t k = 0; k < dim; k++) {
        double d = w * v[k] - s[k];
        sum += d * d;
    }
    return sqrt(sum);
}

norm_status norm_bound_distance_value(size_t tokens, size_t dim, const double *weights, const double *x,
                                      int64_t x_stride, const uint8_t *selected, double *ret_context,
                                      double *ret_distances, double *ret_distance, norm_error *ret_error)
{
    struct norm__tokens t;
    norm_status status = open_tokens(&t, tokens, dim, weights, x, x_stride, selected, ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_tokens_result(ret_context, dim, &t, false, "ret_context", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_tokens_result(ret_distances, tokens, &t, true, "ret_distances", ret_error);
    if (status == LIBNORM_OK && ret_distances != NULL)
        status = norm__bound_result(ret_distances, tokens, ret_context, dim, false, "ret_distances", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_pointer(ret_distance, "ret_distance", ret_error);
    if (status != LIBNORM_OK)
        return status;
    for (size_t k = 0; k < dim; k++)
        ret_context[k] = 0;
    for (size_t i = 0; i < tokens; i++)
        for (size_t k = 0; selected[i] != 0 && k < dim; k++)
            ret_context[k] += weights[i] * norm__token(&t, i)[k];
    double sum = 0;
    for (size_t i = 0; i < tokens; i++) {
        if (selected[i] != 0 && ret_distances == NULL)
            continue;
        double d = distance_to(norm__token(&t, i), weights[i], ret_context, dim);
        if (ret_distances != NULL)
            ret_distances[i] = d;
        if (selected[i] == 0)
            sum += d;
    }
    *ret_distance = sum;
    return LIBNORM_OK;
}

/* What the sandwich and the moments need. With m tokens in the rest, their mean contribution r, c_i = y_i - r. */
struct parts {
    double context; /* ||s|| */
    double tail;    /* sum ||y_i|| over the rest */
    double offset;  /* ||r - s|| */
    double scatter; /* sum ||c_i||^2 over the rest */
};

/* One block of columns; the mean is corrected by the mean of what it leaves, so that c_i keeps its digits. */
static void add_block(const struct norm__tokens *t, size_t first, size_t width, double squares[3])
{
    double s[BLOCK] = {0}, mean[BLOCK] = {0}, left[BLOCK] = {0};
    size_t rest = t->tokens - t->chosen;
    for (size_t i = 0; i < t->tokens; i++) {
        double *into = t->selected[i] != 0 ? s : mean;
        for (size_t k = 0; k < width; k++)
            into[k] += t->weights[i] * norm__token(t, i)[first + k];
    }
    for (size_t k = 0; k < width; k++)
        mean[k] /= (double)rest;
    for (size_t i = 0; i < t->tokens; i++)
        for (size_t k = 0; t->selected[i] == 0 && k < width; k++)
            left[k] += t->weights[i] * norm__token(t, i)[first + k] - mean[k];
    for (size_t k = 0; k < width; k++) {
        mean[k] += left[k] / (double)rest;
        squares[0] += s[k] * s[k];
        squares[1] += (mean[k] - s[k]) * (mean[k] - s[k]);
    }
    for (size_t i = 0; i < t->tokens; i++)
        for (size_t k = 0; t->selected[i] == 0 && k < width; k++) {
            double c = t->weights[i] * norm__token(t, i)[first + k] - mean[k];
            squares[2] += c * c;
        }
}

static struct parts take_apart(const struct norm__tokens *t)
{
    double squares[3] = {0, 0, 0}, tail = 0;
    for (size_t first = 0; first < t->dim; first += BLOCK)
        add_block(t, first, t->dim - first < BLOCK ? t->dim - first : BLOCK, squares);
    for (size_t i = 0; i < t->tokens; i++)
        if (t->selected[i] == 0)
            tail += fabs(t->weights[i]) * length(norm__token(t, i), t->dim);
    return (struct parts){sqrt(squares[0]), tail, sqrt(squares[1]), squares[2]};
}

struct pair {
    double lower, upper;
};

static struct pair sandwich(const struct parts *p, double rest)
{
    return (struct pair){fmax(0, rest * p->context - p->tail), rest * p->context + p->tail};
}

static struct pair moments(const struct parts *p, double rest)
{
    return (struct pair){rest * p->offset, rest * sqrt(p->offset * p->offset + p->scatter / rest)};
}

/* The parts of Theorem 1: selected and other weight, sum |W - w_i|, and the two largest norms. */
struct theorem {
    double selected, other, spread, difference, norm;
};

static struct theorem take_theorem(const struct norm__tokens *t)
{
    struct theorem p = {0, 0, 0, 0, 0};
    for (size_t i = 0; i < t->tokens; i++)
        *(t->selected[i] != 0 ? &p.selected : &p.other) += t->weights[i];
    for (size_t i = 0; i < t->tokens; i++) {
        const double *row = norm__token(t, i);
        if (t->selected[i] != 0) {
            p.norm = fmax(p.norm, length(row, t->dim));
            continue;
        }
        p.spread += fabs(p.selected - t->weights[i]);
        for (size_t j = 0; j < t->tokens; j++)
            if (t->selected[j] != 0)
                p.difference = fmax(p.difference, distance_to(row, 1, norm__token(t, j), t->dim));
    }
    return p;
}

static norm_status check_theorem(const struct norm__tokens *t, norm_error *error)
{
    norm_status status = norm__bound_count(t->chosen, 1, t->tokens, "selected tokens", error);
    return status == LIBNORM_OK ? norm__bound_array(t->weights, t->tokens, NORM__NOT_NEGATIVE, "weights", error)
                                : status;
}

/* A pair asked for by at least one of its ends. */
static norm_status check_pair(const double *lower, const double *upper, norm_error *error)
{
    return lower != NULL ? LIBNORM_OK : norm__bound_pointer(upper, "ret_upper", error);
}

static norm_status give(struct pair p, double *ret_lower, double *ret_upper)
{
    if (ret_lower != NULL)
        *ret_lower = p.lower;
    if (ret_upper != NULL)
        *ret_upper = p.upper;
    return LIBNORM_OK;
}

norm_status norm_bound_distance(size_t tokens, size_t dim, const double *weights, const double *x, int64_t x_stride,
                                const uint8_t *selected, double *ret_lower, double *ret_upper, norm_error *ret_error)
{
    struct norm__tokens t;
    norm_status status = open_tokens(&t, tokens, dim, weights, x, x_stride, selected, ret_error);
    if (status == LIBNORM_OK)
        status = check_pair(ret_lower, ret_upper, ret_error);
    if (status != LIBNORM_OK)
        return status;
    double rest = (double)(tokens - t.chosen);
    if (t.chosen == tokens)
        return give((struct pair){0, 0}, ret_lower, ret_upper);
    struct parts parts = take_apart(&t);
    struct pair a = sandwich(&parts, rest), b = moments(&parts, rest);
    struct pair best = {fmax(a.lower, b.lower), fmin(a.upper, b.upper)};
    if (ret_upper != NULL && check_theorem(&t, NULL) == LIBNORM_OK) {
        struct theorem p = take_theorem(&t);
        best.upper = fmin(best.upper, p.other * p.difference + p.norm * p.spread);
    }
    return give(best, ret_lower, ret_upper);
}

norm_status norm_bound_distance_theorem(size_t tokens, size_t dim, const double *weights, const double *x,
                                        int64_t x_stride, const uint8_t *selected, double *ret_upper,
                                        norm_error *ret_error)
{
    struct norm__tokens t;
    norm_status status = open_tokens(&t, tokens, dim, weights, x, x_stride, selected, ret_error);
    if (status == LIBNORM_OK)
        status = check_theorem(&t, ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_pointer(ret_upper, "ret_upper", ret_error);
    if (status != LIBNORM_OK)
        return status;
    struct theorem p = take_theorem(&t);
    *ret_upper = p.other * p.difference + p.norm * p.spread;
    return LIBNORM_OK;
}

norm_status norm_bound_distance_published(size_t tokens, size_t dim, const double *weights, const double *x,
                                          int64_t x_stride, const uint8_t *selected, double *ret_value,
                                          norm_error *ret_error)
{
    struct norm__tokens t;
    norm_status status = open_tokens(&t, tokens, dim, weights, x, x_stride, selected, ret_error);
    if (status == LIBNORM_OK)
        status = check_theorem(&t, ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_pointer(ret_value, "ret_value", ret_error);
    if (status != LIBNORM_OK)
        return status;
    struct theorem p = take_theorem(&t);
    double rest = (double)(tokens - t.chosen), left = 1 - p.selected;
    *ret_value = left * p.difference + p.norm * (p.selected * rest - left);
    return LIBNORM_OK;
}

norm_status norm_bound_distance_sandwich(size_t tokens, size_t dim, const double *weights, const double *x,
                                         int64_t x_stride, const uint8_t *selected, double *ret_lower,
                                         double *ret_upper, norm_error *ret_error)
{
    struct norm__tokens t;
    norm_status status = open_tokens(&t, tokens, dim, weights, x, x_stride, selected, ret_error);
    if (status == LIBNORM_OK)
        status = check_pair(ret_lower, ret_upper, ret_error);
    if (status != LIBNORM_OK)
        return status;
    if (t.chosen == tokens)
        return give((struct pair){0, 0}, ret_lower, ret_upper);
    struct parts p = take_apart(&t);
    return give(sandwich(&p, (double)(tokens - t.chosen)), ret_lower, ret_upper);
}

norm_status norm_bound_distance_moments(size_t tokens, size_t dim, const double *weights, const double *x,
                                        int64_t x_stride, const uint8_t *selected, double *ret_lower, double *ret_upper,
                                        norm_error *ret_error)
{
    struct norm__tokens t;
    norm_status status = open_tokens(&t, tokens, dim, weights, x, x_stride, selected, ret_error);
    if (status == LIBNORM_OK)
        status = check_pair(ret_lower, ret_upper, ret_error);
    if (status != LIBNORM_OK)
        return status;
    if (t.chosen == tokens)
        return give((struct pair){0, 0}, ret_lower, ret_upper);
    struct parts p = take_apart(&t);
    return give(moments(&p, (double)(tokens - t.chosen)), ret_lower, ret_upper);
}
