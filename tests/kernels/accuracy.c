/* SPDX-License-Identifier: MIT */
/* The promise in numbers: weights against the softmax of the very scores and temperature, worked out to 200 bits where
 * MPFR is there and in long double where not. */
#include "level.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#if TEST_WITH_MPFR
#include <mpfr.h>
#endif

#include "support/support.h"

static const struct norm__kernels *level;

/* Without MPFR and without a long double that is wider than double nothing here knows the weights of f64 better. */
enum { longest = 1 << 20, f64_is_known = TEST_WITH_MPFR || LDBL_MANT_DIG >= 64 };
static float z32[longest], w32[longest];
static double z64[longest], w64[longest];
static long double exact[longest];

/* Long rows in long double where that has digits enough: 200 bits take a minute. */
static long double quick_exponentials(const double *z, size_t n, double max, double temperature)
{
    long double total = 0;
    for (size_t i = 0; i < n; i++)
        total += exact[i] = expl(((long double)z[i] - max) / temperature);
    return total;
}

/* exp((z - max)/T) for each score, and their sum. */
static long double exponentials(const double *z, size_t n, double temperature)
{
    double max = z[0];
    for (size_t i = 1; i < n; i++)
        max = z[i] > max ? z[i] : max;
#if TEST_WITH_MPFR
    if (n > 10000 && LDBL_MANT_DIG >= 64)
        return quick_exponentials(z, n, max, temperature);
    mpfr_t x, sum;
    mpfr_inits2(200, x, sum, (mpfr_ptr)0);
    mpfr_set_ui(sum, 0, MPFR_RNDN);
    for (size_t i = 0; i < n; i++) {
        mpfr_set_d(x, z[i], MPFR_RNDN);
        mpfr_sub_d(x, x, max, MPFR_RNDN);
        mpfr_div_d(x, x, temperature, MPFR_RNDN);
        mpfr_exp(x, x, MPFR_RNDN);
        exact[i] = mpfr_get_ld(x, MPFR_RNDN);
        mpfr_add(sum, sum, x, MPFR_RNDN);
    }
    long double total = mpfr_get_ld(sum, MPFR_RNDN);
    mpfr_clears(x, sum, (mpfr_ptr)0);
    return total;
#else
    return quick_exponentials(z, n, max, temperature);
#endif
}

/* Units in the last place of the float that the exact weight rounds to. */
static double ulps_f32(float w, long double expect)
{
    int exponent;
    frexpl(expect, &exponent);
    return (double)(fabsl(w - expect) / ldexpl(1, exponent - FLT_MANT_DIG));
}

static double check_f32(size_t n, double temperature)
{
    struct norm__softmax_scale scale = norm__softmax_scale(temperature);
    struct norm__softmax_sums sums;
    for (size_t i = 0; i < n; i++)
        z64[i] = (double)z32[i];
    long double sum = exponentials(z64, n, temperature);
    ck_assert_int_eq(level->softmax_f32(z32, n, &scale, w32, &sums), NORM__ROW_ORDINARY);
    double worst = 0;
    for (size_t i = 0; i < n; i++) {
        long double expect = exact[i] / sum;
        check(w32[i] == 0 || w32[i] >= FLT_MIN, "weight %a is subnormal", (double)w32[i]);
        if (expect >= FLT_MIN * (1 + 0x1p-20L)) {
            double ulps = ulps_f32(w32[i], expect);
            check(ulps <= 4, "n %zu, T %g: weight %zu of score %a is %a, %.2f ulp off", n, temperature, i, z64[i],
                  (double)w32[i], ulps);
            worst = ulps > worst ? ulps : worst;
        } else if (expect < FLT_MIN * (1 - 0x1p-20L)) {
            check(w32[i] == 0, "weight %Lg is not 0", expect);
        }
    }
    ck_assert_double_le(fabs((double)(sums.sum / sum - 1)), 2e-7);
    return worst;
}

