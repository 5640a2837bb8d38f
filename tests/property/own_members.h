/* SPDX-License-Identifier: MIT */
/* Built-in normalizers written once more as a program would, through own.h. */
#ifndef PROPERTY_OWN_MEMBERS_H
#define PROPERTY_OWN_MEMBERS_H

#include <libnorm/norm.h>

struct own_pair {
    const char *spec;   /* the built-in one */
    norm_family family; /* the same in callbacks; f NULL: function is the one */
    norm_row_function function;
};

extern const struct own_pair own_pairs[];
extern const size_t own_pairs_count;

norm_normalizer *own_pair_make(const struct own_pair *pair);

#endif
