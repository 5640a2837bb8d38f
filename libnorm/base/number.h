/* SPDX-License-Identifier: MIT */
/* Numbers as text, the same in every locale. */
#ifndef NORM_BASE_NUMBER_H
#define NORM_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/* Shortest decimal text that reads back as the same double (or float): "0.43", "1e-08", "inf", "-inf", "nan". */
typedef struct norm__number {
    char text[32];
} norm__number;
norm__number norm__text_f64(double x);
norm__number norm__text_f32(float x);

/* Reads all size bytes as one decimal number: sign, digits, '.', exponent; no blanks, no hex, no inf or nan.
 * Correctly rounded; a value too large gives false. errno is kept. */
bool norm__read_f64(const char *text, size_t size, double *ret_value);

#endif
