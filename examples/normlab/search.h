/* SPDX-License-Identifier: MIT */
/* The least value of a function of one positive number, without derivatives. */
#ifndef NORMLAB_SEARCH_H
#define NORMLAB_SEARCH_H

#include <stdbool.h>

struct search {
    /* *ret = f(x), NaN counting as +inf. False: stop, something was said. */
    bool (*value)(void *user, double x, double *ret);
    void *user;
    double ratio; /* > 1: x is known within this factor at the end */
    int reach;    /* halvings and doublings of the start that may be looked at, each way */
};

/* From start > 0: by factors of 2 until the least of three lies in the middle, then between its neighbours by Brent's
 * method (parabolas guarded by golden sections) over log x. A function with several valleys gives one of them.
 * *ret_x has three significant digits. False: a value failed. */
bool search_least(const struct search *search, double start, double *ret_x, double *ret_value);

/* The same where x is known to lie between start / factor and start x factor. */
bool search_near(const struct search *search, double start, double factor, double *ret_x, double *ret_value);

#endif
