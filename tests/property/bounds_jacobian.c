/* SPDX-License-Identifier: MIT */
/* Norms of diag(p) - p p^T / Z against the matrix itself. */
#include "bounds_draw.h"

enum { MOST = 9, TRIALS = 12000 };

struct matrix {
    size_t n;
    double p[MOST], rest, total, j[MOST][MOST];
};

static void draw(struct support_random *r, struct matrix *m, int open)
{
    m->n = 1 + support_below(r, MOST);
    draw_weights(r, m->n, m->p);
    double power = support_uniform(r, -0.5, 1.5), unit = exp(support_uniform(r, -5, 5));
    size_t kind = support_below(r, 3); /* weights; support; powers of weights */
    m->total = 0;
    for (size_t i = 0; i < m->n; i++) {
        if (kind > 0 && m->p[i] > 0)
            m->p[i] = kind == 1 ? 1 : unit * pow(m->p[i], power);
        m->total += m->p[i];
    }
    m->rest = open ? m->total * exp(support_uniform(r, -30, 3)) : 0;
    m->total += m->rest;
    for (size_t i = 0; i < m->n; i++)
        for (size_t k = 0; k < m->n; k++) {
            double others = m->rest;
            for (size_t l = 0; l < m->n; l++)
                others += l == i ? 0 : m->p[l];
            m->j[i][k] = m->total == 0 ? 0 : i == k ? m->p[i] * (others / m->total) : -m->p[i] * (m->p[k] / m->total);
        }
}

/* Largest eigenvalue by cyclic Jacobi rotations. */
static double largest_eigenvalue(const struct matrix *m)
{
    double a[MOST][MOST], largest = 0;
    for (size_t i = 0; i < m->n; i++)
        for (size_t k = 0; k < m->n; k++)
            a[i][k] = m->j[i][k];
    for (int sweep = 0; sweep < 12; sweep++)
        for (size_t i = 0; i + 1 < m->n; i++)
            for (size_t k = i + 1; k < m->n; k++) {
                if (a[i][k] == 0)
                    continue;
                double theta = (a[k][k] - a[i][i]) / (2 * a[i][k]);
                double t = copysign(1, theta) / (fabs(theta) + hypot(theta, 1)), c = 1 / hypot(t, 1), s = t * c;
                for (size_t l = 0; l < m->n; l++) {
                    double x = a[l][i], y = a[l][k];
                    a[l][i] = c * x - s * y;
                    a[l][k] = s * x + c * y;
                }
                for (size_t l = 0; l < m->n; l++) {
                    double x = a[i][l], y = a[k][l];
                    a[i][l] = c * x - s * y;
                    a[k][l] = s * x + c * y;
                }
            }
    for (size_t i = 0; i < m->n; i++)
        largest = fmax(largest, a[i][i]);
    return largest;
}

static void near(double got, double want, double relative, uint64_t seed)
{
    HOLDS(fabs(got - want) <= relative * fabs(want) + 1e-300, "got %.17g, want %.17g, seed %llu", got, want,
          (unsigned long long)seed);
}

START_TEST(norms_agree_with_the_matrix)
{
    uint64_t seed = support_seed(1);
    struct support_random r = {seed};
    for (int trial = 0; trial < TRIALS; trial++) {
        struct matrix m;
        draw(&r, &m, trial % 2);
        double value = 0, low = 0, high = 0, frobenius = 0, row = 0, entry = 0;
        for (size_t i = 0; i < m.n; i++) {
            double sum = 0;
            for (size_t k = 0; k < m.n; k++) {
                sum += fabs(m.j[i][k]);
                frobenius += m.j[i][k] * m.j[i][k];
                entry = fmax(entry, fabs(m.j[i][k]));
            }
            row = fmax(row, sum);
        }
        DONE(norm_bound_jacobian_frobenius(m.n, m.p, m.rest, &value, &error));
        near(value, sqrt(frobenius), 1e-13, seed);
        DONE(norm_bound_jacobian_row(m.n, m.p, m.rest, &value, &error));
        near(value, row, 1e-13, seed);
        DONE(norm_bound_jacobian_entry(m.n, m.p, m.rest, &value, &error));
        near(value, entry, 1e-13, seed);
        DONE(norm_bound_jacobian_spectral(m.n, m.p, m.rest, &value, &error));
        DONE(norm_bound_jacobian_spectral_range(m.n, m.p, m.rest, &low, &high, &error));
        /* rotations lose digits only against the largest entry of the matrix, which is what is asked for */
        near(value, largest_eigenvalue(&m), 1e-13, seed);
        TRUE(low <= value * (1 + 1e-14) && value <= high * (1 + 1e-14) && high <= 2 * low);
        TRUE(value <= sqrt(frobenius) * (1 + 1e-13) && value <= row * (1 + 1e-13));
    }
}
END_TEST

START_TEST(two_equal_weights_attain_every_constant)
{
    static const double p[2] = {.5, .5};
    double value = 0, high = 0;
    DONE(norm_bound_softmax_gradient(2, &high, &error));
    TRUE(high == 0.25);
    DONE(norm_bound_jacobian_spectral(2, p, 0, &value, &error));
    TRUE(value / 2 == high);
    DONE(norm_bound_jacobian_frobenius(2, p, 0, &value, &error));
    TRUE(value / 2 == high);
    DONE(norm_bound_jacobian_spectral_range(2, p, 0, NULL, &value, &error));
    TRUE(value / 2 == high);
    DONE(norm_bound_softmax_second_moment(2, p, 2, &value, &error));
    TRUE(fabs(value - high) < 1e-16);
    DONE(norm_bound_softmax_entry(2, &high, &error));
    DONE(norm_bound_jacobian_entry(2, p, 0, &value, &error));
    TRUE(value / 2 == high);
    /* The printed constant is half of what is attained here. */
    DONE(norm_bound_softmax_gradient_published(2, &value, &error));
    TRUE(value == 0.125);
    DONE(norm_bound_softmax_gradient_published(1e-3, &value, &error));
    TRUE(value == sqrt(2));
}
END_TEST

