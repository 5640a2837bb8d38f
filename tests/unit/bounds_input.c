/* SPDX-License-Identifier: MIT */
/* Bad input to bounds: a status, a text that names argument and value, results untouched. Never a number. */
#include <libnorm/norm.h>

#include <math.h>
#include <string.h>

#include "support/support.h"

static norm_error error = {sizeof error, 0, 0, ""};
static double a = 42, b = 42, array[4] = {42, 42, 42, 42};
static size_t count = 42;

static void refused(norm_status status, norm_status want, const char *text, int line)
{
    ck_assert_msg(status == want, "line %d: %s", line, norm_status_name(status));
    ck_assert_msg(strstr(error.text, text) != NULL, "line %d: '%s' lacks '%s'", line, error.text, text);
    ck_assert_msg(strchr(error.text, '\n') == NULL && error.status == want && error.where == -1, "line %d", line);
    ck_assert_msg(a == 42 && b == 42 && count == 42, "line %d: a result was written", line);
    for (size_t i = 0; i < 4; i++)
        ck_assert_msg(array[i] == 42, "line %d: an array was written", line);
    error.text[0] = '\0';
    error.status = 0;
}
#define REFUSED(text, call) refused(call, LIBNORM_E_ARGUMENT, text, __LINE__)

static const double w[4] = {.4, .3, .2, .1}, x[8] = {1, 0, 0, 1, 1, 1, -1, .5};
static const uint8_t top[4] = {1, 1, 0, 0}, none[4] = {0, 0, 0, 0};
static const double nan_at_2[4] = {.4, .3, (double)NAN, .1}, negative[4] = {.5, .6, -.2, .1};
static const double inf_at_5[8] = {1, 0, 0, 1, 1, (double)INFINITY, -1, .5};

START_TEST(weights)
{
    REFUSED("tokens = 0: expected at least 1", norm_bound_weight_lemma(0, 1, 2, &a, &b, &error));
    REFUSED("f_min = 0: expected a finite number > 0", norm_bound_weight_lemma(3, 0, 2, &a, &b, &error));
    REFUSED("f_min = -1", norm_bound_weight_family(3, -1, 2, &a, &b, &error));
    REFUSED("f_max = inf", norm_bound_weight_family(3, 1, INFINITY, &a, &b, &error));
    REFUSED("f_max = 1: expected at least f_min = 2", norm_bound_weight_family(3, 2, 1, &a, &b, &error));
    REFUSED("temperature = 0", norm_bound_weight_softmax(3, 1, 0, &a, &b, &error));
    REFUSED("temperature = -1", norm_bound_weight_norms(3, 1, 1, -1, &a, &b, &error));
    REFUSED("score_range = nan", norm_bound_weight_softmax(3, NAN, 1, &a, &b, &error));
    REFUSED("score_range = -2", norm_bound_weight_softmax(3, -2, 1, &a, &b, &error));
    REFUSED("query_norm = -1", norm_bound_weight_norms(3, -1, 1, 1, &a, &b, &error));
    REFUSED("key_norm = nan", norm_bound_weight_norms(3, 1, NAN, 1, &a, &b, &error));
    REFUSED("score = 5: expected score_min = 1 to score_max = 4",
            norm_bound_weight_entry(3, 5, 1, 4, 1, &a, &b, &error));
    REFUSED("gap = 3: expected at most score_range = 2", norm_bound_weight_ssmax(3, 1, 0, 2, 3, &a, &b, &error));
    REFUSED("scale log(tokens) + bias = -", norm_bound_weight_ssmax(3, -1, 0, 2, 1, &a, &b, &error));
    REFUSED("ret_upper is NULL", norm_bound_weight_softmax(3, 1, 1, NULL, NULL, &error));
    /* one token has weight 1, whatever the scale */
    ck_assert_int_eq(norm_bound_weight_ssmax(1, -1, 0, 2, 1, &a, NULL, &error), LIBNORM_OK);
    ck_assert(a == 1);
    a = 42;
}
END_TEST

