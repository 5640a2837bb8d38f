/* SPDX-License-Identifier: MIT */
/* The inside of a distance meter. */
#ifndef NORM_MEASURE_METER_H
#define NORM_MEASURE_METER_H

#include <stdbool.h>

#include <libnorm/distance.h>

#include "measure/meter_loops.h"

/* Rows that are worked on together. */
enum { NORM__METER_ROWS = 8 };

struct norm_distance_meter {
    norm_allocator allocator;
    size_t bytes; /* of this block of memory */
    const struct norm__meter_loops *loops;
    uint32_t parts;
    size_t max_tokens, padded, dim, length_count, top_count;
    uint64_t *lengths, *tops;
    double suspect; /* a square below this part of its terms has lost too many digits */

    /* The head at hand. */
    int32_t layer, head;
    double window;
    size_t rows;  /* seen so far */
    size_t known; /* tokens whose vectors are here */
    size_t good;  /* of them, those before the first that cannot be measured */
    double *x;    /* packed, zeros for what cannot be measured */
    double *panels;
    double *square, *length; /* ||x_i||^2, ||x_i|| */
    double *closest;         /* of tokens 0 ... i, the smallest distance of two */
    float *apart;            /* ||x_i - x_j||, rounded upwards; rows of padded; NULL where not wanted */

    /* The rows at hand: NORM__METER_ROWS x padded. */
    double *weight;
    size_t *order;    /* x largest top */
    double *contexts; /* NORM__METER_ROWS x (top_count + 1) x dim: s for each N, then the mean contribution */
    double *dots;     /* their products with all tokens */
    double *totals;   /* NORM__METER_ROWS x dim: sum of all contributions */
    /* One row. */
    double *y_square, *y_length, *rest, *squares, *c, *b, *chosen;
    float *most;
};

/* Makes the vectors of tokens known ... count - 1 known. */
void norm__meter_tokens(norm_distance_meter *meter, const float *vectors, int64_t stride, size_t count);

/* One row of the group being measured. */
struct norm__meter_place {
    size_t index;  /* in the group */
    size_t n;      /* tokens it sees, at least 2, at most good */
    bool positive; /* no weight is negative */
};

/* Everything of one row, for each N < n, into top_count records that lie `size` bytes apart. */
void norm__meter_row(norm_distance_meter *meter, const struct norm__meter_place *place, norm_distance_record *records,
                     size_t size);

/* The mean contribution of a row. */
struct norm__meter_mean {
    const double *vector;
    double square;  /* ||mean||^2 */
    double scatter; /* sum of ||y_i - mean||^2 */
};

/* Fills the meter's c and b, and the mean but for its vector. dot: the products of that with all tokens. */
void norm__meter_moments(norm_distance_meter *meter, const struct norm__meter_row *row, const double *dot,
                         struct norm__meter_mean *mean);
/* After that, and for any N: the expected distances of r->selected tokens. Uses the meter's squares. */
void norm__meter_expected(norm_distance_meter *meter, const struct norm__meter_row *row,
                          const struct norm__meter_mean *mean, norm_row_distance *r);

/* ||w x - s||^2 from the differences. */
double norm__meter_difference(double w, const double *x, const double *s, size_t dim);

static inline const double *norm__meter_vector(const norm_distance_meter *meter, size_t i)
{
    return meter->x + i * meter->dim;
}

static inline double norm__meter_square(const double *v, size_t dim)
{
    double sum = 0;
    for (size_t k = 0; k < dim; k++)
        sum += v[k] * v[k];
    return sum;
}

#endif
