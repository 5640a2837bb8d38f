/* SPDX-License-Identifier: MIT */
/* Normalizers compared in one model: differences and their intervals, fitting, and swapping head by head, each against
 * the library called here. */
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libnorm/norm.h>

#include "run.h"
#include "support/support.h"

#define WINDOW 48
#define LAYERS 8
#define HEADS 32

static char model_path[4096];
static norm_gpt2 *model;
static int32_t *ids;
static size_t id_count, windows;

/* The level the program runs at, so that both give the same bits. */
static norm_exec at_the_level(void)
{
    norm_exec exec = {.struct_size = sizeof exec};
    const char *word = getenv("LIBNORM_CPU");
    if (word != NULL)
        ck_assert_int_eq(norm_cpu_level_parse(word, &exec.cpu_level, NULL), LIBNORM_OK);
    return exec;
}

static norm_normalizer *parse(const char *spec)
{
    norm_normalizer *n = NULL;
    ck_assert_int_eq(norm_normalizer_parse(spec, strlen(spec), NULL, &n, NULL), LIBNORM_OK);
    return n;
}

static size_t window_count(size_t w)
{
    return w + 1 < windows ? WINDOW : id_count - w * WINDOW;
}

/* Sum of the losses of a window with these normalizers. */
static double window_loss(size_t w, const norm_normalizer *const *each, size_t count)
{
    double loss[WINDOW], sum = 0;
    norm_gpt2_run run = {.struct_size = sizeof run, .normalizers = each, .normalizer_count = count};
    const norm_exec exec = at_the_level();
    ck_assert_int_eq(norm_gpt2_loss(model, ids + w * WINDOW, window_count(w), &run, loss, &exec, NULL), LIBNORM_OK);
    for (size_t i = 0; i + 1 < window_count(w); i++)
        sum += loss[i];
    return sum;
}

/* Mean over windows first ... end - 1. */
static double mean_loss(size_t first, size_t end, const norm_normalizer *const *each, size_t count)
{
    double sum = 0, predictions = 0;
    for (size_t w = first; w < end; w++) {
        sum += window_loss(w, each, count);
        predictions += (double)window_count(w) - 1;
    }
    return sum / predictions;
}

static double mean_of(size_t first, size_t end, const char *spec)
{
    norm_normalizer *n = parse(spec);
    const norm_normalizer *each[1] = {n};
    double mean = mean_loss(first, end, each, 1);
    norm_normalizer_free(n);
    return mean;
}

static void open_all(void)
{
    size_t size;
    norm_tokenizer *tokenizer = NULL;
    snprintf(model_path, sizeof model_path, "%s", support_source("examples/data/gpt2-tiny"));
    scratch_make();
    char *text = support_read(support_source("examples/data/sample.txt"), &size);
    scratch_write("text", text, 1100);
    ck_assert_int_eq(norm_tokenizer_open(model_path, NULL, &tokenizer, NULL), LIBNORM_OK);
    ck_assert_int_eq(norm_gpt2_open(model_path, NULL, &model, NULL), LIBNORM_OK);
    ids = malloc(1100 * sizeof *ids);
    ck_assert_int_eq(norm_tokenizer_encode(tokenizer, text, 1100, 0, ids, 1100, &id_count, NULL, NULL), LIBNORM_OK);
    windows = (id_count + WINDOW - 1) / WINDOW;
    ck_assert_uint_ge(windows, 5);
    ck_assert_uint_le(windows, 9);
    norm_tokenizer_free(tokenizer);
    free(text);
}

static void close_all(void)
{
    norm_gpt2_free(model);
    free(ids);
    scratch_remove();
}

#define COMPARE(command, ...)                                                                                          \
    normlab("", command, "--model", model_path, "--text", scratch("text"), "--window", "48", "--json", "--no-restart", \
            __VA_ARGS__)

static json_t *read_json(struct run *run)
{
    ck_fine(run);
    json_t *json = json_loads(run->out, 0, NULL);
    ck_assert_msg(json != NULL, "%s", run->out);
    run_free(run);
    return json;
}

static double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    ck_assert_msg(json_is_number(value), "%s", key);
    return json_number_value(value);
}

/* Student's 97.5 % points for 4 to 8 degrees of freedom. */
static const double student[] = {2.776445105, 2.570581836, 2.446911851, 2.364624252, 2.306004135};

