/* SPDX-License-Identifier: MIT */
/* Meters as they are called: through an observer, with rows that cannot be measured, with bad arguments. */
#include <libnorm/norm.h>

#include <math.h>
#include <string.h>

#include "measure_head.h"
#include "support/allocator.h"

static void near(double got, double want)
{
    ck_assert_msg(fabs(got - want) <= 1e-6 * fabs(want), "%.17g, expected %.17g", got, want);
}

/* One meter for many heads, through the observer: what each would give alone, in bins of lengths. */
START_TEST(an_observer_fills_the_records_of_each_head)
{
    enum { LAYERS = 2, HEADS = 2, BINS = 3, NS = 2 };
    static const uint64_t bins[BINS] = {8, 16, 24}, few[NS] = {1, 5};
    static struct head h;
    static norm_distance_record records[LAYERS * HEADS * BINS * NS];
    struct support_random r = {support_seed(60)};
    norm_distance_meter *meter = NULL;
    norm_distance_plan plan = {.struct_size = sizeof plan,
                               .parts = LIBNORM_DISTANCE_EXPECTED,
                               .max_tokens = MOST,
                               .dim = 3,
                               .lengths = bins,
                               .length_count = BINS,
                               .tops = few,
                               .top_count = NS};
    DONE(norm_distance_meter_open(&plan, &meter, &error));
    norm_distance_observer observer = {.struct_size = sizeof observer,
                                       .window = 4,
                                       .n_layer = LAYERS,
                                       .n_head = HEADS,
                                       .meter = meter,
                                       .records = records};
    for (size_t i = 0; i < LAYERS * HEADS * BINS * NS; i++)
        records[i].struct_size = sizeof *records;
    for (int32_t at = 0; at < LAYERS * HEADS; at++) {
        do
            draw(&h, ORDINARY, &r);
        while (h.n < 26 || h.dim != 3);
        for (size_t first = 0; first < h.n; first += 10) {
            norm_head_view view = view_of(&h, first, h.n - first < 10 ? h.n - first : 10);
            view.layer = at / HEADS;
            view.head = at % HEADS;
            ck_assert_int_eq(norm_distance_observe(&observer, &view), LIBNORM_OK);
        }
        for (size_t b = 0; b < BINS; b++)
            for (size_t k = 0; k < NS; k++) {
                const norm_distance_record *got = records + ((size_t)at * BINS + b) * NS + k;
                norm_distance_record want = {.struct_size = sizeof want};
                DONE(norm_distance_record_init(&want, at / HEADS, at % HEADS, 4, bins[b], few[k], &error));
                for (size_t n = b == 0 ? 1 : bins[b - 1] + 1; n <= bins[b]; n++) {
                    norm_row_distance row;
                    want.short_rows += n <= few[k];
                    if (n <= few[k])
                        continue;
                    direct(&h, n, (size_t)few[k], LIBNORM_DISTANCE_EXPECTED, &row);
                    DONE(norm_distance_record_add(&want, &row, &error));
                }
                ck_assert(got->layer == at / HEADS && got->head == at % HEADS && got->window == 4);
                ck_assert(got->length == (double)bins[b] && got->selected == (double)few[k]);
                ck_assert(got->rows == want.rows && got->tokens == want.tokens && got->nan_rows == 0);
                ck_assert(got->short_rows == want.short_rows && got->inside == want.inside);
                near(got->distance, want.distance);
                near(got->expected_lower, want.expected_lower);
            }
    }
    norm_head_view view = view_of(&h, 0, 1);
    view.layer = LAYERS;
    ck_assert_int_eq(norm_distance_observe(&observer, &view), LIBNORM_E_ARGUMENT);
    ck_assert_int_eq(norm_distance_observe(NULL, &view), LIBNORM_E_ARGUMENT);
    norm_distance_meter_free(meter);
}
END_TEST

START_TEST(rows_that_cannot_be_measured_are_counted)
{
    enum { N = 9 };
    static const uint64_t two[1] = {2};
    float weights[N * N], values[N * 2];
    uint64_t visible[N];
    norm_distance_record record = {.struct_size = sizeof record};
    norm_distance_meter *meter = NULL;
    norm_distance_plan plan = {.struct_size = sizeof plan, .max_tokens = N, .dim = 2, .tops = two, .top_count = 1};
    for (size_t i = 0; i < N; i++) {
        visible[i] = i + 1;
        values[2 * i] = (float)i;
        values[2 * i + 1] = 1;
        for (size_t j = 0; j < N; j++)
            weights[i * N + j] = j <= i ? 1 / (float)(i + 1) : (float)NAN; /* what a row does not see may be anything */
    }
    norm_head_view view = {.struct_size = sizeof view,
                           .rows = N,
                           .cols = N,
                           .head_dim = 2,
                           .weights = weights,
                           .values = values,
                           .weight_stride = N,
                           .value_stride = 2,
                           .visible = visible};
    DONE(norm_distance_meter_open(&plan, &meter, &error));
    DONE(norm_distance_meter_add(meter, &view, NULL, 0, 0, &record, &error));
    ck_assert(record.rows == 7 && record.short_rows == 2 && record.nan_rows == 0 && record.length == N);
    weights[4 * N + 2] = INFINITY;
    DONE(norm_distance_meter_add(meter, &view, NULL, 0, 0, &record, &error));
    ck_assert(record.rows == 6 && record.nan_rows == 1);
    values[2 * 6] = NAN; /* rows 6, 7 and 8 see it */
    DONE(norm_distance_meter_add(meter, &view, NULL, 0, 0, &record, &error));
    ck_assert(record.rows == 3 && record.nan_rows == 4 && record.short_rows == 2 && isfinite(record.distance));
    values[2 * 6] = 2e30f;
    DONE(norm_distance_meter_add(meter, &view, NULL, 0, 0, &record, &error));
    ck_assert(record.nan_rows == 4);
    norm_distance_meter_free(meter);
    plan.parts = LIBNORM_DISTANCE_UNIT;
    values[2 * 6] = values[2 * 6 + 1] = 0; /* no direction */
    DONE(norm_distance_meter_open(&plan, &meter, &error));
    DONE(norm_distance_meter_add(meter, &view, NULL, 0, 0, &record, &error));
    ck_assert(record.rows == 3 && record.nan_rows == 4);
    norm_distance_meter_free(meter);
}
END_TEST

