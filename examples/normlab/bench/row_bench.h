/* SPDX-License-Identifier: MIT */
/* Row operations of normalizers: forward and backward, in the cache and out of it, for rows of several lengths. */
#ifndef NORMLAB_ROW_BENCH_H
#define NORMLAB_ROW_BENCH_H

#include "bench/contest.h"
#include "bench/row_set.h"
#include "progress.h"
#include "spec.h"

#define LENGTHS_MAX 32

struct row_figure {
    const char *normalizer, *pass, *set; /* canonical; "forward" or "vjp"; "hot" or "streaming" */
    enum scores scores;
    size_t n, rows, bytes; /* rows of a call; bytes of the working set */
    const struct contest *contest; /* the first contender is the normalizer, times are seconds a number */
};

struct row_bench {
    const struct normalizers *normalizers;
    enum scores scores[SCORES_KINDS];
    size_t scores_count;
    size_t lengths[LENGTHS_MAX];
    size_t lengths_count;
    size_t hot_bytes;       /* used again and again */
    size_t streaming_bytes; /* far more than the caches hold */
    bool wide, quick;
    norm_exec exec;
    struct progress *progress;
    /* Every figure as soon as it is there. False: stop. */
    bool (*tell)(void *user, const struct row_figure *figure);
    void *user;
};

/* False: said. */
bool row_bench_run(struct row_bench *bench);
/* How many figures there will be. */
size_t row_bench_count(const struct row_bench *bench);

#endif
