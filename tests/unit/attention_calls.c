/* SPDX-License-Identifier: MIT */
/* What attention refuses, what it does with nothing to do, and how it is run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <libnorm/norm.h>

#include "support/allocator.h"
#include "support/support.h"

enum { L = 70, D = 8, H = 2, count = H * L * D };

static float q[count], k[count], v[count], up[count], out[count], dq[count], dk[count], dv[count];

static norm_attention attention(void)
{
    return (norm_attention){.struct_size = sizeof(norm_attention), .flags = LIBNORM_ATTENTION_CAUSAL, .batch = 1,
                            .heads = H, .queries = L, .keys = L, .head_dim = D};
}

static void fill(void)
{
    struct support_random r = {7};
    for (int i = 0; i < count; i++) {
        q[i] = (float)support_normal(&r);
        k[i] = (float)support_normal(&r);
        v[i] = (float)support_normal(&r);
        up[i] = (float)support_normal(&r);
        out[i] = dq[i] = dk[i] = dv[i] = 77;
    }
}

static void ck_untouched(void)
{
    for (int i = 0; i < count; i++)
        ck_assert(out[i] == 77 && dq[i] == 77 && dk[i] == 77 && dv[i] == 77);
}

/* Both passes fail with this status and a text that holds the words. */
static void ck_refused(const norm_attention *a, norm_status status, const char *words)
{
    norm_error error = {sizeof error, 0, 0, ""};
    fill();
    ck_assert_int_eq(norm_attention_forward_f32(a, q, k, v, out, NULL, NULL, NULL, &error), status);
    ck_assert_msg(strstr(error.text, words) != NULL, "'%s' lacks '%s'", error.text, words);
    ck_assert_int_eq(norm_attention_backward_f32(a, q, k, v, up, dq, dk, dv, NULL, &error), status);
    ck_assert_msg(strstr(error.text, words) != NULL, "'%s' lacks '%s'", error.text, words);
    ck_untouched();
}

START_TEST(what_does_not_fit_is_named)
{
    norm_attention a = attention();
    a.struct_size = 8;
    ck_refused(&a, LIBNORM_E_ARGUMENT, "norm_attention");
    a = attention();
    a.flags = 4;
    ck_refused(&a, LIBNORM_E_ARGUMENT, "flags");
    a = attention();
    a.kv_heads = 3;
    ck_refused(&a, LIBNORM_E_ARGUMENT, "kv_heads is 3: expected a divisor of heads");
    a = attention();
    a.head_dim = 0;
    ck_refused(&a, LIBNORM_E_ARGUMENT, "head_dim is 0: expected at least 1");
    a = attention();
    a.scale = NAN;
    ck_refused(&a, LIBNORM_E_ARGUMENT, "scale is not finite");
    a = attention();
    a.normalizer_count = 3;
    ck_refused(&a, LIBNORM_E_ARGUMENT, "normalizer_count is 3: expected 0, 1 or the number of heads");
    a.normalizer_count = 1;
    ck_refused(&a, LIBNORM_E_ARGUMENT, "normalizers is NULL");
    const norm_normalizer *each[H] = {NULL, NULL};
    a.normalizers = each;
    ck_refused(&a, LIBNORM_E_ARGUMENT, "normalizers[0] is NULL");
    a = attention();
    a.q_stride[0] = H * L * D;
    a.q_stride[1] = L * D;
    a.q_stride[2] = D - 1;
    ck_refused(&a, LIBNORM_E_ARGUMENT, "the row stride of q is 7: expected at least its width, 8");
    a = attention();
    a.batch = 1ull << 62;
    a.heads = 8;
    ck_refused(&a, LIBNORM_E_ARGUMENT, "do not fit the address space");
    ck_refused(NULL, LIBNORM_E_ARGUMENT, "attention is NULL");

    norm_error error = {sizeof error, 0, 0, ""};
    a = attention();
    ck_assert_int_eq(norm_attention_forward_f32(&a, q, NULL, v, out, NULL, NULL, NULL, &error), LIBNORM_E_ARGUMENT);
    ck_assert(strstr(error.text, "k is NULL") != NULL);
    a.out_stride[0] = 0;
    a.out_stride[1] = D; /* heads over each other's rows */
    a.out_stride[2] = D;
    ck_assert_int_eq(norm_attention_forward_f32(&a, q, k, v, out, NULL, NULL, NULL, &error), LIBNORM_E_ARGUMENT);
    ck_assert_msg(strstr(error.text, "of ret_out (batch, head, row) would write an element twice") != NULL, "%s",
                  error.text);
    ck_untouched();
}
END_TEST

