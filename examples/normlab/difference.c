/* SPDX-License-Identifier: MIT */
#include "difference.h"

#include <math.h>

double student_975(size_t freedom)
{
    static const double exact[] = {12.706205, 4.302653, 3.182446, 2.776445, 2.570582,
                                   2.446912,  2.364624, 2.306004, 2.262157, 2.228139};
    const double z = 1.959963984540054, f = (double)freedom;
    if (freedom <= sizeof exact / sizeof exact[0])
        return exact[freedom - 1];
    /* Cornish and Fisher's expansion in 1 / f, within 2e-5 from here on. */
    const double z2 = z * z;
    return z * (1 + (z2 + 1) / (4 * f) + ((5 * z2 + 16) * z2 + 3) / (96 * f * f) +
                (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * f * f * f) +
                ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / (92160 * f * f * f * f));
}

struct difference difference_find(const double *loss, const double *base, const struct windows *windows)
{
    const int32_t *ids;
    double sum = 0, predictions = 0, squares = 0;
    size_t used = 0;
    for (size_t w = 0; w < windows->count; w++) {
        sum += loss[w] - base[w];
        predictions += (double)(window_ids(windows, w, &ids) - 1);
    }
    const double mean = sum / predictions; /* NaN without a prediction */
    for (size_t w = 0; w < windows->count; w++) {
        const double own = (double)(window_ids(windows, w, &ids) - 1), rest = loss[w] - base[w] - mean * own;
        used += own > 0;
        squares += rest * rest;
    }
    if (used < 2)
        return (struct difference){mean, NAN, NAN};
    const double n = (double)used, half = student_975(used - 1) * sqrt(n / (n - 1) * squares) / predictions;
    return (struct difference){mean, mean - half, mean + half};
}