static void refused(norm_status status, const char *text, int line)
{
    ck_assert_msg(status == LIBNORM_E_ARGUMENT, "line %d: %d", line, (int)status);
    ck_assert_msg(strstr(error.text, text) != NULL, "line %d: '%s' lacks '%s'", line, error.text, text);
    error.text[0] = '\0';
}
#define REFUSED(text, call) refused(call, text, __LINE__)

START_TEST(bad_plans_and_views)
{
    static struct head h;
    static const uint64_t falling[2] = {5, 5};
    struct support_random r = {support_seed(70)};
    norm_distance_meter *meter = NULL;
    do
        draw(&h, ORDINARY, &r);
    while (h.n < 20);
    const norm_distance_plan good = plan_of(&h, 0);
    norm_distance_plan p = good;
    p.top_count = 3;
#define PLAN(text, change)                                                                                             \
    do {                                                                                                               \
        p = good;                                                                                                      \
        p.top_count = 3;                                                                                               \
        change;                                                                                                        \
        REFUSED(text, norm_distance_meter_open(&p, &meter, &error));                                                   \
    } while (0)
    PLAN("max_tokens = 1: expected 2", p.max_tokens = 1);
    PLAN("max_tokens = 2097152", p.max_tokens = 1 << 21);
    PLAN("dim = 0", p.dim = 0);
    PLAN("top_count = 0", p.top_count = 0);
    PLAN("tops is NULL", p.tops = NULL);
    PLAN("tops[1] is 5: expected ascending", p.tops = falling);
    PLAN("lengths[0] is 1: expected ascending numbers from 2", p.lengths = h.lengths);
    PLAN("lengths is NULL", p.lengths = NULL);
    PLAN("parts has unknown bits", p.parts = 64);
    PLAN("needs LIBNORM_DISTANCE_UNIT", p.parts = LIBNORM_DISTANCE_SEPARABLE);
    PLAN("cpu_level is 3", p.cpu_level = 3);
    REFUSED("norm_distance_plan is NULL", norm_distance_meter_open(NULL, &meter, &error));
    ck_assert(meter == NULL);
    p = good;
    p.top_count = 3;
    DONE(norm_distance_meter_open(&p, &meter, &error));
    norm_head_view view = view_of(&h, 0, 8);
    for (size_t i = 0; i < MOST * TOPS; i++)
        h.records[i].struct_size = sizeof *h.records;
    REFUSED("row 3 of layer 1, head 2 does not follow row 0",
            (view.first_row = 3, norm_distance_meter_add(meter, &view, NULL, 0, 7, h.records, &error)));
    view.first_row = 0;
    DONE(norm_distance_meter_add(meter, &view, NULL, 0, 7, h.records, &error));
    view.first_row = 8;
    REFUSED("does not follow", norm_distance_meter_add(meter, &view, NULL, 0, 8, h.records, &error));
    h.records[1].head = 3;
    REFUSED("record 1 is not of layer 1, head 2", norm_distance_meter_add(meter, &view, NULL, 0, 7, h.records, &error));
    h.records[1].head = 2;
    view.head_dim++;
    REFUSED("head_dim is", norm_distance_meter_add(meter, &view, NULL, 0, 7, h.records, &error));
    view.values = NULL;
    REFUSED("values is NULL", norm_distance_meter_add(meter, &view, NULL, 0, 7, h.records, &error));
    if (h.dim > 1)
        REFUSED("vector_stride is 1", norm_distance_meter_add(meter, &view, h.values, 1, 7, h.records, &error));
    REFUSED("meter is NULL", norm_distance_meter_add(NULL, &view, NULL, 0, 7, h.records, &error));
    REFUSED("records is NULL", norm_distance_meter_add(meter, &view, NULL, 0, 7, NULL, &error));
    norm_distance_meter_free(meter);
    norm_distance_meter_free(NULL);
    struct support_allocator books;
    for (size_t fail = 0; fail < 2; fail++) {
        support_allocator_init(&books, fail);
        p.allocator = &books.allocator;
        meter = NULL;
        ck_assert_int_eq(norm_distance_meter_open(&p, &meter, &error), fail ? LIBNORM_E_NOMEM : LIBNORM_OK);
        norm_distance_meter_free(meter);
        ck_assert(books.live == 0 && books.wrong == 0 && books.calls == 1);
    }
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("measure_meter_calls");
    TCase *tests = tcase_create("measure_meter_calls");
    tcase_add_test(tests, an_observer_fills_the_records_of_each_head);
    tcase_add_test(tests, rows_that_cannot_be_measured_are_counted);
    tcase_add_test(tests, bad_plans_and_views);
    suite_add_tcase(suite, tests);
    return suite;
}
