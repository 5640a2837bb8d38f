/* SPDX-License-Identifier: MIT */
/* Compiled once an instruction set, with NORM__METER_LOOPS the name of the table. Plain loops that compilers turn into
 * vectors: every machine adds in the same lanes and the same order, and nothing is fused, so the bits are the same. */
#include "measure/meter_loops.h"

#include <math.h>

extern const struct norm__meter_loops NORM__METER_LOOPS;

enum { LANES = 8, PANEL = 16, TILE = 4 };

/* Products with a panel of tokens: TILE vectors at once, so that each number of the panel is read once for all. The
 * sums of one token run over k in order, whatever the tile. */
static void dot_tile(const double *restrict s, size_t dim, const double *restrict panel, double *restrict ret,
                     size_t stride)
{
    double sum[TILE][PANEL] = {{0}};
    for (size_t k = 0; k < dim; k++)
        for (size_t r = 0; r < TILE; r++)
            for (size_t i = 0; i < PANEL; i++)
                sum[r][i] += s[r * dim + k] * panel[k * PANEL + i];
    for (size_t r = 0; r < TILE; r++)
        for (size_t i = 0; i < PANEL; i++)
            ret[r * stride + i] = sum[r][i];
}

static void dot_one(const double *restrict s, size_t dim, const double *restrict panel, double *restrict ret)
{
    double sum[PANEL] = {0};
    for (size_t k = 0; k < dim; k++)
        for (size_t i = 0; i < PANEL; i++)
            sum[i] += s[k] * panel[k * PANEL + i];
    for (size_t i = 0; i < PANEL; i++)
        ret[i] = sum[i];
}

static void dots(const double *s, size_t rows, size_t dim, const double *panels, size_t n, double *ret, size_t stride)
{
    for (size_t i = 0; i < n; i += PANEL) {
        const double *panel = panels + i * dim;
        size_t r = 0;
        for (; rows - r >= TILE; r += TILE)
            dot_tile(s + r * dim, dim, panel, ret + r * stride + i, stride);
        for (; r < rows; r++)
            dot_one(s + r * dim, dim, panel, ret + r * stride + i);
    }
}

/* PANEL numbers of the sums of TILE rows at once. */
static void weigh_tile(const double *restrict w, size_t stride, size_t n, const double *restrict x, size_t dim,
                       double *restrict ret)
{
    double sum[TILE][PANEL] = {{0}};
    for (size_t i = 0; i < n; i++)
        for (size_t r = 0; r < TILE; r++)
            for (size_t k = 0; k < PANEL; k++)
                sum[r][k] += w[r * stride + i] * x[i * dim + k];
    for (size_t r = 0; r < TILE; r++)
        for (size_t k = 0; k < PANEL; k++)
            ret[r * dim + k] = sum[r][k];
}

static void weigh(const double *w, size_t stride, size_t rows, size_t n, const double *x, size_t dim, double *ret)
{
    size_t r = 0;
    for (; rows - r >= TILE; r += TILE) {
        size_t k = 0;
        for (; dim - k >= PANEL; k += PANEL)
            weigh_tile(w + r * stride, stride, n, x + k, dim, ret + r * dim + k);
        for (size_t q = r; q < r + TILE; q++)
            for (size_t j = k; j < dim; j++) {
                double sum = 0;
                for (size_t i = 0; i < n; i++)
                    sum += w[q * stride + i] * x[i * dim + j];
                ret[q * dim + j] = sum;
            }
    }
    for (; r < rows; r++)
        for (size_t k = 0; k < dim; k++) {
            double sum = 0;
            for (size_t i = 0; i < n; i++)
                sum += w[r * stride + i] * x[i * dim + k];
            ret[r * dim + k] = sum;
        }
}