START_TEST(overlap_is_refused)
{
    norm_attention a = attention();
    norm_error error = {sizeof error, 0, 0, ""};
    fill();
    ck_assert_int_eq(norm_attention_forward_f32(&a, q, k, v, v, NULL, NULL, NULL, &error), LIBNORM_E_OVERLAP);
    ck_assert(strstr(error.text, "ret_out overlaps v") != NULL);
    ck_assert_int_eq(norm_attention_backward_f32(&a, q, k, v, up, dq, dk, dk, NULL, &error), LIBNORM_E_OVERLAP);
    double tell[H * L];
    const norm_attention_outputs outputs = {.struct_size = sizeof outputs, .log_sum = tell, .entropy = tell + 1};
    ck_assert_int_eq(norm_attention_forward_f32(&a, q, k, v, out, NULL, &outputs, NULL, &error), LIBNORM_E_OVERLAP);
    ck_untouched();
}
END_TEST

START_TEST(nothing_to_do_succeeds)
{
    norm_attention a = attention();
    fill();
    a.queries = 0;
    ck_assert_int_eq(norm_attention_forward_f32(&a, NULL, k, v, NULL, NULL, NULL, NULL, NULL), LIBNORM_OK);
    /* Keys that nobody asks have gradient zero. */
    ck_assert_int_eq(norm_attention_backward_f32(&a, NULL, k, v, NULL, NULL, dk, dv, NULL, NULL), LIBNORM_OK);
    for (int i = 0; i < count; i++)
        ck_assert(dk[i] == 0 && dv[i] == 0);
    a = attention();
    a.keys = 0;
    double log_sum[H * L], support[H * L];
    const norm_attention_outputs outputs = {.struct_size = sizeof outputs, .log_sum = log_sum, .support = support};
    ck_assert_int_eq(norm_attention_forward_f32(&a, q, NULL, NULL, out, NULL, &outputs, NULL, NULL), LIBNORM_OK);
    ck_assert_int_eq(norm_attention_backward_f32(&a, q, NULL, NULL, up, dq, NULL, NULL, NULL, NULL), LIBNORM_OK);
    for (int i = 0; i < count; i++)
        ck_assert(out[i] == 0 && dq[i] == 0);
    for (int i = 0; i < H * L; i++)
        ck_assert(log_sum[i] == -(double)INFINITY && support[i] == 0);
}
END_TEST

START_TEST(row_outputs_are_those_of_the_scores)
{
    static const char *const specs[H] = {"softmax:temperature=0.7", "sparsemax"};
    norm_normalizer *n[H];
    float weights[H * L * L];
    double log_sum[H * L], threshold[H * L], entropy[H * L], expect[L];
    const norm_attention_outputs outputs = {.struct_size = sizeof outputs, .log_sum = log_sum,
                                            .threshold = threshold, .entropy = entropy};
    norm_attention a = attention();
    fill();
    for (int h = 0; h < H; h++)
        ck_assert_int_eq(norm_normalizer_parse(specs[h], strlen(specs[h]), NULL, &n[h], NULL), LIBNORM_OK);
    a.normalizers = (const norm_normalizer *const *)n;
    a.normalizer_count = H;
    ck_assert_int_eq(norm_attention_forward_f32(&a, q, k, v, out, weights, &outputs, NULL, NULL), LIBNORM_OK);
    for (int h = 0; h < H; h++) {
        double z[L * L], w[L * L];
        norm_rows rows = {.struct_size = sizeof rows, .flags = LIBNORM_ROWS_CAUSAL, .batch = 1, .rows = L, .cols = L};
        norm_row_outputs told = {.struct_size = sizeof told};
        for (int i = 0; i < L * L; i++) {
            double dot = 0;
            for (int j = 0; j < D; j++)
                dot += (double)q[h * L * D + i / L * D + j] * (double)k[h * L * D + i % L * D + j];
            z[i] = dot / sqrt(D); /* the default scale */
        }
        *(h == 0 ? &told.log_sum : &told.threshold) = expect;
        ck_assert_int_eq(norm_apply_f64(n[h], &rows, z, w, &told, NULL, NULL), LIBNORM_OK);
        for (int i = 0; i < L; i++)
            ck_assert_double_eq_tol(h == 0 ? log_sum[i] : threshold[L + i], expect[i], 1e-5);
        for (int i = 0; i < L * L; i++)
            ck_assert_double_eq_tol((double)weights[h * L * L + i], w[i], 2e-6);
        norm_normalizer_free(n[h]);
    }
    ck_assert(isnan(threshold[0]) && isnan(log_sum[L]));
}
END_TEST

