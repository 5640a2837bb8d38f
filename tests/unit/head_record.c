/* SPDX-License-Identifier: MIT */
#include <libnorm/measure.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"

static norm_head_record fresh(void)
{
    norm_head_record record;
    record.struct_size = sizeof record;
    ck_assert_int_eq(norm_head_record_init(&record, 2, 3, 0, NULL), LIBNORM_OK);
    return record;
}

static norm_head_view view_of(const float *weights, const float *scores, const uint64_t *visible, uint64_t rows,
                              uint64_t cols)
{
    return (norm_head_view){.struct_size = sizeof(norm_head_view),
                            .layer = 2,
                            .head = 3,
                            .rows = rows,
                            .cols = cols,
                            .scores = scores,
                            .weights = weights,
                            .score_stride = (int64_t)cols,
                            .weight_stride = (int64_t)cols,
                            .visible = visible};
}

static norm_head_record of_one_row(const float *weights, uint64_t n)
{
    norm_head_record record = fresh();
    const norm_head_view view = view_of(weights, NULL, &n, 1, n);
    ck_assert_int_eq(norm_head_record_add(&record, &view, NULL), LIBNORM_OK);
    return record;
}

static void assert_near(double got, double want, double tolerance)
{
    ck_assert_msg(fabs(got - want) <= tolerance * fabs(want), "%.17g, expected %.17g", got, want);
}

static norm_error last_error(void)
{
    norm_error error = {sizeof error, 0, 0, ""};
    return error;
}

START_TEST(a_row_worked_out_by_hand)
{
    /* p = (1/2, 1/8, 1/4, 1/8), seen from column 3; the fifth column is hidden. */
    const float weights[] = {0.5f, 0.125f, 0.25f, 0.125f, 7};
    const float scores[] = {3, -2, NAN, -INFINITY, 99};
    const uint64_t visible = 4;
    norm_head_record r = fresh();
    const norm_head_view view = view_of(weights, scores, &visible, 1, 5);
    ck_assert_int_eq(norm_head_record_add(&r, &view, NULL), LIBNORM_OK);
    ck_assert_double_eq(r.rows, 1);
    ck_assert_double_eq(r.empty_rows + r.nan_rows, 0);
    assert_near(r.entropy, 1.75 * log(2), 1e-12);
    assert_near(r.relative_entropy, 0.875, 1e-12);
    assert_near(r.exp_entropy, exp2(1.75), 1e-12);
    assert_near(r.inverse_square, 32.0 / 11, 1e-15);
    ck_assert_double_eq(r.max_weight, 0.5);
    ck_assert_double_eq(r.first_mass, 0.5);
    ck_assert_double_eq(r.self_mass, 0.125);
    ck_assert_double_eq(r.previous_mass, 0.25);
    ck_assert_double_eq(r.distance, 0.5 * 3 + 0.125 * 2 + 0.25);
    ck_assert_double_eq(r.support, 4);
    ck_assert_double_eq(r.weight_sum, 1);
    ck_assert_double_eq(r.max_score, 3);
    ck_assert_double_eq(r.row_max_score, 3);
    ck_assert_int_eq(r.layer, 2);
    ck_assert_int_eq(r.head, 3);
}
END_TEST

START_TEST(uniform_rows_have_the_entropy_log_n)
{
    float weights[1000];
    for (uint64_t n = 1; n <= 1000; n += n < 40 ? 1 : 37) {
        for (uint64_t i = 0; i < n; i++)
            weights[i] = 1 / (float)n;
        const norm_head_record r = of_one_row(weights, n);
        assert_near(r.entropy, log((double)n), 1e-6);
        assert_near(r.exp_entropy, (double)n, 1e-6 * (1 + log((double)n)));
        assert_near(r.inverse_square, (double)n, 1e-12);
        assert_near(r.distance, (double)(n - 1) / 2, 1e-12);
        ck_assert_double_eq(r.support, (double)n);
        ck_assert_double_eq(r.relative_rows, n >= 2);
        ck_assert_double_eq(r.previous_rows, n >= 2);
        assert_near(r.relative_entropy, n >= 2, 1e-6);
    }
}
END_TEST

