/* SPDX-License-Identifier: MIT */
/* The forward pass against double loops, on small random models in memory. */
#include <libnorm/norm.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/gpt2.h"
#include "support/support.h"

static void random_ids(const struct support_gpt2 *m, uint64_t seed, int32_t *ids, size_t count)
{
    struct support_random r = {seed};
    for (size_t i = 0; i < count; i++)
        ids[i] = (int32_t)support_below(&r, m->vocab);
}

static void forward(const norm_gpt2 *model, const int32_t *ids, size_t count, const norm_gpt2_run *run, float *logits,
                    const norm_exec *exec)
{
    norm_error error = {sizeof error, 0, 0, ""};
    norm_status status = norm_gpt2_forward(model, ids, count, run, logits, exec, &error);
    ck_assert_msg(status == LIBNORM_OK, "%s", error.text);
}

/* All logits of the model agree with the reference within 1e-4. */
static void compare(struct support_gpt2 *m, size_t count, const norm_gpt2_run *run, const double *temperature)
{
    int32_t *ids = malloc(count * sizeof *ids);
    float *logits = malloc(count * m->vocab * sizeof *logits);
    double *expected = malloc(count * m->vocab * sizeof *expected);
    norm_gpt2 *model = support_gpt2_open(m);
    random_ids(m, 77, ids, count);
    support_gpt2_reference(m, ids, count, temperature, expected, NULL, NULL);
    forward(model, ids, count, run, logits, NULL);
    for (size_t i = 0; i < count * m->vocab; i++)
        ck_assert_msg(fabs((double)logits[i] - expected[i]) <= 1e-4, "%s: [%zu][%zu] is %.9g, not %.9g", m->config,
                      i / m->vocab, i % m->vocab, (double)logits[i], expected[i]);
    norm_gpt2_free(model);
    free(ids);
    free(logits);
    free(expected);
}

static const norm_gpt2_run all = {.struct_size = sizeof all, .logits = LIBNORM_GPT2_LOGITS_ALL};

START_TEST(every_variant_of_the_configuration_agrees)
{
    for (int i = 0; i < 16; i++) {
        struct support_gpt2 m = support_gpt2_small();
        m.activation = i & 1 ? "gelu" : "gelu_new";
        m.scale = (i & 2) == 0;
        m.inverse_layer = (i & 4) != 0;
        m.tied = (i & 8) == 0;
        m.epsilon = i & 1 ? 1e-3 : 1e-5;
        m.layers = 3;
        support_gpt2_make(&m, support_seed(20) + (uint64_t)i);
        compare(&m, 23, &all, NULL);
        support_gpt2_free(&m);
    }
}
END_TEST

START_TEST(the_variants_differ_from_each_other)
{
    /* Else the test above could not tell them apart. */
    struct support_gpt2 m = support_gpt2_small();
    support_gpt2_make(&m, 20);
    double logits[5][23 * 37];
    int32_t ids[23];
    random_ids(&m, 77, ids, 23);
    for (int i = 0; i < 5; i++) {
        m.activation = i == 1 ? "gelu" : "gelu_new";
        m.scale = i != 2;
        m.inverse_layer = i == 3;
        m.epsilon = i == 4 ? 1e-3 : 1e-5;
        support_gpt2_reference(&m, ids, 23, NULL, logits[i], NULL, NULL);
        double largest = 0;
        for (size_t j = 0; j < 23 * 37; j++)
            largest = fmax(largest, fabs(logits[i][j] - logits[0][j]));
        ck_assert_msg(i == 0 || largest > 1e-3, "variant %d: %.3g", i, largest);
    }
    support_gpt2_free(&m);
}
END_TEST

START_TEST(every_length_agrees)
{
    struct support_gpt2 m = support_gpt2_small();
    support_gpt2_make(&m, support_seed(21));
    for (size_t count = 1; count <= m.positions; count += count < 4 || count > 62 ? 1 : 13)
        compare(&m, count, &all, NULL);
    compare(&m, m.positions, &all, NULL);
    support_gpt2_free(&m);
}
END_TEST

