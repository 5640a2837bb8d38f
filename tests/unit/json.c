/* SPDX-License-Identifier: MIT */
/* JSON when memory runs out: Jansson's own, taken from a countdown. */
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

#include "gpt2/config.h"
#include "gpt2/safetensors.h"
#include "support/support.h"
#include "support/tensors.h"

static size_t left, live;

static void *count_malloc(size_t size)
{
    if (left == 0)
        return NULL;
    left--;
    live++;
    return malloc(size);
}

static void count_free(void *p)
{
    live -= p != NULL;
    free(p);
}

/* Runs attempt with 0, 1, 2, ... allocations allowed until it succeeds. */
static void with_memory_running_out(norm_status (*attempt)(norm_error *error))
{
    json_set_alloc_funcs(count_malloc, count_free);
    for (size_t n = 0;; n++) {
        norm_error error = {sizeof error, 0, 0, ""};
        left = n;
        live = 0;
        norm_status status = attempt(&error);
        ck_assert_uint_eq(live, 0);
        if (status == LIBNORM_OK) {
            ck_assert_uint_gt(n, 20);
            break;
        }
        ck_assert_msg(status == LIBNORM_E_NOMEM, "%zu: %s", n, error.text);
        ck_assert_ptr_nonnull(strstr(error.text, "'f': out of memory while reading "));
    }
}

static norm_status read_config(norm_error *error)
{
    static const char text[] = "{" SUPPORT_WEIGHTS_CONFIG ", \"architectures\": [\"GPT2LMHeadModel\"], "
                               "\"layer_norm_epsilon\": 1e-5, \"task_specific_params\": {\"a\": {\"b\": null}}}";
    struct norm__config config;
    return norm__config_read(&config, "'f'", text, sizeof text - 1, error);
}

START_TEST(a_config_without_memory)
{
    with_memory_running_out(read_config);
}
END_TEST

static norm_status read_weights(norm_error *error)
{
    const struct support_weights what = {.prefix = "transformer.", .dtype = "BF16"};
    struct support_bytes file = support_weights(&what);
    struct norm__safetensors st;
    norm_status status = norm__safetensors_open(&st, "'f'", file.data, file.size, NULL, error);
    if (status == LIBNORM_OK)
        norm__safetensors_close(&st);
    free(file.data);
    return status;
}

START_TEST(weights_without_memory)
{
    with_memory_running_out(read_weights);
}
END_TEST

START_TEST(values_in_messages)
{
    static const char *const written[] = {"3", "-0.5", "1e3", "\"a\\u0007\"", "true", "false", "null", "[1]", "{}"};
    static const char *const shown[] = {"3",     "-0.5", "1000.0",   "'a\\x07'", "true",
                                        "false", "null", "an array", "an object"};
    for (size_t i = 0; i < sizeof written / sizeof written[0]; i++) {
        json_t *value = json_loads(written[i], JSON_DECODE_ANY, NULL);
        ck_assert_str_eq(norm__json_found(value).text, shown[i]);
        json_decref(value);
    }
    ck_assert_str_eq(norm__json_found(NULL).text, "nothing");
}
END_TEST

START_TEST(nesting_without_end_is_refused)
{
    enum { DEPTH = 100000 };
    char *text = malloc(6 + DEPTH);
    json_t *root = NULL;
    norm_error error = {sizeof error, 0, 0, ""};
    memcpy(text, "{\"a\":", 5);
    memset(text + 5, '[', DEPTH);
    ck_assert_int_eq(norm__json_object(&root, "'f'", text, 5 + DEPTH, 0, &error), LIBNORM_E_FORMAT);
    ck_assert_ptr_nonnull(strstr(error.text, "maximum parsing depth reached"));
    ck_assert_ptr_null(root);
    free(text);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("json");
    TCase *tests = tcase_create("json");
    tcase_add_test(tests, values_in_messages);
    tcase_add_test(tests, nesting_without_end_is_refused);
    tcase_add_test(tests, a_config_without_memory);
    tcase_add_test(tests, weights_without_memory);
    suite_add_tcase(suite, tests);
    return suite;
}