/* The error as a part of its bound. */
static double check_f64(size_t n, double temperature)
{
    if (!f64_is_known)
        return NAN;
    struct norm__softmax_scale scale = norm__softmax_scale(temperature);
    struct norm__softmax_sums sums;
    long double sum = exponentials(z64, n, temperature);
    ck_assert_int_eq(level->softmax_f64(z64, n, &scale, w64, &sums), NORM__ROW_ORDINARY);
    double worst = 0;
    for (size_t i = 0; i < n; i++) {
        long double expect = exact[i] / sum;
        check(w64[i] == 0 || w64[i] >= DBL_MIN, "weight %a is subnormal", w64[i]);
        if (expect >= DBL_MIN * (1 + 0x1p-40L)) {
            double bound = (4 + (sums.max - z64[i]) / temperature) * 0x1p-52;
            double error = (double)(fabsl(w64[i] - expect) / expect);
            check(error <= bound, "n %zu, T %g: weight %zu of score %a is %a, relative error %g", n, temperature, i,
                  z64[i], w64[i], error);
            worst = error / bound > worst ? error / bound : worst;
        } else if (expect < DBL_MIN * (1 - 0x1p-40L)) {
            check(w64[i] == 0, "weight %Lg is not 0", expect);
        }
    }
    return worst;
}

static const double temperatures[] = {0.1, 0.7, 1, 3};
static const double spreads[] = {1e-6, 1e-2, 0.5, 1, 5, 20, 100, 400};
static const double centres[] = {0, 12, -300, 1e5};

static void check_lengths(const size_t *lengths, size_t count, size_t every)
{
    struct support_random r = {support_seed(8)};
    double worst32 = 0, worst64 = 0;
    size_t turn = 0;
    for (size_t t = 0; t < 4; t++)
        for (size_t s = 0; s < 8; s++)
            for (size_t c = 0; c < 4; c++)
                for (size_t l = 0; l < count; l++) {
                    if (turn++ % every != 0)
                        continue;
                    size_t n = lengths[l];
                    for (size_t i = 0; i < n; i++)
                        z32[i] = (float)(centres[c] + spreads[s] * support_normal(&r));
                    worst32 = fmax(worst32, check_f32(n, temperatures[t]));
                    for (size_t i = 0; i < n; i++)
                        z64[i] = centres[c] + spreads[s] * support_normal(&r);
                    worst64 = fmax(worst64, check_f64(n, temperatures[t]));
                }
    printf("worst weight of f32 %.3f ulp, of f64 %.3f of its bound\n", worst32, worst64);
    fflush(stdout);
}

START_TEST(short_rows_are_within_the_bound)
{
    static const size_t lengths[] = {1, 2, 3, 7, 16, 64, 100, 1000};
    check_lengths(lengths, 8, 1);
}
END_TEST

START_TEST(long_rows_are_within_the_bound)
{
    static const size_t lengths[] = {1 << 20};
    check_lengths(lengths, 1, 9);
}
END_TEST

START_TEST(weights_are_cut_at_the_smallest_normal_number)
{
    /* Every float around the score whose weight is 2^-126, beside a score that has nearly all the weight. */
    size_t n = 1;
    z32[0] = 0;
    for (float z = -87.34f; z < -87.33f; z = nextafterf(z, 0))
        z32[n++] = z;
    ck_assert_uint_gt(n, 1000);
    check_f32(n, 1);
    size_t cut = 0;
    for (size_t i = 1; i < n; i++)
        cut += w32[i] == 0;
    ck_assert(cut > 100 && cut < n - 100);
    z64[0] = 0;
    for (size_t i = 1; i < 2000; i++)
        z64[i] = -708.396418532264 + ((double)i - 1000) * 0x1p-43;
    check_f64(2000, 1);
    ck_assert(!f64_is_known || (w64[1] == 0 && w64[1999] > 0));
}
END_TEST

Suite *support_suite(void)
{
    level = level_under_test();
    Suite *suite = suite_create("accuracy");
    TCase *tests = tcase_create("accuracy");
    tcase_set_timeout(tests, 240);
    tcase_add_test(tests, short_rows_are_within_the_bound);
    tcase_add_test(tests, long_rows_are_within_the_bound);
    tcase_add_test(tests, weights_are_cut_at_the_smallest_normal_number);
    suite_add_tcase(suite, tests);
    return suite;
}
