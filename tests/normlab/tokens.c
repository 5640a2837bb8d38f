/* SPDX-License-Identifier: MIT */
/* tokenize and detokenize through the pipe, with GPT-2's own vocabulary. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "support/support.h"

static char gpt2[4096];

static void ck_ids(const struct run *run, const json_t *ids)
{
    const char *at = run->out;
    size_t count = json_array_size(ids);
    for (size_t i = 0; i < count; i++) {
        char *end;
        ck_assert_int_eq(strtol(at, &end, 10), json_integer_value(json_array_get(ids, i)));
        ck_assert(end != at);
        at = end;
    }
    ck_assert_str_eq(at, "\n");
}

/* Whole lines of the golden file; the ids of all of them are put together for the way back. */
START_TEST(golden_ids_and_back)
{
    size_t size, all_size = 0, bytes_size = 0;
    char path[4200];
    snprintf(path, sizeof path, "%s/tokenizer-golden.jsonl", gpt2);
    char *lines = support_read(path, &size), *at = lines, *all = malloc(4 * size), *bytes = malloc(size);
    int count = 0, special_count = 0;
    for (; *at != '\0'; count++) {
        char *end = strchr(at, '\n');
        json_t *golden = json_loadb(at, (size_t)(end - at), JSON_ALLOW_NUL, NULL);
        ck_assert(golden != NULL);
        const char *text = json_string_value(json_object_get(golden, "text"));
        size_t length = json_string_length(json_object_get(golden, "text"));
        json_t *special = json_object_get(golden, "ids_with_special_tokens");
        struct run run = normlab_in(text, length, "tokenize", "--model", gpt2, (char *)NULL);
        ck_fine(&run);
        ck_ids(&run, json_object_get(golden, "ids"));
        memcpy(all + all_size, run.out, run.out_size);
        all_size += run.out_size;
        memcpy(bytes + bytes_size, text, length);
        bytes_size += length;
        run_free(&run);
        if (special != NULL) {
            run = normlab_in(text, length, "tokenize", "--special", "--model", gpt2, (char *)NULL);
            ck_fine(&run);
            ck_ids(&run, special);
            run_free(&run);
            special_count++;
        }
        json_decref(golden);
        at = end + 1;
    }
    ck_assert(count == 60 && special_count > 0);
    struct run back = normlab_in(all, all_size, "detokenize", "--model", gpt2, (char *)NULL);
    ck_fine(&back);
    ck_assert(back.out_size == bytes_size && memcmp(back.out, bytes, bytes_size) == 0);
    run_free(&back);
    free(all);
    free(bytes);
    free(lines);
}
END_TEST

START_TEST(any_bytes_come_back)
{
    char bytes[1024];
    struct support_random r = {support_seed(7)};
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i < 256 ? i : support_below(&r, 256));
    struct run run = normlab_in(bytes, sizeof bytes, "tokenize", "--model", gpt2, (char *)NULL);
    ck_fine(&run);
    struct run back = normlab_in(run.out, run.out_size, "detokenize", "--model", gpt2, (char *)NULL);
    ck_fine(&back);
    ck_assert(back.out_size == sizeof bytes && memcmp(back.out, bytes, sizeof bytes) == 0);
    run_free(&run);
    run_free(&back);
}
END_TEST

START_TEST(nothing_gives_nothing)
{
    struct run run = normlab("", "tokenize", "--model", gpt2);
    ck_fine(&run);
    ck_assert_str_eq(run.out, "\n");
    run_free(&run);
    run = normlab(" \n", "detokenize", "--model", gpt2);
    ck_fine(&run);
    ck_assert_str_eq(run.out, "");
    run_free(&run);
    run = normlab("", "tokenize", "--json", "--model", gpt2);
    ck_assert_str_eq(run.out, "{\"ids\": []}\n");
    run_free(&run);
    run = normlab("!\n", "tokenize", "--json", "--model", gpt2);
    ck_assert_str_eq(run.out, "{\"ids\": [0, 198]}\n");
    run_free(&run);
}
END_TEST

START_TEST(bad_ids_are_named)
{
    ck_fails(normlab("0 1\n2 two\n", "detokenize", "--model", gpt2), 1, "line 2: 'two'");
    ck_fails(normlab("1.5", "detokenize", "--model", gpt2), 1, "'1.5'");
    ck_fails(normlab("99999999999", "detokenize", "--model", gpt2), 1, "'99999999999'");
    ck_fails(normlab("50257", "detokenize", "--model", gpt2), 1, "50257");
    ck_fails(normlab("-1", "detokenize", "--model", gpt2), 1, "-1");
}
END_TEST

START_TEST(a_hundred_megabytes_are_read)
{
    size_t size = 100000000;
    char *text = malloc(size);
    ck_assert(text != NULL);
    for (size_t i = 0; i < size; i++)
        text[i] = "War, and peace. \n"[i % 17];
    struct run run = normlab_in(text, size, "tokenize", "--model", gpt2, (char *)NULL);
    free(text);
    ck_fine(&run);
    size_t count = 0;
    for (const char *c = run.out; *c != '\0'; c++)
        count += *c == ' ' || *c == '\n';
    /* War|,| and| peace|.| |newline: seven ids to 17 bytes, and the text ends before a newline. */
    ck_assert_int_eq((int)(size % 17), 16);
    ck_assert_int_eq((int)count, (int)(size / 17 * 7) + 6);
    run_free(&run);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("normlab-tokens");
    TCase *tests = tcase_create("tokens");
    snprintf(gpt2, sizeof gpt2, "%s", support_data("gpt2/vocab.json"));
    *strrchr(gpt2, '/') = '\0';
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, golden_ids_and_back);
    tcase_add_test(tests, any_bytes_come_back);
    tcase_add_test(tests, nothing_gives_nothing);
    tcase_add_test(tests, bad_ids_are_named);
    tcase_add_test(tests, a_hundred_megabytes_are_read);
    suite_add_tcase(suite, tests);
    return suite;
}