START_TEST(the_workspace_asked_for_suffices)
{
    norm_attention a = attention();
    norm_error error = {sizeof error, 0, 0, ""};
    size_t bytes = 0;
    static float first[count];
    fill();
    ck_assert_int_eq(norm_attention_forward_f32(&a, q, k, v, out, NULL, NULL, NULL, NULL), LIBNORM_OK);
    memcpy(first, out, sizeof out);
    ck_assert_int_eq(norm_attention_workspace(&a, NULL, &bytes, &error), LIBNORM_OK);
    ck_assert(bytes >= 64 * L * sizeof(float) && bytes <= (200 * L + 40 * L * D) * sizeof(float) + 65536);
    struct support_guard memory = support_guard_new(bytes, 8);
    norm_exec exec = {.struct_size = sizeof exec, .workspace = memory.data, .workspace_size = bytes};
    fill();
    ck_assert_int_eq(norm_attention_forward_f32(&a, q, k, v, out, NULL, NULL, &exec, NULL), LIBNORM_OK);
    ck_assert(memcmp(first, out, sizeof out) == 0);
    ck_assert_int_eq(norm_attention_backward_f32(&a, q, k, v, up, dq, dk, dv, &exec, NULL), LIBNORM_OK);
    ck_assert(support_guard_intact(&memory));
    fill();
    exec.workspace_size = 100;
    ck_assert_int_eq(norm_attention_forward_f32(&a, q, k, v, out, NULL, NULL, &exec, &error), LIBNORM_E_ARGUMENT);
    ck_untouched();
    support_guard_free(&memory);
}
END_TEST

START_TEST(failing_memory_leaves_the_results_and_no_leak)
{
    norm_attention a = attention();
    for (size_t fail = 1; fail < 20; fail++) {
        struct support_allocator books;
        support_allocator_init(&books, fail);
        const norm_exec exec = {.struct_size = sizeof exec, .allocator = &books.allocator};
        fill();
        const norm_status forward = norm_attention_forward_f32(&a, q, k, v, out, NULL, NULL, &exec, NULL);
        ck_assert(forward == LIBNORM_OK || forward == LIBNORM_E_NOMEM);
        ck_assert_uint_eq(books.live, 0);
        if (forward == LIBNORM_OK) {
            ck_assert_uint_ge(fail, 2);
            return;
        }
        ck_assert_int_eq(norm_attention_backward_f32(&a, q, k, v, up, dq, dk, dv, &exec, NULL), LIBNORM_E_NOMEM);
        ck_assert(books.live == 0 && books.wrong == 0);
        ck_untouched();
    }
    ck_abort_msg("it never succeeds");
}
END_TEST

static int32_t fails(void *user, size_t n, const double *z, double *ret_w)
{
    (void)user, (void)n, (void)z, (void)ret_w;
    return 41;
}

static int32_t fails_too(void *user, size_t n, const double *z, const double *w, const double *g, double *ret_d)
{
    (void)user, (void)n, (void)z, (void)w, (void)g, (void)ret_d;
    return 42;
}

START_TEST(a_failing_callback_is_named_with_its_place)
{
    const norm_row_function own = {.struct_size = sizeof own, .apply = fails, .vjp = fails_too};
    norm_normalizer *n = NULL, *softmax = NULL;
    norm_error error = {sizeof error, 0, 0, ""};
    norm_attention a = attention();
    ck_assert_int_eq(norm_normalizer_from_row_function(&own, "broken", NULL, &n, NULL), LIBNORM_OK);
    ck_assert_int_eq(norm_normalizer_parse("softmax", 7, NULL, &softmax, NULL), LIBNORM_OK);
    const norm_normalizer *each[H] = {softmax, n};
    a.normalizers = each;
    a.normalizer_count = H;
    ck_assert_int_eq(norm_attention_forward_f32(&a, q, k, v, out, NULL, NULL, NULL, &error), LIBNORM_E_CALLBACK);
    ck_assert_int_eq(error.where, 41);
    ck_assert_msg(strstr(error.text, "batch 0, head 1, queries from 0") != NULL, "%s", error.text);
    norm_normalizer_free(n);
    norm_normalizer_free(softmax);
}
END_TEST

