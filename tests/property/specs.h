/* SPDX-License-Identifier: MIT */
/* Every normalizer of the registry in several settings, for properties that must hold for all of them. */
#ifndef PROPERTY_SPECS_H
#define PROPERTY_SPECS_H

#include <libnorm/norm.h>

/* Number of settings, and one of them parsed; text (128 bytes) gets its spec. Each normalizer comes with its defaults
 * (required keys at their lowest value), and with each key moved in turn. */
size_t specs_count(void);
norm_normalizer *specs_get(size_t index, char *text);

#endif
