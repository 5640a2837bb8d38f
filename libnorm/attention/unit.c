/* SPDX-License-Identifier: MIT */
/* Queries and keys of length 1. */
#include <math.h>

#include "attention/attention.h"

void norm__unit_rows(const float *x, size_t stride, size_t rows, size_t width, float *ret_unit, double *ret_length)
{
    for (size_t i = 0; i < rows; i++) {
        double square = 0;
        for (size_t j = 0; j < width; j++)
            square += (double)x[i * stride + j] * (double)x[i * stride + j];
        ret_length[i] = sqrt(square);
        const double inverse = ret_length[i] > 0 ? 1 / ret_length[i] : isnan(square) ? (double)NAN : 0;
        for (size_t j = 0; j < width; j++)
            ret_unit[i * width + j] = (float)((double)x[i * stride + j] * inverse);
    }
}

/* u = x/|x|: dx = (du - u (u . du))/|x|. */
void norm__unit_gradient(const float *unit, const double *length, size_t rows, size_t width, float *d, size_t stride)
{
    for (size_t i = 0; i < rows; i++) {
        double along = 0;
        for (size_t j = 0; j < width; j++)
            along += (double)unit[i * width + j] * (double)d[i * stride + j];
        for (size_t j = 0; j < width; j++) {
            const double across = (double)d[i * stride + j] - (double)unit[i * width + j] * along;
            d[i * stride + j] = length[i] == 0 ? 0 : (float)(across / length[i]);
        }
    }
}
