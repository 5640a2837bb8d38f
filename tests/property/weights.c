/* SPDX-License-Identifier: MIT */
/* What must hold for the weights of every normalizer, by the properties it claims. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "property/specs.h"
#include "support/support.h"

enum { trials = 60, longest = 40 };

struct row {
    const norm_normalizer *normalizer;
    uint64_t properties;
    size_t n;
    double z[longest], w[longest];
};

static char text[128];
static uint64_t seed;

static norm_rows one_row(size_t n)
{
    return (norm_rows){.struct_size = sizeof(norm_rows), .batch = 1, .rows = 1, .cols = n};
}

static void apply(const struct row *r, const double *z, size_t n, double *w)
{
    const norm_rows rows = one_row(n);
    ck_assert_int_eq(norm_apply_f64(r->normalizer, &rows, z, w, NULL, NULL, NULL), LIBNORM_OK);
}

static void close_to(const char *what, double got, double wanted, double tolerance)
{
    ck_assert_msg(fabs(got - wanted) <= tolerance * fmax(1, fabs(wanted)),
                  "%s, %s: %.17g, expected %.17g (TEST_SEED=%llu)", text, what, got, wanted, (unsigned long long)seed);
}

static void for_all(void (*check)(const struct row *r, struct support_random *random))
{
    seed = support_seed(20240608);
    for (size_t s = 0; s < specs_count(); s++) {
        norm_normalizer *normalizer = specs_get(s, text);
        struct support_random random = {seed + s};
        for (int i = 0; i < trials; i++) {
            struct row r = {.normalizer = normalizer, .n = 1 + support_below(&random, longest)};
            r.properties = norm_normalizer_properties(normalizer);
            const double spread = i % 4 == 0 ? 100 : support_uniform(&random, 0.3, 3);
            for (size_t k = 0; k < r.n; k++)
                r.z[k] = spread * support_normal(&random);
            if (i % 5 == 0 && r.n > 1)
                r.z[r.n - 1] = r.z[0]; /* a tie */
            apply(&r, r.z, r.n, r.w);
            check(&r, &random);
        }
        norm_normalizer_free(normalizer);
    }
}

static void on_the_simplex(const struct row *r, struct support_random *random)
{
    (void)random;
    double sum = 0;
    for (size_t i = 0; i < r->n; i++) {
        if (r->properties & LIBNORM_PROPERTY_SIMPLEX)
            ck_assert_msg(r->w[i] >= 0 && r->w[i] <= 1 + 1e-15, "%s: %g", text, r->w[i]);
        ck_assert_msg(r->w[i] == 0 || fabs(r->w[i]) >= DBL_MIN, "%s: subnormal %g", text, r->w[i]);
        sum += r->w[i];
    }
    if (r->properties & LIBNORM_PROPERTY_SIMPLEX)
        close_to("sum of the weights", sum, 1, 1e-14);
}

START_TEST(weights_lie_on_the_simplex_where_that_is_claimed_and_are_never_subnormal)
{
    for_all(on_the_simplex);
}
END_TEST

static void shifted(const struct row *r, struct support_random *random)
{
    double z[longest], w[longest];
    if (!(r->properties & LIBNORM_PROPERTY_SHIFT_INVARIANT))
        return;
    const double shift = support_uniform(random, -50, 50);
    for (size_t i = 0; i < r->n; i++)
        z[i] = r->z[i] + shift;
    apply(r, z, r->n, w);
    for (size_t i = 0; i < r->n; i++)
        close_to("weight after a shift", w[i], r->w[i], 1e-11);
}

START_TEST(a_shift_changes_nothing_where_that_is_claimed)
{
    for_all(shifted);
}
END_TEST

static void permuted(const struct row *r, struct support_random *random)
{
    double z[longest], w[longest];
    size_t place[longest];
    for (size_t i = 0; i < r->n; i++)
        place[i] = i;
    for (size_t i = r->n; i > 1; i--) {
        const size_t j = support_below(random, i), t = place[i - 1];
        place[i - 1] = place[j];
        place[j] = t;
    }
    for (size_t i = 0; i < r->n; i++)
        z[place[i]] = r->z[i];
    apply(r, z, r->n, w);
    for (size_t i = 0; i < r->n; i++) {
        const int tie = r->n > 1 && r->z[i] == r->z[0] && r->z[r->n - 1] == r->z[0];
        if (!tie) /* topk keeps the lower index */
            close_to("weight after a permutation", w[place[i]], r->w[i], 1e-13);
    }
}

