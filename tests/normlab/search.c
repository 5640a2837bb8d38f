/* SPDX-License-Identifier: MIT */
/* The program's own arithmetic: the search for the least value, and Student's points. */
#include "../../examples/normlab/search.h"

#include <math.h>

#include "../../examples/normlab/difference.h"
#include "support/support.h"

static int calls;

/* Least at x = 3: smooth and lopsided, as losses over a temperature are. */
static bool smooth(void *user, double x, double *ret)
{
    const double t = log(x / *(const double *)user);
    calls++;
    *ret = t > 0 ? t * t : exp(-3 * t) - 1 + 3 * t;
    return true;
}

static bool kinked(void *user, double x, double *ret)
{
    calls++;
    *ret = fabs(log(x / *(const double *)user));
    return true;
}

static bool falling(void *user, double x, double *ret)
{
    (void)user;
    calls++;
    *ret = -x;
    return true;
}

static bool nothing(void *user, double x, double *ret)
{
    (void)user, (void)x;
    calls++;
    *ret = NAN;
    return true;
}

static bool stopped(void *user, double x, double *ret)
{
    (void)user, (void)x, (void)ret;
    return ++calls < 4;
}

START_TEST(least_value_within_the_ratio)
{
    bool (*const functions[])(void *, double, double *) = {smooth, kinked};
    for (double at = 0.04; at < 30; at *= 1.37)
        for (int f = 0; f < 2; f++) {
            struct search s = {functions[f], &at, 1.02, 5};
            double x, value, again;
            calls = 0;
            ck_assert(search_least(&s, 1, &x, &value));
            ck_assert_msg(x / at < 1.025 && at / x < 1.025, "function %d: %g, not %g", f, x, at);
            functions[f](&at, x, &again);
            ck_assert(again == value);
            ck_assert_int_le(calls, 30);
            ck_assert(search_near(&s, x * 1.5, 2, &x, &value));
            ck_assert_msg(x / at < 1.025 && at / x < 1.025, "function %d near: %g, not %g", f, x, at);
        }
}
END_TEST

START_TEST(edges_nan_and_failure)
{
    double x, value;
    struct search s = {falling, NULL, 1.02, 5};
    ck_assert(search_least(&s, 1, &x, &value));
    ck_assert_double_eq(x, 32);
    s.value = nothing;
    calls = 0;
    ck_assert(search_least(&s, 1, &x, &value));
    ck_assert(isnan(value) && calls < 40);
    s.value = stopped;
    calls = 0;
    ck_assert(!search_least(&s, 1, &x, &value));
    ck_assert_int_eq(calls, 4);
}
END_TEST

START_TEST(students_points)
{
    static const struct {
        size_t freedom;
        double point;
    } known[] = {{1, 12.706205}, {2, 4.302653}, {5, 2.570582}, {10, 2.228139}, {11, 2.200985}, {12, 2.178813},
                 {20, 2.085963}, {30, 2.042272}, {60, 2.000298}, {120, 1.979930}, {1000000, 1.959966}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        ck_assert_double_eq_tol(student_975(known[i].freedom), known[i].point, 2e-5);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("normlab-search");
    TCase *tests = tcase_create("search");
    tcase_add_test(tests, least_value_within_the_ratio);
    tcase_add_test(tests, edges_nan_and_failure);
    tcase_add_test(tests, students_points);
    suite_add_tcase(suite, tests);
    return suite;
}
