/* SPDX-License-Identifier: MIT */
/* Which heads can do with another normalizer: each alone, then as many as a budget of loss allows. */
#ifndef NORMLAB_SWAP_H
#define NORMLAB_SWAP_H

#include "difference.h"
#include "pass.h"

struct swap_head {
    int32_t layer, head;
    struct difference alone;   /* what the new normalizer costs in this head alone */
    bool kept;                 /* it stays in */
    double after;              /* nats a prediction over softmax with it and all that was kept before */
};

struct swap {
    const norm_normalizer *softmax, *other;
    const struct model *model;
    const struct windows *windows;
    const norm_exec *exec;
    struct progress *progress;
    double budget; /* nats a prediction over softmax */
    size_t count;  /* of heads */
    /* What comes out. */
    struct swap_head *heads; /* cheapest alone first; the same cost: by layer and head */
    double base_loss, loss;  /* means of softmax everywhere and of what was kept */
    struct difference total;
    size_t kept;
    double predictions;
    double zeros_kept, zeros_all; /* share of the visible weights that are 0: in the kept heads (NaN: none), in all */
};

/* One pass for softmax, one a head, one more a head that is tried (a head that costs more alone than the budget is
 * not), one for the zeros. False: said. Either way swap_free. */
bool swap_find(struct swap *swap);
void swap_free(struct swap *swap);

#endif
