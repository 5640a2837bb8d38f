/* SPDX-License-Identifier: MIT */
/* Where rows lie must not matter: strides, axes, gaps, in place, batches; and what overlaps is refused. */
#include <libnorm/norm.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"

enum { levels = 2 }; /* _i: 0 the best kernels, 1 the general path */

static norm_normalizer *softmax;
static norm_exec exec;

static void setup(void)
{
    ck_assert_int_eq(norm_normalizer_parse("softmax:temperature=0.7", 23, NULL, &softmax, NULL), LIBNORM_OK);
}

static void teardown(void)
{
    norm_normalizer_free(softmax);
}

static void at_level(int i)
{
    exec = (norm_exec){.struct_size = sizeof exec, .cpu_level = i == 0 ? 0 : LIBNORM_CPU_SCALAR};
}

static void draw(float *x, size_t n, uint64_t seed)
{
    struct support_random r = {support_seed(seed)};
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(3 * support_normal(&r));
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

/* The packed answer for 2 x 3 x 5. */
enum { B = 2, R = 3, C = 5, N = B * R * C };
static float z[N], g[N], w[N], d[N];

static void reference(void)
{
    const norm_rows rows = shape(B, R, C);
    draw(z, N, 11);
    draw(g, N, 12);
    ck_assert_int_eq(norm_apply_f32(softmax, &rows, z, w, NULL, &exec, NULL), LIBNORM_OK);
    ck_assert_int_eq(norm_vjp_f32(softmax, &rows, z, w, g, d, &exec, NULL), LIBNORM_OK);
}

static int close_enough(float a, float b)
{
    return fabsf(a - b) <= 1e-6f * fmaxf(1, fabsf(b));
}

START_TEST(any_strides_give_the_packed_answer_and_leave_the_gaps)
{
    static const int64_t strides[][4] = {/* batch, row, column, first element */
                                         {15, 5, 1, 0},     {40, 7, 1, 0},    {60, 20, 4, 0},   {1, 2, 6, 0},
                                         {-40, 7, 1, 60},   {40, -7, 1, 20},  {60, 20, -3, 12}, {-1, -2, -6, 40},
                                         {5, 10, 1, 0},     {7, 30, 1, 3},    {3, 1, 7, 0}};
    at_level(_i);
    reference();
    for (size_t s = 0; s < sizeof strides / sizeof strides[0]; s++) {
        enum { space = 160 };
        float zs[space], ws[space], gs[space], ds[space], poison = 77;
        const float *const from[4] = {z, w, g, d};
        float *const to[4] = {zs, ws, gs, ds};
        char used[space] = {0};
        for (size_t i = 0; i < space; i++)
            zs[i] = ws[i] = gs[i] = ds[i] = poison;
        for (size_t i = 0; i < N; i++) {
            const int64_t at = strides[s][3] + (int64_t)(i / (R * C)) * strides[s][0] +
                               (int64_t)(i / C % R) * strides[s][1] + (int64_t)(i % C) * strides[s][2];
            ck_assert(at >= 0 && at < space && !used[at]);
            used[at] = 1;
            for (int k = 0; k < 3; k += 2)
                to[k][at] = from[k][i];
        }
        norm_rows rows = shape(B, R, C);
        set(rows.z_stride, strides[s][0], strides[s][1], strides[s][2]);
        memcpy(rows.w_stride, rows.z_stride, sizeof rows.z_stride);
        memcpy(rows.g_stride, rows.z_stride, sizeof rows.z_stride);
        memcpy(rows.d_stride, rows.z_stride, sizeof rows.z_stride);
        const int64_t first = strides[s][3];
        ck_assert_int_eq(norm_apply_f32(softmax, &rows, zs + first, ws + first, NULL, &exec, NULL), LIBNORM_OK);
        ck_assert_int_eq(norm_vjp_f32(softmax, &rows, zs + first, ws + first, gs + first, ds + first, &exec, NULL),
                         LIBNORM_OK);
        for (size_t i = 0; i < space; i++)
            ck_assert_msg(used[i] || (ws[i] == poison && ds[i] == poison), "strides %zu: gap %zu written", s, i);
        for (size_t i = 0; i < N; i++) {
            const int64_t at = first + (int64_t)(i / (R * C)) * strides[s][0] + (int64_t)(i / C % R) * strides[s][1] +
                               (int64_t)(i % C) * strides[s][2];
            ck_assert_msg(close_enough(ws[at], w[i]) && close_enough(ds[at], d[i]), "strides %zu, element %zu", s, i);
        }
    }
}
END_TEST

START_TEST(inputs_may_repeat_an_element)
{
    at_level(_i);
    const float one[C] = {1, 2, 3, 4, 5};
    float out[N], alone[C];
    norm_rows rows = shape(B, R, C);
    set(rows.z_stride, 0, 0, 1); /* every row is the same row */
    const norm_rows row = shape(1, 1, C);
    ck_assert_int_eq(norm_apply_f32(softmax, &rows, one, out, NULL, &exec, NULL), LIBNORM_OK);
    ck_assert_int_eq(norm_apply_f32(softmax, &row, one, alone, NULL, &exec, NULL), LIBNORM_OK);
    for (int i = 0; i < B * R; i++)
        ck_assert_mem_eq(out + i * C, alone, sizeof alone);
}
END_TEST

START_TEST(results_may_take_the_place_of_inputs)
{
    at_level(_i);
    reference();
    const norm_rows rows = shape(B, R, C);
    float a[N], expect[N];
    memcpy(a, z, sizeof a);
    ck_assert_int_eq(norm_apply_f32(softmax, &rows, a, a, NULL, &exec, NULL), LIBNORM_OK);
    ck_assert_mem_eq(a, w, sizeof a);
    memcpy(a, z, sizeof a);
    ck_assert_int_eq(norm_vjp_f32(softmax, &rows, a, w, g, a, &exec, NULL), LIBNORM_OK);
    ck_assert_mem_eq(a, d, sizeof a);
    memcpy(a, w, sizeof a);
    ck_assert_int_eq(norm_vjp_f32(softmax, &rows, z, a, g, a, &exec, NULL), LIBNORM_OK);
    ck_assert_mem_eq(a, d, sizeof a);
    memcpy(a, g, sizeof a);
    ck_assert_int_eq(norm_vjp_f32(softmax, &rows, z, w, a, a, &exec, NULL), LIBNORM_OK);
    ck_assert_mem_eq(a, d, sizeof a);
    ck_assert_int_eq(norm_log_vjp_f32(softmax, &rows, z, w, g, expect, &exec, NULL), LIBNORM_OK);
    memcpy(a, z, sizeof a);
    ck_assert_int_eq(norm_log_vjp_f32(softmax, &rows, a, NULL, g, a, &exec, NULL), LIBNORM_OK);
    for (int i = 0; i < N; i++)
        ck_assert(close_enough(a[i], expect[i]));
    /* With holes and strides as well. */
    uint8_t visible[C] = {1, 0, 1, 1, 1};
    norm_rows holes = shape(1, C, B * R);
    holes.visible = visible;
    holes.visible_stride[1] = 1;
    int64_t *const strides[4] = {holes.z_stride, holes.w_stride, holes.g_stride, holes.d_stride};
    for (int k = 0; k < 4; k++)
        set(strides[k], 0, 1, C);
    ck_assert_int_eq(norm_apply_f32(softmax, &holes, z, expect, NULL, &exec, NULL), LIBNORM_OK);
    memcpy(a, z, sizeof a);
    ck_assert_int_eq(norm_apply_f32(softmax, &holes, a, a, NULL, &exec, NULL), LIBNORM_OK);
    ck_assert_mem_eq(a, expect, sizeof a);
}
END_TEST

START_TEST(backward_in_place_reads_before_it_writes)
{
    at_level(_i);
    norm_normalizer *one = NULL;
    ck_assert_int_eq(norm_normalizer_with(softmax, "temperature", 1, &one, NULL), LIBNORM_OK);
    const norm_rows rows = shape(1, 1, 2);
    const float scores[2] = {0, 1.0986122886681098f}, up[2] = {1, 0};
    float weights[2] = {.25f, .75f};
    ck_assert_int_eq(norm_vjp_f32(one, &rows, scores, weights, up, weights, &exec, NULL), LIBNORM_OK);
    ck_assert(weights[0] == .1875f && weights[1] == -.1875f);
    norm_normalizer_free(one);
}
END_TEST

START_TEST(overlaps_are_refused_exactly_and_nothing_is_written)
{
    /* Views of rows of 4, row stride 8, in one block: shifted by k elements. */
    at_level(_i);
    norm_error error = {sizeof error, 0, 0, ""};
    float block[200], before[200];
    draw(block, 200, 13);
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
        const norm_status status = norm_apply_f32(softmax, &rows, zk, wk, NULL, &exec, &error);
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
    ck_assert_int_eq(norm_apply_f32(softmax, &rows, block, block + 4, NULL, &exec, &error), LIBNORM_E_OVERLAP);
    ck_assert_int_eq(norm_apply_f32(softmax, &rows, block, block, NULL, &exec, &error), LIBNORM_E_OVERLAP);
    ck_assert_mem_eq(block, before, sizeof block);
    ck_assert_int_eq(norm_apply_f32(softmax, &rows, block, block + 44, NULL, &exec, &error), LIBNORM_OK);
}
END_TEST

START_TEST(exact_overlap_agrees_with_brute_force)
{
    struct support_random random = {support_seed(14)};
    float block[400] = {0};
    at_level(_i);
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
        const norm_status status = norm_apply_f32(softmax, &rows, block + 60, block + 60 + k, NULL, &exec, NULL);
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
    at_level(_i);
    const float scores[64] = {0};
    float out[128];
    norm_error error = {sizeof error, 0, 0, ""};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        norm_rows rows =
            shape((uint64_t)cases[i].extent[0], (uint64_t)cases[i].extent[1], (uint64_t)cases[i].extent[2]);
        memcpy(rows.w_stride, cases[i].stride, sizeof rows.w_stride);
        const norm_status status = norm_apply_f32(softmax, &rows, scores, out + 64, NULL, &exec, &error);
        ck_assert_msg(status == (cases[i].fine ? LIBNORM_OK : LIBNORM_E_ARGUMENT), "case %zu: %d", i, status);
    }
    norm_rows rows = shape(1, 2, 3);
    set(rows.w_stride, 0, 2, 1);
    ck_assert_int_eq(norm_apply_f32(softmax, &rows, scores, out, NULL, &exec, &error), LIBNORM_E_ARGUMENT);
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
    at_level(_i);
    const float scores[4] = {0};
    float out[4];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        norm_rows rows = shape(cases[i].extent[0], cases[i].extent[1], cases[i].extent[2]);
        memcpy(rows.w_stride, cases[i].stride, sizeof rows.w_stride);
        norm_error error = {sizeof error, 0, 0, ""};
        ck_assert_int_eq(norm_apply_f32(softmax, &rows, scores, out, NULL, &exec, &error), LIBNORM_E_ARGUMENT);
        ck_assert_msg(strstr(error.text, "the address space") != NULL, "case %zu: %s", i, error.text);
        memset(rows.w_stride, 0, sizeof rows.w_stride);
        memcpy(rows.z_stride, cases[i].stride, sizeof rows.z_stride);
        ck_assert_int_eq(norm_apply_f32(softmax, &rows, scores, out, NULL, &exec, &error), LIBNORM_E_ARGUMENT);
    }
}
END_TEST

