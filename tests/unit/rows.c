/* SPDX-License-Identifier: MIT */
/* The rules of rows, with values, on both ways through the engine and in both widths. */
#include <libnorm/norm.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "support/support.h"

#define INF ((double)INFINITY)
#define NA ((double)NAN)

static norm_normalizer *softmax;

static void setup(void)
{
    ck_assert_int_eq(norm_normalizer_parse("softmax", 7, NULL, &softmax, NULL), LIBNORM_OK);
}

static void teardown(void)
{
    norm_normalizer_free(softmax);
}

/* _i: 0 f32 best, 1 f32 general, 2 f64 best, 3 f64 general. */
enum { ways = 4, most = 16 };

static norm_exec exec_of(int way)
{
    return (norm_exec){.struct_size = sizeof(norm_exec), .cpu_level = way % 2 ? LIBNORM_CPU_SCALAR : 0};
}

/* One row through any way; operation: 'a'pply, 'l'og, 'v'jp, 'V' log vjp. The results as doubles. */
static void run(int way, char operation, norm_rows rows, const double *z, const double *g, double *ret,
                norm_row_outputs *outputs)
{
    norm_exec exec = exec_of(way);
    norm_error error = {sizeof error, 0, 0, ""};
    const size_t n = (size_t)(rows.batch * rows.rows * rows.cols);
    float zf[most], gf[most], rf[most];
    ck_assert_uint_le(n, most);
    rows.struct_size = sizeof rows;
    for (size_t i = 0; i < n; i++) {
        zf[i] = (float)z[i];
        gf[i] = g != NULL ? (float)g[i] : 0;
        rf[i] = 77;
        ret[i] = 77;
    }
    norm_status status;
    if (way < 2)
        status = operation == 'a'   ? norm_apply_f32(softmax, &rows, zf, rf, outputs, &exec, &error)
                 : operation == 'l' ? norm_log_apply_f32(softmax, &rows, zf, rf, outputs, &exec, &error)
                 : operation == 'v' ? norm_vjp_f32(softmax, &rows, zf, NULL, gf, rf, &exec, &error)
                                    : norm_log_vjp_f32(softmax, &rows, zf, NULL, gf, rf, &exec, &error);
    else
        status = operation == 'a'   ? norm_apply_f64(softmax, &rows, z, ret, outputs, &exec, &error)
                 : operation == 'l' ? norm_log_apply_f64(softmax, &rows, z, ret, outputs, &exec, &error)
                 : operation == 'v' ? norm_vjp_f64(softmax, &rows, z, NULL, g, ret, &exec, &error)
                                    : norm_log_vjp_f64(softmax, &rows, z, NULL, g, ret, &exec, &error);
    ck_assert_msg(status == LIBNORM_OK, "%s", error.text);
    for (size_t i = 0; way < 2 && i < n; i++)
        ret[i] = (double)rf[i];
}

static void expect(int way, const double *got, const double *wanted, size_t n)
{
    const double tolerance = way < 2 ? 1e-6 : 2e-12;
    for (size_t i = 0; i < n; i++) {
        const int same = isnan(wanted[i]) ? isnan(got[i]) != 0
                         : wanted[i] == 0 || isinf(wanted[i])
                             ? got[i] == wanted[i]
                             : fabs(got[i] - wanted[i]) <= tolerance * fmax(1, fabs(wanted[i]));
        ck_assert_msg(same, "way %d, entry %zu: %.17g, expected %.17g", way, i, got[i], wanted[i]);
    }
}

#define ROW(n) ((norm_rows){.batch = 1, .rows = 1, .cols = (n)})

