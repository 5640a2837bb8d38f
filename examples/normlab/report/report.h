/* SPDX-License-Identifier: MIT */
/* A report: what was measured, once, and every form it is written in. The forms read this struct and nothing else. */
#ifndef NORMLAB_REPORT_H
#define NORMLAB_REPORT_H

#include "buffer.h"
#include "machine.h"
#include "spec.h"
#include "pass.h"

#define SHA256_TEXT 65

/* One normalizer: its pass over the text, and a summary a head made from the pass's records. */
struct measured {
    struct pass pass;
    norm_head_summary *heads; /* layers x heads; those that were not chosen are all 0 */
};

struct report {
    const struct program *program;
    struct machine machine;
    int32_t threads;
    const struct model *model;
    char weights_sha256[SHA256_TEXT];
    const char *text_path;
    size_t text_size;
    char text_sha256[SHA256_TEXT];
    struct windows windows;
    bool *chosen; /* layers x heads */
    size_t chosen_count;
    struct measured measured[TEXTS_MAX];
    size_t measured_count;
};

/* Number of heads of the model, layers times heads a layer. */
size_t report_heads(const struct report *report);
/* Measures every normalizer. False: says so. */
bool report_measure(struct report *report, const struct normalizers *normalizers, const norm_exec *exec);
void report_free(struct report *report);

/* Heads from the command line: "3" is layer 3, "3.1" its head 1, from 0; none: all. False: says so. */
bool report_choose_heads(struct report *report, const struct texts *texts);

/* The forms. */
void report_write_csv(const struct report *report, struct buffer *out);
void report_write_json(const struct report *report, struct buffer *out);
void report_write_html(const struct report *report, struct buffer *out);

#endif
