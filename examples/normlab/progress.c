/* SPDX-License-Identifier: MIT */
#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define REDRAW_SECONDS 0.2

static double now(void)
{
    struct timespec t;
    if (clock_gettime(CLOCK_MONOTONIC, &t) != 0)
        return 0;
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void progress_start(struct progress *p, const char *unit, double total)
{
    *p = (struct progress){.shown = isatty(STDERR_FILENO) == 1, .unit = unit, .total = total};
    p->started = now();
}

static void draw_seconds(double seconds)
{
    if (seconds >= 3600)
        fprintf(stderr, "%.0f h %.0f min", (double)(long)(seconds / 3600), (double)((long)(seconds / 60) % 60));
    else if (seconds >= 60)
        fprintf(stderr, "%.0f min %.0f s", (double)(long)(seconds / 60), (double)((long)seconds % 60));
    else
        fprintf(stderr, "%.0f s", seconds);
}

void progress_to(struct progress *p, double done)
{
    double time = p->shown ? now() : 0, elapsed = time - p->started;
    if (!p->shown || time - p->last < REDRAW_SECONDS || p->total <= 0)
        return;
    p->last = time;
    p->drawn = true;
    fprintf(stderr, "\r\x1b[K%.0f of %.0f %s, %.0f %%", (double)(uint64_t)done, p->total, p->unit,
            100 * done / p->total);
    if (elapsed > 1 && done > 0) {
        fprintf(stderr, ", %.3g a second, ", done / elapsed);
        draw_seconds(elapsed * (p->total - done) / done);
        fputs(" left", stderr);
    }
    fflush(stderr);
}

int32_t progress_within(void *user, double done)
{
    struct progress *p = user;
    progress_to(p, p->base + done);
    return 0;
}

void progress_stop(struct progress *p)
{
    if (p->drawn)
        fputs("\r\x1b[K", stderr);
    p->drawn = false;
}