START_TEST(difference_to_softmax_with_its_interval)
{
    struct run run = COMPARE("perplexity", "--normalizer", "ssmax", "softmax");
    json_t *all = read_json(&run), *first = json_array_get(all, 0), *other = json_array_get(all, 1);
    double mean = 0, predictions = 0, squares = 0, difference[16];
    norm_normalizer *softmax = parse("softmax"), *ssmax = parse("ssmax");
    const norm_normalizer *a[1] = {softmax}, *b[1] = {ssmax};
    ck_assert_str_eq(json_string_value(json_object_get(first, "normalizer")), "softmax:temperature=1");
    ck_assert(json_object_get(first, "over_softmax") == NULL);
    for (size_t w = 0; w < windows; w++) {
        difference[w] = window_loss(w, b, 1) - window_loss(w, a, 1);
        mean += difference[w];
        predictions += (double)window_count(w) - 1;
    }
    mean /= predictions;
    for (size_t w = 0; w < windows; w++)
        squares += pow(difference[w] - mean * ((double)window_count(w) - 1), 2);
    const double n = (double)windows, half = student[windows - 5] * sqrt(n * squares / (n - 1)) / predictions;
    ck_assert_double_eq_tol(number(other, "over_softmax"), mean, 1e-9);
    ck_assert_double_eq_tol(number(other, "over_softmax_low"), mean - half, 1e-6);
    ck_assert_double_eq_tol(number(other, "over_softmax_high"), mean + half, 1e-6);
    ck_assert_double_eq_tol(number(other, "loss") - number(first, "loss"), mean, 1e-9);
    json_decref(all);
    norm_normalizer_free(softmax);
    norm_normalizer_free(ssmax);
    run = normlab("", "perplexity", "--model", model_path, "--text", scratch("text"), "--no-restart", "--normalizer",
                  "softmax", "ssmax");
    ck_fine(&run);
    ck_assert_msg(strstr(run.out, "  from nan  to nan\n") != NULL, "%s", run.out); /* a single window */
    run_free(&run);
}
END_TEST

START_TEST(fit_finds_the_least_loss_on_the_calibration_part)
{
    struct run run = COMPARE("perplexity", "--normalizer", "ssmax", "--fit", "model", "--calibration", "40");
    json_t *all = read_json(&run), *given = json_array_get(all, 0), *other = json_array_get(all, 1);
    json_t *fitted = json_object_get(other, "fitted");
    const size_t part = windows * 40 / 100;
    char spec[64];
    ck_assert_uint_eq(json_array_size(all), 2);
    ck_assert_str_eq(json_string_value(json_object_get(fitted, "key")), "s");
    const double s = json_number_value(json_array_get(json_object_get(fitted, "values"), 0));
    const double least = number(fitted, "calibration_loss");
    /* The model knows softmax, that is about s log n = 1. */
    ck_assert_msg(s > 0.1 && s < 0.6, "s = %g", s);
    snprintf(spec, sizeof spec, "ssmax:s=%.17g", s);
    ck_assert_double_eq_tol(least, mean_of(0, part, spec), 1e-9);
    ck_assert_double_eq_tol(number(other, "loss"), mean_of(part, windows, spec), 1e-9);
    ck_assert_double_eq_tol(number(given, "loss"), mean_of(part, windows, "ssmax"), 1e-9);
    for (double factor = 0.25; factor <= 4; factor *= 2) {
        snprintf(spec, sizeof spec, "ssmax:s=%.17g", s * (factor == 1 ? 1.05 : factor));
        ck_assert_msg(mean_of(0, part, spec) >= least, "%s loses less than s = %g", spec, s);
    }
    snprintf(spec, sizeof spec, "ssmax:s=%.17g", s / 1.05);
    ck_assert(mean_of(0, part, spec) >= least);
    json_decref(all);

    run = COMPARE("perplexity", "--normalizer", "ssmax", "--fit", "layer", "--calibration", "40");
    all = read_json(&run);
    fitted = json_object_get(json_array_get(all, 1), "fitted");
    json_t *values = json_object_get(fitted, "values");
    norm_normalizer *each[LAYERS];
    ck_assert_uint_eq(json_array_size(values), LAYERS);
    for (size_t i = 0; i < LAYERS; i++) {
        snprintf(spec, sizeof spec, "ssmax:s=%.17g", json_number_value(json_array_get(values, i)));
        each[i] = parse(spec);
    }
    ck_assert_double_le(number(fitted, "calibration_loss"), least);
    ck_assert_double_eq_tol(number(fitted, "calibration_loss"),
                            mean_loss(0, part, (const norm_normalizer *const *)each, LAYERS), 1e-9);
    for (size_t i = 0; i < LAYERS; i++)
        norm_normalizer_free(each[i]);
    json_decref(all);
}
END_TEST

struct zeros {
    double zero, visible;
    const bool *kept;
};

static int32_t count_zeros(void *user, const norm_head_view *view)
{
    struct zeros *z = user;
    if (!z->kept[view->layer * 4 + view->head])
        return 0;
    for (uint64_t i = 0; i < view->rows; i++)
        for (uint64_t j = 0; j < view->visible[i]; j++) {
            z->zero += view->weights[(int64_t)i * view->weight_stride + (int64_t)j] == 0;
            z->visible++;
        }
    return 0;
}

