/* SPDX-License-Identifier: MIT */
/* What the command line says about rows. */
#ifndef NORMLAB_ROW_OPTIONS_H
#define NORMLAB_ROW_OPTIONS_H

#include "arguments.h"
#include "bench/processor.h"
#include "bench/row_bench.h"

/* Kinds of scores, and lengths; the usual ones where none are given. False: said. */
bool row_options_scores(struct row_bench *bench, const struct texts *texts);
bool row_options_lengths(struct row_bench *bench, const struct texts *texts);

/* Working sets in KiB and MiB; 0: half of the second-level cache, and four times the third. */
void row_options_sizes(struct row_bench *bench, const struct processor *processor, long hot_kib, long streaming_mib);

#endif
