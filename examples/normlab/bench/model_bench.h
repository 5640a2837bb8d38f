/* SPDX-License-Identifier: MIT */
/* A model's forward pass, against the matrix products it cannot do without. */
#ifndef NORMLAB_MODEL_BENCH_H
#define NORMLAB_MODEL_BENCH_H

#include "bench/contest.h"
#include "model.h"
#include "progress.h"
#include "spec.h"

struct model_figure {
    const char *normalizer; /* canonical */
    const char *logits;     /* "last" or "all": positions whose logits are formed */
    size_t tokens;
    double flops;                  /* of the products; NaN where they were not measured */
    const struct contest *contest; /* the pass, and the products where there is a BLAS; seconds a pass */
};

struct model_bench {
    const struct model *model;
    const struct normalizers *normalizers;
    size_t tokens; /* 1 to n_positions */
    bool quick;
    norm_exec exec;
    struct progress *progress;
    /* Every figure as soon as it is there. False: stop. */
    bool (*tell)(void *user, const struct model_figure *figure);
    void *user;
};

/* False: said. */
bool model_bench_run(struct model_bench *bench);
/* How many figures there will be. */
size_t model_bench_count(const struct model_bench *bench);

#endif
