/* SPDX-License-Identifier: MIT */
/* normlab bench: that its output is whole and says what was asked. Never how fast anything is. */
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libnorm/exec.h>

#include "run.h"
#include "support/support.h"

static json_t *parse(const struct run *run)
{
    json_error_t error;
    json_t *json = json_loads(run->out, 0, &error);
    ck_fine(run);
    ck_assert_msg(json != NULL, "line %d: %s", error.line, error.text);
    return json;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    ck_assert_msg(text != NULL, "no text %s", key);
    return text;
}

static long whole_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    ck_assert_msg(json_is_integer(value), "no whole number %s", key);
    return (long)json_integer_value(value);
}

/* Three finite numbers, not negative, in order. */
static void ck_quartiles(const json_t *object, const char *key)
{
    const json_t *list = json_object_get(object, key);
    double before = 0;
    ck_assert_msg(json_array_size(list) == 3, "no quartiles %s", key);
    for (size_t i = 0; i < 3; i++) {
        const double value = json_number_value(json_array_get(list, i));
        ck_assert(isfinite(value) && value >= before);
        before = value;
    }
}

static void ck_against(const json_t *figure, const char *unit, const char *const *names, size_t count)
{
    const json_t *against = json_object_get(figure, "against");
    ck_assert_uint_eq(json_object_size(against), count);
    for (size_t i = 0; i < count; i++) {
        const json_t *one = json_object_get(against, names[i]);
        ck_quartiles(one, unit);
        ck_quartiles(one, "ratio");
    }
}

static void ck_figure(const json_t *figure)
{
    static const char *const forward[] = {"memcpy", "softmax"}, *const vjp[] = {"memcpy", "product", "forward"};
    const bool backward = strcmp(text_of(figure, "pass"), "vjp") == 0;
    const bool plain = strcmp(text_of(figure, "normalizer"), "softmax:temperature=1") == 0;
    ck_assert(backward || strcmp(text_of(figure, "pass"), "forward") == 0);
    ck_quartiles(figure, "ns");
    ck_assert(json_is_number(json_object_get(figure, "numbers_per_second")));
    ck_assert_int_ge(whole_of(figure, "rounds"), 3);
    ck_assert_int_ge(whole_of(figure, "rows"), 1);
    ck_against(figure, "ns", backward ? vjp : forward, backward ? 3 : plain ? 1 : 2);
}

START_TEST(every_normalizer_is_measured)
{
    struct run run = normlab("", "bench", "--quick", "--json", "--no-restart"), list = normlab("", "list", "--json");
    json_t *json = parse(&run), *all = parse(&list), *figures = json_object_get(json, "rows");
    ck_assert_uint_eq(json_array_size(json_object_get(json, "attention")), 6); /* three of them, two passes */
    const size_t normalizers = json_array_size(all);
    ck_assert_uint_ge(normalizers, 18);
    ck_assert_uint_eq(json_array_size(figures), normalizers * 2 * 2 * 2); /* sets, lengths, passes */
    for (size_t i = 0; i < normalizers; i++) {
        const char *name = text_of(json_array_get(all, i), "name");
        size_t found = 0;
        for (size_t k = 0; k < json_array_size(figures); k++) {
            const char *spec = text_of(json_array_get(figures, k), "normalizer");
            found += strncmp(spec, name, strlen(name)) == 0 && spec[strlen(name)] == ':';
        }
        ck_assert_msg(found == 8, "%s: %zu figures", name, found);
    }
    for (size_t k = 0; k < json_array_size(figures); k++) {
        const json_t *figure = json_array_get(figures, k);
        ck_figure(figure);
        ck_assert_str_eq(text_of(figure, "scores"), "normal");
        ck_assert(whole_of(figure, "n") == 64 || whole_of(figure, "n") == 1024);
        ck_assert(strcmp(text_of(figure, "set"), "hot") == 0 || strcmp(text_of(figure, "set"), "streaming") == 0);
    }
    ck_assert_str_eq(text_of(json, "width"), "f32");
    text_of(json, "libnorm");
    text_of(json, "cpu_level");
    text_of(json, "processor");
    text_of(json, "blas");
    text_of(json, "blas_kernel");
    json_decref(json);
    json_decref(all);
    run_free(&run);
    run_free(&list);
}
END_TEST

