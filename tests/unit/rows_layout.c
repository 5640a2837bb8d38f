/* SPDX-License-Identifier: MIT */
/* Where rows lie must not matter: strides, axes, gaps, in place, batches, masks that cut. */
#define _DEFAULT_SOURCE 1 /* MAP_ANONYMOUS, MAP_NORESERVE */
#include <libnorm/norm.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

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

START_TEST(another_axis_gives_the_bits_of_the_last_one)
{
    /* 2 batches of 150 rows: more than a tile, and not a whole number of them; some columns hidden. */
    enum { rows_each = 150, cols = 19, n = 2 * rows_each * cols };
    at_level(_i);
    float last[3][n], other[3][n], out[n], turned[n];
    uint8_t visible[2 * rows_each * cols];
    struct support_random r = {support_seed(18)};
    for (int k = 0; k < 3; k++)
        draw(last[k], n, 19 + (uint64_t)k);
    for (int i = 0; i < n; i++) {
        visible[i] = support_below(&r, 5) != 0;
        const int at = i / (rows_each * cols) * rows_each * cols + i % cols * rows_each + i / cols % rows_each;
        for (int k = 0; k < 3; k++)
            other[k][at] = last[k][i];
    }
    norm_rows packed = shape(2, rows_each, cols);
    packed.visible = visible;
    set(packed.visible_stride, rows_each * cols, cols, 1);
    norm_rows axis = packed;
    int64_t *const strides[4] = {axis.z_stride, axis.w_stride, axis.g_stride, axis.d_stride};
    for (int k = 0; k < 4; k++)
        set(strides[k], rows_each * cols, 1, rows_each);
    for (int operation = 0; operation < 4; operation++) {
        const norm_rows *const how[2] = {&packed, &axis};
        for (int k = 0; k < 2; k++) {
            float(*const from)[n] = k ? other : last, *const to = k ? turned : out;
            const norm_status status =
                operation == 0   ? norm_apply_f32(softmax, how[k], from[0], to, NULL, &exec, NULL)
                : operation == 1 ? norm_vjp_f32(softmax, how[k], from[0], NULL, from[1], to, &exec, NULL)
                : operation == 2 ? norm_hvp_f32(softmax, how[k], from[0], from[1], from[2], to, NULL, &exec, NULL)
                                 : norm_log_apply_f32(softmax, how[k], memcpy(to, from[0], sizeof out), to, NULL, &exec,
                                                      NULL);
            ck_assert_int_eq(status, LIBNORM_OK);
        }
        for (int i = 0; i < n; i++) {
            const int at = i / (rows_each * cols) * rows_each * cols + i % cols * rows_each + i / cols % rows_each;
            ck_assert_msg(memcmp(&turned[at], &out[i], sizeof out[i]) == 0, "operation %d, element %d", operation, i);
        }
    }
}
END_TEST

START_TEST(elements_beyond_two_to_the_31_are_reached)
{
    /* Address space without memory behind it, but for the pages that are touched. */
    enum { rows_here = 3, cols = 5 };
    const size_t stride = ((size_t)1 << 31) + 16, bytes = sizeof(float) * (2 * stride + 64);
    at_level(_i);
    float *far = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (far == MAP_FAILED)
        return; /* not enough address space */
    norm_rows rows = shape(1, rows_here, cols), row = shape(1, 1, cols);
    set(rows.z_stride, 0, (int64_t)stride, 1);
    set(rows.w_stride, 0, (int64_t)stride, 1);
    float scores[rows_here * cols], alone[cols];
    draw(scores, rows_here * cols, 23);
    for (size_t r = 0; r < rows_here; r++)
        memcpy(far + r * stride, scores + r * cols, sizeof alone);
    ck_assert_int_eq(norm_apply_f32(softmax, &rows, far, far, NULL, &exec, NULL), LIBNORM_OK);
    for (size_t r = 0; r < rows_here; r++) {
        ck_assert_int_eq(norm_apply_f32(softmax, &row, scores + r * cols, alone, NULL, &exec, NULL), LIBNORM_OK);
        ck_assert_mem_eq(far + r * stride, alone, sizeof alone);
    }
    munmap(far, bytes);
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
    tcase_add_loop_test(tests, another_axis_gives_the_bits_of_the_last_one, 0, levels);
    tcase_add_loop_test(tests, elements_beyond_two_to_the_31_are_reached, 0, levels);
    tcase_add_loop_test(tests, inputs_may_repeat_an_element, 0, levels);
    tcase_add_loop_test(tests, results_may_take_the_place_of_inputs, 0, levels);
    tcase_add_loop_test(tests, backward_in_place_reads_before_it_writes, 0, levels);
    tcase_add_loop_test(tests, a_row_has_the_same_bits_alone_and_in_a_batch_wherever_it_lies, 0, levels);
    tcase_add_loop_test(tests, a_prefix_mask_gives_the_bits_of_the_shorter_row, 0, levels);
    suite_add_tcase(suite, tests);
    return suite;
}
