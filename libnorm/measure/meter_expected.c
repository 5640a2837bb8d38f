/* SPDX-License-Identifier: MIT */
/* The expected distance of one row for every N: the moments of docs/theory.md, "Distance, a random set", from norms and
 * inner products. */
#include "measure/meter.h"

void norm__meter_moments(norm_distance_meter *m, const struct norm__meter_row *row, const double *dot,
                         struct norm__meter_mean *mean)
{
    mean->square = norm__meter_square(mean->vector, m->dim);
    const double bad = m->loops->moments(row, dot, mean->square, m->suspect, m->c, m->b);
    for (size_t i = 0; bad > 0 && i < row->n; i++)
        if (m->c[i] < m->suspect * (row->square[i] + mean->square)) {
            const double *x = norm__meter_vector(m, i);
            m->c[i] = norm__meter_difference(row->weight[i], x, mean->vector, m->dim);
            m->b[i] = 0;
            for (size_t k = 0; k < m->dim; k++)
                m->b[i] += (row->weight[i] * x[k] - mean->vector[k]) * mean->vector[k];
        }
    mean->scatter = 0;
    for (size_t i = 0; i < row->n; i++)
        mean->scatter += m->c[i];
}

/* ||(1 + kappa)(y_i - mean) - (N - 1) mean||^2 */
static double expected_difference(const norm_distance_meter *m, double w, size_t i, const double *mean, double kappa,
                                  double others)
{
    const double *x = norm__meter_vector(m, i);
    double sum = 0;
    for (size_t k = 0; k < m->dim; k++) {
        const double d = (1 + kappa) * (w * x[k] - mean[k]) - others * mean[k];
        sum += d * d;
    }
    return sum;
}

void norm__meter_expected(norm_distance_meter *m, const struct norm__meter_row *row,
                          const struct norm__meter_mean *mean, norm_row_distance *r)
{
    const double l = (double)r->tokens, n = (double)r->selected, kappa = n / (l - 1), others = n - 1;
    const double free = r->tokens > 2 && r->selected + 1 < r->tokens ? kappa * ((l - 1 - n) / (l - 2)) : 0;
    struct norm__random_draw draw = {.own = (1 + kappa) * (1 + kappa),
                                     .cross = 2 * (1 + kappa) * others,
                                     .mean = others * others * mean->square,
                                     .spread = free * mean->scatter,
                                     .part = free * (l / (l - 1)),
                                     .mean_square = mean->square};
    draw.suspect = m->suspect * (draw.own + 1.5 * draw.cross + others * others);
    const double bad = m->loops->expect(row, &draw, m->c, m->b, m->squares);
    for (size_t i = 0; bad > 0 && i < row->n; i++)
        if (m->squares[i] < draw.suspect * (row->square[i] + mean->square))
            m->squares[i] = expected_difference(m, row->weight[i], i, mean->vector, kappa, others);
    m->loops->expect_sum(row->n, &draw, m->c, m->squares, &r->expected_lower, &r->expected_upper);
    r->expected_lower *= (l - n) / l;
    r->expected_upper *= (l - n) / l;
}
