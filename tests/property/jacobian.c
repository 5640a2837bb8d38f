/* SPDX-License-Identifier: MIT */
/* Jacobians of every normalizer against its VJP and JVP, norms against an eigenvalue solver, and the bounds. */
#include <math.h>
#include <string.h>

#include "property/own_members.h"
#include "property/specs.h"
#include "support/support.h"

enum { longest = 16, trials = 60, bound_trials = 400 };

static char text[128];
static uint64_t seed;

static void draw(struct support_random *random, size_t *n, double *z, uint8_t *visible)
{
    *n = 1 + support_below(random, longest);
    const double spread = exp(support_uniform(random, -4, 2));
    for (size_t i = 0; i < *n; i++) {
        z[i] = spread * support_normal(random);
        visible[i] = support_below(random, 6) > 0;
        if (support_below(random, 8) == 0 && i > 0)
            z[i] = z[i - 1]; /* ties */
    }
}

static norm_rows one_row(size_t n, const uint8_t *visible)
{
    norm_rows rows = {.struct_size = sizeof rows, .batch = 1, .rows = 1, .cols = n, .visible = visible};
    rows.visible_stride[2] = 1;
    return rows;
}

static void close_to(const char *what, double got, double wanted, double tolerance)
{
    ck_assert_msg(fabs(got - wanted) <= tolerance, "%s, %s: %.17g, expected %.17g (TEST_SEED=%llu)", text, what, got,
                  wanted, (unsigned long long)seed);
}

static double largest_entry(const double *j, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(j[i]));
    return largest;
}

START_TEST(lines_are_vjps_and_columns_are_jvps)
{
    seed = support_seed(41);
    for (size_t s = 0; s < specs_count(); s++) {
        norm_normalizer *n = specs_get(s, text);
        struct support_random random = {seed + s};
        for (int t = 0; t < trials; t++) {
            size_t cols;
            double z[longest], j[longest * longest], unit[longest], line[longest], column[longest];
            uint8_t visible[longest];
            draw(&random, &cols, z, visible);
            const norm_rows rows = one_row(cols, visible);
            ck_assert_int_eq(norm_jacobian_f64(n, &rows, z, NULL, j, NULL, NULL), LIBNORM_OK);
            const double size = 1e-14 * (1 + largest_entry(j, cols * cols));
            for (size_t i = 0; i < cols; i++) {
                for (size_t k = 0; k < cols; k++)
                    unit[k] = k == i;
                ck_assert_int_eq(norm_vjp_f64(n, &rows, z, NULL, unit, line, NULL, NULL), LIBNORM_OK);
                ck_assert_int_eq(norm_jvp_f64(n, &rows, z, NULL, unit, column, NULL, NULL), LIBNORM_OK);
                for (size_t k = 0; k < cols; k++) {
                    ck_assert(visible[i] && visible[k] ? !isnan(j[i * cols + k]) : j[i * cols + k] == 0);
                    if (!visible[i])
                        continue;
                    close_to("line", j[i * cols + k], line[k], size * 16);
                    close_to("column", j[k * cols + i], column[k], size * 16);
                }
            }
        }
        norm_normalizer_free(n);
    }
}
END_TEST

/* The largest eigenvalue of J^T J by Jacobi's rotations. */
static double largest_singular(const double *j, size_t n)
{
    double a[longest * longest], unit = largest_entry(j, n * n);
    if (!(unit > 0))
        return 0;
    for (size_t p = 0; p < n; p++)
        for (size_t q = 0; q < n; q++) {
            a[p * n + q] = 0;
            for (size_t k = 0; k < n; k++)
                a[p * n + q] += j[k * n + p] / unit * (j[k * n + q] / unit);
        }
    for (int sweep = 0; sweep < 30; sweep++)
        for (size_t p = 0; p < n; p++)
            for (size_t q = p + 1; q < n; q++) {
                if (!(fabs(a[p * n + q]) > 0))
                    continue;
                const double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
                const double t = copysign(1, theta) / (fabs(theta) + hypot(1, theta)), c = 1 / hypot(1, t), s = c * t;
                for (size_t k = 0; k < n; k++) {
                    const double x = a[k * n + p], y = a[k * n + q];
                    a[k * n + p] = c * x - s * y;
                    a[k * n + q] = s * x + c * y;
                }
                for (size_t k = 0; k < n; k++) {
                    const double x = a[p * n + k], y = a[q * n + k];
                    a[p * n + k] = c * x - s * y;
                    a[q * n + k] = s * x + c * y;
                }
            }
    double largest = 0;
    for (size_t p = 0; p < n; p++)
        largest = fmax(largest, a[p * n + p]);
    return unit * sqrt(largest);
}

/* Without a closed form, norms are made of products in which parts of size 1 may cancel. */
static double rounding(void)
{
    static const char *const open_forms[] = {"normmax", "sasoftmax", "adaptive", "lssar", "softpick", "own sasoftmax",
                                             "own sparsemax"};
    for (size_t i = 0; i < sizeof open_forms / sizeof open_forms[0]; i++)
        if (strncmp(text, open_forms[i], strlen(open_forms[i])) == 0)
            return 1e-13;
    return strstr(text, "renormalize=0") != NULL ? 1e-13 : 0;
}

