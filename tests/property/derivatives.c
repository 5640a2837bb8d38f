/* SPDX-License-Identifier: MIT */
/* Derivatives of every normalizer against central differences in double, and against each other. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "property/specs.h"
#include "support/support.h"

enum { trials = 40, longest = 24 };

struct row {
    const norm_normalizer *normalizer;
    norm_rows rows;
    size_t n;
    double z[longest], g[longest], h[longest];
};

static char text[128];
static uint64_t seed;

static void draw(struct row *r, struct support_random *random, const norm_normalizer *normalizer)
{
    *r = (struct row){.normalizer = normalizer, .n = 1 + support_below(random, longest)};
    r->rows = (norm_rows){.struct_size = sizeof r->rows, .batch = 1, .rows = 1, .cols = r->n};
    const double spread = support_uniform(random, 0.3, 3);
    for (size_t i = 0; i < r->n; i++) {
        r->z[i] = spread * support_normal(random);
        r->g[i] = support_normal(random);
        r->h[i] = support_normal(random);
    }
}

typedef norm_status function(const norm_normalizer *, const norm_rows *, const double *, double *, norm_row_outputs *,
                             const norm_exec *, norm_error *);

/* <g, p(z + step h)> */
static double value(const struct row *r, function *f, double step)
{
    double z[longest], w[longest], sum = 0;
    for (size_t i = 0; i < r->n; i++)
        z[i] = r->z[i] + step * r->h[i];
    ck_assert_int_eq(f(r->normalizer, &r->rows, z, w, NULL, NULL, NULL), LIBNORM_OK);
    for (size_t i = 0; i < r->n; i++)
        sum += r->g[i] != 0 ? r->g[i] * w[i] : 0;
    return sum;
}

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Slope of f at 0 from central differences with two steps, their leading error taken out; NaN where they disagree: a
 * kink lies between, or near. */
static double slope(double wide_up, double wide_down, double up, double down, double step)
{
    const double a = (wide_up - wide_down) / (4 * step), b = (up - down) / (2 * step);
    return fabs(a - b) <= 1e-7 * fmax(1, fabs(b)) ? (4 * b - a) / 3 : (double)NAN;
}

static double along(const struct row *r, function *f)
{
    const double step = 1e-5;
    return slope(value(r, f, 2 * step), value(r, f, -2 * step), value(r, f, step), value(r, f, -step), step);
}

/* Runs check for every normalizer that can do the operation; check returns 0 where a kink forbids the comparison. */
static void for_all(int32_t operation, int (*check)(const struct row *r))
{
    seed = support_seed(20240607);
    for (size_t s = 0; s < specs_count(); s++) {
        norm_normalizer *normalizer = specs_get(s, text);
        struct support_random random = {seed + s};
        int compared = 0;
        for (int i = 0; norm_normalizer_supports(normalizer, operation) && i < trials; i++) {
            struct row r;
            draw(&r, &random, normalizer);
            compared += check(&r);
        }
        if (norm_normalizer_supports(normalizer, operation))
            ck_assert_msg(compared >= trials / 2, "%s: only %d of %d rows could be compared", text, compared, trials);
        norm_normalizer_free(normalizer);
    }
}

static void close_to(const char *what, double got, double wanted, double tolerance)
{
    ck_assert_msg(fabs(got - wanted) <= tolerance * fmax(1, fabs(wanted)),
                  "%s, %s: %.12g, expected %.12g (TEST_SEED=%llu)", text, what, got, wanted, (unsigned long long)seed);
}

static int vjp_matches(const struct row *r)
{
    double d[longest], again[longest], w[longest];
    const double wanted = along(r, norm_apply_f64);
    if (isnan(wanted))
        return 0;
    ck_assert_int_eq(norm_vjp_f64(r->normalizer, &r->rows, r->z, NULL, r->g, d, NULL, NULL), LIBNORM_OK);
    close_to("VJP", dot(d, r->h, r->n), wanted, 1e-7);
    ck_assert_int_eq(norm_apply_f64(r->normalizer, &r->rows, r->z, w, NULL, NULL, NULL), LIBNORM_OK);
    ck_assert_int_eq(norm_vjp_f64(r->normalizer, &r->rows, r->z, w, r->g, again, NULL, NULL), LIBNORM_OK);
    for (size_t i = 0; i < r->n; i++)
        close_to("VJP with saved weights", again[i], d[i], 1e-12);
    return 1;
}

START_TEST(vjp_against_central_differences)
{
    for_all(LIBNORM_OPERATION_VJP, vjp_matches);
}
END_TEST

static int log_vjp_matches(const struct row *given)
{
    struct row r = *given;
    double d[longest], w[longest];
    ck_assert_int_eq(norm_apply_f64(r.normalizer, &r.rows, r.z, w, NULL, NULL, NULL), LIBNORM_OK);
    for (size_t i = 0; i < r.n; i++)
        if (!(w[i] > 1e-4)) /* its logarithm is steep, or -inf */
            r.g[i] = 0;
    const double wanted = along(&r, norm_log_apply_f64);
    if (isnan(wanted))
        return 0;
    ck_assert_int_eq(norm_log_vjp_f64(r.normalizer, &r.rows, r.z, NULL, r.g, d, NULL, NULL), LIBNORM_OK);
    close_to("VJP of the log form", dot(d, r.h, r.n), wanted, 1e-6);
    return 1;
}

START_TEST(log_vjp_against_central_differences)
{
    for_all(LIBNORM_OPERATION_LOG_VJP, log_vjp_matches);
}
END_TEST