START_TEST(one_hot_rows_have_no_entropy_wherever_the_one_is)
{
    for (uint64_t n = 1; n <= 40; n++)
        for (uint64_t k = 0; k < n; k++) {
            float weights[40] = {0};
            weights[k] = 0.75f; /* a normalizer that does not sum to one */
            const norm_head_record r = of_one_row(weights, n);
            ck_assert_double_eq(r.entropy, 0);
            ck_assert_double_eq(r.exp_entropy, 1);
            ck_assert_double_eq(r.inverse_square, 1);
            ck_assert_double_eq(r.max_weight, 1);
            ck_assert_double_eq(r.support, 1);
            ck_assert_double_eq(r.weight_sum, 0.75);
            ck_assert_double_eq(r.first_mass, k == 0);
            ck_assert_double_eq(r.self_mass, k == n - 1);
            ck_assert_double_eq(r.previous_mass, n >= 2 && k == n - 2);
            ck_assert_double_eq(r.distance, (double)(n - 1 - k));
        }
}
END_TEST

/* H of w / sum w in long double, the largest kept apart from the rest as -log1p. */
static double entropy_reference(const float *w, size_t n)
{
    long double rest = 0, h = 0;
    size_t k = 0;
    for (size_t i = 1; i < n; i++)
        k = w[i] > w[k] ? i : k;
    for (size_t i = 0; i < n; i++)
        rest += i == k ? 0 : (long double)w[i];
    const long double s = rest + w[k];
    for (size_t i = 0; i < n; i++)
        if (i != k && w[i] != 0)
            h -= w[i] / s * logl(w[i] / s);
    return (double)(h + w[k] / s * log1pl(rest / w[k]));
}

START_TEST(entropy_is_within_1e_6_for_rows_of_every_kind)
{
    struct support_random random = {support_seed(7)};
    for (int i = 0; i < 3000; i++) {
        float w[700];
        const size_t n = 1 + support_below(&random, 700);
        const double sharpness = exp(support_uniform(&random, -2, 4)); /* from flat to one that is nearly everything */
        const double size = exp(support_uniform(&random, -40, 40));    /* sums far from one, too */
        double most = 0;
        for (size_t j = 0; j < n; j++) {
            const double x = support_normal(&random) * sharpness;
            most = j == 0 || x > most ? x : most;
            w[j] = (float)x;
        }
        for (size_t j = 0; j < n; j++) {
            const double x = exp(w[j] - most) * (i % 2 ? size : 1);
            w[j] = x < FLT_MIN || support_below(&random, 10) == 0 ? 0 : (float)x;
        }
        w[support_below(&random, n)] = i % 2 ? (float)size : 1;
        assert_near(of_one_row(w, n).entropy, entropy_reference(w, n), 1e-6);
    }
}
END_TEST

START_TEST(rows_without_weight_or_without_numbers_are_counted_and_left_out)
{
    const float weights[] = {0.5f, 0.5f, 9, 0, 0, 9, NAN, 1, 9, INFINITY, 1, 9, -0.5f, 1.5f, 9, 1, 9, 9, 9, 9, 9};
    const float scores[] = {1, 2, 9, 5, 4, 9, NAN, 7, 9, 6, 5, 9, 0, 0, 9, -1, 9, 9, 9, 9, 9};
    const uint64_t visible[] = {2, 2, 2, 2, 2, 1, 0};
    norm_head_record r = fresh();
    const norm_head_view view = view_of(weights, scores, visible, 7, 3);
    ck_assert_int_eq(norm_head_record_add(&r, &view, NULL), LIBNORM_OK);
    ck_assert_double_eq(r.rows, 2);
    ck_assert_double_eq(r.empty_rows, 2);
    ck_assert_double_eq(r.nan_rows, 3);
    ck_assert_double_eq(r.relative_rows, 1);
    ck_assert_double_eq(r.support, 3);
    ck_assert_double_eq(r.weight_sum, 2);
    ck_assert_double_eq(r.max_score, 7);     /* of all rows */
    ck_assert_double_eq(r.row_max_score, 1); /* 2 - 1, of the rows that count */
    assert_near(r.entropy, log(2), 1e-12);
}
END_TEST

