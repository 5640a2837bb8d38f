/* SPDX-License-Identifier: MIT */
/* A text of any length through a model of n_positions: windows side by side, and one pass over all of them. */
#ifndef NORMLAB_WINDOWS_H
#define NORMLAB_WINDOWS_H

#include "model.h"
#include "progress.h"

/* Windows of length ids, one behind the other; the last holds what remains and may be shorter. */
struct windows {
    const struct ids *ids;
    size_t length, count;
};
/* length 0: the model's n_positions. False, said: longer than the model allows. */
bool windows_cut(struct windows *ret_windows, const struct ids *ids, long length, const struct model *model);
/* Number of ids of a window, index from 0, and where they are. */
size_t window_ids(const struct windows *windows, size_t index, const int32_t **ret_ids);

/* One normalizer over the whole text. */
struct pass {
    const norm_normalizer *normalizer;
    const char *spec;          /* canonical */
    norm_head_record *records; /* windows x layers x heads, in this order; NULL: only the loss */
    const bool *chosen;        /* layers x heads, which of them to observe; NULL: all */
    double loss;               /* sum over the predictions, nats */
    uint64_t predictions;      /* the first id of a window is not predicted */
    uint64_t predicted_bytes;  /* of the ids that were */
};
/* Fills the sums and the records. False: says so. */
bool pass_run(struct pass *pass, const struct model *model, const struct windows *windows, const norm_exec *exec,
              struct progress *progress);

double pass_mean_loss(const struct pass *pass);
double pass_perplexity(const struct pass *pass);
double pass_bits_a_byte(const struct pass *pass);

#endif