static void norms_match(const norm_normalizer *n, struct support_random *random)
{
    size_t cols;
    double z[longest], j[longest * longest], norm[4];
    uint8_t visible[longest];
    draw(random, &cols, z, visible);
    const norm_rows rows = one_row(cols, visible);
    const norm_jacobian_norms to = {sizeof to, 0, &norm[0], &norm[1], &norm[2], &norm[3]};
    ck_assert_int_eq(norm_jacobian_f64(n, &rows, z, NULL, j, NULL, NULL), LIBNORM_OK);
    ck_assert_int_eq(norm_jacobian_norms_f64(n, &rows, z, &to, NULL, NULL), LIBNORM_OK);
    const double spectral = largest_singular(j, cols), unit = largest_entry(j, cols * cols);
    double squares = 0;
    for (size_t i = 0; unit > 0 && i < cols * cols; i++)
        squares += j[i] / unit * (j[i] / unit);
    close_to("2-norm", norm[0], spectral, fmax(1e-10 * spectral, rounding()));
    close_to("Frobenius norm", norm[1], unit * sqrt(squares), fmax(1e-12 * unit * sqrt(squares), rounding()));
    ck_assert_msg(norm[0] <= norm[1] * (1 + 1e-12) + rounding(), "%s: 2-norm %.17g above the Frobenius norm %.17g",
                  text, norm[0], norm[1]);
}

START_TEST(norms_against_an_eigenvalue_solver)
{
    seed = support_seed(42);
    for (size_t s = 0; s < specs_count(); s++) {
        norm_normalizer *n = specs_get(s, text);
        struct support_random random = {seed + s};
        for (int t = 0; t < trials; t++)
            norms_match(n, &random);
        norm_normalizer_free(n);
    }
    for (size_t p = 0; p < own_pairs_count; p++) {
        norm_normalizer *n = own_pair_make(&own_pairs[p]);
        struct support_random random = {seed + p};
        strcpy(text, "own ");
        strcat(text, own_pairs[p].spec);
        for (int t = 0; t < trials; t++)
            norms_match(n, &random);
        norm_normalizer_free(n);
    }
}
END_TEST

START_TEST(bounds_hold_on_random_rows)
{
    seed = support_seed(43);
    for (size_t s = 0; s < specs_count(); s++) {
        norm_normalizer *n = specs_get(s, text);
        struct support_random random = {seed + s};
        for (int t = 0; t < bound_trials; t++) {
            size_t cols;
            double z[longest], norm[3];
            uint8_t visible[longest];
            draw(&random, &cols, z, visible);
            const norm_rows rows = one_row(cols, visible);
            const norm_jacobian_norms to = {sizeof to, 0, &norm[0], NULL, &norm[1], &norm[2]};
            ck_assert_int_eq(norm_jacobian_norms_f64(n, &rows, z, &to, NULL, NULL), LIBNORM_OK);
            ck_assert_msg(norm[0] <= norm[1] * (1 + 1e-12) && norm[1] <= norm[2],
                          "%s: 2-norm %.17g, bound %.17g, constant %.17g (TEST_SEED=%llu)", text, norm[0], norm[1],
                          norm[2], (unsigned long long)seed);
        }
        norm_normalizer_free(n);
    }
}
END_TEST

/* The constants as they are published, for a row of eight. */
START_TEST(constants_are_those_of_the_theory)
{
    static const struct {
        const char *spec;
        double constant;
    } known[] = {
        {"softmax", 0.5}, {"softmax:temperature=0.25", 2}, {"softmax1", 0.5}, {"topk:k=3", 0.5}, {"sparsemax", 1},
        {"sparsemax:temperature=4", 0.25}, {"entmax:alpha=1.25", 1}, {"entmax:alpha=2.5", INFINITY},
        {"ssmax:s=-2,b=1", 1.579441541679836}, {"sigmoid:temperature=2", 0.125}, {"relu", 0.125},
        {"lssa:scale=3", 3.119162312519754}, {"sasoftmax", INFINITY}, {"softpick", INFINITY}, {"softplus", 0.5},
        {"asentmax:alpha=1.5,delta=0,beta=1,gamma=1", 2.0794415416798357}, {"elu1", 0.5}, {"square1", 0.5},
    };
    const double z[8] = {1, 2, 3, 0.5, 0, -1, 1, 2};
    const norm_rows rows = {.struct_size = sizeof rows, .batch = 1, .rows = 1, .cols = 8};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        norm_normalizer *n = NULL;
        double got[2];
        const norm_jacobian_norms to = {sizeof to, 0, NULL, NULL, &got[1], &got[0]};
        ck_assert_int_eq(norm_normalizer_parse(known[i].spec, strlen(known[i].spec), NULL, &n, NULL), LIBNORM_OK);
        ck_assert_int_eq(norm_jacobian_norms_f64(n, &rows, z, &to, NULL, NULL), LIBNORM_OK);
        ck_assert_msg(got[0] == known[i].constant || fabs(got[0] - known[i].constant) < 1e-14,
                      "%s: %.17g, expected %.17g", known[i].spec, got[0], known[i].constant);
        if (strcmp(known[i].spec, "sasoftmax") == 0)
            ck_assert(got[1] == 2.5); /* 1 + max |z| / 2 */
        norm_normalizer_free(n);
    }
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("jacobian");
    TCase *tests = tcase_create("jacobian");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, lines_are_vjps_and_columns_are_jvps);
    tcase_add_test(tests, norms_against_an_eigenvalue_solver);
    tcase_add_test(tests, bounds_hold_on_random_rows);
    tcase_add_test(tests, constants_are_those_of_the_theory);
    suite_add_tcase(suite, tests);
    return suite;
}
