/* SPDX-License-Identifier: MIT */
/* What the tests share: a main, seeded random numbers, guarded arrays, and the data folder. */
#ifndef SUPPORT_H
#define SUPPORT_H

#include <check.h>
#include <stddef.h>
#include <stdint.h>

/* -- main: a test file defines support_suite and links support_lib ------------------------------------------------ */
/* The tests of the file. Names of test cases are the properties they show. */
Suite *support_suite(void);

/* -- random numbers ------------------------------------------------------------------------------------------------ */
/* Seed of this run: the variable TEST_SEED, or the fallback. A failing property prints it, to be replayed. */
uint64_t support_seed(uint64_t fallback);

struct support_random {
    uint64_t state;
};
uint64_t support_next(struct support_random *r);                            /* SplitMix64 */
double support_uniform(struct support_random *r, double low, double high);  /* [low, high) */
double support_normal(struct support_random *r);                            /* mean 0, deviation 1 */
size_t support_below(struct support_random *r, size_t n);                   /* 0 ... n - 1 */

/* -- guarded arrays: size bytes at address = offset mod 64, guard bytes on both sides ------------------------------ */
struct support_guard {
    unsigned char *block;
    size_t block_size, size;
    void *data;
};
struct support_guard support_guard_new(size_t size, size_t offset);
int support_guard_intact(const struct support_guard *g); /* 0: somebody wrote outside */
void support_guard_free(struct support_guard *g);

/* Distance in units in the last place; 0 for equal values and for two NaN, huge for a NaN and a number. */
uint64_t support_ulp_f32(float a, float b);
uint64_t support_ulp_f64(double a, double b);

/* -- data ---------------------------------------------------------------------------------------------------------- */
/* Path of a file in the folder of larger test data, in a static buffer. Where it is missing: one line, exit code 77. */
const char *support_data(const char *relative);
/* Path of a file of the source tree, in a static buffer. */
const char *support_source(const char *relative);
/* Whole file as malloc'ed bytes with a NUL behind; exits with a message if it cannot be read. */
char *support_read(const char *path, size_t *ret_size);

#endif
