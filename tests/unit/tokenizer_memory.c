/* SPDX-License-Identifier: MIT */
/* Owners, memory, files, progress. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <libnorm/norm.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/allocator.h"
#include "support/support.h"

/* Six tokens, one of them special, and no letter for most bytes. */
static const char vocab[] = "{\"a\":0,\"b\":1,\"ab\":2,\"\xC4\xA0\":3,\"abab\":4,\"<|endoftext|>\":5,\"\xC4\xA0"
                            "ab\":6}";
static const char merges[] = "#version: 0.2\na b\nab ab\n\xC4\xA0 ab\n";

static norm_tokenizer *open_small(const norm_allocator *allocator)
{
    norm_error error = {sizeof error, 0, 0, ""};
    norm_tokenizer *t = NULL;
    ck_assert_msg(norm_tokenizer_open_memory(vocab, strlen(vocab), merges, strlen(merges), allocator, &t, &error) ==
                      LIBNORM_OK,
                  "%s", error.text);
    return t;
}

/* A text with one piece of 6,000 letters, which needs the long way. */
static char *long_text(size_t *ret_size)
{
    char *const text = malloc(6002);
    ck_assert_ptr_nonnull(text);
    for (size_t i = 0; i < 6000; i++)
        text[i] = "ab"[i % 2];
    memcpy(text + 6000, " b", 2);
    *ret_size = 6002;
    return text;
}

/* -- a folder for one test --------------------------------------------------------------------------------------- */
static char folder[] = "/tmp/libnorm-tokenizer-XXXXXX";

