/* SPDX-License-Identifier: MIT */
#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "support/support.h"

/* The build links this file with --wrap=read: what read does is chosen here. */
static size_t read_most = SIZE_MAX; /* bytes a call gives at most */
static int read_interrupts;         /* calls that a signal interrupts first */
static int read_fails_after = -1;   /* calls until EIO; -1: never */
static int read_ends_after = -1;    /* calls until the file ends early */
ssize_t __real_read(int fd, void *buffer, size_t size);
ssize_t __wrap_read(int fd, void *buffer, size_t size);

ssize_t __wrap_read(int fd, void *buffer, size_t size)
{
    if (read_interrupts > 0) {
        read_interrupts--;
        errno = EINTR;
        return -1;
    }
    if (read_fails_after == 0) {
        errno = EIO;
        return -1;
    }
    if (read_ends_after == 0)
        return 0;
    read_fails_after -= read_fails_after > 0;
    read_ends_after -= read_ends_after > 0;
    return __real_read(fd, buffer, size < read_most ? size : read_most);
}

static size_t live;
static int refuse;

static void *counted_alloc(void *user, size_t size, size_t align)
{
    void *p = NULL;
    (void)user;
    if (refuse || posix_memalign(&p, align, size) != 0)
        return NULL;
    live += size;
    return p;
}

static void counted_release(void *user, void *p, size_t size)
{
    (void)user;
    live -= size;
    free(p);
}

static const norm_allocator counted = {NULL, counted_alloc, counted_release};
static char folder[64];
static norm_error error;

static void enter(void)
{
    strcpy(folder, "/tmp/libnorm-file-XXXXXX");
    if (mkdtemp(folder) == NULL || chdir(folder) != 0)
        abort();
    error = (norm_error){sizeof error, 0, 0, ""};
    read_most = SIZE_MAX;
    read_interrupts = refuse = 0;
    read_fails_after = read_ends_after = -1;
}

static void leave(void)
{
    static const char *const left[] = {"file", "empty", "fifo", "loop", "d"};
    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++)
        (void)remove(left[i]);
    if (chdir("/") != 0 || rmdir(folder) != 0)
        abort();
}