START_TEST(options_choose_what_is_measured)
{
    struct run run = normlab("", "bench", "rows", "--quick", "--json", "--f64", "--level", "scalar", "--lengths", "7",
                             "33", "--scores", "sorted", "two-level", "--hot=4", "--streaming=1",
                             "--normalizer=sparsemax");
    json_t *json = parse(&run), *figures = json_object_get(json, "rows");
    ck_assert_uint_eq(json_array_size(figures), 16);
    ck_assert_str_eq(text_of(json, "width"), "f64");
    ck_assert_str_eq(text_of(json, "cpu_level"), "scalar");
    for (size_t k = 0; k < 16; k++) {
        const json_t *figure = json_array_get(figures, k);
        const bool backward = strcmp(text_of(figure, "pass"), "vjp") == 0;
        const bool hot = strcmp(text_of(figure, "set"), "hot") == 0;
        const long n = whole_of(figure, "n"), rows = whole_of(figure, "rows"), row = n * 8 * (backward ? 3 : 2);
        const long bytes = whole_of(figure, "bytes");
        ck_figure(figure);
        ck_assert_str_eq(text_of(figure, "normalizer"), "sparsemax:temperature=1");
        ck_assert_str_eq(text_of(figure, "scores"), k < 8 ? "sorted" : "two-level");
        ck_assert(hot == (k % 8 < 4));
        ck_assert(n == (k % 4 < 2 ? 7 : 33));
        ck_assert_int_eq(rows, 4096 / row); /* as many as fit into 4 KiB */
        ck_assert_int_eq(bytes, hot ? rows * row : (1 << 20) / (rows * row) * rows * row);
    }
    json_decref(json);
    run_free(&run);
}
END_TEST

START_TEST(a_row_longer_than_the_set_is_taken_alone)
{
    struct run run = normlab("", "bench", "--quick", "--json", "--lengths", "100000", "--hot", "1", "--streaming", "1",
                             "--normalizer=softmax", "rows");
    json_t *json = parse(&run), *figures = json_object_get(json, "rows");
    ck_assert_uint_eq(json_array_size(figures), 4);
    for (size_t k = 0; k < 4; k++)
        ck_assert_int_eq(whole_of(json_array_get(figures, k), "rows"), 1);
    ck_assert_int_eq(whole_of(json_array_get(figures, 0), "bytes"), 800000);
    json_decref(json);
    run_free(&run);
}
END_TEST

START_TEST(attention_is_measured_beside_its_products)
{
    static const char *const specs[] = {"softmax:temperature=1", "lssa:temperature=1"};
    struct run run = normlab("", "bench", "attention", "--quick", "--json", "--normalizer", "softmax", "lssa",
                             "--no-restart");
    json_t *json = parse(&run), *figures = json_object_get(json, "attention");
    norm_blas_info blas = {.struct_size = sizeof blas};
    ck_assert_int_eq(norm_blas_describe(&blas, NULL), LIBNORM_OK);
    const bool none = strcmp(blas.library, "none") == 0;
    ck_assert(json_object_get(json, "rows") == NULL && json_object_get(json, "passes") == NULL);
    ck_assert_uint_eq(json_array_size(figures), 4);
    for (size_t k = 0; k < 4; k++) {
        static const char *const forward[] = {"softmax", "products"}, *const backward[] = {"forward"};
        const json_t *figure = json_array_get(figures, k);
        ck_assert(strncmp(text_of(figure, "normalizer"), specs[k / 2], strlen(specs[k / 2])) == 0);
        ck_assert_str_eq(text_of(figure, "pass"), k % 2 == 0 ? "forward" : "backward");
        ck_assert_int_eq(whole_of(figure, "n"), 96);
        ck_assert_int_eq(whole_of(figure, "heads"), 4);
        ck_assert_int_eq(whole_of(figure, "width"), 64);
        ck_assert_int_ge(whole_of(figure, "rounds"), 3);
        ck_quartiles(figure, "ms");
        ck_assert(json_is_number(json_object_get(figure, "ns_a_score")));
        ck_against(figure, "ms", k % 2 == 0 ? forward : backward, k % 2 == 1 || none ? 1 : 2);
    }
    json_decref(json);
    run_free(&run);
}
END_TEST

static const char *bundled(void)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s", support_source("examples/data/gpt2-tiny"));
    return path;
}

static void ck_passes(const json_t *json, size_t tokens)
{
    static const char *const specs[] = {"softmax:temperature=1", "sparsemax:temperature=1"};
    const json_t *passes = json_object_get(json, "passes");
    norm_blas_info blas = {.struct_size = sizeof blas};
    ck_assert_int_eq(norm_blas_describe(&blas, NULL), LIBNORM_OK);
    ck_assert_uint_eq(json_array_size(passes), 4);
    for (size_t k = 0; k < 4; k++) {
        const json_t *pass = json_array_get(passes, k), *products = json_object_get(pass, "products");
        ck_assert_str_eq(text_of(pass, "logits"), k < 2 ? "last" : "all");
        ck_assert_str_eq(text_of(pass, "normalizer"), specs[k % 2]);
        ck_assert_int_eq(whole_of(pass, "tokens"), (long)tokens);
        ck_quartiles(pass, "ms");
        ck_assert(json_is_number(json_object_get(pass, "tokens_per_second")));
        /* Without a BLAS there is nothing to compare with. */
        ck_assert(strcmp(blas.library, "none") == 0 ? json_is_null(products) : json_is_object(products));
        if (json_is_null(products))
            continue;
        ck_quartiles(products, "ms");
        ck_quartiles(products, "ratio");
        /* 8 layers of 12 n^2 weights and the seen blocks of attention, and a vocabulary of 4096: counted by hand. */
        const double n = 256, t = (double)tokens, layers = 8 * (24 * n * n * t + 4 * n * t * t);
        const double logits = 2 * n * 4096 * (k < 2 ? 1 : t);
        ck_assert(json_number_value(json_object_get(products, "flops")) == layers + logits);
    }
}