static double add_up(const double *lanes)
{
    return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

static double squares(const struct norm__meter_row *row, const double *dot, double s2, double suspect, double *ret)
{
    const double *w = row->weight, *y = row->square, *rest = row->rest;
    double bad[LANES] = {0};
    for (size_t i = 0; i < row->n; i += LANES)
        for (size_t k = 0; k < LANES; k++) {
            const double d = (y[i + k] - 2 * w[i + k] * dot[i + k]) + s2;
            /* A product: GCC 12 loses some of `d < limit ? rest[i + k] : 0` with AVX2 at -O3. */
            bad[k] += (d < suspect * (y[i + k] + s2) ? 1.0 : 0.0) * rest[i + k];
            ret[i + k] = d > 0 ? d : 0;
        }
    return add_up(bad);
}

static struct norm__rest_sums sum(const struct norm__meter_row *row, const double *squares)
{
    const double *w = row->weight, *y = row->length, *rest = row->rest;
    double distance[LANES] = {0}, square[LANES] = {0}, length[LANES] = {0}, weight[LANES] = {0}, nearest[LANES];
    for (size_t k = 0; k < LANES; k++)
        nearest[k] = INFINITY;
    for (size_t i = 0; i < row->n; i += LANES)
        for (size_t k = 0; k < LANES; k++) {
            const double d = squares[i + k], r = rest[i + k], far = r > 0 ? d : (double)INFINITY;
            distance[k] += r * sqrt(d);
            square[k] += r * d;
            length[k] += r * y[i + k];
            weight[k] += r * w[i + k];
            nearest[k] = far < nearest[k] ? far : nearest[k];
        }
    struct norm__rest_sums s = {add_up(distance), add_up(square), add_up(length), add_up(weight), nearest[0]};
    for (size_t k = 1; k < LANES; k++)
        s.nearest = nearest[k] < s.nearest ? nearest[k] : s.nearest;
    return s;
}

static double moments(const struct norm__meter_row *row, const double *dot, double m2, double suspect, double *ret_c,
                      double *ret_b)
{
    const double *w = row->weight, *y = row->square;
    double bad[LANES] = {0};
    for (size_t i = 0; i < row->n; i += LANES)
        for (size_t k = 0; k < LANES; k++) {
            const double along = w[i + k] * dot[i + k], c = (y[i + k] - 2 * along) + m2;
            bad[k] += c < suspect * (y[i + k] + m2) ? 1 : 0;
            ret_c[i + k] = c > 0 ? c : 0;
            ret_b[i + k] = along - m2;
        }
    return add_up(bad);
}

static double expect(const struct norm__meter_row *row, const struct norm__random_draw *draw, const double *c,
                     const double *b, double *ret)
{
    const struct norm__random_draw d = *draw;
    const double *y = row->square;
    double bad[LANES] = {0};
    for (size_t i = 0; i < row->n; i += LANES)
        for (size_t k = 0; k < LANES; k++) {
            const double square = (d.own * c[i + k] - d.cross * b[i + k]) + d.mean;
            bad[k] += square < d.suspect * (y[i + k] + d.mean_square) ? 1 : 0;
            ret[i + k] = square > 0 ? square : 0;
        }
    return add_up(bad);
}

static void expect_sum(size_t n, const struct norm__random_draw *draw, const double *c, const double *squares,
                       double *ret_lower, double *ret_upper)
{
    const struct norm__random_draw d = *draw;
    double lower[LANES] = {0}, upper[LANES] = {0};
    const size_t whole = n - n % LANES;
    for (size_t i = 0; i < whole; i += LANES)
        for (size_t k = 0; k < LANES; k++) {
            const double v = d.spread - d.part * c[i + k];
            lower[k] += sqrt(squares[i + k]);
            upper[k] += sqrt(squares[i + k] + (v > 0 ? v : 0));
        }
    for (size_t i = whole; i < n; i++) {
        const double v = d.spread - d.part * c[i];
        lower[i - whole] += sqrt(squares[i]);
        upper[i - whole] += sqrt(squares[i] + (v > 0 ? v : 0));
    }
    *ret_lower = add_up(lower);
    *ret_upper = add_up(upper);
}

static void raise(size_t n, const float *x, float *most)
{
    for (size_t i = 0; i < n; i += PANEL)
        for (size_t k = 0; k < PANEL; k++)
            most[i + k] = x[i + k] > most[i + k] ? x[i + k] : most[i + k];
}

static float largest(size_t n, const float *most, const double *rest)
{
    float lanes[PANEL] = {0}, all = 0;
    for (size_t i = 0; i < n; i += PANEL)
        for (size_t k = 0; k < PANEL; k++) {
            const float x = most[i + k] * (float)rest[i + k];
            lanes[k] = x > lanes[k] ? x : lanes[k];
        }
    for (size_t k = 0; k < PANEL; k++)
        all = lanes[k] > all ? lanes[k] : all;
    return all;
}

const struct norm__meter_loops NORM__METER_LOOPS = {dots,   weigh,      squares, sum,     moments,
                                                    expect, expect_sum, raise,   largest};