static int jvp_matches(const struct row *r)
{
    double d[longest], u[longest], absolute = 0;
    ck_assert_int_eq(norm_vjp_f64(r->normalizer, &r->rows, r->z, NULL, r->g, d, NULL, NULL), LIBNORM_OK);
    ck_assert_int_eq(norm_jvp_f64(r->normalizer, &r->rows, r->z, NULL, r->h, u, NULL, NULL), LIBNORM_OK);
    for (size_t i = 0; i < r->n; i++)
        absolute += fabs(r->g[i] * u[i]) + fabs(d[i] * r->h[i]);
    close_to("<g, J h> against <J^T g, h>", dot(r->g, u, r->n), dot(d, r->h, r->n), 1e-13 * fmax(1, absolute));
    return 1;
}

START_TEST(jvp_against_vjp)
{
    for_all(LIBNORM_OPERATION_JVP, jvp_matches);
}
END_TEST

/* <h, J(z + step v)^T g> with a third direction v, taken from g turned round. */
static double second(const struct row *r, const double *v, double step)
{
    double z[longest], d[longest];
    for (size_t i = 0; i < r->n; i++)
        z[i] = r->z[i] + step * v[i];
    ck_assert_int_eq(norm_vjp_f64(r->normalizer, &r->rows, z, NULL, r->g, d, NULL, NULL), LIBNORM_OK);
    return dot(d, r->h, r->n);
}

static int hvp_matches(const struct row *r)
{
    double v[longest], dz[longest], dg[longest], only[longest], u[longest];
    for (size_t i = 0; i < r->n; i++)
        v[i] = r->g[r->n - 1 - i];
    const double step = 1e-5;
    const double wanted =
        slope(second(r, v, 2 * step), second(r, v, -2 * step), second(r, v, step), second(r, v, -step), step);
    if (isnan(wanted))
        return 0;
    ck_assert_int_eq(norm_hvp_f64(r->normalizer, &r->rows, r->z, r->g, r->h, dz, dg, NULL, NULL), LIBNORM_OK);
    close_to("second derivative", dot(dz, v, r->n), wanted, 1e-7);
    if (norm_normalizer_supports(r->normalizer, LIBNORM_OPERATION_JVP)) {
        ck_assert_int_eq(norm_jvp_f64(r->normalizer, &r->rows, r->z, NULL, r->h, u, NULL, NULL), LIBNORM_OK);
        for (size_t i = 0; i < r->n; i++)
            close_to("gradient in g against JVP", dg[i], u[i], 1e-13);
    }
    ck_assert_int_eq(norm_hvp_f64(r->normalizer, &r->rows, r->z, r->g, r->h, only, NULL, NULL, NULL), LIBNORM_OK);
    ck_assert_mem_eq(only, dz, r->n * sizeof *dz);
    ck_assert_int_eq(norm_hvp_f64(r->normalizer, &r->rows, r->z, r->g, r->h, NULL, only, NULL, NULL), LIBNORM_OK);
    ck_assert_mem_eq(only, dg, r->n * sizeof *dg);
    return 1;
}

START_TEST(hvp_against_central_differences_of_the_vjp)
{
    for_all(LIBNORM_OPERATION_HVP, hvp_matches);
}
END_TEST

/* <g, p> with one key moved; NaN where the range forbids it. */
static double with_key(const struct row *r, const char *key, double at)
{
    norm_normalizer *changed = NULL;
    if (norm_normalizer_with(r->normalizer, key, at, &changed, NULL) != LIBNORM_OK)
        return (double)NAN;
    struct row moved = *r;
    moved.normalizer = changed;
    const double result = value(&moved, norm_apply_f64, 0);
    norm_normalizer_free(changed);
    return result;
}

static int params_match(const struct row *r)
{
    static const char *const keys[] = {"temperature", "alpha", "gamma", "s", "b", "delta", "beta", "bias", "power",
                                       "decay", "scale", "p", "offset", "epsilon"};
    const double step = 1e-5;
    int compared = 0;
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        double at, got = 77;
        if (norm_normalizer_get(r->normalizer, keys[k], &at) != LIBNORM_OK)
            continue;
        const double wanted =
            slope(with_key(r, keys[k], at + 2 * step), with_key(r, keys[k], at - 2 * step),
                  with_key(r, keys[k], at + step), with_key(r, keys[k], at - step), step);
        const norm_status status =
            norm_param_vjp_f64(r->normalizer, &r->rows, r->z, NULL, r->g, keys[k], &got, NULL, NULL);
        ck_assert_msg(status == LIBNORM_OK || status == LIBNORM_E_UNSUPPORTED, "%s, %s: %d", text, keys[k], status);
        if (status != LIBNORM_OK || isnan(wanted))
            continue;
        close_to(keys[k], got, wanted, 1e-6);
        compared = 1;
    }
    return compared;
}

START_TEST(gradients_in_keys_against_central_differences)
{
    for_all(LIBNORM_OPERATION_PARAM_VJP, params_match);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("derivatives");
    TCase *tests = tcase_create("derivatives");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, vjp_against_central_differences);
    tcase_add_test(tests, log_vjp_against_central_differences);
    tcase_add_test(tests, jvp_against_vjp);
    tcase_add_test(tests, hvp_against_central_differences_of_the_vjp);
    tcase_add_test(tests, gradients_in_keys_against_central_differences);
    suite_add_tcase(suite, tests);
    return suite;
}
