/* SPDX-License-Identifier: MIT */
/* Softmax and its logarithm at one level against the reference: every length, every alignment, in place and not, on
 * rows of every kind; and what must happen on rows that are not ordinary. */
#include "level.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include <libnorm/exec.h>

#include "support/support.h"

static const struct norm__kernels *level;

static const double temperatures[] = {1, 0.1, 0.7, 3, 0x1p-40, 0x1p40, 1e-300, 1e300};
enum { longest = 300, shapes = 11, n_temperatures = sizeof temperatures / sizeof temperatures[0] };

/* A score of a row of one of the shapes; smallest is the smallest normal number of the type. */
static double score(int shape, struct support_random *r, size_t i, double smallest)
{
    switch (shape) {
    case 0:
        return support_normal(r);
    case 1:
        return 300 * support_normal(r);
    case 2: /* some hidden behind -inf, never all */
        return i != 0 && support_below(r, 3) == 0 ? -INFINITY : 3 * support_normal(r);
    case 3: /* ties */
        return (double)support_below(r, 4);
    case 4: /* all equal */
        return -7.25;
    case 5: /* subnormal scores */
        return smallest * support_uniform(r, -1, 1);
    case 6:
        return support_below(r, 2) == 0 ? -0.0 : 0.0;
    case 7: /* far from 0: the difference, not the score, is reduced */
        return 1e5 + 10 * support_normal(r);
    case 8: /* weights around the smallest normal number of float, and of double */
        return i == 0 ? 0 : i % 2 == 0 ? -87.33 - support_uniform(r, 0, 0.02) : -708.39 - support_uniform(r, 0, 0.02);
    case 9: /* as far apart as floats go */
        return support_below(r, 2) == 0 ? -(double)FLT_MAX : (double)FLT_MAX * support_uniform(r, 0.999, 1);
    default: /* every size */
        return ldexp(support_uniform(r, -1, 1), (int)support_below(r, 40) - 20);
    }
}

#define REAL float
#define F(name) name##_f32
#define SMALLEST FLT_MIN
#define LOG_BOUND 0x1p-21 /* two results, each within 2^-22 */
#include "rows_template.h"
#undef REAL
#undef F
#undef SMALLEST
#undef LOG_BOUND

#define REAL double
#define F(name) name##_f64
#define SMALLEST DBL_MIN
#define LOG_BOUND 0x1p-49
#include "rows_template.h"

Suite *support_suite(void)
{
    level = level_under_test();
    Suite *suite = suite_create("rows");
    TCase *tests = tcase_create("rows");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, same_as_the_reference_f32, 0, shapes);
    tcase_add_loop_test(tests, same_as_the_reference_f64, 0, shapes);
    tcase_add_loop_test(tests, same_bits_wherever_the_row_lies_f32, 0, shapes);
    tcase_add_loop_test(tests, same_bits_wherever_the_row_lies_f64, 0, shapes);
    tcase_add_test(tests, nan_is_found_at_every_position_f32);
    tcase_add_test(tests, nan_is_found_at_every_position_f64);
    tcase_add_test(tests, infinities_are_told_apart_f32);
    tcase_add_test(tests, infinities_are_told_apart_f64);
    tcase_add_test(tests, equal_scores_share_exactly_f32);
    tcase_add_test(tests, equal_scores_share_exactly_f64);
    suite_add_tcase(suite, tests);
    return suite;
}