START_TEST(swap_keeps_to_its_budget)
{
    const double budget = 0.02;
    struct run run = COMPARE("swap", "--normalizer", "sparsemax:temperature=2", "--budget", "0.02", "--windows", "2");
    json_t *all = read_json(&run), *heads = json_object_get(all, "heads"), *item;
    norm_normalizer *softmax = parse("softmax"), *other = parse("sparsemax:temperature=2");
    const norm_normalizer *each[HEADS];
    bool kept[HEADS] = {false}, seen[HEADS] = {false};
    double before = -INFINITY;
    size_t index, count = 0;
    for (size_t i = 0; i < HEADS; i++)
        each[i] = softmax;
    const double base = mean_loss(0, 2, each, HEADS);
    ck_assert_double_eq_tol(number(all, "softmax_loss"), base, 1e-9);
    ck_assert_uint_eq(json_array_size(heads), HEADS);
    json_array_foreach(heads, index, item)
    {
        const size_t head = (size_t)(number(item, "layer") * 4 + number(item, "head"));
        const double alone = number(item, "alone");
        const json_t *together = json_object_get(item, "together");
        ck_assert(head < HEADS && !seen[head]);
        seen[head] = true;
        ck_assert_double_ge(alone, before);
        before = alone;
        ck_assert_int_eq(json_is_null(together), alone > budget);
        kept[head] = json_is_true(json_object_get(item, "kept"));
        ck_assert_int_eq(kept[head], json_is_number(together) && json_number_value(together) <= budget);
        count += kept[head] ? 1 : 0;
        if (index % 8 != 0)
            continue; /* some are enough */
        const norm_normalizer *one[HEADS];
        memcpy(one, each, sizeof one);
        for (size_t i = 0; i < HEADS; i++)
            one[i] = i == head ? other : softmax;
        ck_assert_double_eq_tol(alone, mean_loss(0, 2, one, HEADS) - base, 1e-9);
    }
    ck_assert(count > 0 && count < HEADS);
    ck_assert_double_eq(number(all, "kept"), (double)count);
    for (size_t i = 0; i < HEADS; i++)
        each[i] = kept[i] ? other : softmax;
    ck_assert_double_eq_tol(number(all, "loss"), mean_loss(0, 2, each, HEADS), 1e-9);
    ck_assert_double_eq_tol(number(all, "over_softmax"), number(all, "loss") - base, 1e-9);
    ck_assert_double_le(number(all, "over_softmax"), budget);

    struct zeros zeros = {0, 0, kept};
    for (size_t w = 0; w < 2; w++) {
        norm_gpt2_run pass = {.struct_size = sizeof pass, .normalizers = each, .normalizer_count = HEADS,
                              .logits = LIBNORM_GPT2_LOGITS_NONE, .observer = count_zeros, .observer_user = &zeros};
        const norm_exec exec = at_the_level();
        ck_assert_int_eq(norm_gpt2_forward(model, ids + w * WINDOW, WINDOW, &pass, NULL, &exec, NULL), LIBNORM_OK);
    }
    ck_assert_double_eq_tol(number(all, "zeros_kept"), zeros.zero / zeros.visible, 1e-12);
    json_decref(all);
    norm_normalizer_free(softmax);
    norm_normalizer_free(other);
}
END_TEST

START_TEST(swap_for_softmax_itself_costs_nothing)
{
    struct run run = COMPARE("swap", "--normalizer", "softmax", "--budget", "0", "--windows", "1");
    json_t *all = read_json(&run);
    ck_assert_double_eq(number(all, "kept"), HEADS);
    ck_assert_double_eq(number(all, "over_softmax"), 0);
    ck_assert(json_is_null(json_object_get(all, "over_softmax_low"))); /* one window says nothing about others */
    json_decref(all);
}
END_TEST

START_TEST(wrong_wishes_are_refused)
{
    ck_fails(normlab("", "perplexity", "--fit", "head"), 2, "--fit head: expected model or layer");
    ck_fails(normlab("", "perplexity", "--calibration", "100"), 2, "from 1 to 99");
    ck_fails(normlab("", "perplexity", "--model", model_path, "--text", scratch("text"), "--no-restart", "--fit",
                     "model"),
             1, "1 window of 1024 tokens: expected at least two");
    ck_fails(normlab("", "swap"), 2, "0 normalizers: expected one");
    ck_fails(normlab("", "swap", "--normalizer", "softmax", "sparsemax"), 2, "2 normalizers: expected one");
    ck_fails(normlab("", "swap", "--normalizer", "softmax", "--budget", "nan"), 2, "--budget nan");
    ck_fails(normlab("", "swap", "--normalizer", "softmax", "--budget=-1"), 2, "--budget -1");
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("normlab-compare");
    TCase *tests = tcase_create("compare");
    tcase_set_timeout(tests, 240);
    tcase_add_unchecked_fixture(tests, open_all, close_all);
    tcase_add_test(tests, difference_to_softmax_with_its_interval);
    tcase_add_test(tests, fit_finds_the_least_loss_on_the_calibration_part);
    tcase_add_test(tests, swap_keeps_to_its_budget);
    tcase_add_test(tests, swap_for_softmax_itself_costs_nothing);
    tcase_add_test(tests, wrong_wishes_are_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
