/* SPDX-License-Identifier: MIT */
/* Which layouts are refused: overlaps, elements written twice, extents beyond the address space. */
#include <libnorm/norm.h>

#include <string.h>

#include "support/support.h"

static norm_normalizer *softmax;

static void setup(void)
{
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

static void set(int64_t stride[3], int64_t batch, int64_t row, int64_t column)
{
    stride[0] = batch;
    stride[1] = row;
    stride[2] = column;
}

START_TEST(overlaps_are_refused_exactly_and_nothing_is_written)
{
    /* Views of rows of 4, row stride 8, in one block: shifted by k elements. */
    norm_error error = {sizeof error, 0, 0, ""};
    float block[200], before[200];
    for (int i = 0; i < 200; i++)
        block[i] = (float)(i % 7);
    memcpy(before, block, sizeof block);
    norm_rows rows = shape(2, 3, 4);
    set(rows.z_stride, 24, 8, 1);
    set(rows.w_stride, 24, 8, 1);
    for (int k = -48; k <= 48; k++) {
        float *zk = block + 60, *wk = block + 60 + k;
        /* Do two elements meet? By brute force. */
        int meet = 0;
        for (int i = 0; i < 24; i++)
            for (int j = 0; j < 24; j++)
                meet |= i / 12 * 24 + i / 4 % 3 * 8 + i % 4 == k + j / 12 * 24 + j / 4 % 3 * 8 + j % 4;
        const norm_status status = norm_apply_f32(softmax, &rows, zk, wk, NULL, NULL, &error);
        if (k != 0 && meet) {
            ck_assert_msg(status == LIBNORM_E_OVERLAP, "shift %d accepted", k);
            ck_assert_str_eq(error.text, "norm_apply_f32: ret_w overlaps z: expected the same address and strides, or "
                                         "no common element");
            ck_assert_mem_eq(block, before, sizeof block);
        } else {
            ck_assert_msg(status == LIBNORM_OK, "shift %d refused: %s", k, error.text);
            memcpy(block, before, sizeof block);
        }
    }
    /* Other strides: by address range. */
    set(rows.w_stride, 12, 4, 1);
    ck_assert_int_eq(norm_apply_f32(softmax, &rows, block, block + 4, NULL, NULL, &error), LIBNORM_E_OVERLAP);
    ck_assert_int_eq(norm_apply_f32(softmax, &rows, block, block, NULL, NULL, &error), LIBNORM_E_OVERLAP);
    ck_assert_mem_eq(block, before, sizeof block);
    ck_assert_int_eq(norm_apply_f32(softmax, &rows, block, block + 44, NULL, NULL, &error), LIBNORM_OK);
}
END_TEST

START_TEST(exact_overlap_agrees_with_brute_force)
{
    struct support_random random = {support_seed(14)};
    float block[400] = {0};
    int met = 0, apart = 0;
    for (int trial = 0; trial < 400; trial++) {
        const int64_t batch = 1 + (int64_t)support_below(&random, 4), row = 1 + (int64_t)support_below(&random, 4);
        const int64_t cols = 1 + (int64_t)support_below(&random, 4);
        const int64_t a = cols + (int64_t)support_below(&random, 9), b = cols + (int64_t)support_below(&random, 30);
        const int64_t k = (int64_t)support_below(&random, 81) - 40;
        int twice = 0, meet = 0;
        for (int64_t i = 0; i < batch * row * cols; i++)
            for (int64_t j = 0; j < batch * row * cols; j++) {
                const int64_t x = i / (row * cols) * b + i / cols % row * a + i % cols;
                const int64_t y = j / (row * cols) * b + j / cols % row * a + j % cols;
                twice |= i != j && x == y;
                meet |= x == y + k;
            }
        norm_rows rows = shape((uint64_t)batch, (uint64_t)row, (uint64_t)cols);
        set(rows.z_stride, b, a, 1);
        set(rows.w_stride, b, a, 1);
        const norm_status status = norm_apply_f32(softmax, &rows, block + 60, block + 60 + k, NULL, NULL, NULL);
        const norm_status wanted = twice ? LIBNORM_E_ARGUMENT : meet && k != 0 ? LIBNORM_E_OVERLAP : LIBNORM_OK;
        ck_assert_msg(status == wanted, "%d x %d x %d, strides %d, %d, shift %d: %d, expected %d", (int)batch, (int)row,
                      (int)cols, (int)b, (int)a, (int)k, status, wanted);
        met += wanted == LIBNORM_E_OVERLAP;
        apart += wanted == LIBNORM_OK;
    }
    ck_assert(met > 20 && apart > 20);
}
END_TEST

START_TEST(strides_that_write_an_element_twice_are_refused)
{
    static const struct {
        int64_t extent[3], stride[3];
        int fine;
    } cases[] = {
        {{1, 2, 3}, {0, 0, 1}, 0},  {{2, 1, 3}, {0, 3, 1}, 0}, {{1, 2, 3}, {0, 2, 1}, 0}, {{1, 2, 3}, {0, 3, 1}, 1},
        {{1, 1, 3}, {0, 0, 0}, 1},  {{1, 2, 2}, {0, 2, 3}, 1}, {{1, 4, 3}, {0, 2, 3}, 0}, {{1, 3, 2}, {0, -3, 2}, 1},
        {{2, 2, 2}, {3, 5, 8}, 0},  {{2, 2, 2}, {3, 5, 7}, 1}, {{2, 3, 2}, {6, 2, 1}, 1}, {{3, 2, 4}, {4, 6, -2}, 0},
    };
    const float scores[64] = {0};
    float out[128];
    norm_error error = {sizeof error, 0, 0, ""};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        norm_rows rows =
            shape((uint64_t)cases[i].extent[0], (uint64_t)cases[i].extent[1], (uint64_t)cases[i].extent[2]);
        memcpy(rows.w_stride, cases[i].stride, sizeof rows.w_stride);
        const norm_status status = norm_apply_f32(softmax, &rows, scores, out + 64, NULL, NULL, &error);
        ck_assert_msg(status == (cases[i].fine ? LIBNORM_OK : LIBNORM_E_ARGUMENT), "case %zu: %d", i, status);
    }
    norm_rows rows = shape(1, 2, 3);
    set(rows.w_stride, 0, 2, 1);
    ck_assert_int_eq(norm_apply_f32(softmax, &rows, scores, out, NULL, NULL, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text,
                     "norm_apply_f32: strides 0, 2, 1 of ret_w (batch, row, column) would write an element twice");
}
END_TEST

START_TEST(extents_that_do_not_fit_are_refused)
{
    static const struct {
        uint64_t extent[3];
        int64_t stride[3];
    } cases[] = {
        {{UINT64_MAX, 2, 1}, {0, 0, 0}},
        {{1, UINT64_MAX / 2, 4}, {0, 0, 0}},
        {{(uint64_t)1 << 32, (uint64_t)1 << 32, 1}, {0, 0, 0}},
        {{1, 2, 2}, {0, INT64_MAX, 1}},
        {{1, 3, 2}, {0, INT64_MIN, 1}},
        {{1, 2, 2}, {0, INT64_MIN / 4, 1}},
        {{2, 2, 2}, {INT64_MAX / 4 - 1, INT64_MAX / 4 - 1, INT64_MAX / 4 - 1}},
    };
    const float scores[4] = {0};
    float out[4];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        norm_rows rows = shape(cases[i].extent[0], cases[i].extent[1], cases[i].extent[2]);
        memcpy(rows.w_stride, cases[i].stride, sizeof rows.w_stride);
        norm_error error = {sizeof error, 0, 0, ""};
        ck_assert_int_eq(norm_apply_f32(softmax, &rows, scores, out, NULL, NULL, &error), LIBNORM_E_ARGUMENT);
        ck_assert_msg(strstr(error.text, "the address space") != NULL, "case %zu: %s", i, error.text);
        memset(rows.w_stride, 0, sizeof rows.w_stride);
        memcpy(rows.z_stride, cases[i].stride, sizeof rows.z_stride);
        ck_assert_int_eq(norm_apply_f32(softmax, &rows, scores, out, NULL, NULL, &error), LIBNORM_E_ARGUMENT);
    }
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("rows_overlap");
    TCase *tests = tcase_create("rows_overlap");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, overlaps_are_refused_exactly_and_nothing_is_written);
    tcase_add_test(tests, exact_overlap_agrees_with_brute_force);
    tcase_add_test(tests, strides_that_write_an_element_twice_are_refused);
    tcase_add_test(tests, extents_that_do_not_fit_are_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