START_TEST(logits_where_asked_are_those_of_all)
{
    enum { count = 30, vocab = 37 };
    struct support_gpt2 m = support_gpt2_small();
    support_gpt2_make(&m, support_seed(22));
    norm_gpt2 *model = support_gpt2_open(&m);
    int32_t ids[count];
    static float every[count * vocab], some[70 * vocab];
    random_ids(&m, 5, ids, count);
    forward(model, ids, count, &all, every, NULL);
    forward(model, ids, count, NULL, some, NULL);
    for (size_t j = 0; j < vocab; j++)
        ck_assert_float_eq_tol(some[j], every[(count - 1) * vocab + j], 2e-6f);
    /* Any order, some twice, more than there are ids. */
    uint64_t positions[70];
    for (size_t i = 0; i < 70; i++)
        positions[i] = i * 7 % count;
    const norm_gpt2_run chosen = {.struct_size = sizeof chosen,
                                  .logits = LIBNORM_GPT2_LOGITS_CHOSEN,
                                  .positions = positions,
                                  .position_count = 70};
    forward(model, ids, count, &chosen, some, NULL);
    for (size_t i = 0; i < 70 * (size_t)vocab; i++)
        ck_assert_float_eq_tol(some[i], every[positions[i / vocab] * vocab + i % vocab], 2e-6f);
    const norm_gpt2_run none = {.struct_size = sizeof none, .logits = LIBNORM_GPT2_LOGITS_NONE};
    forward(model, ids, count, &none, NULL, NULL);
    norm_gpt2_free(model);
    support_gpt2_free(&m);
}
END_TEST

START_TEST(loss_is_that_of_the_logits)
{
    enum { count = 60 };
    /* More ids than the inner layer is wide, so that the vocabulary is taken in several slices. */
    struct support_gpt2 m = support_gpt2_small();
    m.vocab = 300;
    m.deviation = 0.5;
    support_gpt2_make(&m, support_seed(23));
    norm_gpt2 *model = support_gpt2_open(&m);
    norm_error error = {sizeof error, 0, 0, ""};
    int32_t ids[count];
    static float logits[count * 300];
    double loss[count];
    random_ids(&m, 6, ids, count);
    ids[3] = 0;
    ids[4] = 299;
    forward(model, ids, count, &all, logits, NULL);
    loss[count - 1] = 42;
    ck_assert_msg(norm_gpt2_loss(model, ids, count, NULL, loss, NULL, &error) == LIBNORM_OK, "%s", error.text);
    for (size_t t = 0; t + 1 < count; t++) {
        double max = -INFINITY, sum = 0;
        for (size_t v = 0; v < m.vocab; v++)
            max = fmax(max, (double)logits[t * m.vocab + v]);
        for (size_t v = 0; v < m.vocab; v++)
            sum += exp((double)logits[t * m.vocab + v] - max);
        const double expected = max + log(sum) - (double)logits[t * m.vocab + (size_t)ids[t + 1]];
        ck_assert_msg(fabs(loss[t] - expected) <= 4e-6, "[%zu] is %.12g, not %.12g", t, loss[t], expected);
    }
    ck_assert(loss[count - 1] == 42);
    ck_assert_int_eq(norm_gpt2_loss(model, ids, 1, NULL, loss + count - 1, NULL, &error), LIBNORM_OK);
    ck_assert_int_eq(norm_gpt2_loss(model, ids, 1, NULL, NULL, NULL, &error), LIBNORM_OK);
    ck_assert(loss[count - 1] == 42);
    norm_gpt2_free(model);
    support_gpt2_free(&m);
}
END_TEST

/* -- normalizers --------------------------------------------------------------------------------------------------- */

static norm_normalizer *parse(const char *spec)
{
    norm_error error = {sizeof error, 0, 0, ""};
    norm_normalizer *n = NULL;
    ck_assert_msg(norm_normalizer_parse(spec, strlen(spec), NULL, &n, &error) == LIBNORM_OK, "%s", error.text);
    return n;
}

START_TEST(a_normalizer_for_the_model_a_layer_or_a_head)
{
    struct support_gpt2 m = support_gpt2_small();
    support_gpt2_make(&m, support_seed(24));
    norm_normalizer *soft = parse("softmax"), *sharp = parse("softmax:temperature=0.25");
    const norm_normalizer *model_wide[] = {sharp}, *by_layer[] = {soft, sharp};
    const norm_normalizer *by_head[] = {soft, soft, soft, soft, sharp, soft};
    norm_gpt2_run run = all;
    run.normalizers = model_wide;
    run.normalizer_count = 1;
    compare(&m, 20, &run, (const double[]){0.25, 0.25, 0.25, 0.25, 0.25, 0.25});
    run.normalizers = by_layer;
    run.normalizer_count = 2;
    compare(&m, 20, &run, (const double[]){1, 1, 1, 0.25, 0.25, 0.25});
    run.normalizers = by_head;
    run.normalizer_count = 6;
    compare(&m, 20, &run, (const double[]){1, 1, 1, 1, 0.25, 1});
    norm_normalizer_free(soft);
    norm_normalizer_free(sharp);
    support_gpt2_free(&m);
}
END_TEST

