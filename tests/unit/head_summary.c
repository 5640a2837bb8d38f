/* SPDX-License-Identifier: MIT */
/* Observing a pass head by head, and summaries over windows. */
#include <libnorm/measure.h>

#include <math.h>
#include <string.h>

#include "support/support.h"

enum { LAYERS = 2, HEADS = 2, ROWS = 7, WINDOWS = 5 };

/* Weights of any window, layer, head and row, made on the spot. */
static void fill(float *w, int window, int layer, int head, int row)
{
    struct support_random random = {(uint64_t)(window * 1000 + layer * 100 + head * 10 + row)};
    for (int i = 0; i <= row; i++)
        w[i] = (float)support_uniform(&random, 0, 1);
}

static int32_t observe(norm_head_observer *observer, int window, int layer, int head, int first, int rows)
{
    float w[ROWS * ROWS] = {0};
    uint64_t visible[ROWS];
    for (int r = 0; r < rows; r++) {
        fill(w + r * ROWS, window, layer, head, first + r);
        visible[r] = (uint64_t)(first + r + 1);
    }
    const norm_head_view view = {.struct_size = sizeof view,
                                 .layer = layer,
                                 .head = head,
                                 .first_row = (uint64_t)first,
                                 .rows = (uint64_t)rows,
                                 .cols = ROWS,
                                 .scores = w,
                                 .weights = w,
                                 .score_stride = ROWS,
                                 .weight_stride = ROWS,
                                 .visible = visible};
    return norm_head_observe(observer, &view);
}

static norm_head_observer observer_of(norm_head_record *records, double window)
{
    for (int i = 0; i < LAYERS * HEADS; i++)
        records[i].struct_size = sizeof records[i];
    return (norm_head_observer){.struct_size = sizeof(norm_head_observer),
                                .window = window,
                                .n_layer = LAYERS,
                                .n_head = HEADS,
                                .records = records};
}

/* Records of all windows from first on, laid out window, layer, head. */
static void run(norm_head_record *records, int first, int windows, int block)
{
    for (int window = first; window < first + windows; window++) {
        norm_head_observer observer = observer_of(records + (window - first) * LAYERS * HEADS, window);
        for (int layer = 0; layer < LAYERS; layer++)
            for (int head = 0; head < HEADS; head++)
                for (int row = 0; row < ROWS; row += block)
                    ck_assert_int_eq(
                        observe(&observer, window, layer, head, row, ROWS - row < block ? ROWS - row : block), 0);
    }
}

static void of_head(norm_head_record *ret, const norm_head_record *records, int windows, int layer, int head)
{
    for (int window = 0; window < windows; window++)
        ret[window] = records[(window * LAYERS + layer) * HEADS + head];
}

START_TEST(a_pass_fills_the_record_of_each_head)
{
    norm_head_record records[LAYERS * HEADS];
    memset(records, 0x55, sizeof records); /* what an earlier pass left */
    run(records, 4, 1, 3);
    for (int layer = 0; layer < LAYERS; layer++)
        for (int head = 0; head < HEADS; head++) {
            const norm_head_record *r = &records[layer * HEADS + head];
            double weight_sum = 0;
            for (int row = 0; row < ROWS; row++) {
                float w[ROWS];
                fill(w, 4, layer, head, row);
                for (int i = 0; i <= row; i++)
                    weight_sum += w[i];
            }
            ck_assert_int_eq(r->layer, layer);
            ck_assert_int_eq(r->head, head);
            ck_assert_double_eq(r->window, 4);
            ck_assert_double_eq(r->rows, ROWS);
            ck_assert_double_eq(r->relative_rows, ROWS - 1);
            ck_assert_double_eq_tol(r->weight_sum, weight_sum, 1e-12);
        }
}
END_TEST

START_TEST(rows_out_of_order_are_refused)
{
    norm_head_record records[LAYERS * HEADS] = {{0}}; /* no head has begun */
    norm_head_observer observer = observer_of(records, 0);
    ck_assert_int_eq(observe(&observer, 0, 0, 1, 0, 3), 0);
    ck_assert_int_eq(observe(&observer, 0, 0, 1, 4, 3), LIBNORM_E_ARGUMENT); /* a gap */
    ck_assert_int_eq(observe(&observer, 0, 0, 1, 2, 3), LIBNORM_E_ARGUMENT); /* twice */
    ck_assert_int_eq(observe(&observer, 0, 1, 1, 3, 3), LIBNORM_E_ARGUMENT); /* a head that has not begun */
    ck_assert_int_eq(observe(&observer, 0, LAYERS, 0, 0, 3), LIBNORM_E_ARGUMENT);
    ck_assert_int_eq(observe(&observer, 0, 0, HEADS, 0, 3), LIBNORM_E_ARGUMENT);
    ck_assert_int_eq(observe(&observer, 0, -1, 0, 0, 3), LIBNORM_E_ARGUMENT);
    ck_assert_int_eq(observe(&observer, 0, 0, 1, 3, 3), 0);
    ck_assert_double_eq(records[1].rows, 6);
}
END_TEST

