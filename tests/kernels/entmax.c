/* SPDX-License-Identifier: MIT */
/* Entmax and its VJP at one level against the reference: every length, every alignment, in place and not, on rows of
 * every kind; long rows; and what must happen on rows that are not ordinary. */
#include "level.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"

static const struct norm__kernels *level;

static const double alphas[] = {2, 1.5, 1.9, 1.6, 1.3333, 1.25, 1.13, 1.125, 1.1, 1.01, 1.0001, 1 + 1e-9, 1 + 1e-15};
static const double temperatures[] = {1, 0.1, 3, 0x1p-40, 0x1p40, 1e-300, 1e300};
enum {
    longest = 300,
    shapes = 12,
    n_alphas = sizeof alphas / sizeof alphas[0],
    n_temperatures = sizeof temperatures / sizeof temperatures[0]
};

static float score(int shape, struct support_random *r, size_t i, size_t n)
{
    switch (shape) {
    case 0:
        return (float)support_normal(r);
    case 1:
        return (float)(3 * support_normal(r));
    case 2: /* some hidden behind -inf, never all */
        return i != 0 && support_below(r, 3) == 0 ? -INFINITY : (float)support_normal(r);
    case 3: /* ties */
        return (float)support_below(r, 4);
    case 4: /* all equal */
        return -7.25f;
    case 5: /* arithmetic steps, sorted */
        return -0.01f * (float)i;
    case 6: /* geometric steps */
        return ldexpf(-1, -(int)(i % 40));
    case 7: /* two levels */
        return i % 3 == 0 ? 0.5f : -0.25f;
    case 8: /* far from 0 */
        return (float)(1e5 + support_normal(r));
    case 9: /* as far apart as floats go */
        return support_below(r, 2) == 0 ? -FLT_MAX : FLT_MAX;
    case 10: /* the edge of the support */
        return i == 0 ? 1 : i % 2 == 0 ? 0 : nextafterf(0, i % 4 == 1 ? 1 : -1);
    default: /* every size */
        return (float)ldexp(support_uniform(r, -1, 1), (int)support_below(r, 40) - 20) * (n % 2 == 0 ? 1.0f : 0.01f);
    }
}

static void fill(int shape, struct support_random *r, size_t n, float *z)
{
    for (size_t i = 0; i < n; i++)
        z[i] = score(shape, r, i, n);
}

static void compare(const float *z, size_t n, double alpha, double temperature, float *spare)
{
    static float w[longest], expect[longest];
    struct norm__entmax_sums sums, expected;
    const int row = level->entmax_f32(z, n, alpha, temperature, spare, w, &sums);
    check(row == norm__kernels_scalar.entmax_f32(z, n, alpha, temperature, spare, expect, &expected),
          "alpha %g, n %zu: the row is %d", alpha, n, row);
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        check(w[i] == 0 || w[i] >= FLT_MIN, "alpha %.17g, n %zu: weight %zu is subnormal", alpha, n, i);
        check(fabs((double)w[i] - (double)expect[i]) <= 1e-6, "alpha %.17g, T %g, n %zu: weight %zu is %.9g, not %.9g",
              alpha, temperature, n, i, (double)w[i], (double)expect[i]);
        sum += (double)w[i];
    }
    check(fabs(sum - 1) <= 1e-6, "alpha %.17g, T %g, n %zu: the sum is %.9g", alpha, temperature, n, sum);
    check(sums.max == expected.max, "alpha %g, n %zu: largest score", alpha, n);
    /* Near alpha = 1 the threshold is -1 / (alpha - 1) and more. */
    check(fabs(sums.threshold - expected.threshold) <= 2e-6 / (alpha - 1) + 1e-6,
          "alpha %.17g, T %g, n %zu: threshold %.9g, not %.9g", alpha, temperature, n, sums.threshold,
          expected.threshold);
}

START_TEST(same_as_the_reference)
{
    struct support_random r = {support_seed(31) + (uint64_t)_i};
    float z[longest], spare[longest + norm__entmax_spare];
    for (size_t n = 1; n <= longest; n += n < 70 ? 1 : 7) {
        for (int a = 0; a < n_alphas; a++) {
            fill(_i, &r, n, z);
            compare(z, n, alphas[a], temperatures[(n + (size_t)a) % n_temperatures], spare);
            compare(z, n, alphas[a], 1, spare);
        }
    }
}
END_TEST

START_TEST(same_bits_wherever_the_row_lies)
{
    struct support_random r = {support_seed(32) + (uint64_t)_i};
    for (size_t n = 1; n <= longest; n++) {
        const double alpha = alphas[n % n_alphas];
        float z[longest], w[longest], own[longest + norm__entmax_spare];
        struct norm__entmax_sums sums;
        fill(_i, &r, n, z);
        errno = 7;
        ck_assert_int_eq(level->entmax_f32(z, n, alpha, 0.7, own, w, &sums), NORM__ROW_ORDINARY);
        ck_assert_int_eq(errno, 7);
        for (size_t offset = 0; offset < 64; offset += sizeof(float)) {
            struct support_guard from = support_guard_new(n * sizeof(float), offset);
            struct support_guard to = support_guard_new(n * sizeof(float), 5 * offset + 24);
            struct support_guard spare = support_guard_new((n + norm__entmax_spare) * sizeof(float), 3 * offset + 8);
            const int in_place = offset % 8 == 0;
            float *result = in_place ? from.data : to.data;
            memcpy(from.data, z, n * sizeof(float));
            check(level->entmax_f32(from.data, n, alpha, 0.7, spare.data, result, &sums) == NORM__ROW_ORDINARY, "row");
            check(memcmp(result, w, n * sizeof(float)) == 0, "n %zu, offset %zu: other bits", n, offset);
            check(support_guard_intact(&from) && support_guard_intact(&to) && support_guard_intact(&spare),
                  "n %zu: written outside", n);
            check(in_place || memcmp(from.data, z, n * sizeof(float)) == 0, "n %zu: scores overwritten", n);
            support_guard_free(&from);
            support_guard_free(&to);
            support_guard_free(&spare);
        }
    }
}
END_TEST

