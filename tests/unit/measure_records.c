/* SPDX-License-Identifier: MIT */
/* Records of distances and sensitivities: sums of rows, and means that depend on the records alone. */
#include <libnorm/norm.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"

static norm_error error = {sizeof error, 0, 0, ""};
#define DONE(call) ck_assert_msg((call) == LIBNORM_OK, "%s", error.text)

enum { WINDOWS = 5, LENGTHS = 3, ROWS = 7 };
static const uint64_t lengths[LENGTHS] = {8, 16, 40};

static norm_row_distance row_of(struct support_random *r, size_t length)
{
    double w[40], x[40 * 3];
    const size_t n = length - support_below(r, 4);
    for (size_t i = 0; i < n; i++)
        w[i] = exp(support_normal(r));
    for (size_t i = 0; i < 3 * n; i++)
        x[i] = support_normal(r);
    norm_row_distance row = {.struct_size = sizeof row};
    DONE(norm_measure_distance(n, 3, w, x, 0, 2, 15, &row, NULL, &error));
    return row;
}

/* windows x lengths, in order; kept: the rows themselves. */
static void fill(norm_distance_record *records, norm_row_distance *kept)
{
    struct support_random r = {support_seed(6)};
    for (int i = 0; i < WINDOWS * LENGTHS; i++) {
        records[i].struct_size = sizeof records[i];
        DONE(norm_distance_record_init(&records[i], 1, 2, i / LENGTHS, lengths[i % LENGTHS], 2, &error));
        for (int k = 0; k < ROWS; k++) {
            kept[i * ROWS + k] = row_of(&r, (size_t)lengths[i % LENGTHS]);
            DONE(norm_distance_record_add(&records[i], &kept[i * ROWS + k], &error));
        }
        records[i].short_rows = 2;
        records[i].nan_rows = 1;
    }
}

static void near(double got, double want)
{
    ck_assert_msg(fabs(got - want) <= 1e-13 * fabs(want), "%.17g, expected %.17g", got, want);
}

START_TEST(a_summary_is_the_mean_over_rows)
{
    static norm_distance_record records[WINDOWS * LENGTHS], chosen[WINDOWS * 2];
    static norm_row_distance kept[WINDOWS * LENGTHS * ROWS];
    fill(records, kept);
    for (int i = 0; i < WINDOWS; i++) /* up to the second length */
        memcpy(chosen + 2 * i, records + LENGTHS * i, 2 * sizeof *chosen);
    norm_distance_summary summary = {.struct_size = sizeof summary};
    DONE(norm_distance_summarize(chosen, WINDOWS * 2, &summary, &error));
    ck_assert(summary.layer == 1 && summary.head == 2 && summary.selected == 2 && summary.length == 16);
    ck_assert(summary.windows == WINDOWS && summary.rows == WINDOWS * 2 * ROWS);
    ck_assert(summary.short_rows == WINDOWS * 4 && summary.nan_rows == WINDOWS * 2);
    norm_row_distance sum = {.struct_size = sizeof sum};
    double tokens = 0;
    for (int i = 0; i < WINDOWS * LENGTHS; i++)
        for (int k = 0; i % LENGTHS < 2 && k < ROWS; k++) {
            const norm_row_distance *row = &kept[i * ROWS + k];
            tokens += (double)row->tokens;
            sum.distance += row->distance;
            sum.mean += row->mean;
            sum.radius += row->radius;
            sum.inside += row->inside;
            sum.context += row->context;
            sum.mass += row->mass;
            sum.lower += row->lower;
            sum.upper += row->upper;
            sum.theorem += row->theorem;
            sum.expected_lower += row->expected_lower;
            sum.expected_upper += row->expected_upper;
            sum.separable_lower += row->separable_lower;
            sum.separable_upper += row->separable_upper;
            sum.separable_published += row->separable_published;
        }
    const double rows = summary.rows;
    near(summary.tokens * rows, tokens);
    near(summary.distance * rows, sum.distance);
    near(summary.mean * rows, sum.mean);
    near(summary.radius * rows, sum.radius);
    near(summary.inside * rows, sum.inside);
    near(summary.context * rows, sum.context);
    near(summary.mass * rows, sum.mass);
    near(summary.lower * rows, sum.lower);
    near(summary.upper * rows, sum.upper);
    near(summary.theorem * rows, sum.theorem);
    near(summary.expected_lower * rows, sum.expected_lower);
    near(summary.expected_upper * rows, sum.expected_upper);
    near(summary.separable_lower * rows, sum.separable_lower);
    near(summary.separable_upper * rows, sum.separable_upper);
    near(summary.separable_published * rows, sum.separable_published);
    ck_assert(summary.lower <= summary.distance && summary.distance <= fmin(summary.upper, summary.theorem));
}
END_TEST

