/* SPDX-License-Identifier: MIT */
/* Older and newer callers of measures and bounds: records, summaries and what they are made of. The last member of
 * each in the first release is written down here and stays. */
#include <libnorm/norm.h>

#include <string.h>

#include "support/sized.h"
#include "support/support.h"

static const float weights_f32[4] = {0.5f, 0.25f, 0.125f, 0.125f};
static const double weights[4] = {0.5, 0.25, 0.125, 0.125}, vectors[8] = {1, 0, 0, 1, 1, 1, 2, 0};
static const uint64_t visible[1] = {4};

static norm_head_view a_view(void)
{
    return (norm_head_view){.struct_size = sizeof(norm_head_view),
                            .rows = 1,
                            .cols = 4,
                            .weights = weights_f32,
                            .weight_stride = 4,
                            .visible = visible};
}

/* -- heads --------------------------------------------------------------------------------------------------------- */
static void make_head_record(void *s) { ck_assert_int_eq(norm_head_record_init(s, 0, 0, 0, NULL), LIBNORM_OK); }
static norm_status head_record(void *s, norm_error *error)
{
    const norm_head_view view = a_view();
    const norm_status status = norm_head_record_add(s, &view, error);
    ck_assert(status != LIBNORM_OK || ((norm_head_record *)s)->max_weight == 0.5);
    return status;
}
static norm_status head_record_init(void *s, norm_error *error) { return norm_head_record_init(s, 0, 0, 0, error); }

static void make_view(void *s)
{
    const norm_head_view view = a_view();
    memcpy((char *)s + sizeof(uint32_t), (const char *)&view + sizeof(uint32_t),
           offsetof(norm_head_view, visible) + sizeof view.visible - sizeof(uint32_t));
}
static norm_status view(void *s, norm_error *error)
{
    norm_head_record record = {.struct_size = sizeof record};
    make_head_record(&record);
    return norm_head_record_add(&record, s, error);
}

static norm_head_record observed;
static void make_observer(void *s)
{
    norm_head_observer *observer = s;
    observer->n_layer = observer->n_head = 1;
    observer->records = &observed;
}
static norm_status observer(void *s, norm_error *error)
{
    (void)error;
    const norm_head_view view = a_view();
    observed.struct_size = sizeof observed;
    return norm_head_observe(s, &view);
}

static norm_status head_summary(void *s, norm_error *error)
{
    norm_head_record record = {.struct_size = sizeof record};
    make_head_record(&record);
    ck_assert_int_eq(head_record(&record, NULL), LIBNORM_OK);
    const norm_status status = norm_head_summarize(&record, 1, s, error);
    ck_assert(status != LIBNORM_OK || ((norm_head_summary *)s)->max_weight == 0.5);
    return status;
}

/* -- distances ----------------------------------------------------------------------------------------------------- */
static norm_status row_distance(void *s, norm_error *error)
{
    const norm_status status = norm_measure_distance(4, 2, weights, vectors, 0, 1, 0, s, NULL, error);
    ck_assert(status != LIBNORM_OK || ((norm_row_distance *)s)->mass == 0.5);
    return status;
}
static void make_row_distance(void *s) { ck_assert_int_eq(row_distance(s, NULL), LIBNORM_OK); }

static void make_distance_record(void *s)
{
    ck_assert_int_eq(norm_distance_record_init(s, 0, 0, 0, 4, 1, NULL), LIBNORM_OK);
}
static norm_status distance_record_init(void *s, norm_error *error)
{
    return norm_distance_record_init(s, 0, 0, 0, 4, 1, error);
}
static norm_status distance_record(void *s, norm_error *error)
{
    norm_row_distance row = {.struct_size = sizeof row};
    make_row_distance(&row);
    return norm_distance_record_add(s, &row, error);
}
static norm_status row_distance_given(void *s, norm_error *error)
{
    norm_distance_record record = {.struct_size = sizeof record};
    make_distance_record(&record);
    return norm_distance_record_add(&record, s, error);
}
static norm_status distance_summary(void *s, norm_error *error)
{
    norm_distance_record record = {.struct_size = sizeof record};
    make_distance_record(&record);
    return norm_distance_summarize(&record, 1, s, error);
}

