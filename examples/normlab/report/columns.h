/* SPDX-License-Identifier: MIT */
/* What is said about a head: one list for every form of the report. */
#ifndef NORMLAB_COLUMNS_H
#define NORMLAB_COLUMNS_H

#include <stdbool.h>

#include <libnorm/measure.h>

enum column_kind {
    COLUMN_COUNT, /* a whole number */
    COLUMN_NATS,
    COLUMN_SHARE,  /* 0 to 1, shown in percent */
    COLUMN_TOKENS, /* a length or number of tokens */
    COLUMN_SCORE,
};

struct column {
    const char *key;     /* in CSV and JSON */
    const char *title;   /* over a column of the table */
    const char *meaning; /* a sentence */
    enum column_kind kind;
    bool table;      /* shown in the table of all heads */
    const char *map; /* title of its map, or NULL */
    size_t offset;
};

extern const struct column columns[];
extern const size_t column_count;

double column_value(const struct column *column, const norm_head_summary *head);

struct column_number {
    char text[32];
};
/* For people: "2.91", "37.2" (percent), "1,024". brief: what fits into a cell of a map. */
struct column_number column_show(const struct column *column, double value, bool brief);
/* " nats", " %", " tokens", with a blank that does not break. */
const char *column_unit(const struct column *column);
/* 845764 -> "845,764". */
struct column_number whole_show(double value);

#endif
