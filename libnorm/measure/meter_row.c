/* SPDX-License-Identifier: MIT */
/* One row for every N: squared distances from norms and inner products,
 *
 *     ||y_i - s||^2 = ||y_i||^2 - 2 w_i x_i.s + ||s||^2,
 *
 * and from the difference itself wherever the sum is so small beside its terms that they have cancelled. */
#include "measure/meter.h"

#include <math.h>
#include <string.h>

#include "measure/distance.h"

/* Squared distances from s, those that lost digits mended. The selected ones are always differences: one that dominates
 * is near s by itself. */
static void measure_squares(norm_distance_meter *m, const struct norm__meter_row *row, const size_t *order, size_t n,
                            const double *s, const double *dot)
{
    const double s2 = norm__meter_square(s, m->dim);
    const double bad = m->loops->squares(row, dot, s2, m->suspect, m->squares);
    for (size_t i = 0; bad > 0 && i < row->n; i++)
        if (row->rest[i] > 0 && m->squares[i] < m->suspect * (row->square[i] + s2))
            m->squares[i] = norm__meter_difference(row->weight[i], norm__meter_vector(m, i), s, m->dim);
    for (size_t j = 0; j < n; j++) {
        const size_t i = order[j];
        m->squares[i] = norm__meter_difference(row->weight[i], norm__meter_vector(m, i), s, m->dim);
    }
}

/* The square of the radius: of all that are as near as rounding can tell, measured by differences, as the selected ones
 * are. Equal contributions then have equal distances, and none counts as nearer. */
static double radius_square(const norm_distance_meter *m, const struct norm__meter_row *row, const double *s,
                            double nearest)
{
    const double s2 = norm__meter_square(s, m->dim), width = 8 * 0x1p-53 * (double)(m->dim + 4);
    double radius = INFINITY;
    for (size_t i = 0; i < row->n; i++)
        if (row->rest[i] > 0 && m->squares[i] <= nearest + width * (row->square[i] + s2 + nearest))
            radius = fmin(radius, norm__meter_difference(row->weight[i], norm__meter_vector(m, i), s, m->dim));
    return radius;
}

/* ||sum over the rest of (y_i - s)||, total being the sum of all contributions. */
static double rest_norm(const double *total, const double *s, double rest, size_t dim)
{
    double sum = 0;
    for (size_t k = 0; k < dim; k++) {
        const double d = total[k] - (rest + 1) * s[k];
        sum += d * d;
    }
    return sqrt(sum);
}

/* The bounds of norm_bound_distance(), from sums that are there. farthest: the largest distance between a selected
 * token and one of the rest, longest: the largest ||x_j|| of the selected. */
static void add_bounds(const norm_distance_meter *m, const struct norm__meter_place *place,
                       const struct norm__rest_sums *sums, const double *s, double farthest, double longest,
                       norm_row_distance *r)
{
    const double rest = (double)(r->tokens - r->selected);
    const double lower = rest * r->context - sums->length, upper = rest * r->context + sums->length;
    r->lower = fmax(0, fmax(lower, rest_norm(m->totals + place->index * m->dim, s, rest, m->dim)));
    r->upper = fmin(upper, sqrt(rest * sums->square));
    if (!place->positive)
        return;
    /* The selected weight is at least any of the rest. */
    r->theorem = sums->weight * farthest + longest * fmax(0, rest * r->mass - sums->weight);
    r->upper = fmin(r->upper, r->theorem);
}

static norm_row_distance measure(norm_distance_meter *m, const struct norm__meter_place *place,
                                 const struct norm__meter_row *row, const size_t *order, size_t n, const double *s,
                                 const double *dot)
{
    norm_row_distance r = norm__row_distance_empty(row->n, n);
    measure_squares(m, row, order, n, s, dot);
    const struct norm__rest_sums sums = m->loops->sum(row, m->squares);
    r.radius = sqrt(radius_square(m, row, s, sums.nearest));
    double inside = 0, longest = 0;
    r.mass = 0;
    for (size_t j = 0; j < n; j++) {
        inside += sqrt(m->squares[order[j]]) < r.radius;
        longest = fmax(longest, m->length[order[j]]);
        r.mass += row->weight[order[j]];
    }
    r.distance = sums.distance;
    r.mean = sums.distance / (double)(row->n - n);
    r.inside = inside / (double)n;
    r.context = sqrt(norm__meter_square(s, m->dim));
    if (m->parts & LIBNORM_DISTANCE_BOUNDS)
        add_bounds(m, place, &sums, s, m->loops->largest(row->n, m->most, row->rest), longest, &r);
    if ((m->parts & LIBNORM_DISTANCE_SEPARABLE) && place->positive)
        norm__add_separable(n, m->chosen, m->dim, sqrt(m->closest[row->n - 1]), &r, NULL);
    return r;
}

/* The row as the loops want it: nothing selected yet. */
static struct norm__meter_row open_row(norm_distance_meter *m, const struct norm__meter_place *place)
{
    const double *weight = m->weight + place->index * m->padded;
    for (size_t i = 0; i < place->n; i++) {
        m->y_length[i] = fabs(weight[i]) * m->length[i];
        m->y_square[i] = weight[i] * weight[i] * m->square[i];
        m->rest[i] = 1;
    }
    for (size_t i = place->n; i < norm__meter_padded(place->n); i++)
        m->y_length[i] = m->y_square[i] = m->rest[i] = 0;
    if (m->apart != NULL)
        memset(m->most, 0, norm__meter_padded(place->n) * sizeof *m->most);
    return (struct norm__meter_row){place->n, weight, m->y_square, m->y_length, m->rest};
}

void norm__meter_row(norm_distance_meter *m, const struct norm__meter_place *place, norm_distance_record *records,
                     size_t size)
{
    const struct norm__meter_row row = open_row(m, place);
    const size_t *order = m->order + place->index * (size_t)m->tops[m->top_count - 1];
    const size_t slot = place->index * (m->top_count + 1);
    struct norm__meter_mean mean = {m->contexts + (slot + m->top_count) * m->dim, 0, 0};
    if (m->parts & LIBNORM_DISTANCE_EXPECTED)
        norm__meter_moments(m, &row, m->dots + (slot + m->top_count) * m->padded, &mean);
    size_t selected = 0;
    for (size_t k = 0; k < m->top_count && m->tops[k] < place->n; k++) {
        for (; selected < m->tops[k]; selected++) {
            m->rest[order[selected]] = 0;
            m->chosen[selected] = row.weight[order[selected]];
            if (m->apart != NULL)
                m->loops->raise(norm__meter_padded(place->n), m->apart + order[selected] * m->padded, m->most);
        }
        norm_row_distance r = measure(m, place, &row, order, selected, m->contexts + (slot + k) * m->dim,
                                      m->dots + (slot + k) * m->padded);
        if (m->parts & LIBNORM_DISTANCE_EXPECTED)
            norm__meter_expected(m, &row, &mean, &r);
        norm__distance_record_add((norm_distance_record *)(void *)((unsigned char *)records + k * size), &r);
    }
}