START_TEST(fixed_sets)
{
    uint8_t chosen[4] = {7, 7, 7, 7};
    REFUSED("selected = 5: expected 0 to 4", norm_bound_select_top(4, w, 5, chosen, &error));
    REFUSED("weights[2] = nan: expected a finite number", norm_bound_select_top(4, nan_at_2, 1, chosen, &error));
    REFUSED("ret_selected is NULL", norm_bound_select_top(4, w, 1, NULL, &error));
    ck_assert(chosen[0] == 7 && chosen[3] == 7);
    REFUSED("tokens = 0", norm_bound_distance(0, 2, w, x, 0, top, &a, &b, &error));
    REFUSED("dim = 0", norm_bound_distance(4, 0, w, x, 0, top, &a, &b, &error));
    REFUSED("weights is NULL", norm_bound_distance(4, 2, NULL, x, 0, top, &a, &b, &error));
    REFUSED("x is NULL", norm_bound_distance(4, 2, w, NULL, 0, top, &a, &b, &error));
    REFUSED("selected is NULL", norm_bound_distance(4, 2, w, x, 0, NULL, &a, &b, &error));
    REFUSED("ret_upper is NULL", norm_bound_distance(4, 2, w, x, 0, top, NULL, NULL, &error));
    REFUSED("weights[2] = nan", norm_bound_distance_sandwich(4, 2, nan_at_2, x, 0, top, &a, &b, &error));
    REFUSED("x[2][1] = inf", norm_bound_distance_moments(4, 2, w, inf_at_5, 0, top, &a, &b, &error));
    REFUSED("weights[2] = -0.2: expected a finite number >= 0",
            norm_bound_distance_theorem(4, 2, negative, x, 0, top, &a, &error));
    REFUSED("selected tokens = 0: expected 1 to 4", norm_bound_distance_theorem(4, 2, w, x, 0, none, &a, &error));
    REFUSED("selected tokens = 0", norm_bound_distance_published(4, 2, w, x, 0, none, &a, &error));
    REFUSED("does not fit in memory", norm_bound_distance(4, 2, w, x, INT64_MIN, top, &a, &b, &error));
    REFUSED("does not fit in memory", norm_bound_distance(4, SIZE_MAX / 2, w, x, 0, top, &a, &b, &error));
    static const double huge[8] = {1e200, 1, 1, 1, 1, 1, 1, 1};
    REFUSED("x holds values up to 1e+200", norm_bound_distance(4, 2, w, huge, 0, top, &a, &b, &error));
    double s[2] = {42, 42};
    REFUSED("ret_context is NULL", norm_bound_distance_value(4, 2, w, x, 0, top, NULL, array, &a, &error));
    REFUSED("ret_distance is NULL", norm_bound_distance_value(4, 2, w, x, 0, top, s, array, NULL, &error));
    REFUSED("x[2][1] = inf", norm_bound_distance_value(4, 2, w, inf_at_5, 0, top, s, array, &a, &error));
    refused(norm_bound_distance_value(4, 2, w, x, 0, top, array, array, &a, &error), LIBNORM_E_OVERLAP,
            "ret_distances overlaps an input", __LINE__);
    refused(norm_bound_distance_value(4, 2, array, x, 0, top, array + 2, NULL, &a, &error), LIBNORM_E_OVERLAP,
            "ret_context overlaps an input", __LINE__);
    ck_assert(s[0] == 42);
    /* what is allowed: nothing selected, everything selected */
    ck_assert_int_eq(norm_bound_distance(4, 2, w, x, 0, none, &a, &b, &error), LIBNORM_OK);
    ck_assert(a > 0 && b >= a);
    static const uint8_t all[4] = {1, 2, 255, 1};
    ck_assert_int_eq(norm_bound_distance(4, 2, w, x, 0, all, &a, &b, &error), LIBNORM_OK);
    ck_assert(a == 0 && b == 0);
    a = b = 42;
}
END_TEST

