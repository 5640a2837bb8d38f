/* SPDX-License-Identifier: MIT */
/* The loops over tokens in which measuring a head spends its time: compiled for several instruction sets from one
 * source, with the same bits at each.
 *
 * Arrays of tokens are NORM__METER_LANES-padded: readable and writable up to the next multiple, and 0 there (rest too,
 * so that padding never counts). */
#ifndef NORM_MEASURE_METER_LOOPS_H
#define NORM_MEASURE_METER_LOOPS_H

#include <stddef.h>
#include <stdint.h>

#define NORM__METER_LANES ((size_t)8)
/* Tokens side by side in a panel of vectors: panel[k * PANEL + i] is number k of its token i. */
#define NORM__METER_PANEL ((size_t)16)

static inline size_t norm__meter_padded(size_t n)
{
    return (n + NORM__METER_PANEL - 1) / NORM__METER_PANEL * NORM__METER_PANEL;
}

/* One row: its weights, ||y_i||^2, ||y_i||, and 1 for tokens that are not selected, 0 for those that are. */
struct norm__meter_row {
    size_t n;
    const double *weight, *square, *length, *rest;
};

/* Over the rest. */
struct norm__rest_sums {
    double distance; /* sqrt of the squared distances */
    double square;   /* the squared distances themselves */
    double length;   /* ||y_i|| */
    double weight;
    double nearest; /* the smallest squared distance */
};

/* What N makes of the moments of a row, norm__meter_loops.expect. */
struct norm__random_draw {
    double own, cross, mean; /* ||m_i||^2 = own c_i - cross b_i + mean */
    double spread, part;     /* V_i = max(0, spread - part c_i) */
    double suspect;          /* of ||y_i||^2 + mean_square */
    double mean_square;
};

struct norm__meter_loops {
    /* ret[r * stride + i] = s_r . x_i for `rows` vectors s, `dim` apart, and all tokens of the panels, padded. */
    void (*dots)(const double *s, size_t rows, size_t dim, const double *panels, size_t n, double *ret, size_t stride);
    /* ret[r * dim + k] = sum over i < n of w[r * stride + i] x[i * dim + k] */
    void (*weigh)(const double *w, size_t stride, size_t rows, size_t n, const double *x, size_t dim, double *ret);

    /* Squared distances ||y_i||^2 - 2 w_i dot_i + s2; returns how many of the rest are below suspect (||y_i||^2 + s2):
     * there too many digits cancelled. */
    double (*squares)(const struct norm__meter_row *row, const double *dot, double s2, double suspect, double *ret);
    struct norm__rest_sums (*sum)(const struct norm__meter_row *row, const double *squares);

    /* c_i = ||y_i - m||^2 and b_i = (y_i - m) . m from dot_i = x_i . m and m2 = ||m||^2; the count as above. */
    double (*moments)(const struct norm__meter_row *row, const double *dot, double m2, double suspect, double *ret_c,
                      double *ret_b);
    /* ||m_i||^2; the count as above. */
    double (*expect)(const struct norm__meter_row *row, const struct norm__random_draw *draw, const double *c,
                     const double *b, double *ret);
    /* sums of sqrt(square_i), and of sqrt(square_i + V_i) */
    void (*expect_sum)(size_t n, const struct norm__random_draw *draw, const double *c, const double *squares,
                       double *ret_lower, double *ret_upper);

    /* most_i = max(most_i, x_i), and the largest of most_i rest_i. n padded to a panel. */
    void (*raise)(size_t n, const float *x, float *most);
    float (*largest)(size_t n, const float *most, const double *rest);
};

/* level as norm__cpu_level() returns it. */
const struct norm__meter_loops *norm__meter_loops(int32_t level);

#endif
