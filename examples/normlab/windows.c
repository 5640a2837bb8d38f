/* SPDX-License-Identifier: MIT */
#include "windows.h"

#include "say.h"

bool windows_cut(struct windows *ret_windows, const struct ids *ids, long length, const struct model *model)
{
    uint64_t positions = model->shape.n_positions;
    if ((uint64_t)length > positions) {
        say("--window %ld: the model in %s has %llu positions", length, model->directory,
            (unsigned long long)positions);
        return false;
    }
    ret_windows->ids = ids;
    ret_windows->length = length == 0 ? (size_t)positions : (size_t)length;
    ret_windows->count = ids->count / ret_windows->length + (ids->count % ret_windows->length != 0);
    return true;
}

size_t window_ids(const struct windows *windows, size_t index, const int32_t **ret_ids)
{
    size_t first = index * windows->length, left = windows->ids->count - first;
    *ret_ids = windows->ids->item + first;
    return left < windows->length ? left : windows->length;
}