/* Windows measured by two runs, brought together, give the bits of one run. */
START_TEST(joined_records_give_the_same_bits)
{
    static norm_distance_record records[WINDOWS * LENGTHS], joined[WINDOWS * LENGTHS];
    static norm_row_distance kept[WINDOWS * LENGTHS * ROWS];
    norm_distance_summary one = {.struct_size = sizeof one}, two = one;
    fill(records, kept);
    DONE(norm_distance_summarize(records, WINDOWS * LENGTHS, &one, &error));
    for (int cut = 0; cut <= WINDOWS; cut++) {
        memcpy(joined, records, sizeof *joined * LENGTHS * (size_t)cut);
        fill(records, kept); /* the other run */
        memcpy(joined + LENGTHS * cut, records + LENGTHS * cut, sizeof *joined * LENGTHS * (size_t)(WINDOWS - cut));
        DONE(norm_distance_summarize(joined, WINDOWS * LENGTHS, &two, &error));
        ck_assert_mem_eq(&one, &two, sizeof one);
    }
}
END_TEST

static void refused(norm_status status, const char *text, int line)
{
    ck_assert_msg(status == LIBNORM_E_ARGUMENT, "line %d: %d", line, (int)status);
    ck_assert_msg(strstr(error.text, text) != NULL, "line %d: '%s' lacks '%s'", line, error.text, text);
    error.text[0] = '\0';
}
#define REFUSED(text, call) refused(call, text, __LINE__)

START_TEST(distance_records_that_do_not_belong_together)
{
    norm_distance_record r[3];
    norm_distance_summary summary = {.struct_size = sizeof summary, .rows = 42};
    norm_row_distance row = {.struct_size = sizeof row, .tokens = 9, .selected = 3};
    for (int i = 0; i < 3; i++) {
        r[i].struct_size = sizeof r[i];
        DONE(norm_distance_record_init(&r[i], 0, 0, i, 8, 3, &error));
    }
    REFUSED("tokens is 9", norm_distance_record_add(r, &row, &error));
    row.tokens = 3;
    REFUSED("tokens is 3: expected more than selected", norm_distance_record_add(r, &row, &error));
    row.selected = 2;
    REFUSED("selected is 2: expected 3", norm_distance_record_add(r, &row, &error));
    ck_assert(r[0].rows == 0);
    r[1].window = 0;
    REFUSED("record 1 is of window 0, length 8: expected one after window 0, length 8",
            norm_distance_summarize(r, 3, &summary, &error));
    r[1].length = 9;
    DONE(norm_distance_summarize(r, 3, &summary, &error));
    ck_assert(summary.windows == 2 && isnan(summary.distance) && isnan(summary.tokens) && summary.rows == 0);
    r[2].selected = 4;
    REFUSED("record 2 has selected 4: expected 3", norm_distance_summarize(r, 3, &summary, &error));
    r[1].head = 1;
    REFUSED("record 1 is of layer 0, head 1", norm_distance_summarize(r, 3, &summary, &error));
    REFUSED("no records", norm_distance_summarize(r, 0, &summary, &error));
    REFUSED("no records", norm_distance_summarize(NULL, 1, &summary, &error));
    REFUSED("norm_distance_record is NULL", norm_distance_record_add(NULL, &row, &error));
    REFUSED("norm_row_distance is NULL", norm_distance_record_add(r, NULL, &error));
    REFUSED("length = 1: expected at least 2", norm_distance_record_init(r, 0, 0, 0, 1, 1, &error));
    REFUSED("selected = 0", norm_distance_record_init(r, 0, 0, 0, 8, 0, &error));
    r[0].struct_size = 8;
    REFUSED("norm_distance_record.struct_size is 8", norm_distance_record_init(r, 0, 0, 0, 8, 1, &error));
}
END_TEST

