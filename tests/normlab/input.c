/* SPDX-License-Identifier: MIT */
/* Bad input: each gives one line that names the thing, exit 1, and no half-written output. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run.h"
#include "support/support.h"

static char bundled[4096];

/* A model directory in the scratch directory: the bundled files, but one replaced, or left out where bytes is NULL. */
static const char *model_with(const char *name, const void *bytes, size_t size)
{
    static const char *const files[] = {"config.json", "model.safetensors", "vocab.json", "merges.txt"};
    char from[4200], to[600];
    mkdir(scratch("model"), 0777);
    for (size_t i = 0; i < 4; i++) {
        snprintf(from, sizeof from, "%s/%s", bundled, files[i]);
        snprintf(to, sizeof to, "%s/%s", scratch("model"), files[i]);
        unlink(to);
        if (strcmp(name, files[i]) != 0)
            ck_assert(symlink(from, to) == 0);
    }
    snprintf(to, sizeof to, "model/%s", name);
    if (bytes != NULL)
        scratch_write(to, bytes, size);
    return scratch("model");
}

/* The first size bytes of a bundled file, for free(). */
static char *head_of(const char *name, size_t *size)
{
    char path[4200];
    size_t whole;
    snprintf(path, sizeof path, "%s/%s", bundled, name);
    char *bytes = support_read(path, &whole);
    ck_assert(*size <= whole);
    if (*size == 0)
        *size = whole;
    return bytes;
}

static void ck_model_fails(const char *name, const void *bytes, size_t size, const char *needle)
{
    const char *model = model_with(name, bytes, size);
    if (strcmp(name, "vocab.json") != 0 && strcmp(name, "merges.txt") != 0)
        ck_fails(normlab("1 2\n", "logits", "--model", model, "--no-restart"), 1, needle);
    else
        ck_fails(normlab("text", "tokenize", "--model", model), 1, needle);
    ck_fails(normlab("", "report", "--model", model, "--text", bundled, "--out", scratch("out"), "--no-restart"), 1,
             needle);
    ck_assert_int_eq(entries(scratch("out")), -1);
}

START_TEST(files_that_are_missing_empty_or_cut)
{
    static const char *const names[] = {"config.json", "model.safetensors", "vocab.json", "merges.txt"};
    scratch_make();
    for (size_t i = 0; i < 4; i++) {
        size_t half = 0;
        char *bytes = head_of(names[i], &half);
        ck_model_fails(names[i], NULL, 0, names[i]);
        ck_model_fails(names[i], "", 0, names[i]);
        /* A merge list cut behind a line is shorter and nothing else is wrong with it: cut inside one. */
        half /= 2;
        while (strcmp(names[i], "merges.txt") == 0 && bytes[half - 1] != ' ')
            half--;
        ck_model_fails(names[i], bytes, half, names[i]);
        free(bytes);
    }
    ck_fails(normlab("1\n", "logits", "--model", scratch("nowhere"), "--no-restart"), 1, "nowhere");
    ck_fails(normlab("1\n", "tokenize", "--model", scratch("nowhere")), 1, "nowhere");
    scratch_remove();
}
END_TEST

/* A safetensors file of this header and size bytes of zeros. */
static void ck_header_fails(const char *header, size_t zeros, const char *needle)
{
    size_t length = strlen(header);
    char *bytes = calloc(1, 8 + length + zeros);
    for (int i = 0; i < 8; i++)
        bytes[i] = (char)((uint64_t)length >> (8 * i));
    memcpy(bytes + 8, header, length);
    ck_model_fails("model.safetensors", bytes, 8 + length + zeros, needle);
    free(bytes);
}