static const uint64_t top = 1;
static void make_plan(void *s)
{
    norm_distance_plan *plan = s;
    plan->max_tokens = 4;
    plan->dim = 2;
    plan->tops = &top;
    plan->top_count = 1;
}
static norm_status plan(void *s, norm_error *error)
{
    norm_distance_meter *meter = NULL;
    const norm_status status = norm_distance_meter_open(s, &meter, error);
    ck_assert((meter != NULL) == (status == LIBNORM_OK));
    norm_distance_meter_free(meter);
    return status;
}

static norm_distance_record watched;
static void make_distance_observer(void *s)
{
    norm_distance_observer *distance_observer = s;
    distance_observer->n_layer = distance_observer->n_head = 1;
    distance_observer->records = &watched;
}
/* The meter is put in for the call alone: a struct that is refused must come back as it was. */
static norm_status distance_observer(void *s, norm_error *error)
{
    (void)error;
    static const float values[8] = {1, 0, 0, 1, 1, 1, 2, 0};
    norm_head_view view = a_view();
    norm_distance_plan own = {.struct_size = sizeof own};
    norm_distance_observer *given = s;
    make_plan(&own);
    ck_assert_int_eq(norm_distance_meter_open(&own, &given->meter, NULL), LIBNORM_OK);
    watched.struct_size = sizeof watched;
    view.values = values;
    view.value_stride = 2;
    view.head_dim = 2;
    const norm_status status = norm_distance_observe(s, &view);
    norm_distance_meter_free(given->meter);
    given->meter = NULL;
    return status;
}

/* -- sensitivity --------------------------------------------------------------------------------------------------- */
static void make_sensitivity_record(void *s)
{
    ck_assert_int_eq(norm_sensitivity_record_init(s, 0, 0, 0, 1, 0.5, NULL), LIBNORM_OK);
}
static norm_status sensitivity_record_init(void *s, norm_error *error)
{
    return norm_sensitivity_record_init(s, 0, 0, 0, 1, 0.5, error);
}
static norm_status sensitivity_record(void *s, norm_error *error)
{
    const norm_row_sensitivity row = {.struct_size = sizeof row, .sensitivity = 1};
    return norm_sensitivity_record_add(s, &row, error);
}
static norm_status row_sensitivity(void *s, norm_error *error)
{
    norm_sensitivity_record record = {.struct_size = sizeof record};
    make_sensitivity_record(&record);
    return norm_sensitivity_record_add(&record, s, error);
}
static norm_status sensitivity_summary(void *s, norm_error *error)
{
    norm_sensitivity_record record = {.struct_size = sizeof record};
    make_sensitivity_record(&record);
    return norm_sensitivity_summarize(&record, 1, s, error);
}

/* -- statistics and bounds ----------------------------------------------------------------------------------------- */
static norm_status ks(void *s, norm_error *error)
{
    return norm_measure_ks(4, weights, 8, vectors, 0.05, s, NULL, error);
}
static norm_status critical_start(void *s, norm_error *error)
{
    return norm_critical_start(0, 9, 0.05, LIBNORM_CRITICAL_SCAN, s, error);
}
static void make_critical(void *s) { ck_assert_int_eq(critical_start(s, NULL), LIBNORM_OK); }
static norm_status critical(void *s, norm_error *error)
{
    return norm_critical_tell(s, 4, weights, vectors, NULL, NULL, error);
}
static norm_status line(void *s, norm_error *error) { return norm_measure_line(4, weights, vectors, s, error); }

static double along[4], across[4];
static norm_status random_set(void *s, norm_error *error)
{
    return norm_bound_random_set(4, 2, weights, vectors, 0, along, across, s, error);
}
static void make_random_set(void *s) { ck_assert_int_eq(random_set(s, NULL), LIBNORM_OK); }
static norm_status random_set_given(void *s, norm_error *error)
{
    double square = -1;
    const norm_status status = norm_bound_expected_square(s, 2, &square, error);
    ck_assert((square > 0) == (status == LIBNORM_OK));
    return status;
}

