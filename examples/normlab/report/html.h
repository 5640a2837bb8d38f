/* SPDX-License-Identifier: MIT */
/* Pieces of report.html. It parses as XML too, which a test checks. */
#ifndef NORMLAB_HTML_H
#define NORMLAB_HTML_H

#include "columns.h"
#include "report.h"

/* Text of any origin: what means something to a browser is escaped, and what is not UTF-8 replaced. */
void html_text(struct buffer *out, const char *text);
/* Steps of the colour scale, classes k0 ... */
#define HTML_STEPS 25
void html_style(struct buffer *out);

/* The first part: what was done and found, in words. */
void html_words(struct buffer *out, const struct report *report);
/* A figure: the entropy of every head, layer by layer. */
void html_profile(struct buffer *out, const struct report *report);
/* Loss of all normalizers side by side. */
void html_losses(struct buffer *out, const struct report *report);
/* Layers by heads of one normalizer, one map a measure. */
void html_maps(struct buffer *out, const struct report *report, size_t index);
/* Every head of one normalizer, a row each. */
void html_heads(struct buffer *out, const struct report *report, size_t index);
/* How it was measured, and what is needed to do it again. */
void html_methods(struct buffer *out, const struct report *report);

/* Last part of a path, for people. */
const char *html_base_name(const char *path);

#endif
