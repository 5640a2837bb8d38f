/* SPDX-License-Identifier: MIT */
/* The summaries of heads, seen through the observer, against attention that was computed in double elsewhere. */
#include <libnorm/norm.h>

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "support/support.h"

struct model {
    norm_gpt2 *gpt2;
    norm_gpt2_shape shape;
    json_t *golden;
};

static struct model open_model(const char *folder, const char *golden)
{
    norm_error error = {sizeof error, 0, 0, ""};
    json_error_t problem;
    struct model m = {.shape = {.struct_size = sizeof m.shape}};
    ck_assert_msg(norm_gpt2_open(support_data(folder), NULL, &m.gpt2, &error) == LIBNORM_OK, "%s", error.text);
    ck_assert_int_eq(norm_gpt2_get_shape(m.gpt2, &m.shape, &error), LIBNORM_OK);
    m.golden = json_load_file(support_data(golden), 0, &problem);
    ck_assert_msg(m.golden != NULL, "%s", problem.text);
    return m;
}

static void close_model(struct model *m)
{
    json_decref(m->golden);
    norm_gpt2_free(m->gpt2);
}

/* One window: a record a head, and their summaries. For free. */
static norm_head_summary *summaries(const struct model *m, const json_t *ids)
{
    const size_t heads = (size_t)(m->shape.n_layer * m->shape.n_head), count = json_array_size(ids);
    norm_error error = {sizeof error, 0, 0, ""};
    norm_head_record *records = calloc(heads, sizeof *records);
    norm_head_summary *found = calloc(heads, sizeof *found);
    int32_t *tokens = calloc(count, sizeof *tokens);
    for (size_t i = 0; i < heads; i++) {
        records[i].struct_size = sizeof records[i];
        found[i].struct_size = sizeof found[i];
    }
    for (size_t i = 0; i < count; i++)
        tokens[i] = (int32_t)json_integer_value(json_array_get(ids, i));
    norm_head_observer observer = {.struct_size = sizeof observer,
                                   .n_layer = m->shape.n_layer,
                                   .n_head = m->shape.n_head,
                                   .records = records};
    const norm_gpt2_run run = {.struct_size = sizeof run,
                               .logits = LIBNORM_GPT2_LOGITS_NONE,
                               .observer = norm_head_observe,
                               .observer_user = &observer};
    ck_assert_msg(norm_gpt2_forward(m->gpt2, tokens, count, &run, NULL, NULL, &error) == LIBNORM_OK, "%s", error.text);
    for (size_t i = 0; i < heads; i++) {
        ck_assert_int_eq(norm_head_summarize(&records[i], 1, &found[i], &error), LIBNORM_OK);
        ck_assert_double_eq(found[i].rows, (double)count);
    }
    free(records);
    free(tokens);
    return found;
}

static void assert_near(double got, double want, double tolerance, const char *what)
{
    ck_assert_msg(fabs(got - want) <= tolerance, "%s: %.9g, expected %.9g", what, got, want);
}

/* The measures of one head from its attention, rows by columns, in the plainest way. */
static void compare_head(const norm_head_summary *got, const json_t *attention)
{
    const size_t rows = json_array_size(attention);
    double first = 0, self = 0, previous = 0, distance = 0, largest = 0, inverse = 0, effective = 0, relative = 0;
    for (size_t t = 0; t < rows; t++) {
        double h = 0, square = 0, most = 0;
        for (size_t j = 0; j <= t; j++) {
            const double p = json_number_value(json_array_get(json_array_get(attention, t), j));
            h -= p > 0 ? p * log(p) : 0;
            square += p * p;
            most = fmax(most, p);
            distance += p * (double)(t - j);
            first += j == 0 ? p : 0;
            self += j == t ? p : 0;
            previous += j + 1 == t ? p : 0;
        }
        largest += most;
        inverse += 1 / square;
        effective += exp(h);
        relative += t > 0 ? h / log((double)(t + 1)) : 0;
    }
    const double n = (double)rows;
    assert_near(got->first_mass, first / n, 1e-5, "first_mass");
    assert_near(got->self_mass, self / n, 1e-5, "self_mass");
    assert_near(got->max_weight, largest / n, 1e-5, "max_weight");
    assert_near(got->distance, distance / n, 1e-5 * n, "distance");
    assert_near(got->inverse_square, inverse / n, 1e-4 * n, "inverse_square");
    assert_near(got->exp_entropy, effective / n, 1e-4 * n, "exp_entropy");
    assert_near(got->weight_sum, 1, 1e-6, "weight_sum");
    if (rows < 2)
        return;
    assert_near(got->previous_mass, previous / (n - 1), 1e-5, "previous_mass");
    assert_near(got->relative_entropy, relative / (n - 1), 1e-4, "relative_entropy");
}

static void check(const char *folder, const char *file, const char *list, const char *ids, const char *entropy)
{
    struct model m = open_model(folder, file);
    const json_t *passages = json_object_get(m.golden, list), *passage;
    size_t i, compared = 0;
    json_array_foreach(passages, i, passage)
    {
        norm_head_summary *found = summaries(&m, json_object_get(passage, ids));
        for (size_t layer = 0; layer < m.shape.n_layer; layer++)
            for (size_t head = 0; head < m.shape.n_head; head++) {
                const norm_head_summary *got = &found[layer * m.shape.n_head + head];
                const json_t *of_layer = json_array_get(json_object_get(passage, entropy), layer);
                const json_t *attention =
                    json_array_get(json_array_get(json_object_get(passage, "attention"), layer), head);
                ck_assert_int_eq(got->layer, (int)layer);
                ck_assert_int_eq(got->head, (int)head);
                assert_near(got->entropy, json_number_value(json_array_get(of_layer, head)), 1e-5, "entropy");
                if (json_is_array(attention)) {
                    compare_head(got, attention);
                    compared++;
                }
            }
        free(found);
    }
    ck_assert_uint_ge(compared, m.shape.n_layer * m.shape.n_head);
    close_model(&m);
}

START_TEST(heads_of_shakespeare)
{
    check("gpt-nano-shakespeare", "gpt-nano-shakespeare/golden.json", "cases", "input_ids",
          "mean_attention_entropy_nats");
}
END_TEST

START_TEST(heads_of_the_tiny_model)
{
    check("gpt2-tiny", "gpt2-tiny/golden.json", "passages", "ids", "mean_entropy_nats");
}
END_TEST

Suite *support_suite(void)
{
    support_data("SOURCES.md"); /* skips the file as a whole where there are no data */
    Suite *suite = suite_create("heads");
    TCase *tests = tcase_create("heads");
    tcase_set_timeout(tests, 0);
    tcase_add_test(tests, heads_of_shakespeare);
    tcase_add_test(tests, heads_of_the_tiny_model);
    suite_add_tcase(suite, tests);
    return suite;
}
