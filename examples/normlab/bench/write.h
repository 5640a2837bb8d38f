/* SPDX-License-Identifier: MIT */
/* Figures as lines of a table, or as JSON. */
#ifndef NORMLAB_WRITE_H
#define NORMLAB_WRITE_H

#include "bench/attention_bench.h"
#include "bench/model_bench.h"
#include "bench/processor.h"
#include "bench/row_bench.h"
#include "buffer.h"
#include "machine.h"

void write_machine_text(struct buffer *out, const struct machine *machine, const struct processor *processor);
/* Members of an object, without its braces. */
void write_machine_json(struct buffer *out, const struct machine *machine, const struct processor *processor);

void write_rows_head(struct buffer *out, const struct row_bench *bench);
/* Over the lines of one set and one kind of scores. */
void write_rows_title(struct buffer *out, const struct row_figure *figure);
void write_rows_text(struct buffer *out, const struct row_figure *figure);
void write_rows_json(struct buffer *out, const struct row_figure *figure);

void write_model_head(struct buffer *out, const struct model_bench *bench, const struct machine *machine);
void write_model_text(struct buffer *out, const struct model_figure *figure);
/* Members of an object. */
void write_model_json_head(struct buffer *out, const struct model_bench *bench, const struct machine *machine);
void write_model_json(struct buffer *out, const struct model_figure *figure);

void write_attention_head(struct buffer *out, const struct machine *machine);
void write_attention_text(struct buffer *out, const struct attention_figure *figure);
void write_attention_json(struct buffer *out, const struct attention_figure *figure);

/* A contender behind the first; NULL: not there. */
const struct contender *write_find(const struct contest *contest, const char *name);
/* What the figure was compared with: "against": {name: {"ns": [...], "ratio": [...]}}; unit: "ns", 1e9 a second. */
void write_against_json(struct buffer *out, const struct contest *contest, const char *unit, double factor);
/* The outer quartiles in a column of width; format takes two doubles. */
void write_brackets(struct buffer *out, const char *format, const struct quartiles *q, double factor, int width);
/* Members of an object: "key": [low, median, high], "key": "text", "key": 12. */
void write_quartiles_json(struct buffer *out, const char *key, const struct quartiles *q, double factor);
void write_text_json(struct buffer *out, const char *key, const char *text);
void write_whole_json(struct buffer *out, const char *key, size_t value);

#endif
