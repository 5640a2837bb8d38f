/* SPDX-License-Identifier: MIT */
#include "bench/contest.h"

#include <stdlib.h>

#define ROUNDS_LEAST 3
#define PIECES_MOST 1000000.0

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* At share (0 to 1) of the way through sorted values. */
static double at_share(const double *sorted, size_t count, double share)
{
    const double place = share * (double)(count - 1);
    const size_t below = (size_t)place;
    const size_t above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (place - (double)below) * (sorted[above] - sorted[below]);
}

struct quartiles quartiles_find(double *values, size_t count)
{
    qsort(values, count, sizeof *values, ascending);
    return (struct quartiles){at_share(values, count, .25), at_share(values, count, .5), at_share(values, count, .75)};
}

void contest_add(struct contest *contest, const char *name, bool (*run)(void *, size_t), void *user, double size)
{
    contest->contender[contest->count++] = (struct contender){.name = name, .run = run, .user = user, .size = size};
}

static bool timed(const struct contest *contest, const struct contender *c, size_t pieces, double *ret_seconds)
{
    const double start = contest->clock();
    if (!c->run(c->user, pieces))
        return false;
    *ret_seconds = contest->clock() - start;
    return true;
}

/* How many pieces make a sample. The first run touches the memory, the second is timed, and more of them until they
 * take long enough to be measured. *ret_seconds: what a sample will take. */
static bool size_sample(const struct contest *contest, struct contender *c, double *ret_seconds)
{
    double seconds = 0;
    size_t pieces = 1;
    if (!c->run(c->user, 1) || !timed(contest, c, pieces, &seconds))
        return false;
    while (seconds < contest->sample / 8 && (double)pieces < PIECES_MOST / 8) {
        pieces *= 4;
        if (!timed(contest, c, pieces, &seconds))
            return false;
    }
    double wanted = seconds > 0 ? (double)pieces * contest->sample / seconds : PIECES_MOST;
    wanted = wanted < 1 ? 1 : wanted > PIECES_MOST ? PIECES_MOST : wanted;
    c->pieces = (size_t)wanted;
    *ret_seconds = seconds * (double)c->pieces / (double)pieces;
    return true;
}

static size_t count_rounds(const struct contest *contest, double seconds)
{
    const double fit = seconds > 0 ? contest->budget / seconds : CONTEST_ROUNDS;
    const size_t most = contest->most_rounds < CONTEST_ROUNDS ? contest->most_rounds : CONTEST_ROUNDS;
    return fit >= (double)most ? most : fit < ROUNDS_LEAST ? ROUNDS_LEAST : (size_t)fit;
}

bool contest_run(struct contest *contest)
{
    double unit[CONTEST_MOST][CONTEST_ROUNDS], ratio[CONTEST_ROUNDS], total = 0;
    for (size_t i = 0; i < contest->count; i++) {
        double seconds = 0;
        if (!size_sample(contest, &contest->contender[i], &seconds))
            return false;
        total += seconds;
    }
    contest->rounds = count_rounds(contest, total);
    for (size_t round = 0; round < contest->rounds; round++)
        for (size_t i = 0; i < contest->count; i++) {
            const struct contender *c = &contest->contender[i];
            double seconds = 0;
            if ((contest->warm && !c->run(c->user, 1)) || !timed(contest, c, c->pieces, &seconds))
                return false;
            unit[i][round] = seconds / ((double)c->pieces * c->size);
        }
    /* Backwards: the first one's times are needed in order until the end. */
    for (size_t i = contest->count; i-- > 0;) {
        for (size_t round = 0; round < contest->rounds; round++)
            ratio[round] = unit[0][round] / unit[i][round];
        contest->contender[i].ratio = quartiles_find(ratio, contest->rounds);
        contest->contender[i].seconds = quartiles_find(unit[i], contest->rounds);
    }
    return true;
}
