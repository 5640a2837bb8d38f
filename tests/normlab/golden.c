/* SPDX-License-Identifier: MIT */
/* logits and perplexity against reference computations of the same models. */
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "support/support.h"

static char data[4096];

static const char *in_data(const char *name)
{
    static char path[4200];
    snprintf(path, sizeof path, "%s/%s", data, name);
    return path;
}

static json_t *golden(const char *name)
{
    json_t *json = json_load_file(in_data(name), 0, NULL);
    ck_assert_msg(json != NULL, "%s", name);
    return json;
}

/* Ids as text, for free(). */
static char *ids_text(const json_t *ids)
{
    size_t count = json_array_size(ids), size = 0;
    char *text = malloc(count * 12 + 1);
    text[0] = '\0';
    for (size_t i = 0; i < count; i++)
        size += (size_t)sprintf(text + size, "%ld\n", (long)json_integer_value(json_array_get(ids, i)));
    return text;
}

static void ck_logits(const char *text, size_t count, json_t *expected, double tolerance)
{
    double *values = malloc(count * sizeof *values);
    ck_numbers(text, count, values);
    ck_assert(json_array_size(expected) == count);
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(fabs(values[i] - json_number_value(json_array_get(expected, i))) <= tolerance,
                      "logit %zu is %.9g, not %.9g", i, values[i], json_number_value(json_array_get(expected, i)));
    free(values);
}

START_TEST(logits_of_every_position)
{
    char directory[4200];
    snprintf(directory, sizeof directory, "%s", in_data("gpt-nano-sort"));
    json_t *json = golden("gpt-nano-sort/golden.json"), *all = json_object_get(json, "logits"), *ids;
    size_t index;
    ck_assert(json_array_size(all) == 3);
    json_array_foreach(json_object_get(json, "input_ids"), index, ids)
    {
        char *text = ids_text(ids), *line;
        struct run run = normlab(text, "logits", "--model", directory, "--all", "--no-restart");
        json_t *rows = json_array_get(all, index), *row;
        size_t t;
        ck_fine(&run);
        line = run.out;
        json_array_foreach(rows, t, row)
        {
            char *end = strchr(line, '\n');
            ck_assert(end != NULL);
            *end = '\0';
            ck_logits(line, 3, row, 1e-4);
            line = end + 1;
        }
        ck_assert_str_eq(line, "");
        struct run last = normlab(text, "logits", "--model", directory, "--no-restart");
        ck_fine(&last);
        ck_logits(last.out, 3, json_array_get(rows, json_array_size(rows) - 1), 1e-4);
        struct run json_run = normlab(text, "logits", "--model", directory, "--no-restart", "--json", "--all");
        json_t *read = json_loads(json_run.out, 0, NULL), *read_rows = json_object_get(read, "logits");
        ck_assert(json_array_size(read_rows) == json_array_size(rows));
        json_t *a = json_array_get(json_array_get(read_rows, 2), 1), *b = json_array_get(json_array_get(rows, 2), 1);
        ck_assert(fabs(json_number_value(a) - json_number_value(b)) <= 1e-4);
        json_decref(read);
        run_free(&json_run);
        run_free(&last);
        run_free(&run);
        free(text);
    }
    json_decref(json);
}
END_TEST

START_TEST(logits_of_long_passages)
{
    char directory[4200];
    snprintf(directory, sizeof directory, "%s", in_data("gpt2-tiny"));
    json_t *json = golden("gpt2-tiny/golden.json"), *passage;
    size_t index, longest = 0;
    json_array_foreach(json_object_get(json, "passages"), index, passage)
    {
        json_t *ids = json_object_get(passage, "ids");
        char *text = ids_text(ids);
        struct run run = normlab(text, "logits", "--model", directory, "--no-restart", "--threads", "2");
        ck_fine(&run);
        ck_logits(run.out, 4096, json_object_get(passage, "logits_last"), 1e-4);
        longest = json_array_size(ids) > longest ? json_array_size(ids) : longest;
        run_free(&run);
        free(text);
    }
    ck_assert_int_eq((int)longest, 1024);
    json_decref(json);
}
END_TEST

/* The value behind a word of a line of `normlab perplexity`. */
static double value_of(const char *line, const char *word)
{
    const char *at = strstr(line, word);
    ck_assert_msg(at != NULL, "no %s in: %s", word, line);
    return strtod(at + strlen(word), NULL);
}

/* The bytes of a passage as the scratch file "text"; false if they are cut into other ids, which happens where a
 * passage was cut inside a word. */
static bool passage_text(const json_t *ids, const char *directory)
{
    char *text = ids_text(ids);
    struct run bytes = normlab(text, "detokenize", "--model", directory);
    ck_fine(&bytes);
    struct run again = normlab_in(bytes.out, bytes.out_size, "tokenize", "--model", directory, (char *)NULL);
    ck_fine(&again);
    for (char *c = again.out; *c != '\0'; c++)
        *c = *c == ' ' ? '\n' : *c;
    bool same = strcmp(again.out, text) == 0;
    scratch_write("text", bytes.out, bytes.out_size);
    run_free(&again);
    run_free(&bytes);
    free(text);
    return same;
}

