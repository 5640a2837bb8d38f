/* SPDX-License-Identifier: MIT */
/* What time is measured with. */
#ifndef NORMLAB_CLOCK_H
#define NORMLAB_CLOCK_H

/* Seconds this thread had a processor: waiting for other programs does not count. For work on one thread. */
double clock_thread(void);
/* Seconds that went by. For work on several threads. */
double clock_wall(void);

#endif