START_TEST(backward_is_that_of_the_reference)
{
    struct support_random r = {support_seed(33) + (uint64_t)_i};
    for (size_t n = 1; n <= longest; n++) {
        const double alpha = alphas[n % n_alphas], temperature = temperatures[n % n_temperatures];
        float z[longest], w[longest], spare[longest + norm__entmax_spare], expect[longest];
        struct norm__entmax_sums sums;
        const size_t offset = (n * 4) % 64;
        struct support_guard g = support_guard_new(n * sizeof(float), offset);
        struct support_guard d = support_guard_new(n * sizeof(float), 64 - offset);
        float *up = g.data, *down = n % 3 == 0 ? g.data : d.data, most = 0;
        fill(_i, &r, n, z);
        ck_assert_int_eq(norm__kernels_scalar.entmax_f32(z, n, alpha, 1, spare, w, &sums), NORM__ROW_ORDINARY);
        for (size_t i = 0; i < n; i++) {
            up[i] = w[i] == 0 && i % 4 == 0 ? NAN : (float)(3 * support_normal(&r) + 1);
            most = fmaxf(most, isnan(up[i]) ? 0 : fabsf(up[i]));
        }
        norm__kernels_scalar.entmax_vjp_f32(w, up, n, alpha, temperature, expect);
        level->entmax_vjp_f32(w, up, n, alpha, temperature, down);
        for (size_t i = 0; i < n; i++)
            check(down[i] == expect[i] ||
                      fabs((double)down[i] - (double)expect[i]) <= 1e-6 * (double)most / temperature,
                  "alpha %.17g, T %g, n %zu: gradient %zu is %.9g, not %.9g", alpha, temperature, n, i,
                  (double)down[i], (double)expect[i]);
        check(support_guard_intact(&g) && support_guard_intact(&d), "n %zu: written outside", n);
        support_guard_free(&g);
        support_guard_free(&d);
    }
}
END_TEST

START_TEST(long_rows_sum_to_one)
{
    static const size_t lengths[] = {1000, 4097, 65536, 1 << 20};
    struct support_random r = {support_seed(34)};
    float *z = malloc(3 * ((1 << 20) + norm__entmax_spare) * sizeof *z);
    float *spare = z + (1 << 20) + norm__entmax_spare, *w = spare + (1 << 20) + norm__entmax_spare;
    ck_assert(z != NULL);
    for (int shape = 0; shape < shapes; shape++)
        for (size_t l = 0; l < 4; l++)
            for (int a = 0; a < n_alphas; a += shape % 2 == 0 ? 3 : 4) {
                const size_t n = lengths[l];
                struct norm__entmax_sums sums;
                long double sum = 0;
                fill(shape, &r, n, z);
                ck_assert_int_eq(level->entmax_f32(z, n, alphas[a], 1, spare, w, &sums), NORM__ROW_ORDINARY);
                for (size_t i = 0; i < n; i++)
                    sum += (long double)w[i];
                check(fabsl(sum - 1) <= 1e-6L, "alpha %.17g, shape %d, n %zu: the sum is %.9Lg", alphas[a], shape, n,
                      sum);
            }
    free(z);
}
END_TEST

START_TEST(special_rows_are_named_and_nothing_is_written)
{
    struct support_random r = {support_seed(35)};
    for (size_t n = 1; n <= 150; n++)
        for (size_t at = 0; at < n; at++)
            for (int kind = NORM__ROW_EMPTY; kind <= NORM__ROW_NAN; kind++) {
                float z[longest], w[longest], spare[longest + norm__entmax_spare];
                struct norm__entmax_sums sums = {-1, -2};
                fill(0, &r, n, z);
                for (size_t i = 0; i < n; i++) {
                    w[i] = 7;
                    z[i] = kind == NORM__ROW_EMPTY ? -INFINITY : z[i];
                }
                if (kind != NORM__ROW_EMPTY)
                    z[at] = kind == NORM__ROW_NAN ? NAN : INFINITY;
                const int row = level->entmax_f32(z, n, alphas[at % n_alphas], at % 2 == 0 ? 1 : 1e-300, spare, w,
                                                  &sums);
                check(row == kind, "n %zu: the row is %d, not %d", n, row, kind);
                for (size_t i = 0; i < n; i++)
                    check(w[i] == 7, "n %zu: weight %zu was written", n, i);
                check(sums.max == -1 && sums.threshold == -2, "n %zu: the sums were written", n);
            }
}
END_TEST

Suite *support_suite(void)
{
    level = level_under_test();
    Suite *suite = suite_create("entmax");
    TCase *tests = tcase_create("entmax");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, same_as_the_reference, 0, shapes);
    tcase_add_loop_test(tests, same_bits_wherever_the_row_lies, 0, shapes);
    tcase_add_loop_test(tests, backward_is_that_of_the_reference, 0, shapes);
    tcase_add_test(tests, long_rows_sum_to_one);
    tcase_add_test(tests, special_rows_are_named_and_nothing_is_written);
    suite_add_tcase(suite, tests);
    return suite;
}
