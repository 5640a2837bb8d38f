/* SPDX-License-Identifier: MIT */
/* Rows of scores to measure with: what a sparse normalizer costs depends on how they lie. The same on every machine. */
#ifndef NORMLAB_SCORES_H
#define NORMLAB_SCORES_H

#include <stdbool.h>
#include <stddef.h>

enum scores {
    SCORES_NORMAL,     /* independent, normal, standard deviation 1 */
    SCORES_NORMAL3,    /* the same with 3 */
    SCORES_EQUAL,      /* all 1 */
    SCORES_ARITHMETIC, /* 8 i / n */
    SCORES_GEOMETRIC,  /* 8 (1 - 2^(-20 i / n)): closer and closer to the largest */
    SCORES_TWO_LEVEL,  /* 0 or 1, by a coin */
    SCORES_SORTED,     /* SCORES_NORMAL in ascending order */
    SCORES_KINDS
};

const char *scores_name(enum scores kind);
/* False, said: an unknown name. */
bool scores_read(const char *name, enum scores *ret_kind);

/* rows x n doubles, each row its own. */
void scores_fill(enum scores kind, size_t rows, size_t n, double *ret_scores);

#endif
