/* SPDX-License-Identifier: MIT */
/* What the forward pass refuses, and that it does so before any work. */
#include <libnorm/norm.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/gpt2.h"
#include "support/support.h"

static struct support_gpt2 small;
static norm_gpt2 *model;
static norm_normalizer *soft;
static int32_t ids[71];
static float logits[71 * 37];
static double loss[71];
static int called;

static int32_t must_not_be_called(void *user, double done)
{
    (void)user, (void)done;
    called++;
    return 0;
}

static const norm_exec watching = {.struct_size = sizeof watching, .progress = must_not_be_called};

static void set_up(void)
{
    small = support_gpt2_small();
    support_gpt2_make(&small, 30);
    model = support_gpt2_open(&small);
    ck_assert_int_eq(norm_normalizer_parse("softmax", 7, NULL, &soft, NULL), LIBNORM_OK);
    for (size_t i = 0; i < 71; i++) {
        ids[i] = (int32_t)i % 37;
        loss[i] = 7;
    }
    for (size_t i = 0; i < 71 * 37; i++)
        logits[i] = 7;
}

static void tear_down(void)
{
    norm_normalizer_free(soft);
    norm_gpt2_free(model);
    support_gpt2_free(&small);
}

static void untouched(void)
{
    for (size_t i = 0; i < 71; i++)
        ck_assert(loss[i] == 7);
    for (size_t i = 0; i < 71 * 37; i++)
        ck_assert(logits[i] == 7);
    ck_assert_int_eq(called, 0);
}

/* Both calls refuse with the text behind their own name (or the same text). */
static void refused(const int32_t *given, size_t count, const norm_gpt2_run *run, norm_status expected, int64_t where,
                    const char *text)
{
    norm_error error = {sizeof error, 0, 0, ""};
    ck_assert_int_eq(norm_gpt2_forward(model, given, count, run, logits, &watching, &error), expected);
    ck_assert_msg(strstr(error.text, text) != NULL, "%s", error.text);
    ck_assert_int_eq(error.where, where);
    untouched();
}

