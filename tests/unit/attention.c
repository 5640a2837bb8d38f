/* SPDX-License-Identifier: MIT */
#include "attention/head.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "support/support.h"

enum { width = 6, value_width = 5, stride = 17, longest = 200 };

struct problem {
    float q[longest * stride], k[longest * stride], v[longest * stride];
    float out[longest * value_width];
    size_t rows, first;
    float scale;
    norm_observer observer;
    void *observer_user;
};

static void randomize(struct problem *p, uint64_t seed)
{
    struct support_random r = {seed};
    for (size_t i = 0; i < (size_t)longest * stride; i++) {
        p->q[i] = (float)support_normal(&r);
        p->k[i] = (float)support_normal(&r);
        p->v[i] = (float)support_normal(&r);
    }
}

static norm_status run(struct problem *p, const char *spec, norm_error *error)
{
    norm_normalizer *normalizer = NULL;
    size_t normalizer_bytes;
    const size_t keys = p->first + p->rows;
    struct norm__workspace workspace;
    ck_assert_int_eq(norm_normalizer_parse(spec, strlen(spec), NULL, &normalizer, error), LIBNORM_OK);
    ck_assert_int_eq(norm__head_normalizer_bytes(normalizer, p->rows, keys, NULL, &normalizer_bytes), LIBNORM_OK);
    const size_t bytes = norm__head_bytes(p->rows, keys, p->observer != NULL, normalizer_bytes);
    ck_assert_int_eq(norm__workspace_open(&workspace, NULL, bytes, error), LIBNORM_OK);
    const struct norm__head_scratch scratch =
        norm__head_scratch(&workspace, p->rows, keys, p->observer != NULL, normalizer_bytes);
    ck_assert_uint_eq(workspace.left, 0); /* the size is exact */
    const struct norm__head head = {
        .rows = p->rows,
        .first = p->first,
        .width = width,
        .value_width = value_width,
        .q = p->q + p->first * stride,
        .k = p->k,
        .v = p->v,
        .q_stride = stride,
        .k_stride = stride,
        .v_stride = stride,
        .ret_out = p->out,
        .out_stride = value_width,
        .scale = p->scale,
        .normalizer = normalizer,
        .observer = p->observer,
        .observer_user = p->observer_user,
        .layer_index = 3,
        .head_index = 1,
    };
    norm_status status = norm__head_forward(&head, &scratch, NULL, error);
    norm__workspace_close(&workspace);
    norm_normalizer_free(normalizer);
    return status;
}

static double score(const struct problem *p, size_t row, size_t key)
{
    double sum = 0;
    for (size_t i = 0; i < width; i++)
        sum += (double)p->q[row * stride + i] * (double)p->k[key * stride + i];
    return sum * (double)p->scale;
}

/* Compares the output at position row with softmax in double. */
static void check_row(const struct problem *p, size_t row)
{
    double max = -INFINITY, sum = 0, expected[value_width] = {0};
    for (size_t key = 0; key <= row; key++)
        max = fmax(max, score(p, row, key));
    for (size_t key = 0; key <= row; key++) {
        const double e = exp(score(p, row, key) - max);
        sum += e;
        for (size_t i = 0; i < value_width; i++)
            expected[i] += e * (double)p->v[key * stride + i];
    }
    for (size_t i = 0; i < value_width; i++) {
        const double got = (double)p->out[(row - p->first) * value_width + i];
        ck_assert_msg(fabs(got - expected[i] / sum) <= 3e-6, "rows %zu from %zu: row %zu [%zu] is %.9g, not %.9g",
                      p->rows, p->first, row, i, got, expected[i] / sum);
    }
}

START_TEST(every_length_agrees_with_the_formula)
{
    static const size_t lengths[] = {1, 2, 3, 63, 64, 65, 127, 128, 129, 200};
    static struct problem p = {.scale = 0.4f};
    norm_error error = {sizeof error, 0, 0, ""};
    randomize(&p, support_seed(6));
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        p.rows = lengths[i];
        ck_assert_msg(run(&p, "softmax", &error) == LIBNORM_OK, "%s", error.text);
        for (size_t row = 0; row < p.rows; row++)
            check_row(&p, row);
    }
}
END_TEST

START_TEST(queries_may_start_anywhere)
{
    static struct problem p = {.scale = 0.4f};
    norm_error error = {sizeof error, 0, 0, ""};
    randomize(&p, support_seed(7));
    for (p.first = 0; p.first < 100; p.first += 33)
        for (p.rows = 1; p.rows <= 100; p.rows += 49) {
            ck_assert_msg(run(&p, "softmax", &error) == LIBNORM_OK, "%s", error.text);
            for (size_t row = p.first; row < p.first + p.rows; row++)
                check_row(&p, row);
        }
}
END_TEST

START_TEST(what_a_row_does_not_see_cannot_reach_it)
{
    static struct problem p = {.scale = 0.4f, .rows = 130}, clean;
    norm_error error = {sizeof error, 0, 0, ""};
    randomize(&p, support_seed(8));
    clean = p;
    ck_assert_int_eq(run(&clean, "softmax", &error), LIBNORM_OK);
    for (int which = 0; which < 2; which++) {
        const size_t at = 70;
        struct problem *dirty = &p;
        memcpy(p.k, clean.k, sizeof p.k);
        memcpy(p.v, clean.v, sizeof p.v);
        if (which == 0)
            dirty->v[at * stride + 2] = INFINITY;
        else
            dirty->k[at * stride + 2] = NAN;
        ck_assert_int_eq(run(dirty, "softmax", &error), LIBNORM_OK);
        for (size_t row = 0; row < at; row++)
            for (size_t i = 0; i < value_width; i++)
                ck_assert_msg(fabsf(p.out[row * value_width + i] - clean.out[row * value_width + i]) <= 1e-6f,
                              "row %zu [%zu]: %.9g", row, i, (double)p.out[row * value_width + i]);
        for (size_t row = at; row < p.rows; row++)
            ck_assert_msg(!isfinite(p.out[row * value_width + 2]), "row %zu", row);
    }
}
END_TEST

