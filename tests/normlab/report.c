/* SPDX-License-Identifier: MIT */
/* report: what it writes about the bundled model, and that the three forms say the same. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"
#include "run.h"
#include "support/sha256.h"
#include "support/support.h"

#define HEADS 32
#define FIELDS 20

static const char header[] = "normalizer,layer,head,windows,rows,empty_rows,nan_rows,entropy,relative_entropy,"
                             "exp_entropy,inverse_square,max_weight,first_mass,self_mass,previous_mass,distance,"
                             "support,weight_sum,max_score,row_max_score\n";
static char model[4096];

/* The first size bytes of the bundled sample as a scratch file. */
static const char *sample(size_t size)
{
    size_t whole;
    char *text = support_read(support_source("examples/data/sample.txt"), &whole);
    ck_assert(whole > size);
    scratch_write("sample <1>.txt", text, size);
    free(text);
    return scratch("sample <1>.txt");
}

static size_t token_count(const char *path)
{
    size_t size, count = 0;
    char *text = support_read(path, &size);
    struct run run = normlab_in(text, size, "tokenize", "--model", model, (char *)NULL);
    for (const char *c = run.out; *c != '\0'; c++)
        count += *c == ' ' || *c == '\n';
    run_free(&run);
    free(text);
    return count;
}

/* One line of heads.csv: the spec in quotes, then numbers. */
static char *csv_line(char *line, const char *spec, double *ret_values)
{
    char quoted[128];
    char *end = strchr(line, '\n');
    snprintf(quoted, sizeof quoted, "\"%s\",", spec);
    ck_assert(end != NULL);
    ck_assert_msg(strncmp(line, quoted, strlen(quoted)) == 0, "%.60s", line);
    *end = '\0';
    for (char *c = line += strlen(quoted); *c != '\0'; c++)
        *c = *c == ',' ? ' ' : *c;
    ck_numbers(line, FIELDS - 1, ret_values);
    return end + 1;
}

static void ck_same_head(const json_t *head, const double *values)
{
    char names[sizeof header], *name = names;
    strcpy(names, strstr(header, "layer"));
    for (size_t i = 0; i < FIELDS - 1; i++) {
        size_t size = strcspn(name, ",\n");
        name[size] = '\0';
        const json_t *value = json_object_get(head, name);
        ck_assert_msg(json_is_number(value) && json_number_value(value) == values[i], "%s", name);
        name += size + 1;
    }
}

START_TEST(the_three_forms_agree)
{
    static const char *const specs[] = {"softmax:temperature=1", "softmax:temperature=0.5"};
    size_t size;
    scratch_make();
    const char *text = sample(900);
    size_t tokens = token_count(text);
    struct run run = normlab("", "report", "--model", model, "--text", text, "--out", scratch("a/b"), "--window", "100",
                             "--normalizer", "softmax", "softmax:temperature=0.5", "--no-restart");
    ck_fine(&run);
    ck_assert(strncmp(run.out, scratch("a/b/report.html"), run.out_size - 1) == 0);
    ck_assert_int_eq(entries(scratch("a/b")), 3);
    json_t *json = json_load_file(scratch("a/b/heads.json"), 0, NULL);
    ck_assert(json != NULL);
    ck_assert(json_number_value(json_object_get(json_object_get(json, "text"), "tokens")) == (double)tokens);
    ck_assert(json_number_value(json_object_get(json, "windows")) == ceil((double)tokens / 100));
    char *csv = support_read(scratch("a/b/heads.csv"), &size), *line = csv + strlen(header);
    ck_assert(strncmp(csv, header, strlen(header)) == 0);
    for (size_t i = 0; i < 2; i++) {
        json_t *part = json_array_get(json_object_get(json, "normalizers"), i);
        ck_assert_str_eq(json_string_value(json_object_get(part, "normalizer")), specs[i]);
        ck_assert(json_number_value(json_object_get(part, "predictions")) ==
                  (double)tokens - ceil((double)tokens / 100));
        for (size_t h = 0; h < HEADS; h++) {
            double values[FIELDS];
            line = csv_line(line, specs[i], values);
            ck_assert(values[0] == (double)(h / 4) && values[1] == (double)(h % 4));
            ck_assert(values[2] == ceil((double)tokens / 100) && values[3] == (double)tokens);
            ck_assert(values[6] >= 0 && values[6] <= log(100) && values[7] >= 0 && values[7] <= 1);
            ck_same_head(json_array_get(json_object_get(part, "heads"), h), values);
        }
    }
    ck_assert_str_eq(line, "");
    free(csv);
    json_decref(json);
    run_free(&run);
    scratch_remove();
}
END_TEST