START_TEST(loss_of_passages)
{
    char directory[4200];
    snprintf(directory, sizeof directory, "%s", in_data("gpt2-tiny"));
    json_t *json = golden("gpt2-tiny/golden.json"), *passage;
    size_t index, compared = 0;
    scratch_make();
    json_array_foreach(json_object_get(json, "passages"), index, passage)
    {
        json_t *ids = json_object_get(passage, "ids");
        size_t count = json_array_size(ids);
        if (count < 2 || !passage_text(ids, directory))
            continue;
        struct run run = normlab("", "perplexity", "--model", directory, "--text", scratch("text"), "--no-restart");
        ck_fine(&run);
        double loss = value_of(run.out, "  loss "),
               expected = json_number_value(json_object_get(passage, "mean_nll_next"));
        ck_assert(value_of(run.out, "  tokens ") == (double)count);
        ck_assert(value_of(run.out, "  predictions ") == (double)(count - 1));
        ck_assert_msg(fabs(loss - expected) < 1e-5, "%zu tokens: loss %.9g, not %.9g", count, loss, expected);
        ck_assert(fabs(value_of(run.out, "  perplexity ") / exp(loss) - 1) < 1e-12);
        compared++;
        run_free(&run);
    }
    ck_assert_msg(compared >= 3, "only %zu passages", compared);
    scratch_remove();
    json_decref(json);
}
END_TEST

/* Entropy of every head in heads.json, which the scratch directory "out" holds, against the reference. */
static void ck_entropies(const json_t *expected, size_t count)
{
    json_t *heads_json = json_load_file(scratch("out/heads.json"), 0, NULL), *head;
    json_t *one = json_array_get(json_object_get(heads_json, "normalizers"), 0);
    size_t index;
    ck_assert(heads_json != NULL && json_array_size(json_object_get(one, "heads")) == 32);
    json_array_foreach(json_object_get(one, "heads"), index, head)
    {
        size_t layer = (size_t)json_integer_value(json_object_get(head, "layer"));
        size_t number = (size_t)json_integer_value(json_object_get(head, "head"));
        double entropy = json_number_value(json_object_get(head, "entropy"));
        double right = json_number_value(json_array_get(json_array_get(expected, layer), number));
        ck_assert(layer * 4 + number == index);
        ck_assert_msg(fabs(entropy - right) < 1e-4, "head %zu.%zu: %.9g, not %.9g", layer, number, entropy, right);
        ck_assert(json_number_value(json_object_get(head, "rows")) == (double)count);
        ck_assert(fabs(json_number_value(json_object_get(head, "weight_sum")) - 1) < 1e-5);
    }
    json_decref(heads_json);
}

START_TEST(entropies_of_passages)
{
    char directory[4200];
    snprintf(directory, sizeof directory, "%s", in_data("gpt2-tiny"));
    json_t *json = golden("gpt2-tiny/golden.json"), *passage;
    size_t index, compared = 0;
    scratch_make();
    json_array_foreach(json_object_get(json, "passages"), index, passage)
    {
        json_t *ids = json_object_get(passage, "ids");
        if (!passage_text(ids, directory))
            continue;
        struct run run = normlab("", "report", "--model", directory, "--text", scratch("text"), "--out", scratch("out"),
                                 "--no-restart");
        ck_fine(&run);
        ck_entropies(json_object_get(passage, "mean_entropy_nats"), json_array_size(ids));
        compared++;
        run_free(&run);
    }
    ck_assert_msg(compared >= 3, "only %zu passages", compared);
    scratch_remove();
    json_decref(json);
}
END_TEST

START_TEST(perplexity_of_unseen_text)
{
    char directory[4200];
    snprintf(directory, sizeof directory, "%s", in_data("gpt2-tiny"));
    struct run run =
        normlab("", "perplexity", "--model", directory, "--text", in_data("war-and-peace-unseen.txt"), "--no-restart");
    ck_fine(&run);
    ck_assert(strncmp(run.out, "softmax:temperature=1  tokens 86308  predictions 86223  ", 55) == 0);
    ck_assert(fabs(value_of(run.out, "  loss ") / 4.2328 - 1) < 0.001);
    ck_assert(fabs(value_of(run.out, "  perplexity ") / 68.91 - 1) < 0.001);
    ck_assert(fabs(value_of(run.out, "  bits a byte ") / 1.664 - 1) < 0.001);
    run_free(&run);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("normlab-golden");
    TCase *tests = tcase_create("golden");
    snprintf(data, sizeof data, "%s", support_data("SOURCES.md"));
    *strrchr(data, '/') = '\0';
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, logits_of_every_position);
    tcase_add_test(tests, logits_of_long_passages);
    tcase_add_test(tests, loss_of_passages);
    tcase_add_test(tests, entropies_of_passages);
    tcase_add_test(tests, perplexity_of_unseen_text);
    suite_add_tcase(suite, tests);
    return suite;
}