START_TEST(sensitivities_add_up)
{
    norm_sensitivity_record r[2];
    norm_sensitivity_summary s = {.struct_size = sizeof s};
    norm_row_sensitivity row = {sizeof row, 0, 0, 0, 0};
    for (int i = 0; i < 2; i++) {
        r[i].struct_size = sizeof r[i];
        DONE(norm_sensitivity_record_init(&r[i], 3, 1, i, .5, .001, &error));
        for (int k = 1; k <= 3; k++) {
            row.sensitivity = k + 10 * i;
            row.spectral = 2 * k;
            row.balanced = i == 0 && k == 2 ? (double)NAN : .25;
            DONE(norm_sensitivity_record_add(&r[i], &row, &error));
        }
    }
    DONE(norm_sensitivity_summarize(r, 2, &s, &error));
    ck_assert(s.layer == 3 && s.head == 1 && s.windows == 2 && s.rows == 6 && s.temperature == .5 && s.step == .001);
    ck_assert(s.sensitivity == 42. / 6 && s.spectral == 4 && isnan(s.balanced));
    ck_assert(s.largest_sensitivity == 13 && s.largest_spectral == 6);
    DONE(norm_sensitivity_summarize(r + 1, 1, &s, &error));
    ck_assert(s.balanced == .25);
    row.spectral = -1;
    REFUSED("spectral is -1: expected a finite number >= 0", norm_sensitivity_record_add(r, &row, &error));
    row.sensitivity = INFINITY;
    REFUSED("sensitivity is inf", norm_sensitivity_record_add(r, &row, &error));
    ck_assert(r[0].rows == 3);
    r[1].window = 0;
    REFUSED("record 1 is of window 0: expected one after 0", norm_sensitivity_summarize(r, 2, &s, &error));
    r[1].step = .01;
    REFUSED("record 1 has temperature 0.5, step 0.01", norm_sensitivity_summarize(r, 2, &s, &error));
    r[1].layer = 2;
    REFUSED("record 1 is of layer 2", norm_sensitivity_summarize(r, 2, &s, &error));
    REFUSED("no records", norm_sensitivity_summarize(r, 0, &s, &error));
    REFUSED("temperature = 0", norm_sensitivity_record_init(r, 0, 0, 0, 0, 1, &error));
    REFUSED("temperature = nan", norm_sensitivity_record_init(r, 0, 0, 0, NAN, 1, &error));
    REFUSED("step = -1", norm_sensitivity_record_init(r, 0, 0, 0, 1, -1, &error));
    DONE(norm_sensitivity_record_init(r, 0, 0, 0, 1, 1, &error));
    DONE(norm_sensitivity_summarize(r, 1, &s, &error));
    ck_assert(isnan(s.sensitivity) && s.largest_sensitivity == 0);
}
END_TEST

/* Elements are as far apart as a later, longer struct says. */
START_TEST(longer_records_of_a_later_program_work)
{
    struct longer {
        norm_distance_record record;
        double later;
    } r[2];
    memset(r, 0, sizeof r);
    norm_distance_summary summary = {.struct_size = sizeof summary};
    norm_row_distance row = {.struct_size = sizeof row, .tokens = 6, .selected = 3, .distance = 1};
    for (int i = 0; i < 2; i++) {
        r[i].record.struct_size = sizeof r[i];
        DONE(norm_distance_record_init(&r[i].record, 0, 0, i, 8, 3, &error));
        row.distance += i;
        DONE(norm_distance_record_add(&r[i].record, &row, &error));
    }
    DONE(norm_distance_summarize(&r[0].record, 2, &summary, &error));
    ck_assert(summary.distance == 1.5);
    r[1].later = 1;
    REFUSED("is from a newer libnorm", norm_distance_summarize(&r[0].record, 2, &summary, &error));
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("measure_records");
    TCase *tests = tcase_create("measure_records");
    tcase_add_test(tests, a_summary_is_the_mean_over_rows);
    tcase_add_test(tests, joined_records_give_the_same_bits);
    tcase_add_test(tests, distance_records_that_do_not_belong_together);
    tcase_add_test(tests, sensitivities_add_up);
    tcase_add_test(tests, longer_records_of_a_later_program_work);
    suite_add_tcase(suite, tests);
    return suite;
}
