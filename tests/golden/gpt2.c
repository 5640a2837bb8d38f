/* SPDX-License-Identifier: MIT */
/* Three trained models against what others computed from the same files. */
#include <libnorm/norm.h>

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"

/* Everything a run of one passage shows: attention as layer, head, query, key, where keep says so, and entropies. */
struct run {
    norm_gpt2_shape shape;
    size_t count;
    int32_t *ids;
    float *logits; /* of every position */
    double *loss, *entropy; /* entropy: a sum over rows, a head */
    float *attention;
};

static int32_t look(void *user, const norm_head_view *view)
{
    struct run *r = user;
    const size_t head = (size_t)view->layer * r->shape.n_head + (size_t)view->head;
    for (uint64_t i = 0; i < view->rows; i++) {
        const float *weights = view->weights + (int64_t)i * view->weight_stride;
        for (uint64_t j = 0; j < view->visible[i]; j++)
            if (weights[j] > 0)
                r->entropy[head] -= (double)weights[j] * log((double)weights[j]);
        if (r->attention != NULL)
            memcpy(r->attention + (head * r->count + view->first_row + i) * r->count, weights,
                   view->cols * sizeof *weights);
    }
    return 0;
}

static void run_open(struct run *r, const norm_gpt2 *model, const json_t *ids, int keep)
{
    norm_error error = {sizeof error, 0, 0, ""};
    r->shape.struct_size = sizeof r->shape;
    ck_assert_int_eq(norm_gpt2_get_shape(model, &r->shape, &error), LIBNORM_OK);
    const size_t heads = r->shape.n_layer * r->shape.n_head;
    r->count = json_array_size(ids);
    r->ids = calloc(r->count, sizeof *r->ids);
    for (size_t i = 0; i < r->count; i++)
        r->ids[i] = (int32_t)json_integer_value(json_array_get(ids, i));
    r->logits = calloc(r->count * r->shape.vocab_size, sizeof *r->logits);
    r->loss = calloc(r->count, sizeof *r->loss);
    r->entropy = calloc(heads, sizeof *r->entropy);
    r->attention = keep ? calloc(heads * r->count * r->count, sizeof *r->attention) : NULL;
    const norm_gpt2_run run = {
        .struct_size = sizeof run, .logits = LIBNORM_GPT2_LOGITS_ALL, .observer = look, .observer_user = r};
    norm_status status = norm_gpt2_forward(model, r->ids, r->count, &run, r->logits, NULL, &error);
    ck_assert_msg(status == LIBNORM_OK, "%s", error.text);
    status = norm_gpt2_loss(model, r->ids, r->count, NULL, r->loss, NULL, &error);
    ck_assert_msg(status == LIBNORM_OK, "%s", error.text);
}

static void run_close(struct run *r)
{
    free(r->ids);
    free(r->logits);
    free(r->loss);
    free(r->entropy);
    free(r->attention);
}

static norm_gpt2 *open_model(const char *relative)
{
    norm_error error = {sizeof error, 0, 0, ""};
    norm_gpt2 *model = NULL;
    ck_assert_msg(norm_gpt2_open(support_data(relative), NULL, &model, &error) == LIBNORM_OK, "%s", error.text);
    return model;
}

static json_t *read_json(const char *relative)
{
    json_error_t error;
    json_t *root = json_load_file(support_data(relative), 0, &error);
    ck_assert_msg(root != NULL, "%s: %s", relative, error.text);
    return root;
}

/* All numbers of nested lists, in order, against got; returns how many there were. */
static size_t compare(const json_t *expected, const float *got, double tolerance, const char *what)
{
    if (!json_is_array(expected)) {
        ck_assert(json_is_number(expected));
        ck_assert_msg(fabs((double)*got - json_number_value(expected)) <= tolerance, "%s: %.9g, not %.9g", what,
                      (double)*got, json_number_value(expected));
        return 1;
    }
    size_t at = 0;
    for (size_t i = 0; i < json_array_size(expected); i++)
        at += compare(json_array_get(expected, i), got + at, tolerance, what);
    return at;
}

static void compare_doubles(const json_t *expected, const double *got, double scale, double tolerance,
                            const char *what)
{
    for (size_t i = 0, at = 0; i < json_array_size(expected); i++)
        for (size_t j = 0; j < json_array_size(json_array_get(expected, i)); j++, at++) {
            const double right = json_number_value(json_array_get(json_array_get(expected, i), j));
            ck_assert_msg(fabs(got[at] * scale - right) <= tolerance, "%s [%zu][%zu]: %.9g, not %.9g", what, i, j,
                          got[at] * scale, right);
        }
}

/* Not even near ties are allowed to differ: the largest logit by the golden file must be ours within 2e-4. */
static void compare_largest(const struct run *r, const json_t *expected)
{
    const size_t vocabulary = (size_t)r->shape.vocab_size;
    ck_assert_uint_eq(json_array_size(expected), r->count);
    for (size_t t = 0; t < r->count; t++) {
        const float *row = r->logits + t * vocabulary;
        float largest = row[0];
        for (size_t v = 1; v < vocabulary; v++)
            largest = fmaxf(largest, row[v]);
        const size_t right = (size_t)json_integer_value(json_array_get(expected, t));
        ck_assert_msg(largest - row[right] <= 2e-4f, "position %zu: %zu is not the largest", t, right);
    }
}