enum { watched = 66 };
struct notes {
    float weights[2][3][watched][watched];
    int calls, last;
};

static int32_t note(void *user, const norm_head_view *view)
{
    struct notes *n = user;
    const int order = (int)((view->layer * 3 + view->head) * 1000 + (int)view->first_row);
    ck_assert_msg(order > n->last || n->calls == 0, "layer %d head %d row %d came late", (int)view->layer,
                  (int)view->head, (int)view->first_row);
    n->last = order;
    n->calls++;
    for (uint64_t i = 0; i < view->rows; i++)
        for (uint64_t j = 0; j < view->cols; j++)
            n->weights[view->layer][view->head][view->first_row + i][j] =
                view->weights[(int64_t)i * view->weight_stride + (int64_t)j];
    return 0;
}

START_TEST(one_head_changes_nothing_else_in_its_layer)
{
    static struct notes before, after;
    struct support_gpt2 m = support_gpt2_small();
    support_gpt2_make(&m, support_seed(25));
    norm_gpt2 *model = support_gpt2_open(&m);
    int32_t ids[watched];
    random_ids(&m, 8, ids, watched);
    norm_normalizer *soft = parse("softmax"), *sharp = parse("softmax:temperature=0.5");
    const norm_normalizer *by_head[] = {soft, sharp, soft, soft, soft, soft};
    norm_gpt2_run run = {.struct_size = sizeof run,
                         .logits = LIBNORM_GPT2_LOGITS_NONE,
                         .observer = note,
                         .observer_user = &before};
    forward(model, ids, watched, &run, NULL, NULL);
    run.normalizers = by_head;
    run.normalizer_count = 6;
    run.observer_user = &after;
    forward(model, ids, watched, &run, NULL, NULL);
    ck_assert_int_eq(before.calls, 2 * 3 * 2);
    ck_assert(memcmp(before.weights[0][0], after.weights[0][0], sizeof before.weights[0][0]) == 0);
    ck_assert(memcmp(before.weights[0][1], after.weights[0][1], sizeof before.weights[0][1]) != 0);
    ck_assert(memcmp(before.weights[0][2], after.weights[0][2], sizeof before.weights[0][2]) == 0);
    for (int head = 0; head < 3; head++)
        ck_assert(memcmp(before.weights[1][head], after.weights[1][head], sizeof before.weights[1][head]) != 0);
    norm_normalizer_free(soft);
    norm_normalizer_free(sharp);
    norm_gpt2_free(model);
    support_gpt2_free(&m);
}
END_TEST

START_TEST(the_observer_sees_the_weights_of_the_model)
{
    static struct notes seen;
    static double expected[2][3][watched][watched];
    double logits[watched * 37];
    struct support_gpt2 m = support_gpt2_small();
    support_gpt2_make(&m, support_seed(26));
    norm_gpt2 *model = support_gpt2_open(&m);
    int32_t ids[watched];
    random_ids(&m, 9, ids, watched);
    norm_gpt2_run run = {.struct_size = sizeof run,
                         .logits = LIBNORM_GPT2_LOGITS_NONE,
                         .observer = note,
                         .observer_user = &seen};
    forward(model, ids, watched, &run, NULL, NULL);
    support_gpt2_reference(&m, ids, watched, NULL, logits, NULL, expected[0][0][0]);
    for (size_t i = 0; i < sizeof expected / sizeof(double); i++) {
        const size_t row = i / watched % watched, column = i % watched;
        const double got = (double)(&seen.weights[0][0][0][0])[i], right = (&expected[0][0][0][0])[i];
        ck_assert_msg(fabs(got - right) <= 1e-5 && (column <= row || got == 0), "[%zu]: %.9g, not %.9g", i, got, right);
    }
    norm_gpt2_free(model);
    support_gpt2_free(&m);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("forward");
    TCase *tests = tcase_create("forward");
    tcase_add_test(tests, every_variant_of_the_configuration_agrees);
    tcase_add_test(tests, the_variants_differ_from_each_other);
    tcase_add_test(tests, every_length_agrees);
    tcase_add_test(tests, logits_where_asked_are_those_of_all);
    tcase_add_test(tests, loss_is_that_of_the_logits);
    tcase_add_test(tests, a_normalizer_for_the_model_a_layer_or_a_head);
    tcase_add_test(tests, one_head_changes_nothing_else_in_its_layer);
    tcase_add_test(tests, the_observer_sees_the_weights_of_the_model);
    suite_add_tcase(suite, tests);
    return suite;
}
