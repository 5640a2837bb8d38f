/* SPDX-License-Identifier: MIT */
/* The vectors of a head, as the loops want them, and their distances from each other. They come with the blocks of rows
 * and are worked on once. */
#include "measure/meter.h"

#include <math.h>
#include <string.h>

#include "measure/distance.h"

#define LARGEST 1e30

double norm__meter_difference(double w, const double *x, const double *s, size_t dim)
{
    double sum = 0;
    for (size_t k = 0; k < dim; k++) {
        const double d = w * x[k] - s[k];
        sum += d * d;
    }
    return sum;
}

/* One vector in double, unit if asked for; false, and zeros: it cannot be measured. */
static bool read_vector(const norm_distance_meter *m, const float *vector, double *x)
{
    bool fine = true;
    for (size_t k = 0; k < m->dim; k++) {
        x[k] = vector[k];
        fine &= fabs(x[k]) <= LARGEST;
    }
    if (fine && (m->parts & LIBNORM_DISTANCE_UNIT))
        fine = norm__unit_vector(x, m->dim, x);
    if (!fine)
        memset(x, 0, m->dim * sizeof *x);
    return fine;
}

static void add_vector(norm_distance_meter *m, const float *vector, size_t i)
{
    double *x = m->x + i * m->dim, square = 0;
    const size_t panel = i / NORM__METER_PANEL, place = i % NORM__METER_PANEL;
    double *to = m->panels + panel * NORM__METER_PANEL * m->dim;
    if (place == 0)
        memset(to, 0, NORM__METER_PANEL * m->dim * sizeof *to);
    const bool fine = read_vector(m, vector, x);
    for (size_t k = 0; k < m->dim; k++) {
        to[k * NORM__METER_PANEL + place] = x[k];
        square += x[k] * x[k];
    }
    m->square[i] = square;
    m->length[i] = sqrt(square);
    if (fine && m->good == i)
        m->good = i + 1;
}

/* Distances of token j from those before it; dot: its products with them. */
static void measure_pairs(norm_distance_meter *m, size_t j, const double *dot)
{
    double closest = j > 0 ? m->closest[j - 1] : (double)INFINITY;
    for (size_t i = 0; i < j; i++) {
        const double sum = m->square[i] + m->square[j];
        double square = sum - 2 * dot[i];
        if (square < m->suspect * sum)
            square = norm__meter_difference(1, m->x + i * m->dim, m->x + j * m->dim, m->dim);
        closest = fmin(closest, square);
        if (m->apart != NULL) { /* the square root of what was rounded either way, rounded upwards */
            const float apart = (float)(sqrt(square) * (1 + 0x1p-22));
            m->apart[i * m->padded + j] = m->apart[j * m->padded + i] = apart;
        }
    }
    m->closest[j] = closest; /* a square, until the row asks */
}

void norm__meter_tokens(norm_distance_meter *m, const float *vectors, int64_t stride, size_t count)
{
    const size_t from = m->known;
    for (size_t i = from; i < count; i++)
        add_vector(m, vectors + (int64_t)i * stride, i);
    m->known = count > from ? count : from;
    if (!(m->parts & (LIBNORM_DISTANCE_BOUNDS | LIBNORM_DISTANCE_SEPARABLE)))
        return;
    for (size_t j = from; j < count; j += NORM__METER_ROWS) {
        const size_t rows = count - j < NORM__METER_ROWS ? count - j : NORM__METER_ROWS;
        m->loops->dots(m->x + j * m->dim, rows, m->dim, m->panels, norm__meter_padded(j + rows), m->dots, m->padded);
        for (size_t r = 0; r < rows; r++)
            measure_pairs(m, j + r, m->dots + r * m->padded);
    }
}