START_TEST(the_summary_is_the_mean_over_the_rows_of_all_windows)
{
    norm_head_record records[WINDOWS * LAYERS * HEADS], mine[WINDOWS];
    norm_head_summary summary = {.struct_size = sizeof summary};
    run(records, 0, WINDOWS, ROWS);
    of_head(mine, records, WINDOWS, 1, 0);
    double entropy = 0, relative = 0, previous = 0, most = -INFINITY, row_most = 0, distance = 0;
    for (int i = 0; i < WINDOWS; i++) {
        entropy += mine[i].entropy;
        relative += mine[i].relative_entropy;
        previous += mine[i].previous_mass;
        distance += mine[i].distance;
        row_most += mine[i].row_max_score;
        most = fmax(most, mine[i].max_score);
    }
    ck_assert_int_eq(norm_head_summarize(mine, WINDOWS, &summary, NULL), LIBNORM_OK);
    ck_assert_int_eq(summary.layer, 1);
    ck_assert_int_eq(summary.head, 0);
    ck_assert_double_eq(summary.windows, WINDOWS);
    ck_assert_double_eq(summary.rows, WINDOWS * ROWS);
    ck_assert_double_eq(summary.entropy, entropy / (WINDOWS * ROWS));
    ck_assert_double_eq(summary.relative_entropy, relative / (WINDOWS * (ROWS - 1)));
    ck_assert_double_eq(summary.previous_mass, previous / (WINDOWS * (ROWS - 1)));
    ck_assert_double_eq(summary.distance, distance / (WINDOWS * ROWS));
    ck_assert_double_eq(summary.max_score, most);
    ck_assert_double_eq(summary.row_max_score, row_most / (WINDOWS * ROWS));
}
END_TEST

START_TEST(records_of_two_runs_joined_give_what_one_run_gives_to_the_bit)
{
    norm_head_record one[WINDOWS * LAYERS * HEADS], two[WINDOWS * LAYERS * HEADS], mine[WINDOWS];
    run(one, 0, WINDOWS, ROWS);
    run(two, 0, 2, 1); /* two runs, cut differently */
    run(two + 2 * LAYERS * HEADS, 2, WINDOWS - 2, 2);
    for (int i = 0; i < LAYERS * HEADS; i++) {
        norm_head_summary a, b;
        memset(&a, 0, sizeof a);
        memset(&b, 0, sizeof b);
        a.struct_size = b.struct_size = sizeof a;
        of_head(mine, one, WINDOWS, i / HEADS, i % HEADS);
        ck_assert_int_eq(norm_head_summarize(mine, WINDOWS, &a, NULL), LIBNORM_OK);
        of_head(mine, two, WINDOWS, i / HEADS, i % HEADS);
        ck_assert_int_eq(norm_head_summarize(mine, WINDOWS, &b, NULL), LIBNORM_OK);
        ck_assert_mem_eq(&a, &b, sizeof a);
    }
}
END_TEST

