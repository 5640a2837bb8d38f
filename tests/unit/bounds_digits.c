/* SPDX-License-Identifier: MIT */
/* Bounds keep their digits where the printed formulas lose all of them: against the printed formulas at 300 bits. */
#include <libnorm/norm.h>

#include <math.h>
#include <mpfr.h>

#include "support/support.h"

enum { BITS = 300, MOST = 300, DIM = 4 };
static norm_error error = {sizeof error, 0, 0, ""};
#define DONE(call) ck_assert_msg((call) == LIBNORM_OK, "%s", error.text)

static void near(double got, mpfr_t want, double relative)
{
    mpfr_t d;
    mpfr_init2(d, BITS);
    mpfr_d_sub(d, got, want, MPFR_RNDN);
    mpfr_div(d, d, want, MPFR_RNDN);
    double off = fabs(mpfr_get_d(d, MPFR_RNDN));
    ck_assert_msg(off <= relative, "got %.17g, want %.17g: off by %g", got, mpfr_get_d(want, MPFR_RNDN), off);
    mpfr_clear(d);
}

/* One weight of 1 - tail, and n - 1 others of different sizes that sum to about tail. */
static size_t draw_dominated(struct support_random *r, double tail, double *w)
{
    size_t n = 2 + support_below(r, 30);
    double sum = 0;
    for (size_t i = 1; i < n; i++)
        sum += w[i] = exp(support_uniform(r, -12, 0));
    double others = 0;
    for (size_t i = 1; i < n; i++)
        others += w[i] *= tail / sum;
    w[0] = 1 - others;
    return n;
}

/* -- leaving one out ----------------------------------------------------------------------------------------------- */

START_TEST(spread_and_variance_without_the_largest)
{
    struct support_random r = {support_seed(1)};
    mpfr_t sum, square, fourth, v;
    mpfr_inits2(BITS, sum, square, fourth, v, (mpfr_ptr)0);
    for (int trial = 0; trial < 1000; trial++) {
        double w[40], a[40], variance[40], xi[40];
        size_t n = draw_dominated(&r, exp(support_uniform(&r, -60, -1)), w), own = support_below(&r, n);
        DONE(norm_bound_separable_moments(n, w, 2, 8, a, variance, NULL, NULL, NULL, &error));
        DONE(norm_bound_separable_spread(n, w, 2, 1, xi, &error));
        mpfr_set_zero(sum, 1);
        mpfr_set_zero(square, 1);
        mpfr_set_zero(fourth, 1);
        for (size_t j = 0; j < n; j++) {
            if (j == own)
                continue;
            mpfr_add_d(sum, sum, w[j], MPFR_RNDN);
            mpfr_set_d(v, w[j], MPFR_RNDN);
            mpfr_sqr(v, v, MPFR_RNDN);
            mpfr_add(square, square, v, MPFR_RNDN);
            mpfr_sqr(v, v, MPFR_RNDN);
            mpfr_add(fourth, fourth, v, MPFR_RNDN);
        }
        mpfr_mul_ui(v, square, 4, MPFR_RNDN); /* M^2 A */
        near(a[own], v, 1e-14);
        mpfr_sqr(v, square, MPFR_RNDN); /* M^4 (2/d) (A^2 - B) */
        mpfr_sub(v, v, fourth, MPFR_RNDN);
        mpfr_mul_ui(v, v, 4, MPFR_RNDN);
        if (n > 2)
            near(variance[own], v, 1e-13);
        else
            ck_assert(variance[own] == 0);
        mpfr_sqr(v, sum, MPFR_RNDN); /* M^2 S2 + (M^2 - delta^2/2)(S1^2 - S2) */
        mpfr_sub(v, v, square, MPFR_RNDN);
        mpfr_mul_d(v, v, 3.5, MPFR_RNDN);
        mpfr_mul_ui(square, square, 4, MPFR_RNDN);
        mpfr_add(v, v, square, MPFR_RNDN);
        mpfr_sqrt(v, v, MPFR_RNDN);
        near(xi[own], v, 2e-14);
        ck_assert(mpfr_cmp_d(v, xi[own]) <= 0); /* rounded up */
    }
    mpfr_clears(sum, square, fourth, v, (mpfr_ptr)0);
}
END_TEST

