/* SPDX-License-Identifier: MIT */
/* Faults of thresholds, alpha and length that users of other libraries reported, as values. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <libnorm/norm.h>

#include "support/one_row.h"
#include "support/support.h"

static const char *const sparse[] = {"sparsemax", "entmax:alpha=1.25", "entmax", "entmax:alpha=2", "entmax:alpha=3",
                                     "normmax", "asentmax"};
#define COUNT(a) (sizeof(a) / sizeof(a)[0])

START_TEST(the_threshold_comes_from_the_last_prefix_sum)
{
    static const struct {
        size_t n;
        double z[5], w[5], tau;
    } rows[] = {
        {3, {0, .5, 1}, {0, .25, .75}, .25},
        {5, {.1, .2, .3, .4, .5}, {0, .1, .2, .3, .4}, .1},
        {3, {.175, 0, -2}, {.5875, .4125, 0}, -.4125},
    };
    norm_normalizer *n = one_row_parse("sparsemax");
    for (size_t i = 0; i < COUNT(rows); i++) {
        const norm_rows row = one_row_of(rows[i].n);
        double tau, w[5];
        norm_row_outputs outputs = {.struct_size = sizeof outputs, .threshold = &tau};
        ck_weights("sparsemax", rows[i].n, rows[i].z, NULL, rows[i].w, 1e-15);
        ck_assert_int_eq(norm_apply_f64(n, &row, rows[i].z, w, &outputs, NULL, NULL), LIBNORM_OK);
        ck_assert_double_eq_tol(tau, rows[i].tau, 1e-15);
    }
    norm_normalizer_free(n);
}
END_TEST

START_TEST(large_scores_keep_a_support)
{
    for (size_t s = 0; s < COUNT(sparse); s++) {
        ck_weights(sparse[s], 2, (double[]){1.36762051e8, 1.59594639e8}, NULL, (double[]){0, 1}, 0);
        ck_weights(sparse[s], 2, (double[]){1e30, 1e30 - 1e23}, NULL, (double[]){1, 0}, 0);
    }
}
END_TEST

START_TEST(alpha_at_and_near_one)
{
    static const struct {
        double alpha, w[3];
    } rows[] = {
        {1, {.2119415576, .2119415576, .5761168848}},     {1 + 1e-7, {.2119415, .2119415, .5761170}},
        {1 + 1e-5, {.211940, .211940, .576119}},          {1.1, {.198466, .198466, .603067}},
        {1.5, {.129873, .129873, .740253}},               {2, {0, 0, 1}},
    };
    static const char *const refused[] = {"entmax:alpha=0.999999", "entmax:alpha=-1", "entmax:alpha=nan",
                                          "entmax:alpha=inf", "entmax:alpha=0"};
    char spec[64];
    double gradient;
    for (size_t i = 0; i < COUNT(rows); i++) {
        snprintf(spec, sizeof spec, "entmax:alpha=%.17g", rows[i].alpha);
        ck_weights(spec, 3, (double[]){0, 0, 1}, NULL, rows[i].w, 1e-6);
    }
    for (size_t i = 0; i < COUNT(refused); i++) {
        norm_normalizer *n = NULL;
        ck_assert_int_eq(norm_normalizer_parse(refused[i], strlen(refused[i]), NULL, &n, NULL), LIBNORM_E_SPEC);
        ck_assert(n == NULL);
    }
    norm_normalizer *n = one_row_parse("entmax:alpha=1");
    const norm_rows three = one_row_of(3);
    ck_assert_int_eq(norm_param_vjp_f64(n, &three, (double[]){0, 0, 1}, NULL, (double[]){1, 0, 0}, "alpha", &gradient,
                                        NULL, NULL),
                     LIBNORM_OK);
    ck_assert_double_eq_tol(gradient, -0.128385, 1e-6);
    norm_normalizer_free(n);
}
END_TEST

START_TEST(ties_and_the_edge_of_the_support)
{
    double zero[2] = {0, 0};
    /* tau is exactly 0: the support is where the weight is above 0, so the Jacobian is 0. */
    ck_weights("sparsemax", 2, (double[]){1, 0}, NULL, (double[]){1, 0}, 0);
    ck_vjp("sparsemax", 2, (double[]){1, 0}, NULL, (double[]){3, -1}, zero, 0);
    ck_weights("sparsemax", 3, (double[]){.5, .5, -.5}, NULL, (double[]){.5, .5, 0}, 0);
    for (size_t n = 1; n <= 33; n++) {
        double z[33], w[33], g[33], d[33], mean = 0;
        for (size_t i = 0; i < n; i++) {
            z[i] = 0.3;
            w[i] = 1 / (double)n;
            g[i] = (double)((i * 7) % 11);
            mean += g[i] / (double)n;
        }
        for (size_t i = 0; i < n; i++)
            d[i] = g[i] - mean;
        ck_weights("sparsemax", n, z, NULL, w, 1e-15);
        ck_vjp("sparsemax", n, z, NULL, g, d, 1e-14);
    }
}
END_TEST

