/* SPDX-License-Identifier: MIT */
/* The processor, as far as the system tells. */
#ifndef NORMLAB_PROCESSOR_H
#define NORMLAB_PROCESSOR_H

#include <stddef.h>

struct processor {
    char name[128]; /* empty: not known */
    size_t level2;  /* bytes of cache; 0: not known */
    size_t level3;
};
void processor_describe(struct processor *ret_processor);

#endif