START_TEST(wrong_ids_and_counts)
{
    refused(ids, 0, NULL, LIBNORM_E_ARGUMENT, -1, "norm_gpt2_forward: count is 0: expected 1 to 70 ids");
    refused(ids, 71, NULL, LIBNORM_E_FULL, -1, "norm_gpt2_forward: 71 ids, but the model has n_positions = 70");
    refused(NULL, 3, NULL, LIBNORM_E_ARGUMENT, -1, "norm_gpt2_forward: ids is NULL");
    ids[5] = 37;
    refused(ids, 6, NULL, LIBNORM_E_ARGUMENT, 5, "ids[5] is 37: expected 0 to 36");
    ids[5] = -1;
    refused(ids, 6, NULL, LIBNORM_E_ARGUMENT, 5, "ids[5] is -1: expected 0 to 36");
    norm_error error = {sizeof error, 0, 0, ""};
    ck_assert_int_eq(norm_gpt2_loss(model, ids, 6, NULL, loss, &watching, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "ids[5] is -1: expected 0 to 36");
    ck_assert_int_eq(norm_gpt2_loss(model, ids, 71, NULL, loss, &watching, &error), LIBNORM_E_FULL);
    ck_assert_str_eq(error.text, "norm_gpt2_loss: 71 ids, but the model has n_positions = 70");
    untouched();
    /* The model is as usable as before. */
    ck_assert_int_eq(norm_gpt2_forward(model, ids, 5, NULL, logits, NULL, &error), LIBNORM_OK);
}
END_TEST

START_TEST(wrong_pointers)
{
    norm_error error = {sizeof error, 0, 0, ""};
    ck_assert_int_eq(norm_gpt2_forward(NULL, ids, 3, NULL, logits, &watching, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_gpt2_forward: model is NULL");
    ck_assert_int_eq(norm_gpt2_forward(model, ids, 3, NULL, NULL, &watching, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_gpt2_forward: ret_logits is NULL");
    ck_assert_int_eq(norm_gpt2_loss(model, ids, 3, NULL, NULL, &watching, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_gpt2_loss: ret_loss is NULL");
    void *odd = (char *)logits + 1;
    ck_assert_int_eq(norm_gpt2_forward(model, ids, 3, NULL, odd, &watching, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_gpt2_forward: ret_logits is not aligned to its elements");
    size_t bytes = 5;
    ck_assert_int_eq(norm_gpt2_workspace(NULL, 3, NULL, NULL, &bytes, &error), LIBNORM_E_ARGUMENT);
    ck_assert_int_eq(norm_gpt2_workspace(model, 71, NULL, NULL, &bytes, &error), LIBNORM_E_FULL);
    ck_assert_int_eq(norm_gpt2_workspace(model, 3, NULL, NULL, NULL, &error), LIBNORM_E_ARGUMENT);
    ck_assert_uint_eq(bytes, 5);
    norm_error old = {8, 0, 0, ""};
    ck_assert_int_eq(norm_gpt2_forward(model, ids, 3, NULL, logits, &watching, &old), LIBNORM_E_ARGUMENT);
    untouched();
}
END_TEST

START_TEST(wrong_runs)
{
    const uint64_t positions[] = {0, 5, 6};
    const norm_normalizer *list[6] = {soft, soft, NULL, soft, soft, soft};
    norm_gpt2_run run = {.struct_size = sizeof run, .logits = 4};
    refused(ids, 6, &run, LIBNORM_E_ARGUMENT, -1, "norm_gpt2_run.logits is 4");
    run.logits = -1;
    refused(ids, 6, &run, LIBNORM_E_ARGUMENT, -1, "norm_gpt2_run.logits is -1");
    run.logits = LIBNORM_GPT2_LOGITS_CHOSEN;
    run.position_count = 3;
    refused(ids, 6, &run, LIBNORM_E_ARGUMENT, -1, "norm_gpt2_run.positions is NULL");
    run.positions = positions;
    refused(ids, 6, &run, LIBNORM_E_ARGUMENT, -1, "norm_gpt2_run.positions[2] is 6: expected 0 to 5");
    run.logits = LIBNORM_GPT2_LOGITS_ALL;
    run.normalizer_count = 3;
    run.normalizers = list;
    refused(ids, 6, &run, LIBNORM_E_ARGUMENT, -1,
            "norm_gpt2_run.normalizer_count is 3: expected 0, 1, 2 (layers) or 6 (heads)");
    run.normalizer_count = 6;
    refused(ids, 6, &run, LIBNORM_E_ARGUMENT, -1, "norm_gpt2_run.normalizers[2] is NULL");
    run.normalizers = NULL;
    refused(ids, 6, &run, LIBNORM_E_ARGUMENT, -1, "norm_gpt2_run.normalizers is NULL");
    run.normalizer_count = 0;
    run.reserved = 1;
    refused(ids, 6, &run, LIBNORM_E_ARGUMENT, -1, "norm_gpt2_run.reserved is 1");
    run.reserved = 0;
    run.flags = 2;
    refused(ids, 6, &run, LIBNORM_E_ARGUMENT, -1, "norm_gpt2_run.flags has unknown bits 0x2");
    run.flags = 0;
    run.struct_size = 20;
    refused(ids, 6, &run, LIBNORM_E_ARGUMENT, -1, "norm_gpt2_run.struct_size is 20");
}
END_TEST

START_TEST(the_loss_ignores_what_is_said_of_logits)
{
    norm_error error = {sizeof error, 0, 0, ""};
    norm_gpt2_run run = {.struct_size = sizeof run, .logits = 4, .position_count = 9};
    ck_assert_msg(norm_gpt2_loss(model, ids, 6, &run, loss, NULL, &error) == LIBNORM_OK, "%s", error.text);
    ck_assert(loss[0] != 7 && loss[5] == 7);
}
END_TEST

START_TEST(nothing_chosen_is_nothing_written)
{
    norm_error error = {sizeof error, 0, 0, ""};
    norm_gpt2_run run = {.struct_size = sizeof run, .logits = LIBNORM_GPT2_LOGITS_CHOSEN};
    ck_assert_int_eq(norm_gpt2_forward(model, ids, 6, &run, NULL, NULL, &error), LIBNORM_OK);
    ck_assert_int_eq(norm_gpt2_forward(model, ids, 6, &run, logits, NULL, &error), LIBNORM_OK);
    untouched();
}
END_TEST

START_TEST(nan_in_the_weights_comes_out_as_nan)
{
    /* In the embedding of position 9: positions before it never see it, those from it on do. */
    norm_error error = {sizeof error, 0, 0, ""};
    static float clean[20 * 37], dirty[20 * 37];
    norm_gpt2_run run = {.struct_size = sizeof run, .logits = LIBNORM_GPT2_LOGITS_ALL};
    ck_assert_int_eq(norm_gpt2_forward(model, ids, 20, &run, clean, NULL, &error), LIBNORM_OK);
    support_gpt2_tensor(&small, "wpe.weight")[9 * small.embd + 1] = NAN;
    norm_gpt2 *other = support_gpt2_open(&small);
    ck_assert_int_eq(norm_gpt2_forward(other, ids, 20, &run, dirty, NULL, &error), LIBNORM_OK);
    for (size_t i = 0; i < 9 * 37; i++)
        ck_assert_float_eq_tol(dirty[i], clean[i], 1e-5f);
    for (size_t i = 9 * 37; i < 20 * 37; i++)
        ck_assert(isnan(dirty[i]));
    ck_assert_int_eq(norm_gpt2_loss(other, ids, 20, NULL, loss, NULL, &error), LIBNORM_OK);
    ck_assert(isfinite(loss[8]) && isnan(loss[9]) && isnan(loss[18]));
    norm_gpt2_free(other);
}
END_TEST

static int32_t fails_from_3_on(void *user, size_t n, const double *z, double *ret_w)
{
    (void)user, (void)z;
    for (size_t i = 0; i < n; i++)
        ret_w[i] = 1;
    return n < 3 ? 0 : 41;
}

static int32_t no_vjp(void *user, size_t n, const double *z, const double *w, const double *g, double *ret_d)
{
    (void)user, (void)n, (void)z, (void)w, (void)g, (void)ret_d;
    return 42;
}

/* A normalizer's failure names the head it was in, and keeps the callback's code. */
START_TEST(a_failing_normalizer_is_named_with_layer_and_head)
{
    const norm_row_function own = {.struct_size = sizeof own, .apply = fails_from_3_on, .vjp = no_vjp};
    norm_gpt2_shape shape = {.struct_size = sizeof shape};
    norm_error error = {sizeof error, 0, 0, ""};
    norm_normalizer *broken = NULL;
    const norm_normalizer *each[64];
    char place[64];
    ck_assert_int_eq(norm_gpt2_get_shape(model, &shape, NULL), LIBNORM_OK);
    const size_t heads = (size_t)(shape.n_layer * shape.n_head), bad = heads - 1;
    ck_assert(heads <= 64 && shape.n_layer > 1);
    ck_assert_int_eq(norm_normalizer_from_row_function(&own, "broken", NULL, &broken, NULL), LIBNORM_OK);
    for (size_t i = 0; i < heads; i++)
        each[i] = i == bad ? broken : soft;
    const norm_gpt2_run run = {.struct_size = sizeof run, .normalizers = each, .normalizer_count = heads};
    ck_assert_int_eq(norm_gpt2_forward(model, ids, 2, &run, logits, NULL, &error), LIBNORM_OK);
    ck_assert_int_eq(norm_gpt2_forward(model, ids, 5, &run, logits, NULL, &error), LIBNORM_E_CALLBACK);
    ck_assert_int_eq(error.where, 41);
    snprintf(place, sizeof place, "layer %d, head %d, rows from 0: ", (int)(bad / shape.n_head),
             (int)(bad % shape.n_head));
    ck_assert_msg(strstr(error.text, place) != NULL && strstr(error.text, "own.broken") != NULL &&
                      strstr(error.text, "41") != NULL,
                  "%s", error.text);
    norm_normalizer_free(broken);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("forward_bad");
    TCase *tests = tcase_create("forward_bad");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, wrong_ids_and_counts);
    tcase_add_test(tests, wrong_pointers);
    tcase_add_test(tests, wrong_runs);
    tcase_add_test(tests, the_loss_ignores_what_is_said_of_logits);
    tcase_add_test(tests, nothing_chosen_is_nothing_written);
    tcase_add_test(tests, nan_in_the_weights_comes_out_as_nan);
    tcase_add_test(tests, a_failing_normalizer_is_named_with_layer_and_head);
    suite_add_tcase(suite, tests);
    return suite;
}