START_TEST(a_model_is_measured_beside_its_products)
{
    static const char *const windows[] = {"1", "48"};
    for (size_t w = 0; w < 2; w++) {
        struct run run = normlab("", "bench", "model", "--quick", "--json", "--model", bundled(), "--window",
                                 windows[w], "--threads", "1", "--normalizer", "softmax", "sparsemax",
                                 "--no-restart");
        json_t *json = parse(&run);
        ck_assert(json_object_get(json, "rows") == NULL);
        ck_assert_str_eq(text_of(json, "model"), bundled());
        ck_assert_int_eq(whole_of(json, "threads"), 1);
        ck_passes(json, strtoul(windows[w], NULL, 10));
        json_decref(json);
        run_free(&run);
    }
    struct run run = normlab("", "bench", "--quick", "--model", bundled(), "--window", "4", "--lengths", "64",
                             "--normalizer", "softmax", "--no-restart");
    ck_fine(&run);
    ck_assert(strstr(run.out, "\nhot, scores normal\n") != NULL);
    ck_assert(strstr(run.out, "\nforward pass of ") != NULL);
    ck_assert(strstr(run.out, "\nlast ") != NULL && strstr(run.out, "\nall ") != NULL);
    run_free(&run);
}
END_TEST

/* A line a figure, each with the normalizer at its end. */
START_TEST(the_table_has_a_line_a_figure)
{
    struct run run = normlab("", "bench", "--quick", "--normalizer", "softmax", "entmax:alpha=1.25", "--scores",
                             "normal3", "--level", "baseline", "--no-restart");
    const char *at = run.out;
    size_t ours = 0, softmax = 0;
    ck_fine(&run);
    ck_assert(strncmp(run.out, "libnorm ", 8) == 0);
    ck_assert(strstr(run.out, "CPU level baseline") != NULL);
    ck_assert(strstr(run.out, "\nhot, scores normal3\n") != NULL);
    ck_assert(strstr(run.out, "\nstreaming, scores normal3\n") != NULL);
    ck_assert(strstr(run.out, "\nattention: 4 heads ") != NULL);
    for (; (at = strstr(at, "  entmax:temperature=1,alpha=1.25\n")) != NULL; at++)
        ours++;
    for (at = run.out; (at = strstr(at, "  softmax:temperature=1\n")) != NULL; at++)
        softmax++;
    ck_assert_uint_eq(ours, 8 + 2);
    ck_assert_uint_eq(softmax, 8 + 2);
    run_free(&run);
}
END_TEST

START_TEST(what_is_refused)
{
    ck_fails(normlab("", "bench", "--level", "sse9"), 2, "sse9");
    if (norm_cpu_level() != LIBNORM_CPU_NEON)
        ck_fails(normlab("", "bench", "--level", "neon"), 2, "--level neon");
    if (norm_cpu_level() < LIBNORM_CPU_AVX512)
        ck_fails(normlab("", "bench", "--level", "avx512"), 2, "--level avx512");
    ck_fails(normlab("", "bench", "--lengths", "0"), 2, "--lengths 0");
    ck_fails(normlab("", "bench", "--lengths", "64", "x"), 2, "--lengths x");
    ck_fails(normlab("", "bench", "--scores", "odd"), 2, "--scores odd");
    ck_fails(normlab("", "bench", "--normalizer", "softmux"), 2, "softmax");
    ck_fails(normlab("", "bench", "--hot", "0"), 2, "--hot 0");
    ck_fails(normlab("", "bench", "--streaming", "few"), 2, "--streaming few");
    ck_fails(normlab("", "bench", "softmax"), 2, "unknown part softmax");
    ck_fails(normlab("", "bench", "rows", "model", "attention", "rows"), 2, "'rows'");
    ck_fails(normlab("", "bench", "--model", "/nonexistent", "model", "--no-restart"), 1, "/nonexistent");
    ck_fails(normlab("", "bench", "model", "--model", bundled(), "--window", "100000", "--no-restart"), 1,
             "--window 100000");
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("normlab-bench");
    TCase *tests = tcase_create("bench");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, every_normalizer_is_measured);
    tcase_add_test(tests, options_choose_what_is_measured);
    tcase_add_test(tests, a_row_longer_than_the_set_is_taken_alone);
    tcase_add_test(tests, attention_is_measured_beside_its_products);
    tcase_add_test(tests, a_model_is_measured_beside_its_products);
    tcase_add_test(tests, the_table_has_a_line_a_figure);
    tcase_add_test(tests, what_is_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
