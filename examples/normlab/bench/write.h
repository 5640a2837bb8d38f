/* SPDX-License-Identifier: MIT */
/* Figures as lines of a table, or as JSON. */
#ifndef NORMLAB_WRITE_H
#define NORMLAB_WRITE_H

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

#endif
