/* SPDX-License-Identifier: MIT */
/* Every normalizer that is built in. */
#ifndef NORMLAB_EVERY_H
#define NORMLAB_EVERY_H

#include "spec.h"

/* With the default of every key, and 8 for a key that has none. False: said. */
bool every_normalizer(struct normalizers *ret_normalizers);

#endif
