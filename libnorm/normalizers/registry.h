/* SPDX-License-Identifier: MIT */
/* Every built-in normalizer. */
#ifndef NORM_NORMALIZERS_REGISTRY_H
#define NORM_NORMALIZERS_REGISTRY_H

#include <stddef.h>

struct norm__kind;

extern const struct norm__kind *const norm__registry[];
extern const size_t norm__registry_count;

/* Those that have calls of their own. */
extern const struct norm__kind norm__softmax, norm__sparsemax;

#endif