START_TEST(a_row_has_the_same_bits_alone_and_in_a_batch_wherever_it_lies)
{
    enum { count = 2048, cols = 67 };
    at_level(_i);
    float *many = malloc(sizeof(float) * count * cols), *out = malloc(sizeof(float) * count * cols);
    draw(many, count * cols, 15);
    const norm_rows rows = shape(2, count / 2, cols), row = shape(1, 1, cols);
    norm_exec threads = exec;
    threads.threads = 8;
    ck_assert_int_eq(norm_apply_f32(softmax, &rows, many, out, NULL, &threads, NULL), LIBNORM_OK);
    for (size_t r = 0; r < count; r += 97) {
        for (size_t offset = 0; offset < 64; offset += 4 + 8 * (r % 2)) {
            struct support_guard from = support_guard_new(sizeof(float) * cols, offset);
            struct support_guard to = support_guard_new(sizeof(float) * cols, 60 - offset % 60);
            memcpy(from.data, many + r * cols, sizeof(float) * cols);
            ck_assert_int_eq(norm_apply_f32(softmax, &row, from.data, to.data, NULL, &exec, NULL), LIBNORM_OK);
            ck_assert_mem_eq(to.data, out + r * cols, sizeof(float) * cols);
            ck_assert(support_guard_intact(&from) && support_guard_intact(&to));
            support_guard_free(&from);
            support_guard_free(&to);
        }
    }
    float *again = malloc(sizeof(float) * count * cols);
    ck_assert_int_eq(norm_apply_f32(softmax, &rows, many, again, NULL, &exec, NULL), LIBNORM_OK);
    ck_assert_mem_eq(again, out, sizeof(float) * count * cols);
    free(again);
    free(many);
    free(out);
}
END_TEST

