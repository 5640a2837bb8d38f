/* SPDX-License-Identifier: MIT */
/* Random directions that can be had again: numbers from a counter, so that no state is kept. */
#include <libnorm/sensitivity.h>

#include <math.h>

#include "base/error.h"
#include "bounds/check.h"

/* Mixes 64 bits so that each depends on all (Steele, Lea and Flood's SplitMix). */
static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

/* In (-1, 1), never 0. */
static double uniform(uint64_t *state)
{
    return ((double)(mix((*state)++) >> 11) + 0.5) * 0x1p-52 - 1;
}

/* Two independent normal numbers (Marsaglia's polar method). */
static void normal_pair(uint64_t *state, double ret_pair[2])
{
    double a, b, square;
    do {
        a = uniform(state);
        b = uniform(state);
        square = a * a + b * b;
    } while (!(square < 1));
    const double factor = sqrt(-2 * log(square) / square);
    ret_pair[0] = a * factor;
    ret_pair[1] = b * factor;
}

norm_status norm_measure_direction(uint64_t seed, uint64_t stream, size_t count, double *ret_direction,
                                   norm_error *ret_error)
{
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = norm__bound_count(count, 1, SIZE_MAX, "count", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_result(ret_direction, count, NULL, 0, false, "ret_direction", ret_error);
    if (status != LIBNORM_OK)
        return status;
    uint64_t state = mix(mix(seed) ^ stream);
    double pair[2], square = 0;
    for (size_t i = 0; i < count; i += 2) {
        normal_pair(&state, pair);
        for (size_t k = 0; k < 2 && i + k < count; k++) {
            ret_direction[i + k] = pair[k];
            square += pair[k] * pair[k];
        }
    }
    for (size_t i = 0; i < count; i++)
        ret_direction[i] /= sqrt(square);
    return LIBNORM_OK;
}
