/* SPDX-License-Identifier: MIT */
#include "bounds_draw.h"

enum { MOST = 40, TRIALS = 12000 };

/* low <= w <= high up to rounding. */
static void between(double low, double w, double high, uint64_t seed)
{
    HOLDS(low <= w * (1 + 1e-12) && w <= high * (1 + 1e-12), "%.17g not in [%.17g, %.17g], seed %llu", w, low, high,
          (unsigned long long)seed);
}

START_TEST(softmax_weights_stay_within)
{
    uint64_t seed = support_seed(1);
    struct support_random r = {seed};
    for (int trial = 0; trial < TRIALS; trial++) {
        size_t n = 1 + support_below(&r, MOST);
        double z[MOST], w[MOST], t = exp(support_uniform(&r, -2, 2)), low = 0, high = 0, min, max;
        draw_scores(&r, n, z);
        draw_softmax(n, z, t, w);
        min = max = z[0];
        for (size_t i = 0; i < n; i++) {
            min = fmin(min, z[i]);
            max = fmax(max, z[i]);
        }
        for (size_t i = 0; i < n; i++) {
            DONE(norm_bound_weight_softmax(n, max - min, t, &low, &high, &error));
            between(low, w[i], high, seed);
            double near = 0, far = 0;
            DONE(norm_bound_weight_entry(n, z[i], min, max, t, &near, &far, &error));
            between(near, w[i], far, seed);
            TRUE(near >= low * (1 - 1e-12) && far <= high * (1 + 1e-12));
            /* |z| <= max(|min|, |max|) is what a query and keys of that product of norms allow */
            DONE(norm_bound_weight_norms(n, fmax(fabs(min), fabs(max)), 1, t, &near, &far, &error));
            between(near, w[i], far, seed);
        }
    }
}
END_TEST

START_TEST(family_weights_stay_within)
{
    uint64_t seed = support_seed(2);
    struct support_random r = {seed};
    for (int trial = 0; trial < TRIALS; trial++) {
        size_t n = 1 + support_below(&r, MOST);
        double z[MOST], f[MOST], sum = 0, min = INFINITY, max = 0, low = 0, high = 0, near = 0, far = 0;
        draw_scores(&r, n, z);
        size_t kind = support_below(&r, 4);
        for (size_t i = 0; i < n; i++) {
            double x = fmax(-300, fmin(300, z[i]));
            f[i] = kind == 0 ? log1p(exp(x)) : kind == 1 ? 1 + x * x : kind == 2 ? 1 / (1 + exp(-x)) : exp(x);
            sum += f[i];
            min = fmin(min, f[i]);
            max = fmax(max, f[i]);
        }
        DONE(norm_bound_weight_lemma(n, min, max, &low, &high, &error));
        DONE(norm_bound_weight_family(n, min, max, &near, &far, &error));
        TRUE(near >= low * (1 - 1e-12) && far <= high * (1 + 1e-12));
        for (size_t i = 0; i < n; i++) {
            between(low, f[i] / sum, high, seed);
            between(near, f[i] / sum, far, seed);
        }
    }
}
END_TEST

START_TEST(both_ends_are_attained)
{
    for (size_t n = 2; n <= MOST; n++)
        for (int side = 0; side < 2; side++) {
            double z[MOST], w[MOST], low = 0, high = 0, near = 0, far = 0;
            for (size_t i = 0; i < n; i++)
                z[i] = (i == 0) == (side == 0) ? 1 : 3.5;
            draw_softmax(n, z, 2, w);
            DONE(norm_bound_weight_softmax(n, 2.5, 2, &low, &high, &error));
            TRUE(fabs(w[0] / (side == 0 ? low : high) - 1) < 1e-14);
            DONE(norm_bound_weight_family(n, exp(.5), exp(1.75), &near, &far, &error));
            TRUE(fabs(near / low - 1) < 1e-14 && fabs(far / high - 1) < 1e-14);
        }
}
END_TEST

/* Largest weight of softmax(c z), c = s log n + b, against the pair. */
static int holds(size_t n, const double *z, double c, double low, double high)
{
    double w[MOST], cz[MOST], max = 0;
    for (size_t i = 0; i < n; i++)
        cz[i] = c * z[i];
    draw_softmax(n, cz, 1, w);
    for (size_t i = 0; i < n; i++)
        max = fmax(max, w[i]);
    return low <= max * (1 + 1e-12) && max <= high * (1 + 1e-12);
}

START_TEST(scalable_softmax_needs_a_positive_factor)
{
    uint64_t seed = support_seed(3);
    struct support_random r = {seed};
    int broken = 0, negative = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        size_t n = 2 + support_below(&r, MOST - 2);
        double z[MOST], s = support_uniform(&r, -1, 2), b = support_uniform(&r, -1, 1), low = 5, high = 5;
        draw_scores(&r, n, z);
        double c = s * log((double)n) + b, first = -INFINITY, second = -INFINITY, min = INFINITY;
        for (size_t i = 0; i < n; i++) {
            min = fmin(min, z[i]);
            second = z[i] > first ? first : fmax(second, z[i]);
            first = fmax(first, z[i]);
        }
        if (c >= 0) {
            DONE(norm_bound_weight_ssmax(n, s, b, first - min, first - second, &low, &high, &error));
            HOLDS(holds(n, z, c, low, high), "seed %llu", (unsigned long long)seed);
            continue;
        }
        /* The order is reversed: refused, and rightly so, because the formula fails there. */
        ck_assert_int_eq(norm_bound_weight_ssmax(n, s, b, first - min, first - second, &low, &high, &error),
                         LIBNORM_E_ARGUMENT);
        TRUE(low == 5 && high == 5);
        low = 1 / (1 + (double)(n - 1) * exp(-c * (first - second)));
        high = 1 / (1 + (double)(n - 1) * exp(-c * (first - min)));
        broken += !holds(n, z, c, low, high);
        negative++;
    }
    HOLDS(broken > negative / 2, "%d of %d", broken, negative);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("bounds on weights");
    TCase *tests = tcase_create("weights");
    tcase_add_test(tests, softmax_weights_stay_within);
    tcase_add_test(tests, family_weights_stay_within);
    tcase_add_test(tests, both_ends_are_attained);
    tcase_add_test(tests, scalable_softmax_needs_a_positive_factor);
    suite_add_tcase(suite, tests);
    return suite;
}