START_TEST(a_prefix_mask_gives_the_bits_of_the_shorter_row)
{
    enum { cols = 130 };
    at_level(_i);
    float scores[cols], short_row[cols], masked[cols], causal[cols], limited[cols];
    float up[cols], d_short[cols], d_mask[cols];
    uint8_t visible[cols];
    draw(scores, cols, 16);
    draw(up, cols, 17);
    for (int64_t n = 1; n < cols; n++) {
        norm_rows rows = shape(1, 1, (uint64_t)n), prefix = shape(1, 1, cols), offset = prefix, interval = prefix;
        for (int64_t j = 0; j < cols; j++)
            visible[j] = j < n;
        prefix.visible = visible;
        prefix.visible_stride[2] = 1;
        offset.flags = LIBNORM_ROWS_CAUSAL;
        offset.causal_offset = n - 1;
        interval.end = &n;
        ck_assert_int_eq(norm_apply_f32(softmax, &rows, scores, short_row, NULL, &exec, NULL), LIBNORM_OK);
        ck_assert_int_eq(norm_apply_f32(softmax, &prefix, scores, masked, NULL, &exec, NULL), LIBNORM_OK);
        ck_assert_int_eq(norm_apply_f32(softmax, &offset, scores, causal, NULL, &exec, NULL), LIBNORM_OK);
        ck_assert_int_eq(norm_apply_f32(softmax, &interval, scores, limited, NULL, &exec, NULL), LIBNORM_OK);
        for (size_t j = (size_t)n; j < cols; j++)
            short_row[j] = 0;
        ck_assert_mem_eq(masked, short_row, sizeof masked);
        ck_assert_mem_eq(causal, short_row, sizeof masked);
        ck_assert_mem_eq(limited, short_row, sizeof masked);
        ck_assert_int_eq(norm_vjp_f32(softmax, &rows, scores, short_row, up, d_short, &exec, NULL), LIBNORM_OK);
        ck_assert_int_eq(norm_vjp_f32(softmax, &prefix, scores, short_row, up, d_mask, &exec, NULL), LIBNORM_OK);
        ck_assert_mem_eq(d_mask, d_short, sizeof(float) * (size_t)n);
    }
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("rows_layout");
    TCase *tests = tcase_create("rows_layout");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, any_strides_give_the_packed_answer_and_leave_the_gaps, 0, levels);
    tcase_add_loop_test(tests, inputs_may_repeat_an_element, 0, levels);
    tcase_add_loop_test(tests, results_may_take_the_place_of_inputs, 0, levels);
    tcase_add_loop_test(tests, backward_in_place_reads_before_it_writes, 0, levels);
    tcase_add_loop_test(tests, overlaps_are_refused_exactly_and_nothing_is_written, 0, levels);
    tcase_add_loop_test(tests, exact_overlap_agrees_with_brute_force, 0, levels);
    tcase_add_loop_test(tests, strides_that_write_an_element_twice_are_refused, 0, levels);
    tcase_add_loop_test(tests, extents_that_do_not_fit_are_refused, 0, levels);
    tcase_add_loop_test(tests, a_row_has_the_same_bits_alone_and_in_a_batch_wherever_it_lies, 0, levels);
    tcase_add_loop_test(tests, a_prefix_mask_gives_the_bits_of_the_shorter_row, 0, levels);
    suite_add_tcase(suite, tests);
    return suite;
}