/* -- near one-hot -------------------------------------------------------------------------------------------------- */

START_TEST(frobenius_norms_near_one_hot)
{
    struct support_random r = {support_seed(2)};
    mpfr_t z, s2, q, v, sum;
    mpfr_inits2(1200, z, s2, q, v, sum, (mpfr_ptr)0); /* a tail of e^-600 leaves its square below 1 */
    for (int trial = 0; trial < 500; trial++) {
        double w[40], norm = 0, moment = 0;
        size_t n = draw_dominated(&r, exp(support_uniform(&r, trial % 2 ? -300 : -40, -1)), w);
        DONE(norm_bound_jacobian_frobenius(n, w, 0, &norm, &error));
        DONE(norm_bound_softmax_second_moment(n, w, 1, &moment, &error));
        mpfr_set_zero(z, 1);
        mpfr_set_zero(s2, 1);
        mpfr_set_zero(sum, 1);
        for (size_t i = 0; i < n; i++)
            mpfr_add_d(z, z, w[i], MPFR_RNDN);
        for (size_t i = 0; i < n; i++) {
            mpfr_d_div(q, w[i], z, MPFR_RNDN);
            mpfr_sqr(v, q, MPFR_RNDN);
            mpfr_add(s2, s2, v, MPFR_RNDN);
            mpfr_mul(v, v, q, MPFR_RNDN);
            mpfr_sub(sum, sum, v, MPFR_RNDN);
            mpfr_sub(sum, sum, v, MPFR_RNDN);
        }
        mpfr_add(sum, sum, s2, MPFR_RNDN); /* s2 - 2 s3 + s2^2 */
        mpfr_sqr(v, s2, MPFR_RNDN);
        mpfr_add(sum, sum, v, MPFR_RNDN);
        mpfr_sqrt(sum, sum, MPFR_RNDN);
        mpfr_mul(sum, sum, z, MPFR_RNDN); /* the Jacobian is z times that of the shares */
        near(norm, sum, 2e-14);
        mpfr_ui_sub(q, 1, s2, MPFR_RNDN);
        mpfr_mul(v, q, s2, MPFR_RNDN);
        mpfr_sqrt(v, v, MPFR_RNDN);
        near(moment, v, 2e-14);
    }
    mpfr_clears(z, s2, q, v, sum, (mpfr_ptr)0);
}
END_TEST

/* Sign of x sum p_i / (p_i - x) - rest. */
static int secular_sign(const double *p, size_t n, double rest, mpfr_t x)
{
    mpfr_t sum, v;
    mpfr_inits2(BITS, sum, v, (mpfr_ptr)0);
    mpfr_set_zero(sum, 1);
    for (size_t i = 0; i < n; i++) {
        mpfr_d_sub(v, p[i], x, MPFR_RNDN);
        mpfr_d_div(v, p[i], v, MPFR_RNDN);
        mpfr_add(sum, sum, v, MPFR_RNDN);
    }
    mpfr_mul(sum, sum, x, MPFR_RNDN);
    mpfr_sub_d(sum, sum, rest, MPFR_RNDN);
    int sign = mpfr_sgn(sum);
    mpfr_clears(sum, v, (mpfr_ptr)0);
    return sign;
}

START_TEST(spectral_norm_is_the_root)
{
    struct support_random r = {support_seed(3)};
    mpfr_t x;
    mpfr_init2(x, BITS);
    int roots = 0;
    for (int trial = 0; trial < 2000; trial++) {
        double p[40], norm = 0, rest = trial % 4 == 0 ? exp(support_uniform(&r, -50, 1)) : 0, first, second = 0;
        size_t n = draw_dominated(&r, exp(support_uniform(&r, -200, -1)), p);
        if (trial % 3 == 0) /* two largest, nearly equal */
            p[1] = p[0] * (1 - exp(support_uniform(&r, -36, -1)));
        DONE(norm_bound_jacobian_spectral(n, p, rest, &norm, &error));
        first = p[0];
        for (size_t i = 1; i < n; i++)
            second = fmax(second, p[i]);
        ck_assert(norm >= second && norm <= first);
        const double off = 1e-14;
        for (int side = -1; side <= 1; side += 2) {
            mpfr_set_d(x, norm, MPFR_RNDN);
            mpfr_mul_d(x, x, 1 + side * off, MPFR_RNDN);
            if (mpfr_cmp_d(x, second) <= 0 || mpfr_cmp_d(x, first) >= 0)
                continue; /* the bracket itself is closer than that */
            ck_assert_msg(secular_sign(p, n, rest, x) == side, "%.17g is not the root, side %d", norm, side);
            roots++;
        }
    }
    ck_assert_int_gt(roots, 3000);
    mpfr_clear(x);
}
END_TEST