/* Mean loss of the passage's own ids and, where next is not -1, of that id after its end. */
static double mean_loss(const struct run *r, int32_t next)
{
    const size_t vocabulary = (size_t)r->shape.vocab_size;
    const float *last = r->logits + (r->count - 1) * vocabulary;
    double sum = 0, total = 0;
    for (size_t t = 0; t + 1 < r->count; t++)
        sum += r->loss[t];
    if (next < 0)
        return sum / (double)(r->count - 1);
    for (size_t v = 0; v < vocabulary; v++)
        total += exp((double)last[v]);
    return (sum + log(total) - (double)last[next]) / (double)r->count;
}

START_TEST(letters_are_sorted_as_the_authors_saw_it)
{
    json_t *golden = read_json("gpt-nano-sort/golden.json");
    norm_gpt2 *model = open_model("gpt-nano-sort");
    static const char *const names[] = {"attention_layer0", "attention_layer1_f64", "attention_layer2_f64"};
    const json_t *inputs = json_object_get(golden, "input_ids");
    ck_assert_uint_eq(json_array_size(inputs), 3);
    for (size_t i = 0; i < 3; i++) {
        struct run r = {0};
        run_open(&r, model, json_array_get(inputs, i), 1);
        const size_t block = r.shape.n_head * r.count * r.count;
        ck_assert_uint_eq(compare(json_array_get(json_object_get(golden, "logits"), i), r.logits, 1e-4, "logits"),
                          r.count * r.shape.vocab_size);
        for (size_t layer = 0; layer < 3; layer++)
            ck_assert_uint_eq(compare(json_array_get(json_object_get(golden, names[layer]), i),
                                      r.attention + layer * block, 1e-5, names[layer]),
                              block);
        run_close(&r);
    }
    norm_gpt2_free(model);
    json_decref(golden);
}
END_TEST

/* One passage of either language model's file, which name their fields differently. */
static void check_passage(const norm_gpt2 *model, const json_t *passage, int32_t next, const char *ids,
                          const char *last, const char *largest, const char *nll, const char *entropy)
{
    const json_t *attention = json_object_get(passage, "attention"), *loss = json_object_get(passage, nll);
    struct run r = {0};
    run_open(&r, model, json_object_get(passage, ids), json_is_array(attention));
    const size_t vocabulary = (size_t)r.shape.vocab_size;
    ck_assert_uint_eq(
        compare(json_object_get(passage, last), r.logits + (r.count - 1) * vocabulary, 1e-4, "last logits"),
        vocabulary);
    compare_largest(&r, json_object_get(passage, largest));
    if (json_is_number(loss))
        ck_assert_double_eq_tol(mean_loss(&r, next), json_number_value(loss), 1e-5); /* logits reach 18 */
    ck_assert_uint_eq(json_array_size(json_object_get(passage, entropy)), r.shape.n_layer);
    compare_doubles(json_object_get(passage, entropy), r.entropy, 1 / (double)r.count, 1e-5, "entropy");
    if (r.attention != NULL)
        ck_assert_uint_eq(compare(attention, r.attention, 1e-5, "attention"),
                          r.shape.n_layer * r.shape.n_head * r.count * r.count);
    run_close(&r);
}

START_TEST(shakespeare_agrees_with_double)
{
    json_t *golden = read_json("gpt-nano-shakespeare/golden.json");
    norm_gpt2 *model = open_model("gpt-nano-shakespeare");
    const json_t *cases = json_object_get(golden, "cases");
    /* The letter that followed each passage in its text: "BO", "scarlet-li", "Prince", "to eat a", "Nicho". */
    static const int32_t next[5] = {27, 47, 43, 39, 53};
    ck_assert_uint_eq(json_array_size(cases), 5);
    for (size_t i = 0; i < json_array_size(cases); i++)
        check_passage(model, json_array_get(cases, i), next[i], "input_ids", "last_logits", "argmax_per_position",
                      "mean_nll_next_char", "mean_attention_entropy_nats");
    norm_gpt2_free(model);
    json_decref(golden);
}
END_TEST

START_TEST(the_tiny_model_agrees_with_double)
{
    json_t *golden = read_json("gpt2-tiny/golden.json");
    norm_gpt2 *model = open_model("gpt2-tiny");
    const json_t *passages = json_object_get(golden, "passages");
    ck_assert_uint_eq(json_array_size(passages), 6);
    for (size_t i = 0; i < json_array_size(passages); i++)
        check_passage(model, json_array_get(passages, i), -1, "ids", "logits_last", "argmax", "mean_nll_next",
                      "mean_entropy_nats");
    norm_gpt2_free(model);
    json_decref(golden);
}
END_TEST

Suite *support_suite(void)
{
    support_data("SOURCES.md"); /* skips the file as a whole where there are no data */
    Suite *suite = suite_create("golden gpt2");
    TCase *tests = tcase_create("golden gpt2");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, letters_are_sorted_as_the_authors_saw_it);
    tcase_add_test(tests, shakespeare_agrees_with_double);
    tcase_add_test(tests, the_tiny_model_agrees_with_double);
    suite_add_tcase(suite, tests);
    return suite;
}