/* n of the scaled softmax is what the row sees: with a causal mask, in the middle of packed texts, alone. */
START_TEST(the_length_is_the_number_of_visible_scores)
{
    enum { cols = 6 };
    norm_normalizer *ssmax = one_row_parse("ssmax"), *softmax = one_row_parse("softmax");
    const int64_t begin[cols] = {0, 0, 0, 3, 3, 3};
    norm_rows rows = {.struct_size = sizeof rows, .flags = LIBNORM_ROWS_CAUSAL, .batch = 1, .rows = cols,
                      .cols = cols};
    double z[cols * cols], w[cols * cols], d[cols * cols], g[cols * cols], p[cols], entropy[2];
    rows.begin = begin;
    rows.interval_stride[1] = 1;
    for (int i = 0; i < cols * cols; i++) {
        z[i] = 0.37 * ((i * 5) % 7);
        g[i] = i % 3;
    }
    ck_weights("ssmax", 3, (double[]){0, 1, 2}, NULL,
               (double[]){.19319341646335, .30985211307276, .49695447046389}, 1e-13); /* of 0.43 log(3) z = .472403 z */
    ck_assert_int_eq(norm_apply_f64(ssmax, &rows, z, w, NULL, NULL, NULL), LIBNORM_OK);
    ck_assert_int_eq(norm_vjp_f64(ssmax, &rows, z, NULL, g, d, NULL, NULL), LIBNORM_OK);
    for (int r = 0; r < cols; r++) {
        const int first = r < 3 ? 0 : 3, n = r + 1 - first;
        const norm_rows one = one_row_of((size_t)n);
        double scaled[cols];
        for (int i = 0; i < n; i++)
            scaled[i] = 0.43 * log(n) * z[r * cols + first + i];
        ck_assert_int_eq(norm_apply_f64(softmax, &one, scaled, p, NULL, NULL, NULL), LIBNORM_OK);
        for (int c = 0; c < cols; c++)
            ck_assert(one_row_near(w[r * cols + c], c >= first && c <= r ? p[c - first] : 0, 1e-14));
        if (n == 1)
            ck_assert(w[r * cols + r] == 1 && d[r * cols + r] == 0);
    }
    /* A larger s is sharper. */
    for (int k = 0; k < 2; k++) {
        norm_normalizer *n = one_row_parse(k == 0 ? "ssmax:s=0.2" : "ssmax:s=0.8");
        const norm_rows six = one_row_of(cols);
        norm_row_outputs outputs = {.struct_size = sizeof outputs, .entropy = &entropy[k]};
        ck_assert_int_eq(norm_apply_f64(n, &six, z, w, &outputs, NULL, NULL), LIBNORM_OK);
        norm_normalizer_free(n);
    }
    ck_assert_double_lt(entropy[1], entropy[0]);
    norm_normalizer_free(ssmax);
    norm_normalizer_free(softmax);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("known_faults_sparse");
    TCase *tests = tcase_create("known faults");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, the_threshold_comes_from_the_last_prefix_sum);
    tcase_add_test(tests, large_scores_keep_a_support);
    tcase_add_test(tests, alpha_at_and_near_one);
    tcase_add_test(tests, ties_and_the_edge_of_the_support);
    tcase_add_test(tests, the_length_is_the_number_of_visible_scores);
    suite_add_tcase(suite, tests);
    return suite;
}