START_TEST(softmax_stays_under_its_constants)
{
    uint64_t seed = support_seed(2);
    struct support_random r = {seed};
    int above_printed = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        size_t n = 1 + support_below(&r, 40);
        double w[40], t = exp(support_uniform(&r, -2, 2)), norm = 0, high = 0, moment = 0, printed = 0;
        draw_weights(&r, n, w);
        DONE(norm_bound_jacobian_frobenius(n, w, 0, &norm, &error));
        DONE(norm_bound_softmax_gradient(t, &high, &error));
        DONE(norm_bound_softmax_second_moment(n, w, t, &moment, &error));
        HOLDS(norm / t <= moment * (1 + 1e-13) && moment <= high * (1 + 1e-13), "seed %llu", (unsigned long long)seed);
        DONE(norm_bound_jacobian_entry(n, w, 0, &norm, &error));
        DONE(norm_bound_softmax_entry(t, &high, &error));
        TRUE(norm / t <= high * (1 + 1e-13));
        DONE(norm_bound_jacobian_spectral(n, w, 0, &norm, &error));
        DONE(norm_bound_softmax_gradient_published(t, &printed, &error));
        above_printed += norm / t > printed;
    }
    ck_assert_int_gt(above_printed, TRIALS / 20);
}
END_TEST

/* The norm from infinity to 1: the best of all sign vectors. */
static double over_signs(const struct matrix *m)
{
    double best = 0;
    for (unsigned bits = 0; bits < 1u << m->n; bits++) {
        double sum = 0;
        for (size_t i = 0; i < m->n; i++) {
            double row = 0;
            for (size_t k = 0; k < m->n; k++)
                row += bits >> k & 1u ? m->j[i][k] : -m->j[i][k];
            sum += fabs(row);
        }
        best = fmax(best, sum);
    }
    return best;
}

START_TEST(balanced_mass_is_the_norm_from_infinity_to_one)
{
    uint64_t seed = support_seed(3);
    struct support_random r = {seed};
    for (int trial = 0; trial < TRIALS; trial++) {
        struct matrix m;
        draw(&r, &m, 0);
        double want = over_signs(&m), low = 0, high = 0;
        DONE(norm_bound_jacobian_balanced(m.n, m.p, &low, &high, NULL, &error));
        TRUE(low == high);
        near(low, want, 1e-12, seed);
        DONE(norm_bound_jacobian_balanced_quick(m.n, m.p, &low, &high, &error));
        HOLDS(low <= want * (1 + 1e-12) && want <= high * (1 + 1e-12), "seed %llu", (unsigned long long)seed);
    }
}
END_TEST

/* Most of p (1 - p) over all subset sums. */
static double over_subsets(const double *p, size_t n)
{
    double total = 0, best = 0;
    for (size_t i = 0; i < n; i++)
        total += p[i];
    for (unsigned bits = 0; bits < 1u << n; bits++) {
        double sums[2] = {0, 0};
        for (size_t i = 0; i < n; i++)
            sums[bits >> i & 1u] += p[i];
        best = fmax(best, 4 * sums[0] * (sums[1] / total));
    }
    return best;
}

START_TEST(balanced_mass_of_longer_rows_is_enclosed)
{
    uint64_t seed = support_seed(4);
    struct support_random r = {seed};
    for (int trial = 0; trial < TRIALS; trial++) {
        size_t n = 11 + support_below(&r, trial % 100 == 0 ? 3 : 1);
        double p[64], low = 0, high = 0, near_low = 0, near_high = 0, want;
        draw_weights(&r, n, p);
        want = trial % 10 == 0 ? over_subsets(p, n) : -1;
        DONE(norm_bound_jacobian_balanced(n, p, &low, &high, NULL, &error));
        DONE(norm_bound_jacobian_balanced_quick(n, p, &near_low, &near_high, &error));
        TRUE(low <= high && near_low <= high * (1 + 1e-12) && low <= near_high * (1 + 1e-12));
        if (want >= 0)
            HOLDS(low <= want * (1 + 1e-12) && want <= high * (1 + 1e-12), "%.17g <= %.17g <= %.17g, seed %llu", low,
                  want, high, (unsigned long long)seed);
    }
    for (int trial = 0; trial < 200; trial++) { /* rows of 64 ordinary weights: no gap that matters */
        double z[64], p[64], low = 0, high = 0;
        for (size_t i = 0; i < 64; i++)
            z[i] = support_normal(&r);
        draw_softmax(64, z, 1, p);
        DONE(norm_bound_jacobian_balanced(64, p, &low, &high, NULL, &error));
        HOLDS(high - low <= 1e-9, "%g", high - low);
    }
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("norms of Jacobians");
    TCase *tests = tcase_create("jacobian");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, norms_agree_with_the_matrix);
    tcase_add_test(tests, two_equal_weights_attain_every_constant);
    tcase_add_test(tests, softmax_stays_under_its_constants);
    tcase_add_test(tests, balanced_mass_is_the_norm_from_infinity_to_one);
    tcase_add_test(tests, balanced_mass_of_longer_rows_is_enclosed);
    suite_add_tcase(suite, tests);
    return suite;
}