START_TEST(scores_far_below_zero_are_weighed_as_any_others)
{
    static struct problem p = {.scale = 1, .rows = 80};
    norm_error error = {sizeof error, 0, 0, ""};
    randomize(&p, support_seed(9));
    /* One column makes every score about -2e4. */
    for (size_t i = 0; i < longest; i++) {
        p.q[i * stride] = -128;
        p.k[i * stride] = 156;
    }
    ck_assert_msg(run(&p, "softmax", &error) == LIBNORM_OK, "%s", error.text);
    for (size_t row = 0; row < p.rows; row++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t key = 0; key <= row; key++) {
            low = fmin(low, (double)p.v[key * stride]);
            high = fmax(high, (double)p.v[key * stride]);
        }
        ck_assert(score(&p, row, 0) < -1.9e4);
        const double got = (double)p.out[row * value_width];
        ck_assert_msg(got >= low - 1e-5 && got <= high + 1e-5, "row %zu: %.9g", row, got);
    }
}
END_TEST

/* What an observer must see, and where it stops. */
struct watch {
    const struct problem *problem;
    size_t seen;
    int32_t stop_at, code;
};

static int32_t look(void *user, const norm_head_view *view)
{
    struct watch *w = user;
    ck_assert_uint_eq(view->struct_size, sizeof *view);
    ck_assert(view->layer == 3 && view->head == 1 && view->head_dim == value_width);
    ck_assert_uint_eq(view->first_row, w->problem->first + w->seen);
    ck_assert_uint_eq(view->cols, view->first_row + view->rows);
    for (uint64_t i = 0; i < view->rows; i++) {
        const float *weights = view->weights + (int64_t)i * view->weight_stride;
        const float *scores = view->scores + (int64_t)i * view->score_stride;
        const size_t row = (size_t)(view->first_row + i);
        double sum = 0;
        ck_assert_uint_eq(view->visible[i], row + 1);
        for (size_t key = 0; key < view->cols; key++) {
            sum += (double)weights[key];
            if (key > row)
                ck_assert(weights[key] == 0);
            else
                ck_assert_double_eq_tol((double)scores[key], score(w->problem, row, key), 1e-5);
        }
        ck_assert_double_eq_tol(sum, 1, 1e-5);
    }
    ck_assert(view->values == w->problem->v && view->value_stride == stride);
    w->seen += (size_t)view->rows;
    return view->first_row >= (uint64_t)w->stop_at ? w->code : 0;
}

START_TEST(an_observer_sees_every_row_once_and_changes_nothing)
{
    static struct problem p = {.scale = 0.4f, .rows = 150, .first = 20}, alone;
    norm_error error = {sizeof error, 0, 0, ""};
    struct watch watch = {&p, 0, 1000, 0};
    randomize(&p, support_seed(10));
    alone = p;
    p.observer = look;
    p.observer_user = &watch;
    ck_assert_msg(run(&p, "softmax:temperature=1.5", &error) == LIBNORM_OK, "%s", error.text);
    ck_assert_uint_eq(watch.seen, p.rows);
    ck_assert_int_eq(run(&alone, "softmax:temperature=1.5", &error), LIBNORM_OK);
    ck_assert(memcmp(p.out, alone.out, sizeof p.out) == 0);
}
END_TEST

START_TEST(an_observer_that_stops_is_named)
{
    static struct problem p = {.scale = 0.4f, .rows = 150};
    norm_error error = {sizeof error, 0, 0, ""};
    struct watch watch = {&p, 0, 64, -5};
    randomize(&p, support_seed(11));
    p.observer = look;
    p.observer_user = &watch;
    ck_assert_int_eq(run(&p, "softmax", &error), LIBNORM_E_CALLBACK);
    ck_assert_int_eq(error.where, -5);
    ck_assert_str_eq(error.text, "the observer stopped layer 3, head 1, row 64 with -5");
    ck_assert_uint_eq(watch.seen, 128);
}
END_TEST

START_TEST(sizes_that_do_not_fit_are_seen)
{
    ck_assert_uint_eq(norm__head_bytes(1, SIZE_MAX / 2, 0, 0), SIZE_MAX);
    ck_assert_uint_eq(norm__head_bytes(64, SIZE_MAX / 64, 0, 0), SIZE_MAX);
    ck_assert_uint_eq(norm__head_bytes(64, SIZE_MAX / 400, 1, 0), SIZE_MAX);
    ck_assert_uint_eq(norm__head_bytes(64, 100, 0, SIZE_MAX - 100), SIZE_MAX);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("attention");
    TCase *tests = tcase_create("attention");
    tcase_add_test(tests, every_length_agrees_with_the_formula);
    tcase_add_test(tests, queries_may_start_anywhere);
    tcase_add_test(tests, what_a_row_does_not_see_cannot_reach_it);
    tcase_add_test(tests, scores_far_below_zero_are_weighed_as_any_others);
    tcase_add_test(tests, an_observer_sees_every_row_once_and_changes_nothing);
    tcase_add_test(tests, an_observer_that_stops_is_named);
    tcase_add_test(tests, sizes_that_do_not_fit_are_seen);
    suite_add_tcase(suite, tests);
    return suite;
}