static void make_folder(void)
{
    memset(folder + strlen(folder) - 6, 'X', 6); /* afresh for each test, should they share a process */
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static const char *in_folder(const char *name)
{
    static char path[sizeof folder + 32];
    sprintf(path, "%s/%s", folder, name);
    return path;
}

static void remove_folder(void)
{
    unlink(in_folder("vocab.json"));
    rmdir(in_folder("vocab.json"));
    unlink(in_folder("merges.txt"));
    ck_assert_int_eq(rmdir(folder), 0);
}

static void write_file(const char *data, size_t size, const char *name)
{
    FILE *file = fopen(in_folder(name), "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(data, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

/* expected has "%s" where the folder stands. */
static void open_fails(norm_status expected, const char *text)
{
    norm_error error = {sizeof error, 0, 0, ""};
    norm_tokenizer *t = NULL;
    char line[600];
    errno = 12345;
    ck_assert_int_eq(norm_tokenizer_open(folder, NULL, &t, &error), expected);
    ck_assert_int_eq(errno, 12345);
    ck_assert_ptr_null(t);
    snprintf(line, sizeof line, "'%s/%s", folder, text);
    ck_assert_str_eq(error.text, line);
}

START_TEST(files_that_are_missing_or_wrong_are_named)
{
    open_fails(LIBNORM_E_IO, "vocab.json': cannot open it: no such file or directory");
    ck_assert_int_eq(mkdir(in_folder("vocab.json"), 0700), 0);
    open_fails(LIBNORM_E_IO, "vocab.json': expected a file, found a directory");
    ck_assert_int_eq(rmdir(in_folder("vocab.json")), 0);
    write_file("", 0, "vocab.json");
    open_fails(LIBNORM_E_IO, "merges.txt': cannot open it: no such file or directory");
    write_file("", 0, "merges.txt");
    open_fails(LIBNORM_E_FORMAT, "vocab.json': empty: expected a JSON object");
    write_file(vocab, strlen(vocab) - 1, "vocab.json");
    open_fails(LIBNORM_E_FORMAT,
               "vocab.json': byte 62 (line 1, column 60): not valid JSON: '}' expected near end of file");
    write_file(vocab, strlen(vocab), "vocab.json");
    open_fails(LIBNORM_E_FORMAT, "merges.txt': empty: expected a line '#version: 0.2' or merges");
    write_file(merges, strlen(merges) - 4, "merges.txt");
    open_fails(LIBNORM_E_FORMAT,
               "merges.txt': line 4: expected two symbols with one blank between, found '\\xc4\\xa0'");
    write_file(merges, strlen(merges), "merges.txt");
    ck_assert_int_eq(truncate(in_folder("merges.txt"), 268435457), 0); /* a hole: takes no room */
    open_fails(LIBNORM_E_FORMAT, "merges.txt': 268435457 bytes: expected at most 268435456");
    write_file(merges, strlen(merges), "merges.txt");
    norm_tokenizer *t = NULL;
    ck_assert_int_eq(norm_tokenizer_open(folder, NULL, &t, NULL), LIBNORM_OK);
    ck_assert_uint_eq(norm_tokenizer_size(t), 7);
    norm_tokenizer_free(t);
}
END_TEST

START_TEST(the_last_owner_frees)
{
    struct support_allocator a;
    support_allocator_init(&a, 0);
    norm_tokenizer *t = open_small(&a.allocator);
    ck_assert_ptr_eq(norm_tokenizer_ref(t), t);
    norm_tokenizer_free(t);
    ck_assert_uint_eq(norm_tokenizer_size(t), 7);
    ck_assert_uint_gt(a.live, 0);
    norm_tokenizer_free(t);
    ck_assert_uint_eq(a.live, 0);
    ck_assert_uint_eq(a.wrong, 0);
}
END_TEST

/* Opens from memory or the directory with the first, second, ... allocation failing, until it goes well. */
static void fail_every_allocation(const char *directory, size_t least)
{
    for (size_t fail_at = 1;; fail_at++) {
        struct support_allocator a;
        norm_error error = {sizeof error, 0, 0, ""};
        norm_tokenizer *t = NULL;
        support_allocator_init(&a, fail_at);
        const norm_status status =
            directory != NULL
                ? norm_tokenizer_open(directory, &a.allocator, &t, &error)
                : norm_tokenizer_open_memory(vocab, strlen(vocab), merges, strlen(merges), &a.allocator, &t, &error);
        ck_assert_uint_lt(fail_at, 100);
        if (status == LIBNORM_OK) {
            ck_assert_uint_gt(fail_at, least);
            norm_tokenizer_free(t);
        } else {
            ck_assert_int_eq(status, LIBNORM_E_NOMEM);
            ck_assert_ptr_nonnull(strstr(error.text, "out of memory"));
            ck_assert_ptr_null(t);
        }
        ck_assert_uint_eq(a.live, 0);
        ck_assert_uint_eq(a.wrong, 0);
        if (status == LIBNORM_OK)
            return;
    }
}

START_TEST(memory_that_cannot_be_had_leaks_nothing)
{
    fail_every_allocation(NULL, 6);
    write_file(vocab, strlen(vocab), "vocab.json");
    write_file(merges, strlen(merges), "merges.txt");
    fail_every_allocation(folder, 9);
    norm_tokenizer *t = open_small(NULL);
    size_t size, count = 99;
    char *const text = long_text(&size);
    int32_t *const ids = calloc(size, sizeof *ids);
    ck_assert_ptr_nonnull(ids);
    for (size_t fail_at = 0; fail_at < 2; fail_at++) {
        struct support_allocator a;
        support_allocator_init(&a, fail_at);
        const norm_exec exec = {.struct_size = sizeof exec, .allocator = &a.allocator};
        norm_error error = {sizeof error, 0, 0, ""};
        const norm_status status = norm_tokenizer_encode(t, text, size, 0, ids, size, &count, &exec, &error);
        ck_assert_int_eq(status, fail_at == 1 ? LIBNORM_E_NOMEM : LIBNORM_OK);
        ck_assert_uint_eq(count, 1502);
        ck_assert_uint_eq(a.calls, 1);
        ck_assert_uint_eq(a.live, 0);
        ck_assert_uint_eq(a.wrong, 0);
    }
    free(ids);
    free(text);
    norm_tokenizer_free(t);
}
END_TEST

START_TEST(short_pieces_and_a_workspace_need_no_memory)
{
    norm_tokenizer *t = open_small(NULL);
    struct support_allocator a;
    support_allocator_init(&a, 1);
    norm_exec exec = {.struct_size = sizeof exec, .allocator = &a.allocator};
    norm_error error = {sizeof error, 0, 0, ""};
    size_t size, bytes = 0, count = 0, same = 0;
    char *const text = long_text(&size), *const many = malloc(9000);
    int32_t *const ids = calloc(9000, sizeof *ids), *const expected = calloc(size, sizeof *expected);
    ck_assert(ids != NULL && expected != NULL && many != NULL);
    for (size_t i = 0; i < 9000; i++)
        many[i] = "ab "[i % 3];
    ck_assert_int_eq(norm_tokenizer_encode(t, many, 9000, 0, ids, 9000, &count, &exec, &error), LIBNORM_OK);
    ck_assert_uint_eq(count, 3001);
    ck_assert_int_eq(norm_tokenizer_encode(t, text, size, 0, expected, size, &count, NULL, &error), LIBNORM_OK);
    ck_assert_int_eq(norm_tokenizer_encode_workspace(t, 64, &bytes, &error), LIBNORM_OK);
    ck_assert_uint_eq(bytes, 0);
    ck_assert_int_eq(norm_tokenizer_encode_workspace(t, size, &bytes, &error), LIBNORM_OK);
    struct support_guard workspace = support_guard_new(bytes, 1);
    exec.workspace = workspace.data;
    exec.workspace_size = bytes;
    ck_assert_int_eq(norm_tokenizer_encode(t, text, size, 0, ids, size, &same, &exec, &error), LIBNORM_OK);
    ck_assert_uint_eq(same, count);
    ck_assert_mem_eq(ids, expected, count * sizeof *ids);
    ck_assert(support_guard_intact(&workspace));
    exec.workspace_size = 1000;
    memset(ids, 0xF9, 4);
    ck_assert_int_eq(norm_tokenizer_encode(t, text, size, 0, ids, size, &same, &exec, &error), LIBNORM_E_ARGUMENT);
    ck_assert_int_eq(ids[0], (int32_t)0xF9F9F9F9);
    ck_assert_uint_eq(a.calls, 0);
    support_guard_free(&workspace);
    free(expected);
    free(many);
    free(ids);
    free(text);
    norm_tokenizer_free(t);
}
END_TEST

#if SIZE_MAX > UINT32_MAX && defined(MAP_ANONYMOUS) && defined(MAP_NORESERVE)
/* Zeros that take no memory: one piece, since no NUL is white space. */
START_TEST(a_piece_beyond_32_bits_is_refused_before_memory_is_taken)
{
    static const char only_nul[] = "{\"\xC4\x80\": 0}";
    struct support_allocator a;
    support_allocator_init(&a, 0);
    const norm_exec exec = {.struct_size = sizeof exec, .allocator = &a.allocator};
    norm_error error = {sizeof error, 0, 0, ""};
    norm_tokenizer *t = NULL;
    size_t count = 99;
    const size_t size = (size_t)1 << 31;
    void *const text = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ck_assert_ptr_ne(text, MAP_FAILED);
    ck_assert_int_eq(norm_tokenizer_open_memory(only_nul, strlen(only_nul), "#version", 8, NULL, &t, NULL), LIBNORM_OK);
    ck_assert_int_eq(norm_tokenizer_encode(t, text, size, 0, NULL, 0, &count, &exec, &error), LIBNORM_E_UNSUPPORTED);
    ck_assert_str_eq(error.text, "text: 2147483648 bytes without a place to split them: expected at most 2147483647");
    ck_assert_uint_eq(a.calls, 0);
    ck_assert_uint_eq(count, 99);
    munmap(text, size);
    norm_tokenizer_free(t);
}
END_TEST
#endif

struct watch {
    int calls, stop_at;
    double last;
};

static int32_t watch(void *user, double done)
{
    struct watch *w = user;
    ck_assert(done > w->last && done <= 1);
    w->last = done;
    return ++w->calls == w->stop_at ? 7 : 0;
}

START_TEST(progress_is_told_and_can_cancel)
{
    norm_tokenizer *t = open_small(NULL);
    const size_t size = 5u << 20;
    char *const text = malloc(size);
    int32_t *const ids = malloc(size * sizeof *ids);
    size_t count = 99;
    ck_assert(text != NULL && ids != NULL);
    for (size_t i = 0; i < size; i++)
        text[i] = "a "[i % 2];
    struct watch w = {0, 0, 0};
    const norm_exec exec = {.struct_size = sizeof exec, .progress_user = &w, .progress = watch};
    ck_assert_int_eq(norm_tokenizer_encode(t, text, size, 0, ids, size, &count, &exec, NULL), LIBNORM_OK);
    ck_assert_int_ge(w.calls, 4);
    ck_assert_uint_eq(count, size);
    w = (struct watch){0, 0, 0}; /* two rounds, still from 0 to 1 */
    ck_assert_int_eq(norm_tokenizer_encode(t, text, size - 1, 0, ids, size - 2, &count, &exec, NULL),
                     LIBNORM_E_ARGUMENT);
    ck_assert_int_ge(w.calls, 4);
    w = (struct watch){0, 3, 0};
    norm_error error = {sizeof error, 0, 0, ""};
    count = 99;
    ck_assert_int_eq(norm_tokenizer_encode(t, text, size, 0, ids, size, &count, &exec, &error), LIBNORM_E_CANCELLED);
    ck_assert_int_eq(w.calls, 3);
    ck_assert_int_eq(error.where, 7);
    ck_assert_uint_eq(count, 99);
    free(ids);
    free(text);
    norm_tokenizer_free(t);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("tokenizer memory");
    TCase *tests = tcase_create("tokenizer memory");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, make_folder, remove_folder);
    tcase_add_test(tests, files_that_are_missing_or_wrong_are_named);
    tcase_add_test(tests, the_last_owner_frees);
    tcase_add_test(tests, memory_that_cannot_be_had_leaks_nothing);
    tcase_add_test(tests, short_pieces_and_a_workspace_need_no_memory);
#if SIZE_MAX > UINT32_MAX && defined(MAP_ANONYMOUS) && defined(MAP_NORESERVE)
    tcase_add_test(tests, a_piece_beyond_32_bits_is_refused_before_memory_is_taken);
#endif
    tcase_add_test(tests, progress_is_told_and_can_cancel);
    suite_add_tcase(suite, tests);
    return suite;
}
