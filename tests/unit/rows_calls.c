/* SPDX-License-Identifier: MIT */
/* How a call is made: arguments, structs older and newer, memory, threads, progress. */
#include <libnorm/norm.h>

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"

static norm_normalizer *softmax;
static norm_error error;

static void setup(void)
{
    error = (norm_error){.struct_size = sizeof error};
    ck_assert_int_eq(norm_normalizer_parse("softmax", 7, NULL, &softmax, NULL), LIBNORM_OK);
}

static void teardown(void)
{
    norm_normalizer_free(softmax);
}

static norm_rows shape(uint64_t batch, uint64_t rows, uint64_t cols)
{
    return (norm_rows){.struct_size = sizeof(norm_rows), .batch = batch, .rows = rows, .cols = cols};
}

START_TEST(missing_and_misaligned_arrays_are_named)
{
    const norm_rows rows = shape(1, 1, 3);
    float z[4] = {1, 2, 3, 4}, w[4] = {77, 77, 77, 77};
    const float *odd = (const float *)(const void *)((const char *)z + 1);
    static const struct {
        int z, w, g, d;
        const char *text;
    } cases[] = {
        {0, 1, 1, 1, "norm_vjp_f32: z is NULL"},
        {1, 1, 0, 1, "norm_vjp_f32: g is NULL"},
        {1, 1, 1, 0, "norm_vjp_f32: ret_d is NULL"},
        {2, 1, 1, 1, "norm_vjp_f32: z is not aligned to its elements of 4 bytes"},
        {1, 2, 1, 1, "norm_vjp_f32: w is not aligned to its elements of 4 bytes"},
        {1, 1, 2, 1, "norm_vjp_f32: g is not aligned to its elements of 4 bytes"},
        {1, 1, 1, 2, "norm_vjp_f32: ret_d is not aligned to its elements of 4 bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const float *const choice[3] = {NULL, z, odd};
        float *const d = cases[i].d == 0 ? NULL : cases[i].d == 1 ? w : (float *)(void *)((char *)w + 1);
        ck_assert_int_eq(norm_vjp_f32(softmax, &rows, choice[cases[i].z], choice[cases[i].w], choice[cases[i].g], d,
                                      NULL, &error),
                         LIBNORM_E_ARGUMENT);
        ck_assert_str_eq(error.text, cases[i].text);
        ck_assert_int_eq(error.where, -1);
    }
    ck_assert_int_eq(norm_apply_f32(NULL, &rows, z, w, NULL, NULL, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_apply_f32: n is NULL");
    ck_assert_int_eq(norm_apply_f32(softmax, NULL, z, w, NULL, NULL, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_apply_f32: rows is NULL");
    ck_assert_int_eq(norm_apply_f32(softmax, &rows, z, w, NULL, NULL, &(norm_error){.struct_size = 8}),
                     LIBNORM_E_ARGUMENT);
    for (int i = 0; i < 4; i++)
        ck_assert(w[i] == 77);
}
END_TEST

START_TEST(side_arrays_are_checked_like_the_others)
{
    norm_rows rows = shape(1, 2, 2);
    double z[4] = {1, 2, 3, 4}, w[4], log_sum[2];
    int64_t ends[3] = {2, 2, 2};
    norm_row_outputs outputs = {.struct_size = sizeof outputs, .log_sum = z};
    ck_assert_int_eq(norm_apply_f64(softmax, &rows, z, w, &outputs, NULL, &error), LIBNORM_E_OVERLAP);
    ck_assert_ptr_nonnull(strstr(error.text, "log_sum overlaps z"));
    outputs.log_sum = w + 3;
    ck_assert_int_eq(norm_apply_f64(softmax, &rows, z, w, &outputs, NULL, &error), LIBNORM_E_OVERLAP);
    outputs.log_sum = log_sum;
    outputs.entropy = log_sum + 1;
    ck_assert_int_eq(norm_apply_f64(softmax, &rows, z, w, &outputs, NULL, &error), LIBNORM_E_OVERLAP);
    outputs.entropy = NULL;
    rows.end = (const int64_t *)(const void *)((const char *)ends + 4);
    ck_assert_int_eq(norm_apply_f64(softmax, &rows, z, w, &outputs, NULL, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_apply_f64: end is not aligned to its elements of 8 bytes");
    rows.end = (const int64_t *)(const void *)w;
    ck_assert_int_eq(norm_apply_f64(softmax, &rows, z, w, &outputs, NULL, &error), LIBNORM_E_OVERLAP);
    ck_assert_ptr_nonnull(strstr(error.text, "ret_w overlaps end"));
    rows.end = ends;
    rows.interval_stride[1] = INT64_MAX;
    ck_assert_int_eq(norm_apply_f64(softmax, &rows, z, w, &outputs, NULL, &error), LIBNORM_E_ARGUMENT);
    rows.interval_stride[1] = 1;
    rows.visible = (const uint8_t *)w;
    ck_assert_int_eq(norm_apply_f64(softmax, &rows, z, w, &outputs, NULL, &error), LIBNORM_E_OVERLAP);
    rows.visible = NULL;
    ck_assert_int_eq(norm_apply_f64(softmax, &rows, z, w, &outputs, NULL, &error), LIBNORM_OK);
    ck_assert(fabs(log_sum[1] - 4.313261687518223) < 1e-14);
}
END_TEST

START_TEST(structs_from_older_and_newer_callers)
{
    struct {
        norm_rows rows;
        uint64_t later;
    } newer = {shape(1, 1, 2), 0};
    const float z[2] = {0, 0};
    float w[2] = {77, 77};
    newer.rows.struct_size = sizeof newer;
    ck_assert_int_eq(norm_apply_f32(softmax, &newer.rows, z, w, NULL, NULL, &error), LIBNORM_OK);
    ck_assert(w[0] == .5f);
    newer.later = 1;
    w[0] = 77;
    ck_assert_int_eq(norm_apply_f32(softmax, &newer.rows, z, w, NULL, NULL, &error), LIBNORM_E_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "norm_rows is from a newer libnorm"));
    newer.rows.struct_size = sizeof(norm_rows) - 8;
    ck_assert_int_eq(norm_apply_f32(softmax, &newer.rows, z, w, NULL, NULL, &error), LIBNORM_E_ARGUMENT);
    norm_rows rows = shape(1, 1, 2);
    rows.flags = 4;
    ck_assert_int_eq(norm_apply_f32(softmax, &rows, z, w, NULL, NULL, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_rows.flags has unknown bits 0x4");
    rows.flags = 0;
    norm_row_outputs outputs = {.struct_size = sizeof outputs, .flags = 1};
    ck_assert_int_eq(norm_apply_f32(softmax, &rows, z, w, &outputs, NULL, &error), LIBNORM_E_ARGUMENT);
    outputs = (norm_row_outputs){.struct_size = 4};
    ck_assert_int_eq(norm_apply_f32(softmax, &rows, z, w, &outputs, NULL, &error), LIBNORM_E_ARGUMENT);
    norm_exec exec = {.struct_size = sizeof exec, .flags = 2};
    ck_assert_int_eq(norm_apply_f32(softmax, &rows, z, w, NULL, &exec, &error), LIBNORM_E_ARGUMENT);
    exec.flags = 0;
    exec.threads = -1;
    ck_assert_int_eq(norm_apply_f32(softmax, &rows, z, w, NULL, &exec, &error), LIBNORM_E_ARGUMENT);
    ck_assert(w[0] == 77);
}
END_TEST

START_TEST(nothing_to_do_succeeds_and_touches_nothing)
{
    static const uint64_t empty[][3] = {{0, 3, 5}, {2, 0, 5}, {0, 0, 0}, {2, 3, 0}};
    for (size_t i = 0; i < 4; i++) {
        const norm_rows rows = shape(empty[i][0], empty[i][1], empty[i][2]);
        double log_sum[6] = {77, 77, 77, 77, 77, 77}, per_row[6] = {77, 77, 77, 77, 77, 77};
        norm_row_outputs outputs = {.struct_size = sizeof outputs, .log_sum = log_sum, .empty_rows = 9};
        ck_assert_int_eq(norm_apply_f32(softmax, &rows, NULL, NULL, &outputs, NULL, &error), LIBNORM_OK);
        ck_assert_int_eq(norm_vjp_f64(softmax, &rows, NULL, NULL, NULL, NULL, NULL, &error), LIBNORM_OK);
        ck_assert_int_eq(norm_param_vjp_f64(softmax, &rows, NULL, NULL, NULL, "temperature", per_row, NULL, &error),
                         LIBNORM_OK);
        /* Rows without columns are there, and empty. */
        const uint64_t n = empty[i][2] == 0 ? empty[i][0] * empty[i][1] : 0;
        ck_assert_uint_eq(outputs.empty_rows, n);
        for (uint64_t r = 0; r < 6; r++) {
            ck_assert(log_sum[r] == (r < n ? -(double)INFINITY : 77));
            ck_assert(per_row[r] == (r < n ? 0 : 77));
        }
    }
}
END_TEST

/* An allocator that counts, and fails from the given allocation on. */
struct memory {
    int allowed, held;
};

static void *take(void *user, size_t size, size_t align)
{
    struct memory *m = user;
    void *p = NULL;
    if (m->allowed-- <= 0 || posix_memalign(&p, align, size) != 0)
        return NULL;
    m->held++;
    return p;
}

static void give(void *user, void *p, size_t size)
{
    ((struct memory *)user)->held--;
    memset(p, 0xA5, size); /* the size must be right */
    free(p);
}

START_TEST(failing_memory_leaves_the_arrays_and_no_leak)
{
    norm_rows rows = shape(1, 2, 3);
    const double z[6] = {1, 2, 3, 4, 5, 6};
    double w[6];
    struct memory memory = {0, 0};
    const norm_allocator allocator = {&memory, take, give};
    norm_exec exec = {.struct_size = sizeof exec, .cpu_level = LIBNORM_CPU_SCALAR, .allocator = &allocator};
    memset(w, 0xA5, sizeof w);
    ck_assert_int_eq(norm_apply_f64(softmax, &rows, z, w, NULL, &exec, &error), LIBNORM_E_NOMEM);
    for (size_t i = 0; i < sizeof w; i++)
        ck_assert_int_eq(((unsigned char *)w)[i], 0xA5);
    memory.allowed = 1;
    ck_assert_int_eq(norm_apply_f64(softmax, &rows, z, w, NULL, &exec, &error), LIBNORM_OK);
    ck_assert_int_eq(memory.held, 0);
    ck_assert_int_eq(memory.allowed, 0);
    /* Packed rows of softmax need no memory at all. */
    exec.cpu_level = 0;
    ck_assert_int_eq(norm_apply_f64(softmax, &rows, z, w, NULL, &exec, &error), LIBNORM_OK);
}
END_TEST

START_TEST(the_workspace_asked_for_suffices_and_less_is_refused_untouched)
{
    enum { cols = 37, n_rows = 5000 };
    float *z = malloc(sizeof(float) * cols * n_rows), *w = malloc(sizeof(float) * cols * n_rows);
    for (size_t i = 0; i < cols * n_rows; i++)
        z[i] = (float)(i % 11);
    struct memory memory = {0, 0};
    const norm_allocator none = {&memory, take, give};
    for (int threads = 1; threads <= 3; threads += 2) {
        for (int strided = 0; strided < 2; strided++) {
            norm_rows rows = shape(1, n_rows, cols);
            if (strided)
                for (int k = 0; k < 2; k++) {
                    int64_t *stride = k ? rows.w_stride : rows.z_stride;
                    stride[1] = 1;
                    stride[2] = n_rows;
                }
            for (int level = 0; level <= LIBNORM_CPU_SCALAR; level += LIBNORM_CPU_SCALAR) {
                norm_exec exec = {.struct_size = sizeof exec, .threads = threads, .cpu_level = level};
                size_t bytes = 77;
                ck_assert_int_eq(norm_apply_workspace(softmax, &rows, &exec, &bytes), LIBNORM_OK);
                ck_assert(bytes > 0);
                struct support_guard room = support_guard_new(bytes, 1); /* any alignment */
                exec.workspace = room.data;
                exec.workspace_size = bytes;
                exec.allocator = &none;
                ck_assert_int_eq(norm_apply_f32(softmax, &rows, z, w, NULL, &exec, &error), LIBNORM_OK);
                ck_assert_int_eq(norm_log_vjp_f32(softmax, &rows, z, NULL, z, w, &exec, &error), LIBNORM_OK);
                ck_assert_int_eq(norm_hvp_f32(softmax, &rows, z, z, z, w, NULL, &exec, &error), LIBNORM_OK);
                ck_assert(support_guard_intact(&room));
                exec.workspace_size = 100;
                memset(w, 0, sizeof(float) * cols * n_rows);
                ck_assert_int_eq(norm_hvp_f32(softmax, &rows, z, z, z, w, NULL, &exec, &error), LIBNORM_E_ARGUMENT);
                ck_assert_ptr_nonnull(strstr(error.text, "workspace of 100 bytes is too small: "));
                for (size_t i = 0; i < cols * n_rows; i++)
                    ck_assert(w[i] == 0);
                support_guard_free(&room);
            }
        }
    }
    size_t bytes = 77;
    ck_assert_int_eq(norm_apply_workspace(NULL, NULL, NULL, &bytes), LIBNORM_E_ARGUMENT);
    ck_assert_uint_eq(bytes, 77);
    ck_assert_int_eq(norm_apply_workspace(softmax, NULL, NULL, NULL), LIBNORM_E_ARGUMENT);
    free(z);
    free(w);
}
END_TEST

START_TEST(every_operation_of_the_same_query_is_exact_at_its_largest)
{
    /* The largest need is hvp in double: with one byte less than it takes, it is refused; with that, it runs. */
    const norm_rows rows = shape(1, 3, 50);
    double z[150] = {0}, d[150];
    size_t bytes = 0;
    ck_assert_int_eq(norm_apply_workspace(softmax, &rows, NULL, &bytes), LIBNORM_OK);
    void *room = NULL;
    ck_assert_int_eq(posix_memalign(&room, 64, bytes), 0);
    norm_exec exec = {.struct_size = sizeof exec, .workspace = room};
    exec.workspace_size = bytes - 64; /* aligned: nothing is lost to alignment */
    ck_assert_int_eq(norm_hvp_f64(softmax, &rows, z, z, z, d, NULL, &exec, &error), LIBNORM_OK);
    exec.workspace_size = bytes - 65;
    ck_assert_int_eq(norm_hvp_f64(softmax, &rows, z, z, z, d, NULL, &exec, &error), LIBNORM_E_ARGUMENT);
    free(room);
}
END_TEST

START_TEST(threads_do_not_change_a_bit)
{
    enum { cols = 301, n_rows = 700 };
    float *z = malloc(sizeof(float) * cols * n_rows), *one = malloc(sizeof(float) * cols * n_rows),
          *many = malloc(sizeof(float) * cols * n_rows);
    double entropy[2][n_rows];
    struct support_random r = {support_seed(21)};
    for (size_t i = 0; i < cols * n_rows; i++)
        z[i] = i % 997 == 0 ? -INFINITY : (float)(4 * support_normal(&r));
    for (int level = 0; level <= LIBNORM_CPU_SCALAR; level += LIBNORM_CPU_SCALAR) {
        norm_exec exec = {.struct_size = sizeof exec, .cpu_level = level};
        norm_rows rows = shape(1, n_rows, cols);
        rows.flags = LIBNORM_ROWS_NEG_INF_HIDDEN;
        norm_row_outputs outputs = {.struct_size = sizeof outputs, .entropy = entropy[0]};
        ck_assert_int_eq(norm_apply_f32(softmax, &rows, z, one, &outputs, &exec, &error), LIBNORM_OK);
        for (int threads = 2; threads <= 32; threads *= 2) {
            exec.threads = threads;
            outputs.entropy = entropy[1];
            ck_assert_int_eq(norm_apply_f32(softmax, &rows, z, many, &outputs, &exec, &error), LIBNORM_OK);
            ck_assert_mem_eq(many, one, sizeof(float) * cols * n_rows);
            ck_assert_mem_eq(entropy[1], entropy[0], sizeof entropy[0]);
        }
    }
    free(z);
    free(one);
    free(many);
}
END_TEST

/* A host's own loop, backwards. */
static void backwards(void *user, size_t tasks, void (*task)(void *arg, size_t index), void *arg)
{
    *(size_t *)user += tasks;
    for (size_t i = tasks; i-- > 0;)
        task(arg, i);
}

START_TEST(rows_run_through_the_hosts_loop)
{
    enum { cols = 1000, n_rows = 200 };
    float *z = calloc(cols * n_rows, sizeof(float)), *w = malloc(sizeof(float) * cols * n_rows);
    size_t tasks = 0;
    norm_exec exec = {.struct_size = sizeof exec, .threads = 4, .parallel_for = backwards, .parallel_user = &tasks};
    const norm_rows rows = shape(2, n_rows / 2, cols);
    ck_assert_int_eq(norm_apply_f32(softmax, &rows, z, w, NULL, &exec, &error), LIBNORM_OK);
    ck_assert_uint_eq(tasks, 4);
    for (size_t i = 0; i < cols * n_rows; i++)
        ck_assert(w[i] == .001f);
    free(z);
    free(w);
}
END_TEST

struct watch {
    pthread_t caller;
    double last;
    int calls, stop_at, wrong;
};

static int32_t watched(void *user, double done)
{
    struct watch *watch = user;
    watch->calls++;
    watch->wrong |= !pthread_equal(watch->caller, pthread_self()) || done < watch->last || done > 1;
    watch->last = done;
    return watch->calls == watch->stop_at ? 7 : 0;
}

START_TEST(progress_is_told_on_the_callers_thread_and_can_cancel)
{
    enum { cols = 1000, n_rows = 2000 };
    float *z = calloc(cols * n_rows, sizeof(float)), *w = malloc(sizeof(float) * cols * n_rows);
    const norm_rows rows = shape(1, n_rows, cols);
    for (int threads = 1; threads <= 3; threads++) {
        struct watch watch = {.caller = pthread_self()};
        norm_exec exec = {.struct_size = sizeof exec, .threads = threads, .progress = watched, .progress_user = &watch};
        ck_assert_int_eq(norm_apply_f32(softmax, &rows, z, w, NULL, &exec, &error), LIBNORM_OK);
        ck_assert(watch.calls >= 1 && watch.calls <= 65 && watch.last == 1 && !watch.wrong);
        watch = (struct watch){.caller = pthread_self(), .stop_at = 1};
        norm_row_outputs outputs = {.struct_size = sizeof outputs, .empty_rows = 9};
        ck_assert_int_eq(norm_apply_f32(softmax, &rows, z, w, &outputs, &exec, &error), LIBNORM_E_CANCELLED);
        ck_assert_str_eq(error.text, "norm_apply_f32: cancelled by norm_exec.progress with 7");
        ck_assert_int_eq(error.where, 7);
        ck_assert(watch.calls == 1 && outputs.empty_rows == 9);
    }
    free(z);
    free(w);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("rows_calls");
    TCase *tests = tcase_create("rows_calls");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, missing_and_misaligned_arrays_are_named);
    tcase_add_test(tests, side_arrays_are_checked_like_the_others);
    tcase_add_test(tests, structs_from_older_and_newer_callers);
    tcase_add_test(tests, nothing_to_do_succeeds_and_touches_nothing);
    tcase_add_test(tests, failing_memory_leaves_the_arrays_and_no_leak);
    tcase_add_test(tests, the_workspace_asked_for_suffices_and_less_is_refused_untouched);
    tcase_add_test(tests, every_operation_of_the_same_query_is_exact_at_its_largest);
    tcase_add_test(tests, threads_do_not_change_a_bit);
    tcase_add_test(tests, rows_run_through_the_hosts_loop);
    tcase_add_test(tests, progress_is_told_on_the_callers_thread_and_can_cancel);
    suite_add_tcase(suite, tests);
    return suite;
}
