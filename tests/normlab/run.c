/* SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700 /* nftw */
#include "run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/support.h"

static char *read_back(FILE *file, size_t *ret_size)
{
    ck_assert(fseek(file, 0, SEEK_END) == 0);
    long size = ftell(file);
    ck_assert(size >= 0);
    char *text = malloc((size_t)size + 1);
    rewind(file);
    ck_assert(text != NULL && fread(text, 1, (size_t)size, file) == (size_t)size);
    text[size] = '\0';
    *ret_size = (size_t)size;
    fclose(file);
    return text;
}

/* Files rather than pipes: nobody waits for anybody. */
struct run run_program(const char *path, const char *const *argv, const void *in, size_t in_size, const char *out_path)
{
    FILE *files[3] = {tmpfile(), out_path == NULL ? tmpfile() : fopen(out_path, "w"), tmpfile()};
    struct run run = {0};
    int status = 0;
    ck_assert(files[0] != NULL && files[1] != NULL && files[2] != NULL);
    ck_assert(fwrite(in, 1, in_size, files[0]) == in_size && fflush(files[0]) == 0);
    rewind(files[0]);
    pid_t child = fork();
    ck_assert(child >= 0);
    if (child == 0) {
        char *arguments[20];
        size_t count = 0;
        for (int i = 0; i < 3; i++)
            dup2(fileno(files[i]), i);
        for (; argv[count] != NULL && count < 19; count++)
            arguments[count] = strdup(argv[count]);
        arguments[count] = NULL;
        execv(path, arguments);
        _exit(127);
    }
    while (waitpid(child, &status, 0) < 0)
        ck_assert(errno == EINTR);
    run.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    fclose(files[0]);
    if (out_path == NULL)
        run.out = read_back(files[1], &run.out_size);
    else
        fclose(files[1]);
    run.error = read_back(files[2], &run.error_size);
    return run;
}

struct run normlab_in(const void *in, size_t in_size, const char *first, ...)
{
    const char *path = getenv("NORMLAB"), *argv[18] = {"normlab", first};
    va_list arguments;
    ck_assert_msg(path != NULL, "NORMLAB is not set: run through meson test");
    va_start(arguments, first);
    for (int i = 2; i < 18 && argv[i - 1] != NULL; i++)
        argv[i] = va_arg(arguments, const char *);
    va_end(arguments);
    argv[17] = NULL;
    return run_program(path, argv, in, in_size, NULL);
}

void run_free(struct run *run)
{
    free(run->out);
    free(run->error);
    memset(run, 0, sizeof *run);
}

void ck_fine(const struct run *run)
{
    ck_assert_msg(run->code == 0 && run->error_size == 0, "exit %d, said: %s", run->code, run->error);
}

void ck_fails(struct run run, int code, const char *needle)
{
    const char *end = strchr(run.error, '\n');
    ck_assert_msg(run.code == code, "exit %d instead of %d, said: %s", run.code, code, run.error);
    ck_assert_msg(run.out_size == 0, "printed: %s", run.out);
    ck_assert_msg(strlen(run.error) == run.error_size && end != NULL && end[1] == '\0', "not one line: %s", run.error);
    ck_assert_msg(strncmp(run.error, "normlab: ", 9) == 0, "said: %s", run.error);
    ck_assert_msg(strstr(run.error, needle) != NULL, "'%s' is not in: %s", needle, run.error);
    run_free(&run);
}

void ck_numbers(const char *text, size_t count, double *ret_values)
{
    for (size_t i = 0; i < count; i++) {
        char *end;
        ret_values[i] = strtod(text, &end);
        ck_assert_msg(end != text, "number %zu of %zu is missing", i + 1, count);
        text = end;
    }
    while (*text == ' ' || *text == '\n')
        text++;
    ck_assert_msg(*text == '\0', "more than %zu numbers: %.40s", count, text);
}

void ck_near(const char *text, size_t count, const double *expected, double tolerance)
{
    double values[64];
    ck_assert(count <= 64);
    ck_numbers(text, count, values);
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(isnan(expected[i]) ? isnan(values[i])
                                         : values[i] == expected[i] || fabs(values[i] - expected[i]) <= tolerance,
                      "number %zu is %.17g, not %.17g", i + 1, values[i], expected[i]);
}

/* -- files --------------------------------------------------------------------------------------------------------- */

static char scratch_path[64];

const char *scratch_make(void)
{
    strcpy(scratch_path, "/tmp/normlab-test-XXXXXX");
    ck_assert(mkdtemp(scratch_path) != NULL);
    return scratch_path;
}

const char *scratch(const char *name)
{
    static char paths[8][512];
    static int turn;
    char *path = paths[turn++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", scratch_path, name);
    return path;
}

void scratch_write(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(scratch(name), "wb");
    ck_assert(file != NULL);
    ck_assert(fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *ftw)
{
    (void)about, (void)kind, (void)ftw;
    return remove(path);
}

void scratch_remove(void)
{
    nftw(scratch_path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

int entries(const char *directory)
{
    DIR *open = opendir(directory);
    int count = -2;
    if (open == NULL)
        return -1;
    while (readdir(open) != NULL)
        count++;
    closedir(open);
    return count;
}
