/* SPDX-License-Identifier: MIT */
/* Rows of numbers as text: one line a row, blanks or tabs between the numbers, '_' for a hidden entry. */
#ifndef NORMLAB_ROWS_H
#define NORMLAB_ROWS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "buffer.h"

struct row {
    uint64_t line; /* where it stood, from 1 */
    size_t count, capacity;
    bool wide;              /* values are double, else float */
    bool masked;            /* at least one entry is hidden */
    void *values;           /* count of them; 0 where hidden; never NULL after reading */
    unsigned char *visible; /* count bytes, 1 or 0 */
};

struct row_reader {
    FILE *file;
    const char *name; /* for messages */
    uint64_t line;    /* lines read so far */
    char *text;
    size_t capacity;
};

/* Reads the next line into the row: 1; at the end: 0; not numbers, or an error: says so, -1. An empty line is a row of
 * no entries. */
int row_read(struct row_reader *reader, struct row *row);
void row_reader_free(struct row_reader *reader);
void row_free(struct row *row);
/* Room for count values; false: says so. */
bool row_reserve(struct row *row, size_t count);

/* The numbers of a row with separator between them. For JSON, what is not finite is written as null. */
void row_write(struct buffer *out, const void *values, size_t count, bool wide, const char *separator, bool json);

#endif