START_TEST(headers_that_lie)
{
    scratch_make();
    ck_model_fails("model.safetensors", "\xff\xff\xff\xff\xff\xff\xff\xff", 8, "model.safetensors");
    ck_header_fails("{\"a\":{\"dtype\":\"F32\",\"shape\":[1000,1000],\"data_offsets\":[0,4]}}", 4, "'a'");
    ck_header_fails("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
                    "\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}",
                    4, "a");
    ck_header_fails("{\"a\":{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,0]}}", 0, "'a'");
    ck_header_fails("{\"a\":{\"dtype\":\"F32\",\"shape\":[9223372036854775810,2],\"data_offsets\":[0,16]}}", 16,
                    "model.safetensors");
    ck_header_fails("{\"a\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}}", 4, "'a'");
    ck_header_fails("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 5, "model.safetensors");
    ck_header_fails("[1,2]", 0, "model.safetensors");
    ck_header_fails("{\"a\":", 0, "model.safetensors");
    scratch_remove();
}
END_TEST

/* The bundled config with one text in place of another. */
static void ck_config_fails(const char *old, const char *new, const char *needle)
{
    size_t size = 0, length = strlen(old);
    char *bytes = head_of("config.json", &size), *changed = malloc(size + 4096);
    char *at = strstr(bytes, old);
    ck_assert_msg(at != NULL, "%s", old);
    int written = snprintf(changed, size + 4096, "%.*s%s%s", (int)(at - bytes), bytes, new, at + length);
    ck_model_fails("config.json", changed, (size_t)written, needle);
    free(bytes);
    free(changed);
}

START_TEST(configs_that_do_not_fit)
{
    scratch_make();
    ck_config_fails("\"gelu_new\"", "\"relu\"", "relu");
    ck_config_fails("\"n_layer\": 8", "\"n_layer\": 9", "h.8");
    ck_config_fails("\"n_head\": 4", "\"n_head\": 5", "n_head");
    ck_config_fails("\"vocab_size\": 4096", "\"vocab_size\": 4097", "wte");
    ck_config_fails("\"vocab_size\": 4096", "\"vocab_size\": -1", "vocab_size");
    ck_config_fails("\"n_positions\": 1024", "\"n_positions\": \"many\"", "n_positions");
    ck_config_fails("\"model_type\": \"gpt2\"", "\"model_type\": \"bert\"", "bert");
    scratch_remove();
}
END_TEST

START_TEST(ids_that_do_not_fit)
{
    char *text = malloc(1025 * 2 + 1);
    for (size_t i = 0; i < 1025; i++)
        memcpy(text + 2 * i, "7 ", 3);
    ck_fails(normlab(text, "logits", "--model", bundled, "--no-restart"), 1, "1025 token ids");
    ck_fails(normlab(text, "logits", "--model", bundled, "--no-restart"), 1, "1024 positions");
    ck_fails(normlab("", "logits", "--model", bundled, "--no-restart"), 1, "no token ids");
    ck_fails(normlab("1 4096 2", "logits", "--model", bundled, "--no-restart"), 1, "4096");
    ck_fails(normlab("1 -1", "logits", "--model", bundled, "--no-restart"), 1, "-1");
    ck_fails(normlab("one", "logits", "--model", bundled, "--no-restart"), 1, "line 1: 'one'");
    free(text);
}
END_TEST

static void ck_text_fails(const char *text, const char *needle)
{
    ck_fails(normlab("", "perplexity", "--model", bundled, "--text", text, "--no-restart"), 1, needle);
    ck_fails(normlab("", "report", "--model", bundled, "--text", text, "--out", scratch("out"), "--no-restart"), 1,
             needle);
    ck_assert_int_eq(entries(scratch("out")), -1);
}

START_TEST(texts_that_are_not_there)
{
    scratch_make();
    ck_text_fails(scratch("nowhere.txt"), "nowhere.txt: No such file");
    scratch_write("empty.txt", "", 0);
    ck_text_fails(scratch("empty.txt"), "empty.txt is empty");
    ck_text_fails(scratch(""), "is a directory");
    ck_text_fails("/dev/zero", "/dev/zero is larger than 1024 MB");
    /* A name that would break the line, or act on a terminal. */
    ck_text_fails(scratch("a\nb\x1b[31m"), "a\\x0ab\\x1b[31m");
    ck_fails(normlab("", "perplexity", "--model", bundled, "--text", scratch("empty.txt"), "--window", "1025",
                     "--no-restart"),
             1, "empty.txt");
    scratch_write("text", "some words", 10);
    ck_fails(
        normlab("", "perplexity", "--model", bundled, "--text", scratch("text"), "--window", "1025", "--no-restart"), 1,
        "--window 1025: the model in");
    scratch_remove();
}
END_TEST

START_TEST(nothing_bundled_is_said)
{
    /* Where nothing is installed, the defaults are named; where something is, they work. */
    struct run run = normlab("1\n", "logits", "--no-restart");
    if (run.code == 1)
        ck_assert(strstr(run.error, "share/libnorm/gpt2-tiny: name a directory with --model\n") != NULL);
    else
        ck_fine(&run);
    run_free(&run);
}
END_TEST

/* -- output -------------------------------------------------------------------------------------------------------- */

static struct run report_into(const char *directory)
{
    scratch_write("text", "It was a dark and stormy night.", 31);
    return normlab("", "report", "--model", bundled, "--text", scratch("text"), "--out", directory, "--no-restart");
}

START_TEST(directories_that_cannot_be_written)
{
    scratch_make();
    scratch_write("file", "x", 1);
    ck_fails(report_into(scratch("file")), 1, "file: Not a directory");
    ck_fails(report_into(scratch("file/below")), 1, "Not a directory");
    ck_fails(report_into("/proc/normlab/out"), 1, "/proc/normlab");
    if (geteuid() != 0) {
        mkdir(scratch("closed"), 0555);
        ck_fails(report_into(scratch("closed")), 1, "closed/report.html: Permission denied");
        ck_fails(report_into(scratch("closed/new")), 1, "Permission denied");
    }
    /* A directory in the way of a file: nothing else is left behind. */
    mkdir(scratch("taken"), 0777);
    mkdir(scratch("taken/heads.csv"), 0777);
    ck_fails(report_into(scratch("taken")), 1, "heads.csv");
    ck_assert_int_eq(entries(scratch("taken")), 1);
    scratch_remove();
}
END_TEST

START_TEST(a_full_disk_leaves_nothing)
{
    scratch_make();
    mkdir(scratch("disk"), 0777);
    if (mount("none", scratch("disk"), "tmpfs", 0, "size=24k") != 0) {
        fprintf(stderr, "skipped: cannot mount a small disk here\n");
        scratch_remove();
        return;
    }
    struct run here = report_into(scratch("disk")), below = report_into(scratch("disk/a/b"));
    int left = entries(scratch("disk"));
    umount(scratch("disk"));
    ck_fails(here, 1, "No space left on device");
    ck_fails(below, 1, "No space left on device");
    ck_assert_int_eq(left, 0);
    scratch_remove();
}
END_TEST

START_TEST(a_file_that_grows_too_large_leaves_nothing)
{
    struct rlimit limit, small;
    scratch_make();
    scratch_write("text", "It was a dark and stormy night.", 31);
    ck_assert(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    small = limit;
    small.rlim_cur = 16384;
    ck_assert(setrlimit(RLIMIT_FSIZE, &small) == 0);
    struct run run =
        normlab("", "report", "--model", bundled, "--text", scratch("text"), "--out", scratch("out"), "--no-restart");
    ck_assert(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    ck_fails(run, 1, "File too large");
    ck_assert_int_eq(entries(scratch("out")), -1);
    scratch_remove();
}
END_TEST

START_TEST(an_older_report_survives_a_failure)
{
    size_t size, again_size;
    struct rlimit limit, small;
    scratch_make();
    struct run run = report_into(scratch("out"));
    ck_fine(&run);
    run_free(&run);
    char *before = support_read(scratch("out/report.html"), &size);
    ck_assert(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    small = limit;
    small.rlim_cur = 16384;
    ck_assert(setrlimit(RLIMIT_FSIZE, &small) == 0);
    run = report_into(scratch("out"));
    ck_assert(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    ck_fails(run, 1, "File too large");
    char *after = support_read(scratch("out/report.html"), &again_size);
    ck_assert(size == again_size && memcmp(before, after, size) == 0);
    ck_assert_int_eq(entries(scratch("out")), 3);
    free(before);
    free(after);
    scratch_remove();
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("normlab-input");
    TCase *tests = tcase_create("input");
    snprintf(bundled, sizeof bundled, "%s", support_source("examples/data/gpt2-tiny"));
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, files_that_are_missing_empty_or_cut);
    tcase_add_test(tests, headers_that_lie);
    tcase_add_test(tests, configs_that_do_not_fit);
    tcase_add_test(tests, ids_that_do_not_fit);
    tcase_add_test(tests, texts_that_are_not_there);
    tcase_add_test(tests, nothing_bundled_is_said);
    tcase_add_test(tests, directories_that_cannot_be_written);
    tcase_add_test(tests, a_full_disk_leaves_nothing);
    tcase_add_test(tests, a_file_that_grows_too_large_leaves_nothing);
    tcase_add_test(tests, an_older_report_survives_a_failure);
    suite_add_tcase(suite, tests);
    return suite;
}