static int32_t stop_at_half(void *user, double done)
{
    *(double *)user = done;
    return done >= 0.5 ? 9 : 0;
}

START_TEST(progress_is_told_and_can_cancel)
{
    norm_attention a = attention();
    norm_error error = {sizeof error, 0, 0, ""};
    double done = 0;
    const norm_exec exec = {.struct_size = sizeof exec, .progress = stop_at_half, .progress_user = &done};
    fill();
    ck_assert_int_eq(norm_attention_forward_f32(&a, q, k, v, out, NULL, NULL, &exec, &error), LIBNORM_E_CANCELLED);
    ck_assert(done == 0.5 && error.where == 9);
}
END_TEST

/* Scores are cosines; the gradient goes back through the lengths: central differences of the forward pass. */
START_TEST(unit_lengths_and_their_gradient)
{
    enum { short_L = 9, d = 5 };
    float other[short_L * d];
    norm_normalizer *n = NULL;
    ck_assert_int_eq(norm_normalizer_parse("lssa", 4, NULL, &n, NULL), LIBNORM_OK);
    const norm_normalizer *each[1] = {n};
    norm_attention a = {.struct_size = sizeof a,
                        .flags = LIBNORM_ATTENTION_CAUSAL | LIBNORM_ATTENTION_UNIT_LENGTH,
                        .batch = 1, .heads = 1, .queries = short_L, .keys = short_L, .head_dim = d, .scale = 1,
                        .normalizers = each, .normalizer_count = 1};
    fill();
    memset(q + 3 * d, 0, d * sizeof *q); /* no direction: stays 0, gradient 0 */
    ck_assert_int_eq(norm_attention_forward_f32(&a, q, k, v, out, NULL, NULL, NULL, NULL), LIBNORM_OK);
    ck_assert_int_eq(norm_attention_backward_f32(&a, q, k, v, up, dq, dk, dv, NULL, NULL), LIBNORM_OK);
    for (size_t i = 0; i < short_L * d; i++) {
        float *const array[2] = {q, k};
        const float *const gradient[2] = {dq, dk};
        for (int which = 0; which < 2; which++) {
            if (which == 0 && i / d == 3) {
                ck_assert(dq[i] == 0);
                continue;
            }
            const float was = array[which][i], step = 1.0f / 128;
            double change = 0;
            for (int sign = -1; sign <= 1; sign += 2) {
                array[which][i] = was + (float)sign * step;
                ck_assert_int_eq(norm_attention_forward_f32(&a, q, k, v, other, NULL, NULL, NULL, NULL), LIBNORM_OK);
                for (size_t j = 0; j < short_L * d; j++)
                    change += sign * (double)other[j] * (double)up[j];
            }
            array[which][i] = was;
            ck_assert_double_eq_tol((double)gradient[which][i], change / (2 * (double)step), 2e-3);
        }
    }
    /* A query twice as long has the same cosines. */
    for (size_t i = 0; i < short_L * d; i++)
        q[i] *= 2;
    ck_assert_int_eq(norm_attention_forward_f32(&a, q, k, v, other, NULL, NULL, NULL, NULL), LIBNORM_OK);
    for (size_t i = 0; i < short_L * d; i++)
        ck_assert_double_eq_tol((double)other[i], (double)out[i], 1e-6);
    norm_normalizer_free(n);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("attention_calls");
    TCase *tests = tcase_create("attention calls");
    tcase_add_test(tests, what_does_not_fit_is_named);
    tcase_add_test(tests, overlap_is_refused);
    tcase_add_test(tests, nothing_to_do_succeeds);
    tcase_add_test(tests, row_outputs_are_those_of_the_scores);
    tcase_add_test(tests, the_workspace_asked_for_suffices);
    tcase_add_test(tests, failing_memory_leaves_the_results_and_no_leak);
    tcase_add_test(tests, a_failing_callback_is_named_with_its_place);
    tcase_add_test(tests, progress_is_told_and_can_cancel);
    tcase_add_test(tests, unit_lengths_and_their_gradient);
    suite_add_tcase(suite, tests);
    return suite;
}
