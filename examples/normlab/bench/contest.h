/* SPDX-License-Identifier: MIT */
/* Several pieces of code measured against each other in one run. Processors change their clock and machines are shared:
 * the contenders take turns, A B C A B C, and what counts is the ratio within a round. */
#ifndef NORMLAB_CONTEST_H
#define NORMLAB_CONTEST_H

#include <stdbool.h>
#include <stddef.h>

#define CONTEST_MOST 4
#define CONTEST_ROUNDS 31

/* Half of the values lie between low and high, half below the median. */
struct quartiles {
    double low, median, high;
};
/* Sorts values; count >= 1. Between two values a straight line. */
struct quartiles quartiles_find(double *values, size_t count);

struct contender {
    const char *name;
    bool (*run)(void *user, size_t pieces); /* false: stop, something was said */
    void *user;
    double size; /* of a piece, in units of work */
    /* What comes out. */
    size_t pieces;            /* that made a sample */
    struct quartiles seconds; /* a unit of work */
    struct quartiles ratio;   /* what the first contender took a unit, over what this one took, round by round */
};

struct contest {
    double (*clock)(void);
    double sample;        /* seconds that one sample takes, about */
    double budget;        /* seconds for everything: fewer rounds, but 3, where they take longer */
    size_t most_rounds;   /* 3 to CONTEST_ROUNDS */
    bool warm;            /* one piece before every sample, outside the time: another's data may lie in the cache */
    struct contender contender[CONTEST_MOST];
    size_t count;
    size_t rounds; /* what came out: how many there were */
};

void contest_add(struct contest *contest, const char *name, bool (*run)(void *, size_t), void *user, double size);
/* False: a contender failed and said so. */
bool contest_run(struct contest *contest);

#endif