START_TEST(a_permutation_permutes_the_weights)
{
    for_all(permuted);
}
END_TEST

static void masked(const struct row *r, struct support_random *random)
{
    double z[2 * longest] = {0}, w[2 * longest];
    uint8_t visible[2 * longest] = {0};
    size_t cols = 0, k = 0;
    while (k < r->n && cols < 2 * longest) {
        visible[cols] = support_below(random, 2) || cols + r->n - k >= 2 * longest;
        z[cols] = visible[cols] ? r->z[k++] : (double)NAN;
        cols++;
    }
    norm_rows rows = one_row(cols);
    rows.visible = visible;
    rows.visible_stride[2] = 1;
    ck_assert_int_eq(norm_apply_f64(r->normalizer, &rows, z, w, NULL, NULL, NULL), LIBNORM_OK);
    for (size_t j = 0, i = 0; j < cols; j++) {
        if (visible[j])
            ck_assert_msg(w[j] == r->w[i++], "%s: %g", text, w[j]);
        else
            ck_assert_msg(w[j] == 0, "%s: hidden entry %g", text, w[j]);
    }
}

START_TEST(masked_rows_are_the_rows_with_entries_removed)
{
    for_all(masked);
}
END_TEST

static void in_float(const struct row *r, struct support_random *random)
{
    (void)random;
    float z[longest], wf[longest];
    double rounded[longest], w[longest], largest = 1;
    for (size_t i = 0; i < r->n; i++) {
        z[i] = (float)r->z[i];
        rounded[i] = (double)z[i];
    }
    apply(r, rounded, r->n, w);
    const norm_rows rows = one_row(r->n);
    ck_assert_int_eq(norm_apply_f32(r->normalizer, &rows, z, wf, NULL, NULL, NULL), LIBNORM_OK);
    for (size_t i = 0; i < r->n; i++)
        largest = fmax(largest, fabs(w[i]));
    for (size_t i = 0; i < r->n; i++)
        close_to("float weight", (double)wf[i], w[i], 1e-6 * largest);
}

START_TEST(float_agrees_with_double)
{
    for_all(in_float);
}
END_TEST

static void logarithm(const struct row *r, struct support_random *random)
{
    (void)random;
    double log_w[longest];
    const norm_rows rows = one_row(r->n);
    if (!norm_normalizer_supports(r->normalizer, LIBNORM_OPERATION_LOG_APPLY))
        return;
    ck_assert_int_eq(norm_log_apply_f64(r->normalizer, &rows, r->z, log_w, NULL, NULL, NULL), LIBNORM_OK);
    for (size_t i = 0; i < r->n; i++) {
        if (r->w[i] > 0)
            close_to("log of a weight", log_w[i], log(r->w[i]), 1e-10);
        else if (r->properties & LIBNORM_PROPERTY_SPARSE || strncmp(text, "sasoftmax", 9) == 0) /* its least score */
            ck_assert_msg(log_w[i] <= log(DBL_MIN), "%s: log of weight 0 is %g", text, log_w[i]);
        else
            ck_assert_msg(isfinite(log_w[i]), "%s: log form is not finite where the weight underflowed", text);
    }
}

START_TEST(log_form_is_the_logarithm_and_stays_finite)
{
    for_all(logarithm);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("weights");
    TCase *tests = tcase_create("weights");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, weights_lie_on_the_simplex_where_that_is_claimed_and_are_never_subnormal);
    tcase_add_test(tests, a_shift_changes_nothing_where_that_is_claimed);
    tcase_add_test(tests, a_permutation_permutes_the_weights);
    tcase_add_test(tests, masked_rows_are_the_rows_with_entries_removed);
    tcase_add_test(tests, float_agrees_with_double);
    tcase_add_test(tests, log_form_is_the_logarithm_and_stays_finite);
    suite_add_tcase(suite, tests);
    return suite;
}
