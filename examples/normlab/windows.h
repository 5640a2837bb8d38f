/* SPDX-License-Identifier: MIT */
/* A text of any length for a model of n_positions: windows side by side. */
#ifndef NORMLAB_WINDOWS_H
#define NORMLAB_WINDOWS_H

#include "model.h"

/* Windows of length ids, one behind the other; the last holds what remains and may be shorter. */
struct windows {
    const struct ids *ids;
    size_t length, count;
};
/* length 0: the model's n_positions. False, said: longer than the model allows. */
bool windows_cut(struct windows *ret_windows, const struct ids *ids, long length, const struct model *model);
/* Number of ids of a window, index from 0, and where they are. */
size_t window_ids(const struct windows *windows, size_t index, const int32_t **ret_ids);

#endif
