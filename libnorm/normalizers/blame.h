/* SPDX-License-Identifier: MIT */
/* What a callback of the caller's did wrong, on its way from the row to the message. */
#ifndef NORM_NORMALIZERS_BLAME_H
#define NORM_NORMALIZERS_BLAME_H

#include <stddef.h>
#include <stdint.h>

struct norm__blame {
    const char *callback; /* its name in the struct */
    const char *expected; /* of its values; NULL: it returned a code */
    double value;
    size_t entry, row, column; /* entry: among the packed visible ones; row and column are filled by the engine */
};

struct norm__row;

/* The callback returned this code; returns it, 0 included. */
int32_t norm__blame_code(const struct norm__row *row, const char *callback, int32_t code);

/* The callback gave a value that is not allowed; returns a code that is not 0. expected: "a finite number >= 0". */
int32_t norm__blame_value(const struct norm__row *row, const char *callback, size_t entry, double value,
                          const char *expected);

#endif
