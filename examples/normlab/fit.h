/* SPDX-License-Identifier: MIT */
/* The temperature (or scale s) with which a normalizer predicts best in a model that was trained with another: without
 * it a comparison says more about the sharpness the model is used to than about the normalizer. */
#ifndef NORMLAB_FIT_H
#define NORMLAB_FIT_H

#include "pass.h"

enum fit_scope { FIT_NOTHING, FIT_MODEL, FIT_LAYER };
/* "model" or "layer"; false, said, for another word. */
bool fit_scope_read(const char *word, enum fit_scope *ret_scope);

struct fit {
    const char *key;        /* "s" where the normalizer has it, else "temperature" */
    norm_normalizer **item; /* one, or one a layer */
    double *value;          /* of the key, likewise */
    uint64_t count;
    double loss; /* mean on the calibration windows, nats */
};

/* Searches from the normalizer's own value over 8 doublings each way; with FIT_LAYER afterwards layer by layer, as
 * often as that gains 1e-3 nats, 3 times at most. False: said; nothing to free. */
bool fit_find(struct fit *ret_fit, enum fit_scope scope, const norm_normalizer *normalizer, const struct model *model,
              const struct windows *calibration, const norm_exec *exec, struct progress *progress);
void fit_free(struct fit *fit);

/* Windows for fitting (the first percent of them, at least one) and the others, to judge on. ids: two, which the
 * windows point to. False, said: there is a single window. */
bool fit_split(const struct windows *all, long percent, struct ids ids[2], struct windows *ret_calibration,
               struct windows *ret_rest);

#endif
