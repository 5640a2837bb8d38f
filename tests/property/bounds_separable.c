/* SPDX-License-Identifier: MIT */
/* Bounds on P(X <= r), X the norm of a sum of random vectors on a sphere, against the probability itself. */
#include "bounds_draw.h"

enum { MOST = 10, TRIALS = 12000 };

/* P(|| a x + b y || <= r) for independent unit x, y in R^dim, dim 1 to 4: the cosine of two of them has a known law. */
static double two(double a, double b, double r, size_t dim)
{
    if (!(a * b > 0))
        return a + b <= r;
    double c = (r * r - a * a - b * b) / (2 * a * b), pi = acos(-1);
    if (c >= 1 || c < -1)
        return c >= 1;
    switch (dim) {
    case 1:
        return 0.5;
    case 2:
        return 1 - acos(c) / pi;
    case 3:
        return (1 + c) / 2;
    default:
        return (c * sqrt(1 - c * c) + asin(c)) / pi + 0.5;
    }
}

/* P(X_skip <= r), and P(X_skip < r), in R^1: all signs. */
static void line(const double *w, size_t n, size_t skip, double r, double *ret_closed, double *ret_open)
{
    double closed = 0, open = 0, all = (double)(1u << n);
    for (unsigned bits = 0; bits < 1u << n; bits++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++)
            sum += j == skip ? 0 : bits >> j & 1u ? w[j] : -w[j];
        closed += fabs(sum) <= r;
        open += fabs(sum) < r;
    }
    *ret_closed = closed / all;
    *ret_open = open / all;
}

static void check(const double *w, size_t n, double radius, size_t dim, double r, const double *closed,
                  const double *open, double slack, uint64_t seed)
{
    double item[MOST], low[MOST], mean = 0, share = 0, markov = 0;
    for (int32_t form = LIBNORM_SEPARABLE_BEST; form <= LIBNORM_SEPARABLE_SPHERE; form++) {
        if (form == LIBNORM_SEPARABLE_SPHERE && dim < 2)
            continue;
        DONE(norm_bound_separable_upper(n, w, radius, dim, r, form, item, NULL, &error));
        for (size_t i = 0; i < n; i++)
            HOLDS(closed[i] <= item[i] + slack, "form %d, dim %zu: %.17g > %.17g, seed %llu", form, dim, closed[i],
                  item[i], (unsigned long long)seed);
    }
    DONE(norm_bound_separable_upper(n, w, radius, dim, r, LIBNORM_SEPARABLE_BEST, NULL, &mean, &error));
    DONE(norm_bound_separable_lower(n, w, radius, dim, r, LIBNORM_SEPARABLE_BEST, low, &share, &error));
    DONE(norm_bound_separable_lower(n, w, radius, dim, r, LIBNORM_SEPARABLE_MARKOV, NULL, &markov, &error));
    double from = 0, to = 0;
    for (size_t i = 0; i < n; i++) {
        HOLDS(low[i] <= open[i] + slack, "dim %zu: %.17g < %.17g, seed %llu", dim, open[i], low[i],
              (unsigned long long)seed);
        from += open[i] / (double)n;
        to += closed[i] / (double)n;
    }
    TRUE(share <= from + 1e-12 + slack && markov <= share + 1e-12 && to <= mean + 1e-12 + slack);
}

START_TEST(three_tokens_against_the_exact_law)
{
    uint64_t seed = support_seed(1);
    struct support_random r = {seed};
    for (int trial = 0; trial < TRIALS; trial++) {
        double w[3], radius = exp(support_uniform(&r, -3, 3)), p[3];
        draw_weights(&r, 3, w);
        size_t dim = 2 + support_below(&r, 3);
        double ball = support_uniform(&r, 0, 1) * (w[0] + w[1] + w[2]);
        for (size_t i = 0; i < 3; i++) /* a law without atoms, but where a weight is 0: keep clear of those */
            p[i] = two(w[(i + 1) % 3], w[(i + 2) % 3], ball, dim);
        check(w, 3, radius, dim, ball * radius, p, p, 1e-9, seed);
    }
}
END_TEST

START_TEST(signs_on_a_line_against_all_of_them)
{
    uint64_t seed = support_seed(2);
    struct support_random r = {seed};
    for (int trial = 0; trial < 3 * TRIALS / 4; trial++) {
        size_t n = 1 + support_below(&r, 6);
        double w[MOST], closed[MOST], open[MOST], sum = 0;
        draw_weights(&r, n, w);
        for (size_t i = 0; i < n; i++)
            sum += w[i] = support_below(&r, 4) == 0 ? 0.125 : w[i]; /* ties: sums that meet r exactly */
        double ball = support_below(&r, 3) == 0 ? 0.125 * (double)support_below(&r, 8) : support_uniform(&r, 0, sum);
        for (size_t i = 0; i < n; i++)
            line(w, n, i, ball, &closed[i], &open[i]);
        check(w, n, 1, 1, ball, closed, open, 0, seed);
    }
}
END_TEST

