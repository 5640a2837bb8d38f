/* SPDX-License-Identifier: MIT */
/* Vector-Jacobian products and entropy at one level against sums in long double. */
#include "level.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "support/support.h"

static const struct norm__kernels *level;

static const double temperatures[] = {1, 0.1, 0.7, 3, 1e-60, 1e60};
enum { longest = 300, long_row = 1 << 17, n_temperatures = sizeof temperatures / sizeof temperatures[0] };

/* Neumaier's sum: long double is no wider than double on some machines. */
static void add(long double *sum, long double *error, long double x)
{
    long double next = *sum + x;
    *error += fabsl(*sum) >= fabsl(x) ? (*sum - next) + x : (x - next) + *sum;
    *sum = next;
}

#define REAL float
#define F(name) name##_f32
#define BOUND 1e-6L
#define TINY FLT_TRUE_MIN
#define ENTROPY_BOUND 1e-7L
#include "backward_template.h"
#undef REAL
#undef F
#undef BOUND
#undef TINY
#undef ENTROPY_BOUND

#define REAL double
#define F(name) name##_f64
#define BOUND 1e-14L
#define TINY DBL_TRUE_MIN
#define ENTROPY_BOUND 1e-14L
#include "backward_template.h"

Suite *support_suite(void)
{
    level = level_under_test();
    Suite *suite = suite_create("backward");
    TCase *tests = tcase_create("backward");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, products_are_within_the_bound_f32);
    tcase_add_test(tests, products_are_within_the_bound_f64);
    tcase_add_test(tests, products_have_the_same_bits_wherever_the_row_lies_f32);
    tcase_add_test(tests, products_have_the_same_bits_wherever_the_row_lies_f64);
    tcase_add_test(tests, entropy_is_within_the_bound_f32);
    tcase_add_test(tests, entropy_is_within_the_bound_f64);
    tcase_add_test(tests, entropy_of_special_rows_f32);
    tcase_add_test(tests, entropy_of_special_rows_f64);
    suite_add_tcase(suite, tests);
    return suite;
}
