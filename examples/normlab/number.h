/* SPDX-License-Identifier: MIT */
/* Numbers as text. main() pins the thread to the C locale, so these are the same everywhere. */
#ifndef NORMLAB_NUMBER_H
#define NORMLAB_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The shortest text that reads back as the same number: "0.1", "1e-08", "inf", "-inf", "nan". */
struct number {
    char text[32];
};
struct number number_f32(float x);
struct number number_f64(double x);

enum number_read {
    NUMBER_FINE,
    NUMBER_NOT,       /* not a number */
    NUMBER_TOO_LARGE, /* finite, and outside the range of the type */
};
/* Reads all of text[0 .. size) as a decimal number, or inf, -inf, nan. text[size] must be readable and no digit. */
enum number_read number_read_f32(const char *text, size_t size, float *ret_value);
enum number_read number_read_f64(const char *text, size_t size, double *ret_value);

/* Reads all of text as a whole number from low to high; anything else is false. */
bool number_read_whole(const char *text, size_t size, int64_t low, int64_t high, int64_t *ret_value);

#endif
