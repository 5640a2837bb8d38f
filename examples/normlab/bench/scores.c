/* SPDX-License-Identifier: MIT */
#include "bench/scores.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/draw.h"
#include "say.h"

static const char *const names[SCORES_KINDS] = {"normal",    "normal3",   "equal", "arithmetic",
                                                "geometric", "two-level", "sorted"};

const char *scores_name(enum scores kind)
{
    return names[kind];
}

bool scores_read(const char *name, enum scores *ret_kind)
{
    for (int i = 0; i < SCORES_KINDS; i++)
        if (strcmp(names[i], name) == 0) {
            *ret_kind = (enum scores)i;
            return true;
        }
    say("--scores %s: expected normal, normal3, equal, arithmetic, geometric, two-level or sorted", name);
    return false;
}

/* Box and Muller's, both of the pair. */
static void normals(uint64_t *state, double deviation, size_t n, double *ret)
{
    for (size_t i = 0; i < n; i += 2) {
        const double radius = deviation * sqrt(-2 * log(draw_uniform(state)));
        const double angle = 6.283185307179586 * draw_uniform(state);
        ret[i] = radius * cos(angle);
        if (i + 1 < n)
            ret[i + 1] = radius * sin(angle);
    }
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void fill_row(enum scores kind, size_t n, uint64_t *state, double *z)
{
    if (kind == SCORES_NORMAL || kind == SCORES_NORMAL3 || kind == SCORES_SORTED)
        normals(state, kind == SCORES_NORMAL3 ? 3 : 1, n, z);
    for (size_t i = 0; i < n; i++) {
        const double place = (double)i / (double)n;
        if (kind == SCORES_EQUAL)
            z[i] = 1;
        else if (kind == SCORES_ARITHMETIC)
            z[i] = 8 * place;
        else if (kind == SCORES_GEOMETRIC)
            z[i] = 8 * (1 - exp2(-20 * place));
        else if (kind == SCORES_TWO_LEVEL)
            z[i] = (double)(draw_bits(state) >> 63);
    }
    if (kind == SCORES_SORTED)
        qsort(z, n, sizeof *z, ascending);
}

void scores_fill(enum scores kind, size_t rows, size_t n, double *ret_scores)
{
    uint64_t state = 1;
    for (size_t r = 0; r < rows; r++)
        fill_row(kind, n, &state, ret_scores + r * n);
}