START_TEST(random_sets)
{
    double along[4], across[4];
    norm_random_set set = {.struct_size = sizeof set, .mean = 42};
    REFUSED("tokens = 0", norm_bound_random_set(0, 2, w, x, 0, array, across, &set, &error));
    REFUSED("weights[2] = nan", norm_bound_random_set(4, 2, nan_at_2, x, 0, array, across, &set, &error));
    REFUSED("ret_across is NULL", norm_bound_random_set(4, 2, w, x, 0, array, NULL, &set, &error));
    REFUSED("norm_random_set is NULL", norm_bound_random_set(4, 2, w, x, 0, array, across, NULL, &error));
    refused(norm_bound_random_set(4, 2, w, x, 0, array, array + 3, &set, &error), LIBNORM_E_OVERLAP, "ret_across",
            __LINE__);
    ck_assert(set.mean == 42);
    set.struct_size = 8;
    REFUSED("norm_random_set.struct_size is 8", norm_bound_random_set(4, 2, w, x, 0, array, across, &set, &error));
    set.struct_size = sizeof set;
    ck_assert_int_eq(norm_bound_random_set(4, 2, w, x, 0, along, across, &set, &error), LIBNORM_OK);
    REFUSED("selected = 5: expected 0 to 4", norm_bound_expected_distance(&set, 5, &a, &b, &error));
    REFUSED("selected = 5", norm_bound_expected_distance_additive(&set, 5, &a, &error));
    REFUSED("selected = 5", norm_bound_expected_distance_cap(&set, 5, &a, &error));
    REFUSED("selected = 5", norm_bound_expected_square(&set, 5, &a, &error));
    REFUSED("selected = 5", norm_bound_expected_distance_limit(&set, 5, &a, &b, NULL, &error));
    REFUSED("ret_limit is NULL", norm_bound_expected_distance_limit(&set, 1, NULL, &b, NULL, &error));
    REFUSED("set is NULL", norm_bound_expected_distance_limit_published(NULL, &a, &error));
    along[1] = NAN;
    REFUSED("set.along[1] = nan", norm_bound_expected_distance(&set, 1, &a, &b, &error));
    along[1] = 0;
    across[3] = -1;
    REFUSED("set.across[3] = -1", norm_bound_expected_distance(&set, 1, &a, &b, &error));
    set.flags = 4;
    REFUSED("norm_random_set.flags", norm_bound_expected_distance(&set, 1, &a, &b, &error));
    REFUSED("tokens = 1: expected at least 2",
            norm_bound_expected_distance_published(1, 2, w, x, 0, 0, &a, NULL, &error));
    REFUSED("selected = 4: expected 0 to 3",
            norm_bound_expected_distance_published(4, 2, w, x, 0, 4, &a, NULL, &error));
}
END_TEST

START_TEST(separability)
{
    REFUSED("count = 0", norm_bound_separable_spread(0, w, 1, .5, array, &error));
    REFUSED("weights[2] = -0.2", norm_bound_separable_spread(4, negative, 1, .5, array, &error));
    REFUSED("radius = 0", norm_bound_separable_spread(4, w, 0, .5, array, &error));
    REFUSED("delta = 2.5: expected at most twice the radius 1",
            norm_bound_separable_spread(4, w, 1, 2.5, array, &error));
    REFUSED("delta = -1", norm_bound_separable_count(4, w, 1, -1, .5, &count, &error));
    REFUSED("r = -1", norm_bound_separable_count(4, w, 1, 1, -1, &count, &error));
    REFUSED("ret_count is NULL", norm_bound_separable_count(4, w, 1, 1, 1, NULL, &error));
    REFUSED("r = nan", norm_bound_separable_lower_spread(4, w, 1, 1, NAN, &a, &error));
    REFUSED("r = nan", norm_bound_separable_upper_published(4, w, 1, 1, NAN, &a, &error));
    REFUSED("dim = 0", norm_bound_separable_upper(4, w, 1, 0, .5, 0, array, &a, &error));
    REFUSED("dim = 1: expected at least 2", norm_bound_separable_upper(4, w, 1, 1, .5, 5, array, &a, &error));
    REFUSED("form = 6: expected 0 to 5", norm_bound_separable_upper(4, w, 1, 8, .5, 6, array, &a, &error));
    REFUSED("form = -1", norm_bound_separable_upper(4, w, 1, 8, .5, -1, array, &a, &error));
    REFUSED("form = 1: expected 0 or 6", norm_bound_separable_lower(4, w, 1, 8, .5, 1, array, &a, &error));
    REFUSED("ret_items", norm_bound_separable_lower(4, w, 1, 8, .5, LIBNORM_SEPARABLE_MARKOV, array, &a, &error));
    REFUSED("ret_mean is NULL", norm_bound_separable_lower(4, w, 1, 8, .5, 0, NULL, NULL, &error));
    static const double large[2] = {3, 3};
    REFUSED("weights: squares that sum to at most 8",
            norm_bound_separable_upper(2, large, 1, 8, .5, LIBNORM_SEPARABLE_REPAIRED, array, &a, &error));
    REFUSED("weights[2] = nan", norm_bound_separable_moments(4, nan_at_2, 1, 8, array, NULL, NULL, NULL, NULL, &error));
    refused(norm_bound_separable_upper(3, array, 1, 8, .5, 0, array + 1, &a, &error), LIBNORM_E_OVERLAP,
            "ret_items overlaps an input", __LINE__);
    REFUSED("heads = 0", norm_bound_coverage(0, .5, &a, &error));
    REFUSED("fraction = 1.5: expected 0 to 1", norm_bound_coverage(3, 1.5, &a, &error));
    REFUSED("fraction = nan", norm_bound_coverage(3, NAN, &a, &error));
}
END_TEST

