/* SPDX-License-Identifier: MIT */
/* entmax in alpha: no jump at the closed forms of 1, 1.5 and 2, in weights, VJP and gradient in alpha. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <libnorm/norm.h>

#include "support/support.h"

enum { longest = 40, trials = 60 };

struct row {
    size_t n;
    double z[longest], g[longest];
};

struct told {
    double w[longest], d[longest], alpha_gradient;
    float narrow[longest];
};

static void tell(const char *name, double alpha, const struct row *r, struct told *ret)
{
    char spec[64];
    norm_normalizer *n = NULL;
    float z[longest];
    const norm_rows rows = {.struct_size = sizeof rows, .batch = 1, .rows = 1, .cols = r->n};
    snprintf(spec, sizeof spec, "%s:alpha=%.17g", name, alpha);
    ck_assert_int_eq(norm_normalizer_parse(spec, strlen(spec), NULL, &n, NULL), LIBNORM_OK);
    for (size_t i = 0; i < r->n; i++)
        z[i] = (float)r->z[i];
    ck_assert_int_eq(norm_apply_f32(n, &rows, z, ret->narrow, NULL, NULL, NULL), LIBNORM_OK);
    ck_assert_int_eq(norm_apply_f64(n, &rows, r->z, ret->w, NULL, NULL, NULL), LIBNORM_OK);
    ck_assert_int_eq(norm_vjp_f64(n, &rows, r->z, NULL, r->g, ret->d, NULL, NULL), LIBNORM_OK);
    ck_assert_int_eq(norm_param_vjp_f64(n, &rows, r->z, NULL, r->g, "alpha", &ret->alpha_gradient, NULL, NULL),
                     LIBNORM_OK);
    norm_normalizer_free(n);
}

static int same_support(const struct told *a, const struct told *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((a->w[i] == 0) != (b->w[i] == 0) || (a->w[i] > 0 && a->w[i] < 1e-3))
            return 0;
    return 1;
}

/* Weights move with alpha by at most about 1 for each unit, and so the rest where the support stays. */
static void check_near(const char *name, double at, double step, const struct row *r, int *compared)
{
    struct told here, there;
    tell(name, at, r, &here);
    tell(name, at + step, r, &there);
    const double slack = 20 * fabs(step) + 1e-13;
    for (size_t i = 0; i < r->n; i++) {
        ck_assert_msg(fabs(here.w[i] - there.w[i]) <= slack, "%s at %g + %g: weight %.17g becomes %.17g", name, at,
                      step, here.w[i], there.w[i]);
        ck_assert(fabsf(here.narrow[i] - there.narrow[i]) <= (float)slack + 1e-6f);
    }
    if (!same_support(&here, &there, r->n))
        return;
    *compared += 1;
    for (size_t i = 0; i < r->n; i++)
        ck_assert_msg(fabs(here.d[i] - there.d[i]) <= 1e3 * slack, "%s at %g + %g: gradient %.17g becomes %.17g", name,
                      at, step, here.d[i], there.d[i]);
    ck_assert_msg(fabs(here.alpha_gradient - there.alpha_gradient) <= 1e4 * slack,
                  "%s at %g + %g: gradient in alpha %.17g becomes %.17g", name, at, step, here.alpha_gradient,
                  there.alpha_gradient);
}

START_TEST(no_jump_at_the_closed_forms)
{
    static const double points[] = {1, 1.5, 2}, steps[] = {1e-15, 1e-12, 1e-9, 1e-7, 1e-6};
    static const char *const names[] = {"entmax", "asentmax"};
    const uint64_t seed = support_seed(20250206);
    struct support_random random = {seed};
    int compared = 0;
    for (int t = 0; t < trials; t++) {
        struct row r = {.n = 1 + support_below(&random, longest)};
        const double spread = support_uniform(&random, 0.1, 2);
        for (size_t i = 0; i < r.n; i++) {
            r.z[i] = spread * support_normal(&random);
            r.g[i] = support_normal(&random);
        }
        for (int p = 0; p < 3; p++)
            for (int s = 0; s < 5; s++)
                for (int k = 0; k < 2; k++) {
                    check_near(names[k], points[p], steps[s], &r, &compared);
                    if (points[p] > 1)
                        check_near(names[k], points[p], -steps[s], &r, &compared);
                }
    }
    ck_assert_msg(compared > 300, "only %d gradients compared (TEST_SEED=%llu)", compared, (unsigned long long)seed);
}
END_TEST

/* The closed forms themselves: softmax at 1, sparsemax at 2. */
START_TEST(the_ends_are_softmax_and_sparsemax)
{
    static const struct {
        double alpha;
        const char *name;
    } ends[] = {{1, "softmax"}, {2, "sparsemax"}};
    struct support_random random = {support_seed(20250207)};
    for (int t = 0; t < trials; t++) {
        struct row r = {.n = 1 + support_below(&random, longest)};
        const norm_rows rows = {.struct_size = sizeof rows, .batch = 1, .rows = 1, .cols = r.n};
        struct told told;
        double w[longest], d[longest];
        for (size_t i = 0; i < r.n; i++) {
            r.z[i] = support_normal(&random);
            r.g[i] = support_normal(&random);
        }
        for (int e = 0; e < 2; e++) {
            norm_normalizer *n = NULL;
            ck_assert_int_eq(norm_normalizer_parse(ends[e].name, strlen(ends[e].name), NULL, &n, NULL), LIBNORM_OK);
            tell("entmax", ends[e].alpha, &r, &told);
            ck_assert_int_eq(norm_apply_f64(n, &rows, r.z, w, NULL, NULL, NULL), LIBNORM_OK);
            ck_assert_int_eq(norm_vjp_f64(n, &rows, r.z, w, r.g, d, NULL, NULL), LIBNORM_OK);
            for (size_t i = 0; i < r.n; i++) {
                ck_assert_double_eq_tol(told.w[i], w[i], 1e-15);
                ck_assert_double_eq_tol(told.d[i], d[i], 1e-14);
            }
            norm_normalizer_free(n);
        }
    }
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("alpha");
    TCase *tests = tcase_create("alpha");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, no_jump_at_the_closed_forms);
    tcase_add_test(tests, the_ends_are_softmax_and_sparsemax);
    suite_add_tcase(suite, tests);
    return suite;
}