/* Records by length hold the rows that one record holds, and the longest rows are left out. */
START_TEST(lengths_tell_rows_apart)
{
    static const uint64_t lengths[] = {2, 3, ROWS - 1}, bad[] = {2, 2, 3};
    norm_head_record whole[LAYERS * HEADS], parts[LAYERS * HEADS * 3];
    for (int block = 1; block <= ROWS; block++) {
        norm_head_observer all = observer_of(whole, 5), some = all;
        for (int i = 0; i < LAYERS * HEADS * 3; i++)
            parts[i].struct_size = sizeof parts[i];
        some.records = parts;
        some.lengths = lengths;
        some.length_count = 3;
        for (int row = 0; row < ROWS - 1; row += block) { /* the last row apart */
            const int rows = ROWS - 1 - row < block ? ROWS - 1 - row : block;
            ck_assert_int_eq(observe(&all, 5, 1, 0, row, rows), 0);
            ck_assert_int_eq(observe(&some, 5, 1, 0, row, rows), 0);
        }
        ck_assert_int_eq(observe(&some, 5, 1, 0, ROWS - 1, 1), 0);
        const norm_head_record *mine = parts + 1 * HEADS * 3, *one = whole + 1 * HEADS;
        const double seen[] = {2, 1, ROWS - 4};
        double entropy = 0, log_tokens = 0;
        for (int k = 0; k < 3; k++) {
            ck_assert(mine[k].length == (double)lengths[k] && mine[k].rows + mine[k].empty_rows == seen[k]);
            entropy += mine[k].entropy;
            log_tokens += mine[k].log_tokens;
        }
        ck_assert(fabs(entropy - one->entropy) <= 1e-12 * one->entropy);
        ck_assert(fabs(log_tokens - one->log_tokens) <= 1e-12 * log_tokens && log_tokens > log(2));
        norm_head_summary summary = {.struct_size = sizeof summary};
        ck_assert_int_eq(norm_head_summarize(mine, 3, &summary, NULL), LIBNORM_OK);
        ck_assert(summary.length == ROWS - 1 && summary.windows == 1 && summary.rows == one->rows);
        ck_assert(fabs(summary.entropy * summary.rows - entropy) <= 1e-12 * entropy);
        some.lengths = bad;
        ck_assert_int_eq(observe(&some, 5, 1, 0, 0, 1), LIBNORM_E_ARGUMENT);
        some.lengths = NULL;
        ck_assert_int_eq(observe(&some, 5, 1, 0, 0, 1), LIBNORM_E_ARGUMENT);
    }
    norm_error error = {sizeof error, 0, 0, ""};
    norm_head_record twice[2] = {parts[HEADS * 3 + 1], parts[HEADS * 3]};
    norm_head_summary summary = {.struct_size = sizeof summary};
    ck_assert_int_eq(norm_head_summarize(twice, 2, &summary, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "record 1 is of length 2: expected one above 3");
}
END_TEST

START_TEST(windows_out_of_order_and_strange_heads_are_refused)
{
    norm_head_record records[WINDOWS * LAYERS * HEADS], mine[WINDOWS];
    norm_error error = {sizeof error, 0, 0, ""};
    norm_head_summary summary = {.struct_size = sizeof summary, .rows = 42};
    run(records, 0, WINDOWS, ROWS);
    of_head(mine, records, WINDOWS, 0, 0);
    mine[3].window = 2;
    ck_assert_int_eq(norm_head_summarize(mine, WINDOWS, &summary, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "record 3 is of window 2: expected one after 2");
    mine[1].head = 1;
    ck_assert_int_eq(norm_head_summarize(mine, WINDOWS, &summary, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "record 1 is of layer 0, head 1: expected layer 0, head 0, as the first");
    mine[1].head = 0;
    mine[1].window = NAN;
    ck_assert_int_eq(norm_head_summarize(mine, 2, &summary, &error), LIBNORM_E_ARGUMENT);
    ck_assert_int_eq(norm_head_summarize(mine, 0, &summary, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_head_summarize: no records");
    ck_assert_double_eq(summary.rows, 42);
}
END_TEST

START_TEST(where_no_row_counts_the_means_are_not_numbers)
{
    norm_head_record record = {.struct_size = sizeof record};
    norm_head_summary summary = {.struct_size = sizeof summary};
    ck_assert_int_eq(norm_head_record_init(&record, 0, 0, 0, NULL), LIBNORM_OK);
    record.empty_rows = 3;
    ck_assert_int_eq(norm_head_summarize(&record, 1, &summary, NULL), LIBNORM_OK);
    ck_assert_double_eq(summary.rows, 0);
    ck_assert_double_eq(summary.empty_rows, 3);
    ck_assert(isnan(summary.entropy) && isnan(summary.relative_entropy) && isnan(summary.row_max_score));
    ck_assert_double_eq(summary.max_score, -INFINITY);
}
END_TEST

/* A program compiled with a later, longer struct: its tail is left alone, and elements are as far apart as it says. */
START_TEST(longer_records_of_a_later_program_work)
{
    struct longer {
        norm_head_record record;
        double later;
    } records[LAYERS * HEADS], mine[2];
    norm_head_observer observer = {.struct_size = sizeof observer,
                                   .window = 1,
                                   .n_layer = LAYERS,
                                   .n_head = HEADS,
                                   .records = &records[0].record};
    memset(records, 0, sizeof records);
    for (int i = 0; i < LAYERS * HEADS; i++)
        records[i].record.struct_size = sizeof records[i];
    ck_assert_int_eq(observe(&observer, 1, 1, 1, 0, ROWS), 0);
    ck_assert_double_eq(records[3].record.rows, ROWS);
    ck_assert_double_eq(records[3].later, 0);
    mine[0] = mine[1] = records[3];
    mine[1].record.window = 2;
    norm_head_summary summary = {.struct_size = sizeof summary};
    ck_assert_int_eq(norm_head_summarize(&mine[0].record, 2, &summary, NULL), LIBNORM_OK);
    ck_assert_double_eq(summary.rows, 2 * ROWS);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("head_summary");
    TCase *tests = tcase_create("head_summary");
    tcase_add_test(tests, a_pass_fills_the_record_of_each_head);
    tcase_add_test(tests, rows_out_of_order_are_refused);
    tcase_add_test(tests, the_summary_is_the_mean_over_the_rows_of_all_windows);
    tcase_add_test(tests, records_of_two_runs_joined_give_what_one_run_gives_to_the_bit);
    tcase_add_test(tests, lengths_tell_rows_apart);
    tcase_add_test(tests, windows_out_of_order_and_strange_heads_are_refused);
    tcase_add_test(tests, where_no_row_counts_the_means_are_not_numbers);
    tcase_add_test(tests, longer_records_of_a_later_program_work);
    suite_add_tcase(suite, tests);
    return suite;
}
