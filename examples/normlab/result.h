/* SPDX-License-Identifier: MIT */
/* One normalizer's line of `normlab perplexity`. */
#ifndef NORMLAB_RESULT_H
#define NORMLAB_RESULT_H

#include "buffer.h"
#include "fit.h"

struct result {
    const struct pass *pass;
    const struct fit *fit;     /* NULL: as it was given */
    const double *base;        /* window losses of softmax; NULL: not known, or this is it */
    const struct windows *windows;
};

void result_text(const struct result *r, struct buffer *out);
void result_json(const struct result *r, struct buffer *out);

#endif