START_TEST(jacobians)
{
    REFUSED("count = 0", norm_bound_jacobian_spectral(0, w, 0, &a, &error));
    REFUSED("p is NULL", norm_bound_jacobian_frobenius(4, NULL, 0, &a, &error));
    REFUSED("p[2] = -0.2", norm_bound_jacobian_spectral_range(4, negative, 0, &a, &b, &error));
    REFUSED("p[2] = nan", norm_bound_jacobian_row(4, nan_at_2, 0, &a, &error));
    REFUSED("rest = -1", norm_bound_jacobian_entry(4, w, -1, &a, &error));
    REFUSED("ret_norm is NULL", norm_bound_jacobian_entry(4, w, 0, NULL, &error));
    REFUSED("p[2] = nan", norm_bound_jacobian_balanced(4, nan_at_2, &a, &b, NULL, &error));
    REFUSED("ret_upper is NULL", norm_bound_jacobian_balanced_quick(4, w, NULL, NULL, &error));
    static const double even[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, half[4] = {.5, .1, .1, .1};
    norm_exec exec = {.struct_size = sizeof exec, .workspace = array, .workspace_size = sizeof array};
    REFUSED("workspace of 32 bytes is too small", norm_bound_jacobian_balanced(12, even, &a, &b, &exec, &error));
    REFUSED("weights sum to 0.8: expected 1", norm_bound_family_gradient(4, half, even, 0, &a, &error));
    REFUSED("slopes[2] = nan", norm_bound_family_gradient(4, w, nan_at_2, 0, &a, &error));
    REFUSED("form = 4", norm_bound_family_gradient(4, w, even, 4, &a, &error));
    static const double zero[2] = {1, 0};
    REFUSED("weights[1] = 0: expected a finite number > 0",
            norm_bound_family_gradient(2, zero, even, LIBNORM_FAMILY_LEMMA, &a, &error));
    REFUSED("f_min = 0", norm_bound_family_lemma(3, 0, 1, 1, &a, &error));
    REFUSED("slope_max = -1", norm_bound_family_lemma(3, 1, 1, -1, &a, &error));
    REFUSED("temperature = 0", norm_bound_softmax_gradient(0, &a, &error));
    REFUSED("temperature = nan", norm_bound_softmax_entry(NAN, &a, &error));
    REFUSED("temperature = -1", norm_bound_softmax_gradient_published(-1, &a, &error));
    REFUSED("weights sum to", norm_bound_softmax_second_moment(4, half, 1, &a, &error));
    REFUSED("ret_bytes is NULL", norm_bound_workspace(4, 4, NULL, &error));
    REFUSED("tokens or dim = ", norm_bound_workspace(SIZE_MAX, 4, &count, &error));
}
END_TEST

START_TEST(changes)
{
    REFUSED("step = 0", norm_bound_softmax_sensitivity(1, 0, &a, &error));
    REFUSED("temperature = -1", norm_bound_softmax_sensitivity(-1, 1, &a, &error));
    REFUSED("direction_range = 1.5: expected 0 to sqrt 2", norm_bound_softmax_sensitivity_range(1, 1, 1.5, &a, &error));
    REFUSED("gradient = nan", norm_bound_simplex_sensitivity(NAN, 1, &a, &error));
    REFUSED("score_range = -1", norm_bound_softmax_change(-1, 1, &a, &b, &error));
    REFUSED("ret_upper is NULL", norm_bound_softmax_change(1, 1, NULL, NULL, &error));
    REFUSED("count = 0", norm_bound_softmax_difference(0, w, x, 1, .1, array, &error));
    REFUSED("scores[2] = nan", norm_bound_softmax_difference(4, nan_at_2, x, 1, .1, array, &error));
    REFUSED("direction[2] = nan", norm_bound_softmax_difference(4, w, nan_at_2, 1, .1, array, &error));
    REFUSED("direction[0] = 1: the step takes the score out of range",
            norm_bound_softmax_difference(2, (const double[]){1e308, 0}, x, 1, 1.7e308, array, &error));
    refused(norm_bound_softmax_difference(4, array, x, 1, .1, array, &error), LIBNORM_E_OVERLAP,
            "ret_change overlaps an input", __LINE__);
}
END_TEST

START_TEST(constants)
{
    static const char *const alpha[] = {"alpha"}, *const power[] = {"power", "temperature"}, *const null[] = {NULL};
    const double half = 0.5, values[] = {2, 0};
    REFUSED("name is NULL", norm_bound_normalizer_gradient(NULL, NULL, NULL, 0, 4, 1, &a, &error));
    REFUSED("unknown normalizer 'Softmax'", norm_bound_normalizer_gradient("Softmax", NULL, NULL, 0, 4, 1, &a, &error));
    REFUSED("tokens = 0", norm_bound_normalizer_gradient("softmax", NULL, NULL, 0, 0, 1, &a, &error));
    REFUSED("max_score = nan", norm_bound_normalizer_gradient("softmax", NULL, NULL, 0, 4, NAN, &a, &error));
    REFUSED("softmax has no key 'alpha'", norm_bound_normalizer_gradient("softmax", alpha, &half, 1, 4, 1, &a, &error));
    REFUSED("alpha of entmax = 0.5: expected a finite number, 1 to 100",
            norm_bound_normalizer_gradient("entmax", alpha, &half, 1, 4, 1, &a, &error));
    REFUSED("temperature = 0", norm_bound_normalizer_gradient("relu", power, values, 2, 4, 1, &a, &error));
    REFUSED("topk needs its key k", norm_bound_normalizer_gradient("topk", NULL, NULL, 0, 4, 1, &a, &error));
    REFUSED("keys is NULL", norm_bound_normalizer_gradient("relu", NULL, values, 2, 4, 1, &a, &error));
    REFUSED("a name in keys is NULL", norm_bound_normalizer_gradient("relu", null, values, 1, 4, 1, &a, &error));
    refused(norm_bound_normalizer_gradient("softpick", NULL, NULL, 0, 4, 1, &a, &error), LIBNORM_E_UNSUPPORTED,
            "no constant is known for the gradient of softpick", __LINE__);
}
END_TEST

static void *no_memory(void *user, size_t size, size_t align)
{
    (void)user;
    (void)size;
    (void)align;
    return NULL;
}

static void never(void *user, void *p, size_t size)
{
    (void)user;
    (void)size;
    ck_abort_msg("released %p, which was never given", p);
}

START_TEST(no_memory_is_said)
{
    static const double even[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const norm_allocator allocator = {NULL, no_memory, never};
    norm_exec exec = {.struct_size = sizeof exec, .allocator = &allocator};
    refused(norm_bound_jacobian_balanced(12, even, &a, &b, &exec, &error), LIBNORM_E_NOMEM, "out of memory", __LINE__);
    refused(norm_bound_expected_distance_published(4, 2, w, x, 0, 1, &a, &exec, &error), LIBNORM_E_NOMEM,
            "out of memory", __LINE__);
}
END_TEST

START_TEST(an_error_struct_that_is_too_small_stops_every_call)
{
    norm_error small = {8, 0, 0, ""};
    ck_assert_int_eq(norm_bound_weight_lemma(3, 1, 2, &a, &b, &small), LIBNORM_E_ARGUMENT);
    ck_assert_int_eq(norm_bound_distance(4, 2, w, x, 0, top, &a, &b, &small), LIBNORM_E_ARGUMENT);
    ck_assert_int_eq(norm_bound_jacobian_spectral(4, w, 0, &a, &small), LIBNORM_E_ARGUMENT);
    ck_assert_int_eq(norm_bound_softmax_gradient(1, &a, &small), LIBNORM_E_ARGUMENT);
    ck_assert_int_eq(norm_bound_coverage(1, .5, &a, &small), LIBNORM_E_ARGUMENT);
    ck_assert(a == 42 && b == 42 && small.status == 0);
    ck_assert_int_eq(norm_bound_softmax_gradient(0, &a, NULL), LIBNORM_E_ARGUMENT);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("bad input to bounds");
    TCase *tests = tcase_create("input");
    tcase_add_test(tests, weights);
    tcase_add_test(tests, fixed_sets);
    tcase_add_test(tests, random_sets);
    tcase_add_test(tests, separability);
    tcase_add_test(tests, jacobians);
    tcase_add_test(tests, changes);
    tcase_add_test(tests, constants);
    tcase_add_test(tests, no_memory_is_said);
    tcase_add_test(tests, an_error_struct_that_is_too_small_stops_every_call);
    suite_add_tcase(suite, tests);
    return suite;
}
