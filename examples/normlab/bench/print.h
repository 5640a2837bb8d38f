/* SPDX-License-Identifier: MIT */
/* What bench prints: a line as soon as it is known, or JSON when it is whole. */
#ifndef NORMLAB_PRINT_H
#define NORMLAB_PRINT_H

#include "bench/write.h"

struct printer {
    struct buffer out;
    struct progress progress;
    bool json;
    size_t printed; /* figures of this part */
    const char *set; /* of the row figure before */
    enum scores scores;
};

/* Head and foot of everything. */
void print_open(struct printer *p, const struct machine *machine, const struct processor *processor);
bool print_close(struct printer *p);

/* One part each: measures and prints. False: said. */
bool print_rows(struct printer *p, struct row_bench *bench);
bool print_attention(struct printer *p, struct attention_bench *bench, const struct machine *machine);
bool print_model(struct printer *p, struct model_bench *bench, const struct machine *machine);

#endif
