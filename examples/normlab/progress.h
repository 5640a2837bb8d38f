/* SPDX-License-Identifier: MIT */
/* How far a long command is, on standard error when that is a terminal. */
#ifndef NORMLAB_PROGRESS_H
#define NORMLAB_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool shown, drawn;
    const char *unit; /* "windows" */
    double total, base;
    double started, last; /* seconds */
};

void progress_start(struct progress *p, const char *unit, double total);
/* done of total units. */
void progress_to(struct progress *p, double done);
/* A norm_exec.progress: user is the struct, done counts from base. */
int32_t progress_within(void *user, double done);
/* Wipes the line. Before every message, and at the end. */
void progress_stop(struct progress *p);

#endif