START_TEST(golden_values_of_softmax)
{
    const double z[4] = {1, 2, 3, 0.5}, g[4] = {0.3, -0.2, 0.5, 0.1};
    const double w[4] = {.085368893510, .232056711943, .630795543247, .051778851299};
    const double d[4] = {.000019209502, -.115976139131, .126301048737, -.010344119108};
    const double w_half[4] = {.015784052550, .116629249761, .861780069258, .005806628432};
    const double d_half[4] = {-.003563409701, -.142959483948, .150156450192, -.003633556542};
    double got[4];
    run(_i, 'a', ROW(4), z, NULL, got, NULL);
    expect(_i, got, w, 4);
    run(_i, 'v', ROW(4), z, g, got, NULL);
    expect(_i, got, d, 4);
    double logs[4], total = 0.7;
    for (int i = 0; i < 4; i++)
        logs[i] = log(w[i]);
    run(_i, 'l', ROW(4), z, NULL, got, NULL);
    for (int i = 0; i < 4; i++)
        ck_assert(fabs(got[i] - logs[i]) < 1e-6);
    run(_i, 'V', ROW(4), z, g, got, NULL);
    for (int i = 0; i < 4; i++)
        ck_assert(fabs(got[i] - (g[i] - w[i] * total)) < 1e-6);
    norm_normalizer *one = softmax;
    ck_assert_int_eq(norm_normalizer_with(one, "temperature", 0.5, &softmax, NULL), LIBNORM_OK);
    run(_i, 'a', ROW(4), z, NULL, got, NULL);
    expect(_i, got, w_half, 4);
    run(_i, 'v', ROW(4), z, g, got, NULL);
    expect(_i, got, d_half, 4);
    norm_normalizer_free(softmax);
    softmax = one;
}
END_TEST

START_TEST(special_rows_give_their_limits)
{
    static const struct {
        size_t n;
        double z[4], w[4], log_w[4], d[4]; /* d for g = 1, 2, 3, 4 */
    } rows[] = {
        {3, {INF, 1, 2}, {1, 0, 0}, {0, -INF, -INF}, {0, 0, 0}},
        {3, {INF, INF, 0}, {.5, .5, 0}, {-0.6931471805599453, -0.6931471805599453, -INF}, {0, 0, 0}},
        {3, {INF, -INF, INF}, {.5, 0, .5}, {-0.6931471805599453, -INF, -0.6931471805599453}, {0, 0, 0}},
        {3, {-INF, -INF, -INF}, {0, 0, 0}, {-INF, -INF, -INF}, {0, 0, 0}},
        {1, {-INF}, {0}, {-INF}, {0}},
        {1, {INF}, {1}, {0}, {0}},
        {1, {-7}, {1}, {0}, {0}},
        {3, {0, 0, -INF}, {.5, .5, 0}, {-0.6931471805599453, -0.6931471805599453, -INF}, {-.25, .25, 0}},
        {3, {NA, 1, 2}, {NA, NA, NA}, {NA, NA, NA}, {NA, NA, NA}},
        {3, {1, NA, INF}, {NA, NA, NA}, {NA, NA, NA}, {NA, NA, NA}},
        {3, {-INF, -INF, NA}, {NA, NA, NA}, {NA, NA, NA}, {NA, NA, NA}},
        {3,
         {-200, -201, -202},
         {.66524095577, .24472847105, .09003057317},
         {-0.40760596444, -1.40760596444, -2.40760596444},
         {.66524095577 * (1 - 1.4247896174), .24472847105 * (2 - 1.4247896174), .09003057317 * (3 - 1.4247896174)}},
    };
    const double g[4] = {1, 2, 3, 4};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double got[4];
        run(_i, 'a', ROW(rows[i].n), rows[i].z, NULL, got, NULL);
        for (size_t k = 0; k < rows[i].n; k++)
            ck_assert_msg(isnan(rows[i].w[k]) ? isnan(got[k]) != 0 : fabs(got[k] - rows[i].w[k]) < 1e-7,
                          "row %zu, entry %zu: %g", i, k, got[k]);
        run(_i, 'l', ROW(rows[i].n), rows[i].z, NULL, got, NULL);
        for (size_t k = 0; k < rows[i].n; k++)
            ck_assert_msg(isnan(rows[i].log_w[k])   ? isnan(got[k]) != 0
                          : isinf(rows[i].log_w[k]) ? got[k] == rows[i].log_w[k]
                                                    : fabs(got[k] - rows[i].log_w[k]) < 1e-6,
                          "log of row %zu, entry %zu: %g", i, k, got[k]);
        run(_i, 'v', ROW(rows[i].n), rows[i].z, g, got, NULL);
        for (size_t k = 0; k < rows[i].n; k++)
            ck_assert_msg(isnan(rows[i].d[k]) ? isnan(got[k]) != 0 : fabs(got[k] - rows[i].d[k]) < 1e-6,
                          "gradient of row %zu, entry %zu: %g", i, k, got[k]);
    }
}
END_TEST

