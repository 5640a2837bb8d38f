/* SPDX-License-Identifier: MIT */
/* What the handle of a caller's own normalizer points to: its callbacks, and a kind made for it. */
#ifndef NORM_NORMALIZERS_OWN_H
#define NORM_NORMALIZERS_OWN_H

#include <libnorm/own.h>

#include "normalizers/kind.h"

/* Begins every name, so that no text of a built-in normalizer is one. */
#define NORM__OWN_PREFIX "own."
#define NORM__OWN_NAME 32

struct norm__own {
    struct norm__kind kind;
    char name[sizeof NORM__OWN_PREFIX + NORM__OWN_NAME];
    norm_family family; /* one of the two */
    norm_row_function function;
};

static inline const struct norm__own *norm__own_of(const norm_normalizer *handle)
{
    return handle->own;
}

/* Kinds without a name; operations that the callbacks lack are still to be taken out. */
extern const struct norm__kind norm__own_family, norm__own_row;

#endif