START_TEST(the_page_is_whole_and_alone)
{
    size_t size;
    scratch_make();
    struct run run = normlab("", "report", "--model", model, "--text", sample(400), "--out", scratch("out"), "--window",
                             "60", "--normalizer=softmax", "--normalizer=softmax:temperature=2", "--no-restart");
    ck_fine(&run);
    char *html = support_read(scratch("out/report.html"), &size);
    ck_assert(strlen(html) == size);
    ck_assert(ck_page(html) > 1000);
    ck_assert(!page_fetches(html));
    /* The name of the text holds markup, which must not act. */
    ck_assert(strstr(html, "sample &lt;1&gt;.txt") != NULL && strstr(html, "sample <1>") == NULL);
    for (int n = 0; n < 2; n++)
        for (int h = 0; h < HEADS; h++) {
            char id[64];
            snprintf(id, sizeof id, "<tr id=\"n%d-l%d-h%d\"", n, h / 4, h % 4);
            ck_assert_msg(strstr(html, id) != NULL, "%s", id);
        }
    free(html);
    run_free(&run);
    scratch_remove();
}
END_TEST

START_TEST(the_foot_says_what_it_was_made_from)
{
    size_t size, text_size;
    scratch_make();
    const char *text = sample(300);
    struct run run = normlab("", "report", "--model", model, "--text", text, "--out", scratch("out/"), "--no-restart");
    ck_fine(&run);
    char *bytes = support_read(text, &text_size);
    struct support_digest digest = support_sha256(bytes, text_size);
    char *html = support_read(scratch("out/report.html"), &size);
    ck_assert(strstr(html, digest.hex) != NULL);
    json_t *json = json_load_file(scratch("out/heads.json"), 0, NULL);
    ck_assert_str_eq(json_string_value(json_object_get(json_object_get(json, "text"), "sha256")), digest.hex);
    ck_assert(json_number_value(json_object_get(json_object_get(json, "text"), "bytes")) == 300);
    ck_assert(json_number_value(json_object_get(json_object_get(json, "model"), "parameters")) == 7629312);
    ck_assert_str_eq(json_string_value(json_array_get(json_object_get(json, "command"), 1)), "report");
    json_decref(json);
    free(html);
    free(bytes);
    run_free(&run);
    scratch_remove();
}
END_TEST