/* -- tokens that nearly coincide ----------------------------------------------------------------------------------- */

static double w[MOST], x[MOST * DIM];

/* Unit common part, differences of the given size, nearly equal weights. */
static void draw_alike(struct support_random *r, double size)
{
    for (size_t i = 0; i < MOST; i++) {
        w[i] = (1 + size * support_normal(r)) / MOST;
        for (size_t k = 0; k < DIM; k++)
            x[i * DIM + k] = 0.5 + size * support_normal(r);
    }
}

/* E_J with the printed m_i = (1 + kappa) y_i - kappa sum y_j; square: sum ||m_i||^2 + V_i instead. */
static void printed_mean(size_t chosen, mpfr_t ret)
{
    mpfr_t total[DIM], one, d, square;
    mpfr_inits2(BITS, one, d, square, (mpfr_ptr)0);
    for (size_t k = 0; k < DIM; k++) {
        mpfr_init2(total[k], BITS);
        mpfr_set_zero(total[k], 1);
        for (size_t i = 0; i < MOST; i++) {
            mpfr_set_d(one, w[i], MPFR_RNDN);
            mpfr_mul_d(one, one, x[i * DIM + k], MPFR_RNDN);
            mpfr_add(total[k], total[k], one, MPFR_RNDN);
        }
    }
    mpfr_set_zero(ret, 1);
    for (size_t i = 0; i < MOST; i++) {
        mpfr_set_zero(square, 1);
        for (size_t k = 0; k < DIM; k++) {
            mpfr_set_d(one, w[i], MPFR_RNDN);
            mpfr_mul_d(one, one, x[i * DIM + k], MPFR_RNDN);
            mpfr_mul_ui(one, one, MOST - 1 + chosen, MPFR_RNDN);
            mpfr_mul_ui(d, total[k], chosen, MPFR_RNDN);
            mpfr_sub(one, one, d, MPFR_RNDN);
            mpfr_sqr(one, one, MPFR_RNDN);
            mpfr_add(square, square, one, MPFR_RNDN);
        }
        mpfr_sqrt(square, square, MPFR_RNDN);
        mpfr_add(ret, ret, square, MPFR_RNDN);
    }
    mpfr_mul_ui(ret, ret, MOST - chosen, MPFR_RNDN);
    mpfr_div_ui(ret, ret, MOST, MPFR_RNDN);
    mpfr_div_ui(ret, ret, MOST - 1, MPFR_RNDN);
    for (size_t k = 0; k < DIM; k++)
        mpfr_clear(total[k]);
    mpfr_clears(one, d, square, (mpfr_ptr)0);
}

START_TEST(expected_distance_of_nearly_equal_tokens)
{
    struct support_random r = {support_seed(4)};
    static double along[MOST], across[MOST];
    mpfr_t want;
    mpfr_init2(want, BITS);
    for (double size = 1e-12; size < 1; size *= 10)
        for (size_t n = 1; n < MOST; n = 2 * n + 1) {
            norm_random_set set = {.struct_size = sizeof set};
            double low = 0, high = 0;
            draw_alike(&r, size);
            DONE(norm_bound_random_set(MOST, DIM, w, x, 0, along, across, &set, &error));
            DONE(norm_bound_expected_distance(&set, n, &low, &high, &error));
            printed_mean(n, want);
            /* with N = 1 the common part drops out: what is left is as good as products rounded to 2^-53 allow */
            near(low, want, n == 1 ? 1e-14 + 4 * 0x1p-53 / size : 1e-13);
            ck_assert(high >= low);
        }
    mpfr_clear(want);
}
END_TEST

