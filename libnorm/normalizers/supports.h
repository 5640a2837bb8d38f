/* SPDX-License-Identifier: MIT */
/* What a handle can do. */
#ifndef NORM_NORMALIZERS_SUPPORTS_H
#define NORM_NORMALIZERS_SUPPORTS_H

#include "normalizers/kind.h"

/* Whether param_vjp can do key number key. */
bool norm__supports_key(const norm_normalizer *handle, size_t key);

#endif