START_TEST(chosen_heads_alone)
{
    size_t size;
    scratch_make();
    const char *text = sample(500);
    struct run all = normlab("", "report", "--model", model, "--text", text, "--out", scratch("all"), "--no-restart");
    struct run some = normlab("", "report", "--model", model, "--text", text, "--out", scratch("some"), "--heads", "2",
                              "7.3", "--no-restart");
    ck_fine(&all);
    ck_fine(&some);
    char *whole = support_read(scratch("all/heads.csv"), &size), *part = support_read(scratch("some/heads.csv"), &size);
    static const char *const chosen[] = {",2,0,", ",2,1,", ",2,2,", ",2,3,", ",7,3,"};
    char *line = part;
    for (size_t i = 0; i < 6; i++) {
        char *end = strchr(line, '\n');
        ck_assert(end != NULL);
        *end = '\0';
        ck_assert_msg(strstr(whole, line) != NULL, "not the same: %s", line);
        ck_assert(i == 0 || strstr(line, chosen[i - 1]) != NULL);
        line = end + 1;
    }
    ck_assert_str_eq(line, "");
    free(whole);
    free(part);
    run_free(&all);
    run_free(&some);
    char *html = support_read(scratch("some/report.html"), &size);
    ck_page(html);
    free(html);
    ck_fails(normlab("", "report", "--model", model, "--text", text, "--out", scratch("x"), "--heads", "8"), 1,
             "--heads 8: expected");
    ck_fails(normlab("", "report", "--model", model, "--text", text, "--out", scratch("x"), "--heads", "1.4"), 1,
             "--heads 1.4");
    ck_fails(normlab("", "report", "--model", model, "--text", text, "--out", scratch("x"), "--heads", "1.0x"), 1,
             "--heads 1.0x");
    scratch_remove();
}
END_TEST

START_TEST(any_number_of_threads_gives_the_same_bytes)
{
    static const char *const threads[] = {"1", "2", "5", "64"};
    size_t size, again_size;
    char *first = NULL;
    scratch_make();
    const char *text = sample(900);
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        struct run run = normlab("", "report", "--model", model, "--text", text, "--out", scratch("out"), "--window",
                                 "30", "--no-restart", "--threads", threads[i]);
        ck_fine(&run);
        run_free(&run);
        char *csv = support_read(scratch("out/heads.csv"), i == 0 ? &size : &again_size);
        if (i == 0) {
            first = csv;
            continue;
        }
        ck_assert_msg(size == again_size && memcmp(first, csv, size) == 0, "%s threads", threads[i]);
        free(csv);
    }
    free(first);
    scratch_remove();
}
END_TEST

START_TEST(a_text_of_one_token_has_no_prediction)
{
    size_t size;
    scratch_make();
    scratch_write("text", "a", 1);
    struct run run =
        normlab("", "report", "--model", model, "--text", scratch("text"), "--out", scratch("out"), "--no-restart");
    ck_fine(&run);
    run_free(&run);
    json_t *json = json_load_file(scratch("out/heads.json"), 0, NULL);
    json_t *part = json_array_get(json_object_get(json, "normalizers"), 0);
    json_t *head = json_array_get(json_object_get(part, "heads"), 0);
    ck_assert(json_is_null(json_object_get(part, "loss")) && json_is_null(json_object_get(part, "perplexity")));
    ck_assert(json_number_value(json_object_get(head, "rows")) == 1);
    ck_assert(json_number_value(json_object_get(head, "first_mass")) == 1);
    ck_assert(json_is_null(json_object_get(head, "relative_entropy")));
    json_decref(json);
    char *html = support_read(scratch("out/report.html"), &size);
    ck_page(html);
    free(html);
    scratch_remove();
}
END_TEST

START_TEST(a_binary_text_is_a_text)
{
    char bytes[600];
    scratch_make();
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * 7);
    scratch_write("text", bytes, sizeof bytes);
    struct run run =
        normlab("", "report", "--model", model, "--text", scratch("text"), "--out", scratch("out"), "--no-restart");
    ck_fine(&run);
    run_free(&run);
    scratch_remove();
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("normlab-report");
    TCase *tests = tcase_create("report");
    snprintf(model, sizeof model, "%s", support_source("examples/data/gpt2-tiny"));
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, the_three_forms_agree);
    tcase_add_test(tests, the_page_is_whole_and_alone);
    tcase_add_test(tests, the_foot_says_what_it_was_made_from);
    tcase_add_test(tests, chosen_heads_alone);
    tcase_add_test(tests, any_number_of_threads_gives_the_same_bytes);
    tcase_add_test(tests, a_text_of_one_token_has_no_prediction);
    tcase_add_test(tests, a_binary_text_is_a_text);
    suite_add_tcase(suite, tests);
    return suite;
}