START_TEST(large_scores_do_not_overflow_and_weights_are_never_subnormal)
{
    const double z[5] = {0, -1e30, -87.4, -100, -104};
    double got[5];
    run(_i, 'a', ROW(5), z, NULL, got, NULL);
    ck_assert(got[0] == 1 && got[1] == 0);
    for (int i = 2; i < 5; i++)
        ck_assert(_i < 2 ? got[i] == 0 : fabs(got[i] - exp(z[i])) <= 1e-12 * exp(z[i]));
    run(_i, 'l', ROW(5), z, NULL, got, NULL);
    ck_assert(got[3] == -100 && fabs(got[1] + 1e30) < 1e24);
    const double far[3] = {90, 2, -2};
    run(_i, 'a', ROW(3), far, NULL, got, NULL);
    ck_assert(got[0] == 1 && (_i < 2 ? got[1] == 0 && got[2] == 0 : fabs(got[1] - 6.05e-39) < 1e-41));
    const double low[3] = {-2e4, -2e4 - 1, -2e4 - 2};
    const double w[3] = {.66524095577, .24472847105, .09003057317};
    run(_i, 'a', ROW(3), low, NULL, got, NULL);
    for (int i = 0; i < 3; i++)
        ck_assert(fabs(got[i] - w[i]) < 1e-7);
}
END_TEST

START_TEST(hidden_entries_may_hold_anything_and_get_zero)
{
    const double z[5] = {NA, 1, INF, 2, 3}, g[5] = {NA, 1, NA, 2, 3};
    const uint8_t visible[5] = {0, 1, 0, 255, 1};
    const double alone[3] = {1, 2, 3}, upstream[3] = {1, 2, 3};
    norm_rows rows = ROW(5);
    rows.visible = visible;
    rows.visible_stride[2] = 1;
    for (const char *operation = "alvV"; *operation != '\0'; operation++) {
        const double hidden = *operation == 'l' ? -INF : 0;
        double got[5], wanted[3];
        run(_i, *operation, rows, z, g, got, NULL);
        run(_i, *operation, ROW(3), alone, upstream, wanted, NULL);
        ck_assert(got[0] == hidden && got[2] == hidden);
        ck_assert(got[1] == wanted[0] && got[3] == wanted[1] && got[4] == wanted[2]);
    }
}
END_TEST

START_TEST(a_masked_entry_larger_than_the_rest_does_not_matter)
{
    const double z[3] = {1, 1, 100}, g[3] = {1, 0, 5}, w[3] = {.5, .5, 0}, d[3] = {.25, -.25, 0};
    const uint8_t visible[3] = {1, 1, 0};
    norm_rows rows = ROW(3);
    rows.visible = visible;
    rows.visible_stride[2] = 1;
    double got[3];
    run(_i, 'a', rows, z, NULL, got, NULL);
    expect(_i, got, w, 3);
    run(_i, 'v', rows, z, g, got, NULL);
    expect(_i, got, d, 3);
}
END_TEST

START_TEST(what_is_visible_is_the_intersection)
{
    /* 2 batches of 4 rows of 4: causal with offset 1, interval [row / 2, 3 + batch), bytes without column 1. */
    double z[2 * 4 * 4 / 2], got[16];
    memset(z, 0, sizeof z);
    const int64_t begin[4] = {0, 0, 1, 1}, end[2] = {3, 99};
    const uint8_t visible[4] = {1, 0, 1, 1};
    for (int batch = 0; batch < 2; batch++) {
        norm_rows rows = {.batch = 1, .rows = 4, .cols = 4, .flags = LIBNORM_ROWS_CAUSAL, .causal_offset = 1};
        rows.begin = begin;
        rows.end = end + batch;
        rows.interval_stride[1] = 1;
        int64_t ends[4] = {end[batch], end[batch], end[batch], end[batch]};
        rows.end = ends;
        rows.visible = visible;
        rows.visible_stride[2] = 1;
        run(_i, 'a', rows, z, NULL, got, NULL);
        for (int r = 0; r < 4; r++) {
            int n = 0, sees[4];
            for (int j = 0; j < 4; j++)
                n += sees[j] = j < 1 + r + 1 && j >= begin[r] && j < end[batch] && visible[j];
            for (int j = 0; j < 4; j++)
                ck_assert(got[4 * r + j] == (sees[j] ? (double)(_i < 2 ? (float)(1.0 / n) : 1.0 / n) : 0));
        }
    }
}
END_TEST

