/* SPDX-License-Identifier: MIT */
#include "bench/clock.h"

#include <time.h>

static double seconds(clockid_t id)
{
    struct timespec t;
    if (clock_gettime(id, &t) != 0)
        return 0;
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double clock_thread(void)
{
    return seconds(CLOCK_THREAD_CPUTIME_ID);
}

double clock_wall(void)
{
    return seconds(CLOCK_MONOTONIC);
}
