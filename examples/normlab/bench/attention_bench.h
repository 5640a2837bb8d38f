/* SPDX-License-Identifier: MIT */
/* Attention, forward and backward: heads of width 64 in which each query sees the keys up to itself. */
#ifndef NORMLAB_ATTENTION_BENCH_H
#define NORMLAB_ATTENTION_BENCH_H

#include "bench/contest.h"
#include "progress.h"
#include "spec.h"

enum { ATTENTION_HEADS = 4, ATTENTION_WIDTH = 64 };

struct attention_figure {
    const char *normalizer, *pass; /* canonical; "forward" or "backward" */
    size_t length;                 /* queries and keys */
    double scores;                 /* that are seen, of all heads */
    const struct contest *contest; /* the first contender is the pass; seconds a pass */
};

struct attention_bench {
    const struct normalizers *normalizers;
    bool quick; /* a single short length, three rounds */
    double (*clock)(void);
    norm_exec exec;
    struct progress *progress;
    /* Every figure as soon as it is there. False: stop. */
    bool (*tell)(void *user, const struct attention_figure *figure);
    void *user;
};

/* False: said. */
bool attention_bench_run(struct attention_bench *bench);
/* How many figures there will be. */
size_t attention_bench_count(const struct attention_bench *bench);

#endif