static const struct support_sized structs[] = {
    SUPPORT_SIZED(norm_head_record, row_max_score, support_sized_kept, make_head_record, head_record),
    SUPPORT_SIZED(norm_head_record, row_max_score, support_sized_filled, NULL, head_record_init),
    SUPPORT_SIZED(norm_head_view, visible, support_sized_given, make_view, view),
    SUPPORT_SIZED(norm_head_observer, records, support_sized_given, make_observer, observer),
    SUPPORT_SIZED(norm_head_summary, row_max_score, support_sized_filled, NULL, head_summary),
    SUPPORT_SIZED(norm_row_distance, separable_published, support_sized_filled, NULL, row_distance),
    SUPPORT_SIZED(norm_row_distance, separable_published, support_sized_given, make_row_distance, row_distance_given),
    SUPPORT_SIZED(norm_distance_record, separable_published, support_sized_filled, NULL, distance_record_init),
    SUPPORT_SIZED(norm_distance_record, separable_published, support_sized_kept, make_distance_record,
                  distance_record),
    SUPPORT_SIZED(norm_distance_summary, separable_published, support_sized_filled, NULL, distance_summary),
    SUPPORT_SIZED(norm_distance_plan, allocator, support_sized_given, make_plan, plan),
    SUPPORT_SIZED(norm_distance_observer, vector_stride, support_sized_given, make_distance_observer,
                  distance_observer),
    SUPPORT_SIZED(norm_row_sensitivity, balanced, support_sized_given, NULL, row_sensitivity),
    SUPPORT_SIZED(norm_sensitivity_record, largest_spectral, support_sized_filled, NULL, sensitivity_record_init),
    SUPPORT_SIZED(norm_sensitivity_record, largest_spectral, support_sized_kept, make_sensitivity_record,
                  sensitivity_record),
    SUPPORT_SIZED(norm_sensitivity_summary, largest_spectral, support_sized_filled, NULL, sensitivity_summary),
    SUPPORT_SIZED(norm_ks, rejected, support_sized_filled, NULL, ks),
    SUPPORT_SIZED(norm_critical, critical, support_sized_filled, NULL, critical_start),
    SUPPORT_SIZED(norm_critical, critical, support_sized_kept, make_critical, critical),
    SUPPORT_SIZED(norm_line, r_squared, support_sized_filled, NULL, line),
    SUPPORT_SIZED(norm_random_set, across, support_sized_filled, NULL, random_set),
    SUPPORT_SIZED(norm_random_set, across, support_sized_given, make_random_set, random_set_given),
};

START_TEST(older_and_newer_callers) { support_sized_check(&structs[_i]); }
END_TEST

/* An array of records as an older caller lays it out: its size is the step from one to the next. */
START_TEST(records_of_an_older_caller_side_by_side)
{
    enum { step = offsetof(norm_head_record, row_max_score) + sizeof(double) };
    double block[3 * step / sizeof(double)];
    norm_head_summary summary = {.struct_size = sizeof summary};
    for (int i = 0; i < 3; i++) {
        norm_head_record *record = (norm_head_record *)((char *)block + i * step);
        const uint32_t size = step;
        memcpy(record, &size, sizeof size);
        ck_assert_int_eq(norm_head_record_init(record, 0, 0, i, NULL), LIBNORM_OK);
        ck_assert_int_eq(head_record(record, NULL), LIBNORM_OK);
    }
    ck_assert_int_eq(norm_head_summarize((norm_head_record *)block, 3, &summary, NULL), LIBNORM_OK);
    ck_assert(summary.windows == 3 && summary.rows == 3 && summary.max_weight == 0.5 && summary.length == 0);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("callers_measure");
    TCase *tests = tcase_create("callers_measure");
    tcase_add_loop_test(tests, older_and_newer_callers, 0, sizeof structs / sizeof structs[0]);
    tcase_add_test(tests, records_of_an_older_caller_side_by_side);
    suite_add_tcase(suite, tests);
    return suite;
}