START_TEST(moments_of_nearly_equal_contributions)
{
    struct support_random r = {support_seed(5)};
    static uint8_t set[MOST];
    for (double size = 1e-12; size < 1e-2; size *= 10) {
        double s[DIM], d = 0, low = 0, high = 0;
        draw_alike(&r, size);
        for (size_t i = 0; i < MOST; i++)
            set[i] = i == 7;
        DONE(norm_bound_distance_value(MOST, DIM, w, x, 0, set, s, NULL, &d, &error));
        DONE(norm_bound_distance_moments(MOST, DIM, w, x, 0, set, &low, &high, &error));
        /* s is one contribution like the others: the distances are of the order size / MOST each */
        double slack = 1e-14;
        ck_assert_msg(low <= d + slack && d <= high + slack && high < 20 * size && d > size / 20, "%g: %g %g %g", size,
                      low, d, high);
    }
}
END_TEST

/* -- small steps --------------------------------------------------------------------------------------------------- */

static void exact_softmax(size_t n, const double *z, const double *v, double step, double t, mpfr_t *ret)
{
    mpfr_t sum;
    mpfr_init2(sum, BITS);
    mpfr_set_zero(sum, 1);
    for (size_t i = 0; i < n; i++) {
        mpfr_set_d(ret[i], v[i], MPFR_RNDN);
        mpfr_mul_d(ret[i], ret[i], step, MPFR_RNDN);
        mpfr_add_d(ret[i], ret[i], z[i], MPFR_RNDN);
        mpfr_div_d(ret[i], ret[i], t, MPFR_RNDN);
        mpfr_exp(ret[i], ret[i], MPFR_RNDN);
        mpfr_add(sum, sum, ret[i], MPFR_RNDN);
    }
    for (size_t i = 0; i < n; i++)
        mpfr_div(ret[i], ret[i], sum, MPFR_RNDN);
    mpfr_clear(sum);
}

START_TEST(change_keeps_its_digits_for_any_step)
{
    struct support_random r = {support_seed(6)};
    mpfr_t from[40], to[40], off, norm;
    mpfr_inits2(BITS, off, norm, (mpfr_ptr)0);
    for (size_t i = 0; i < 40; i++)
        mpfr_inits2(BITS, from[i], to[i], (mpfr_ptr)0);
    for (int trial = 0; trial < 1000; trial++) {
        size_t n = 2 + support_below(&r, 38);
        double z[40], v[40], change[40], t = exp(support_uniform(&r, -1, 2)), step = exp(support_uniform(&r, -40, 1));
        for (size_t i = 0; i < n; i++) {
            z[i] = 10 * support_normal(&r);
            v[i] = support_normal(&r);
        }
        DONE(norm_bound_softmax_difference(n, z, v, t, step, change, &error));
        exact_softmax(n, z, v, 0, t, from);
        exact_softmax(n, z, v, step, t, to);
        mpfr_set_zero(off, 1);
        mpfr_set_zero(norm, 1);
        for (size_t i = 0; i < n; i++) {
            mpfr_sub(to[i], to[i], from[i], MPFR_RNDN);
            mpfr_sub_d(from[i], to[i], change[i], MPFR_RNDN);
            mpfr_sqr(to[i], to[i], MPFR_RNDN);
            mpfr_sqr(from[i], from[i], MPFR_RNDN);
            mpfr_add(norm, norm, to[i], MPFR_RNDN);
            mpfr_add(off, off, from[i], MPFR_RNDN);
        }
        mpfr_div(off, off, norm, MPFR_RNDN);
        ck_assert_msg(sqrt(mpfr_get_d(off, MPFR_RNDU)) < 1e-13, "step %g: off by %g", step,
                      sqrt(mpfr_get_d(off, MPFR_RNDU)));
    }
    for (size_t i = 0; i < 40; i++)
        mpfr_clears(from[i], to[i], (mpfr_ptr)0);
    mpfr_clears(off, norm, (mpfr_ptr)0);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("digits of bounds");
    TCase *tests = tcase_create("digits");
    tcase_add_test(tests, spread_and_variance_without_the_largest);
    tcase_add_test(tests, frobenius_norms_near_one_hot);
    tcase_add_test(tests, spectral_norm_is_the_root);
    tcase_add_test(tests, expected_distance_of_nearly_equal_tokens);
    tcase_add_test(tests, moments_of_nearly_equal_contributions);
    tcase_add_test(tests, change_keeps_its_digits_for_any_step);
    suite_add_tcase(suite, tests);
    return suite;
}