START_TEST(many_tokens_against_samples)
{
    enum { DIM = 6, SAMPLES = 1500 };
    struct support_random r = {support_seed(3)};
    for (int trial = 0; trial < 60; trial++) {
        size_t n = 4 + support_below(&r, MOST - 4);
        double w[MOST], p[MOST] = {0}, square = 0;
        draw_weights(&r, n, w);
        for (size_t i = 0; i < n; i++)
            square += w[i] * w[i];
        double ball = sqrt(square) * support_uniform(&r, 0.3, 1.5);
        for (int sample = 0; sample < SAMPLES; sample++) {
            double x[MOST][DIM], total[DIM] = {0};
            for (size_t i = 0; i < n; i++) {
                for (size_t k = 0; k < DIM; k++)
                    x[i][k] = support_normal(&r);
                double length = draw_length(x[i], DIM);
                for (size_t k = 0; k < DIM; k++)
                    total[k] += x[i][k] *= w[i] / length;
            }
            for (size_t i = 0; i < n; i++) {
                double rest[DIM];
                for (size_t k = 0; k < DIM; k++)
                    rest[k] = total[k] - x[i][k];
                p[i] += (draw_length(rest, DIM) <= ball) / (double)SAMPLES;
            }
        }
        check(w, n, 1, DIM, ball, p, p, 5 / sqrt(4.0 * SAMPLES), 0); /* five standard errors at most */
    }
}
END_TEST

/* Distances of real points on a sphere: nothing random is assumed. */
START_TEST(spread_holds_for_points_that_are_apart)
{
    enum { DIM = 5 };
    uint64_t seed = support_seed(4);
    struct support_random r = {seed};
    for (int trial = 0; trial < TRIALS; trial++) {
        size_t n = 1 + support_below(&r, MOST), inside = 0, certain = 0;
        double x[MOST * DIM], w[MOST], xi[MOST], s[DIM], each[MOST], d = 0, delta = 2, fraction = 0;
        uint8_t all[MOST];
        draw_weights(&r, n, w);
        for (size_t i = 0; i < n; i++) {
            all[i] = 1;
            for (size_t k = 0; k < DIM; k++)
                x[i * DIM + k] = support_normal(&r) + (trial % 3 == 0 ? 3 : 0);
            double length = draw_length(x + i * DIM, DIM);
            for (size_t k = 0; k < DIM; k++)
                x[i * DIM + k] /= length;
            for (size_t j = 0; j < i; j++) {
                double gap[DIM];
                for (size_t k = 0; k < DIM; k++)
                    gap[k] = x[i * DIM + k] - x[j * DIM + k];
                delta = fmin(delta, draw_length(gap, DIM));
            }
        }
        double ball = support_uniform(&r, 0, 1);
        DONE(norm_bound_distance_value(n, DIM, w, x, 0, all, s, each, &d, &error));
        DONE(norm_bound_separable_spread(n, w, 1, delta, xi, &error));
        for (size_t i = 0; i < n; i++) {
            HOLDS(each[i] <= xi[i] + 1e-14, "%.17g > %.17g, seed %llu", each[i], xi[i], (unsigned long long)seed);
            inside += each[i] < ball;
        }
        DONE(norm_bound_separable_count(n, w, 1, delta, ball, &certain, &error));
        DONE(norm_bound_separable_lower_spread(n, w, 1, delta, ball, &fraction, &error));
        TRUE(certain <= inside && (double)certain >= fraction * (double)n - 1e-9);
    }
}
END_TEST

START_TEST(spread_is_attained_by_a_regular_simplex)
{
    /* unit vectors with all inner products -1/2 in the plane: distance sqrt 3 */
    static const double w[3] = {.5, .3, .2}, x[6] = {1, 0, -0.5, 0.8660254037844386, -0.5, -0.8660254037844386};
    static const uint8_t all[3] = {1, 1, 1};
    double s[2], each[3], d = 0, xi[3];
    DONE(norm_bound_distance_value(3, 2, w, x, 0, all, s, each, &d, &error));
    DONE(norm_bound_separable_spread(3, w, 1, sqrt(3), xi, &error));
    for (size_t i = 0; i < 3; i++)
        TRUE(fabs(each[i] - xi[i]) < 1e-14);
}
END_TEST

START_TEST(printed_upper_bound_is_below_the_truth)
{
    /* Twenty equal weights in R^64, r = 0.3: nearly everything is inside, and for certain in the second case. */
    double w[20], printed = 0, low = 0, high = 0;
    for (size_t i = 0; i < 20; i++)
        w[i] = 0.05;
    DONE(norm_bound_separable_upper_published(20, w, 1, 0, .3, &printed, &error));
    DONE(norm_bound_separable_lower(20, w, 1, 64, .3, LIBNORM_SEPARABLE_BEST, NULL, &low, &error));
    DONE(norm_bound_separable_upper(20, w, 1, 64, .3, LIBNORM_SEPARABLE_BEST, NULL, &high, &error));
    TRUE(printed < 0.99 && low > printed && high == 1);
    size_t certain = 0;
    for (size_t i = 0; i < 20; i++)
        w[i] = 0.01 / 19; /* every xi is 0.01 */
    DONE(norm_bound_separable_upper_published(20, w, 1, 0, 2, &printed, &error));
    DONE(norm_bound_separable_count(20, w, 1, 0, 2, &certain, &error));
    TRUE(fabs(printed - 0.78) < 0.005 && certain == 20);
    /* And it says nothing where it is meant to be used. */
    DONE(norm_bound_separable_upper_published(4, (const double[]){.4, .3, .2, .1}, 1, .8, 1e-3, &printed, &error));
    TRUE(printed > 0.939);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("bounds on separability");
    TCase *tests = tcase_create("separable");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, three_tokens_against_the_exact_law);
    tcase_add_test(tests, signs_on_a_line_against_all_of_them);
    tcase_add_test(tests, many_tokens_against_samples);
    tcase_add_test(tests, spread_holds_for_points_that_are_apart);
    tcase_add_test(tests, spread_is_attained_by_a_regular_simplex);
    tcase_add_test(tests, printed_upper_bound_is_below_the_truth);
    suite_add_tcase(suite, tests);
    return suite;
}