static void write_file(const char *name, const char *bytes, size_t size)
{
    FILE *f = fopen(name, "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(bytes, 1, size, f), size);
    ck_assert_int_eq(fclose(f), 0);
}

static norm_status open_file(struct norm__file *file, const char *name, bool map, size_t limit)
{
    *file = (struct norm__file){NULL, 0, false, {NULL, NULL, NULL}};
    return norm__file_open(file, name, map, limit, &counted, &error);
}

START_TEST(a_file_is_mapped_or_read_whole)
{
    write_file("file", "a\0bc\xFF", 5);
    for (int map = 0; map <= 1; map++) {
        struct norm__file file;
        errno = EDOM;
        ck_assert_int_eq(open_file(&file, "file", map, 5), LIBNORM_OK);
        ck_assert_int_eq(errno, EDOM);
        ck_assert_uint_eq(file.size, 5);
        ck_assert_int_eq(memcmp(file.data, "a\0bc\xFF", 5), 0);
        ck_assert_int_eq(file.mapped, map);
        ck_assert_uint_eq(live, map ? 0 : 5);
        norm__file_close(&file);
        ck_assert_ptr_null(file.data);
        norm__file_close(&file); /* twice is once */
        ck_assert_uint_eq(live, 0);
    }
}
END_TEST

START_TEST(an_empty_file_is_a_file)
{
    write_file("empty", "", 0);
    for (int map = 0; map <= 1; map++) {
        struct norm__file file;
        ck_assert_int_eq(open_file(&file, "empty", map, 100), LIBNORM_OK);
        ck_assert_ptr_nonnull(file.data);
        ck_assert_uint_eq(file.size, 0);
        norm__file_close(&file);
        ck_assert_uint_eq(live, 0);
    }
}
END_TEST

START_TEST(what_is_not_a_file_is_refused_by_name)
{
    struct norm__file file;
    errno = EDOM;
    ck_assert_int_eq(open_file(&file, "mis\nsing", true, 100), LIBNORM_E_IO);
    ck_assert_str_eq(error.text, "'mis\\x0asing': cannot open it: no such file or directory");
    ck_assert_int_eq(errno, EDOM);
    ck_assert_int_eq(mkdir("d", 0700), 0);
    ck_assert_int_eq(open_file(&file, "d", true, 100), LIBNORM_E_IO);
    ck_assert_str_eq(error.text, "'d': expected a file, found a directory");
    ck_assert_int_eq(mkfifo("fifo", 0600), 0);
    ck_assert_int_eq(open_file(&file, "fifo", false, 100), LIBNORM_E_IO); /* and does not wait for a writer */
    ck_assert_str_eq(error.text, "'fifo': expected a file, found something else");
    ck_assert_int_eq(symlink("loop", "loop"), 0);
    ck_assert_int_eq(open_file(&file, "loop", false, 100), LIBNORM_E_IO);
    ck_assert_str_eq(error.text, "'loop': cannot open it: too many symbolic links");
    ck_assert_int_eq(open_file(&file, "/dev/null", false, 100), LIBNORM_E_IO);
    ck_assert_str_eq(error.text, "'/dev/null': expected a file, found something else");
    ck_assert_ptr_null(file.data);
    ck_assert_uint_eq(live, 0);
}
END_TEST

START_TEST(a_file_above_the_limit_is_refused)
{
    struct norm__file file;
    write_file("file", "123456", 6);
    ck_assert_int_eq(open_file(&file, "file", true, 5), LIBNORM_E_FORMAT);
    ck_assert_str_eq(error.text, "'file': 6 bytes: expected at most 5");
    ck_assert_int_eq(open_file(&file, "file", true, 6), LIBNORM_OK);
    norm__file_close(&file);
}
END_TEST

START_TEST(short_and_interrupted_reads_still_give_the_whole_file)
{
    char bytes[1000];
    struct norm__file file;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * 7);
    write_file("file", bytes, sizeof bytes);
    read_most = 7;
    read_interrupts = 3;
    ck_assert_int_eq(open_file(&file, "file", false, 2000), LIBNORM_OK);
    ck_assert_uint_eq(file.size, sizeof bytes);
    ck_assert_int_eq(memcmp(file.data, bytes, sizeof bytes), 0);
    norm__file_close(&file);
}
END_TEST

START_TEST(a_read_that_fails_or_ends_early_leaves_nothing)
{
    struct norm__file file;
    write_file("file", "0123456789", 10);
    read_most = 4;
    read_fails_after = 1;
    ck_assert_int_eq(open_file(&file, "file", false, 100), LIBNORM_E_IO);
    ck_assert_str_eq(error.text, "'file': cannot read it: input or output failed");
    read_fails_after = -1;
    read_ends_after = 2;
    ck_assert_int_eq(open_file(&file, "file", false, 100), LIBNORM_E_IO);
    ck_assert_str_eq(error.text, "'file': ended at byte 8 while being read, not 10");
    ck_assert_int_eq(error.where, 8);
    refuse = 1;
    ck_assert_int_eq(open_file(&file, "file", false, 100), LIBNORM_E_NOMEM);
    ck_assert_str_eq(error.text, "'file': out of memory: 10 bytes");
    ck_assert_ptr_null(file.data);
    ck_assert_uint_eq(live, 0);
}
END_TEST

START_TEST(names_are_joined_with_a_slash)
{
    char *path = norm__file_join(&counted, "some/where", "vocab.json");
    ck_assert_str_eq(path, "some/where/vocab.json");
    norm__release(&counted, path, strlen(path) + 1);
    ck_assert_uint_eq(live, 0);
    refuse = 1;
    ck_assert_ptr_null(norm__file_join(&counted, "a", "b"));
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("file");
    TCase *tests = tcase_create("file");
    tcase_add_checked_fixture(tests, enter, leave);
    tcase_add_test(tests, a_file_is_mapped_or_read_whole);
    tcase_add_test(tests, an_empty_file_is_a_file);
    tcase_add_test(tests, what_is_not_a_file_is_refused_by_name);
    tcase_add_test(tests, a_file_above_the_limit_is_refused);
    tcase_add_test(tests, short_and_interrupted_reads_still_give_the_whole_file);
    tcase_add_test(tests, a_read_that_fails_or_ends_early_leaves_nothing);
    tcase_add_test(tests, names_are_joined_with_a_slash);
    suite_add_tcase(suite, tests);
    return suite;
}
