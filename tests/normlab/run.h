/* SPDX-License-Identifier: MIT */
/* Runs a program as a user does: arguments, standard input, and what came out of it. */
#ifndef NORMLAB_TEST_RUN_H
#define NORMLAB_TEST_RUN_H

#include <stddef.h>

struct run {
    int code;          /* exit code; 128 + signal when it was killed */
    char *out, *error; /* whole, a NUL behind */
    size_t out_size, error_size;
};

/* Up to 16 arguments, ended by NULL; the program is the variable NORMLAB of the environment. */
struct run normlab_in(const void *in, size_t in_size, const char *first, ...) __attribute__((sentinel));
/* Text on standard input. */
#define normlab(text, ...) normlab_in(text, strlen(text), __VA_ARGS__, (const char *)NULL)
/* Any program; where stdout goes, or NULL to read it. */
struct run run_program(const char *path, const char *const *argv, const void *in, size_t in_size, const char *out_path);
void run_free(struct run *run);

/* Fine: exit 0 and nothing on standard error. Frees nothing. */
void ck_fine(const struct run *run);
/* Failed with this code, nothing on standard output, and one line on standard error that holds the needle. Frees. */
void ck_fails(struct run run, int code, const char *needle);

/* Reads the numbers of a text; fails if there are not count of them and nothing else. */
void ck_numbers(const char *text, size_t count, double *ret_values);
/* Every number within the tolerance of what is expected; two nan are equal. */
void ck_near(const char *text, size_t count, const double *expected, double tolerance);

/* A new directory, which exists until scratch_remove(). Paths in it, in static buffers that take turns. */
const char *scratch_make(void);
const char *scratch(const char *name);
void scratch_write(const char *name, const void *bytes, size_t size);
void scratch_remove(void);
/* Number of entries of a directory; -1: it is not there. */
int entries(const char *directory);

#endif
