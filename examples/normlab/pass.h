/* SPDX-License-Identifier: MIT */
/* One normalizer over a whole text: every window through the model, several at a time. */
#ifndef NORMLAB_PASS_H
#define NORMLAB_PASS_H

#include "progress.h"
#include "windows.h"

struct pass {
    const norm_normalizer *normalizer;
    const norm_normalizer *const *each; /* one a layer or one a head, as norm_gpt2_run takes them; NULL: normalizer */
    uint64_t each_count;
    const char *spec;          /* canonical */
    norm_head_record *records; /* windows x layers x heads, in this order; NULL: only the loss */
    const bool *chosen;        /* layers x heads, which of them to observe; NULL: all */
    double *window_loss;       /* windows; sum over the predictions of each; NULL: not wanted */
    double loss;               /* sum over the predictions, nats */
    uint64_t predictions;      /* the first id of a window is not predicted */
    uint64_t predicted_bytes;  /* of the ids that were */
};

/* Fills the sums and the records; the same bits for any number of threads. exec says how many there are: they take
 * windows first, and what is left over goes into each window. False: says so. */
bool pass_run(struct pass *pass, const struct model *model, const struct windows *windows, const norm_exec *exec,
              struct progress *progress);

double pass_mean_loss(const struct pass *pass);
double pass_perplexity(const struct pass *pass);
double pass_bits_a_byte(const struct pass *pass);

#endif