START_TEST(without_scores_their_mean_is_not_a_number)
{
    const float weights[] = {1};
    const norm_head_record r = of_one_row(weights, 1);
    ck_assert_double_eq(r.max_score, -INFINITY);
    ck_assert(isnan(r.row_max_score));
}
END_TEST

START_TEST(how_rows_are_cut_into_blocks_does_not_matter_to_the_bit)
{
    enum { ROWS = 61, COLS = 90 };
    static float weights[ROWS * COLS], scores[ROWS * COLS];
    uint64_t visible[ROWS];
    struct support_random random = {support_seed(11)};
    for (size_t r = 0; r < ROWS; r++)
        visible[r] = r + 30;
    for (size_t i = 0; i < ROWS * COLS; i++) {
        scores[i] = (float)support_normal(&random);
        weights[i] = expf(scores[i]);
    }
    norm_head_record whole = fresh();
    const norm_head_view all = view_of(weights, scores, visible, ROWS, COLS);
    ck_assert_int_eq(norm_head_record_add(&whole, &all, NULL), LIBNORM_OK);
    for (size_t block = 1; block <= ROWS; block++) {
        norm_head_record cut = fresh();
        for (size_t at = 0; at < ROWS; at += block) {
            /* Packed anew, as narrow as a pass would make them, and at another alignment. */
            const size_t rows = ROWS - at < block ? ROWS - at : block, cols = visible[at + rows - 1];
            struct support_guard w = support_guard_new(rows * cols * sizeof(float), 4 * (block % 16));
            for (size_t r = 0; r < rows; r++)
                memcpy((float *)w.data + r * cols, weights + (at + r) * COLS, cols * sizeof(float));
            norm_head_view view = view_of(w.data, scores + at * COLS, visible + at, rows, cols);
            view.score_stride = COLS;
            view.first_row = at;
            ck_assert_int_eq(norm_head_record_add(&cut, &view, NULL), LIBNORM_OK);
            ck_assert(support_guard_intact(&w));
            support_guard_free(&w);
        }
        ck_assert_mem_eq(&cut, &whole, sizeof whole);
    }
}
END_TEST

START_TEST(bad_views_and_records_leave_the_record_as_it_was)
{
    const float weights[] = {1, 1};
    const uint64_t visible[] = {1, 3};
    norm_head_record r = fresh(), before = r;
    norm_error error = last_error();
    norm_head_view view = view_of(weights, NULL, visible, 2, 1);
    view.weight_stride = 1;
    ck_assert_int_eq(norm_head_record_add(&r, &view, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_head_view.visible[1] is 3: expected at most cols, 1");
    view.weights = NULL;
    ck_assert_int_eq(norm_head_record_add(&r, &view, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_head_view.weights is NULL with 2 rows");
    ck_assert_int_eq(norm_head_record_add(&r, NULL, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_head_view is NULL");
    ck_assert_int_eq(norm_head_record_add(NULL, &view, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_head_record is NULL");
    ck_assert_mem_eq(&r, &before, sizeof r);
    r.struct_size = 16;
    ck_assert_int_eq(norm_head_record_init(&r, 0, 0, 0, &error), LIBNORM_E_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "norm_head_record.struct_size is 16"));
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("head_record");
    TCase *tests = tcase_create("head_record");
    tcase_add_test(tests, a_row_worked_out_by_hand);
    tcase_add_test(tests, uniform_rows_have_the_entropy_log_n);
    tcase_add_test(tests, one_hot_rows_have_no_entropy_wherever_the_one_is);
    tcase_add_test(tests, entropy_is_within_1e_6_for_rows_of_every_kind);
    tcase_add_test(tests, rows_without_weight_or_without_numbers_are_counted_and_left_out);
    tcase_add_test(tests, without_scores_their_mean_is_not_a_number);
    tcase_add_test(tests, how_rows_are_cut_into_blocks_does_not_matter_to_the_bit);
    tcase_add_test(tests, bad_views_and_records_leave_the_record_as_it_was);
    suite_add_tcase(suite, tests);
    return suite;
}
