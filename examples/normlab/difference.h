/* SPDX-License-Identifier: MIT */
/* How much more one pass loses than another on the same windows, and how sure that is. */
#ifndef NORMLAB_DIFFERENCE_H
#define NORMLAB_DIFFERENCE_H

#include "windows.h"

struct difference {
    double mean;      /* nats a prediction */
    double low, high; /* the interval that holds the mean of such texts with 95 %; NaN with a single window */
};

/* loss and base: sums over the predictions of each window. Windows are taken as independent; the interval is Student's
 * for the ratio of sums (a window that is shorter weighs less). */
struct difference difference_find(const double *loss, const double *base, const struct windows *windows);

/* The 97.5 % point of Student's t with freedom >= 1 degrees. */
double student_975(size_t freedom);

#endif