START_TEST(causal_offsets_and_intervals_beyond_the_row_are_cut)
{
    const double z[6] = {0, 0, 0, 0, 0, 0};
    static const struct {
        int64_t offset, begin, end;
        double first[3]; /* weights of the first of two rows */
    } cases[] = {
        {INT64_MAX, INT64_MIN, INT64_MAX, {1. / 3, 1. / 3, 1. / 3}},
        {INT64_MIN, 0, 3, {0, 0, 0}},
        {-1, 0, 3, {0, 0, 0}},
        {0, 0, 3, {1, 0, 0}},
        {1, 1, 3, {0, 1, 0}},
        {2, 2, 1, {0, 0, 0}},
        {2, -5, 2, {.5, .5, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        norm_rows rows = {.batch = 1, .rows = 2, .cols = 3, .flags = LIBNORM_ROWS_CAUSAL};
        rows.causal_offset = cases[i].offset;
        rows.begin = &cases[i].begin;
        rows.end = &cases[i].end;
        double got[6];
        run(_i, 'a', rows, z, NULL, got, NULL);
        expect(_i, got, cases[i].first, 3);
    }
}
END_TEST

START_TEST(minus_infinity_counts_as_hidden_only_when_asked)
{
    const double z[4] = {-INF, 1, -INF, 1}, w[4] = {0, .5, 0, .5};
    const double all[4] = {-INF, -INF, -INF, -INF};
    norm_rows rows = ROW(4);
    norm_row_outputs outputs = {.struct_size = sizeof outputs};
    double got[4], support = 0, max_score = 0;
    outputs.support = &support;
    outputs.max_score = &max_score;
    for (int hidden = 0; hidden < 2; hidden++) {
        rows.flags = hidden ? LIBNORM_ROWS_NEG_INF_HIDDEN : 0;
        run(_i, 'a', rows, z, NULL, got, &outputs);
        expect(_i, got, w, 4);
        ck_assert(support == 2 && max_score == 1 && outputs.empty_rows == 0);
        run(_i, 'a', rows, all, NULL, got, &outputs);
        ck_assert(got[0] == 0 && got[3] == 0);
        ck_assert(support == 0 && max_score == -INF && outputs.empty_rows == 1);
    }
    /* With a NaN beside it the difference shows: hidden entries are 0, visible ones NaN. */
    const double with_nan[4] = {-INF, NA, 0, 1};
    rows.flags = LIBNORM_ROWS_NEG_INF_HIDDEN;
    run(_i, 'a', rows, with_nan, NULL, got, NULL);
    ck_assert(got[0] == 0 && isnan(got[1]) && isnan(got[2]) && isnan(got[3]));
    run(_i, 'l', rows, with_nan, NULL, got, NULL);
    ck_assert(got[0] == -INF && isnan(got[1]));
    rows.flags = 0;
    run(_i, 'a', rows, with_nan, NULL, got, NULL);
    ck_assert(isnan(got[0]));
}
END_TEST

START_TEST(a_nan_or_an_infinity_counts_wherever_it_stands)
{
    enum { longest = 70 };
    const norm_exec exec = exec_of(_i);
    float z[longest], w[longest];
    for (size_t n = 1; n <= longest; n++) {
        for (size_t at = 0; at < n; at++) {
            norm_rows rows = ROW(n);
            rows.struct_size = sizeof rows;
            uint8_t visible[longest];
            for (size_t i = 0; i < n; i++) {
                z[i] = (float)(i % 5);
                visible[i] = i != at;
            }
            z[at] = INFINITY;
            ck_assert_int_eq(norm_apply_f32(softmax, &rows, z, w, NULL, &exec, NULL), LIBNORM_OK);
            for (size_t i = 0; i < n; i++)
                ck_assert(w[i] == (i == at ? 1 : 0));
            z[at] = NAN;
            ck_assert_int_eq(norm_apply_f32(softmax, &rows, z, w, NULL, &exec, NULL), LIBNORM_OK);
            for (size_t i = 0; i < n; i++)
                ck_assert(isnan(w[i]));
            rows.visible = visible; /* and when it is hidden it does not */
            rows.visible_stride[2] = 1;
            ck_assert_int_eq(norm_apply_f32(softmax, &rows, z, w, NULL, &exec, NULL), LIBNORM_OK);
            double sum = 0;
            for (size_t i = 0; i < n; i++)
                sum += (double)w[i];
            ck_assert(w[at] == 0 && fabs(sum - (n > 1 ? 1 : 0)) < 1e-6);
        }
    }
}
END_TEST

START_TEST(equal_scores_share_equally)
{
    const norm_exec exec = exec_of(_i);
    double z[33], g[33], w[33], d[33];
    for (size_t n = 1; n <= 33; n++) {
        norm_rows rows = ROW(n);
        rows.struct_size = sizeof rows;
        double mean = 0;
        for (size_t i = 0; i < n; i++) {
            z[i] = 1e30;
            g[i] = (double)(i * i % 7);
            mean += g[i] / (double)n;
        }
        ck_assert_int_eq(norm_apply_f64(softmax, &rows, z, w, NULL, &exec, NULL), LIBNORM_OK);
        ck_assert_int_eq(norm_vjp_f64(softmax, &rows, z, NULL, g, d, &exec, NULL), LIBNORM_OK);
        for (size_t i = 0; i < n; i++)
            ck_assert(fabs(w[i] * (double)n - 1) < 1e-15 && fabs(d[i] * (double)n - (g[i] - mean)) < 1e-14);
    }
}
END_TEST

START_TEST(row_outputs_tell_what_a_row_was)
{
    /* Ordinary; NaN beside +inf; +inf; empty. */
    const double z[12] = {1, 2, 3, NA, INF, 0, INF, INF, 5, -INF, -INF, -INF};
    double log_sum[4], threshold[4], support[4], entropy[4], max_score[4], got[12];
    norm_row_outputs outputs = {.struct_size = sizeof outputs, .log_sum = log_sum, .threshold = threshold,
                                .support = support, .entropy = entropy, .max_score = max_score};
    const norm_rows rows = {.batch = 2, .rows = 2, .cols = 3};
    const double log_sums[4] = {3.40760596444438, NA, INF, -INF};
    const double entropies[4] = {0.8323947922998, NA, 0.69314718056, 0};
    const double supports[4] = {3, 3, 2, 0}, maxima[4] = {3, NA, INF, -INF};
    for (const char *operation = "al"; *operation != '\0'; operation++) {
        memset(&outputs.empty_rows, 0xA5, 3 * sizeof(uint64_t));
        run(_i, *operation, rows, z, NULL, got, &outputs);
        expect(0, log_sum, log_sums, 4);
        expect(0, entropy, entropies, 4);
        expect(0, support, supports, 4);
        expect(0, max_score, maxima, 4);
        for (int i = 0; i < 4; i++)
            ck_assert(isnan(threshold[i]));
        ck_assert(outputs.empty_rows == 1 && outputs.nan_rows == 1 && outputs.inf_rows == 1);
    }
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("rows");
    TCase *tests = tcase_create("rows");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, golden_values_of_softmax, 0, ways);
    tcase_add_loop_test(tests, special_rows_give_their_limits, 0, ways);
    tcase_add_loop_test(tests, large_scores_do_not_overflow_and_weights_are_never_subnormal, 0, ways);
    tcase_add_loop_test(tests, hidden_entries_may_hold_anything_and_get_zero, 0, ways);
    tcase_add_loop_test(tests, a_masked_entry_larger_than_the_rest_does_not_matter, 0, ways);
    tcase_add_loop_test(tests, what_is_visible_is_the_intersection, 0, ways);
    tcase_add_loop_test(tests, causal_offsets_and_intervals_beyond_the_row_are_cut, 0, ways);
    tcase_add_loop_test(tests, minus_infinity_counts_as_hidden_only_when_asked, 0, ways);
    tcase_add_loop_test(tests, a_nan_or_an_infinity_counts_wherever_it_stands, 0, 2);
    tcase_add_loop_test(tests, equal_scores_share_equally, 2, ways);
    tcase_add_loop_test(tests, row_outputs_tell_what_a_row_was, 0, ways);
    suite_add_tcase(suite, tests);
    return suite;
}
