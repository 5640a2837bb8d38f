/* SPDX-License-Identifier: MIT */
/* What went wrong, in one line on standard error. */
#ifndef NORMLAB_SAY_H
#define NORMLAB_SAY_H

#include <stdbool.h>

#include <libnorm/status.h>

#if defined(__GNUC__)
#define SAY_FORMAT __attribute__((format(printf, 1, 2)))
#else
#define SAY_FORMAT
#endif

/* "normlab: ...", control characters escaped so that it stays one line. Returns EXIT_FAILED. */
int say(const char *format, ...) SAY_FORMAT;
/* The same for wrong usage. Returns EXIT_USAGE. */
int say_usage(const char *format, ...) SAY_FORMAT;
/* What a failing library call said. Returns false. */
bool say_error(const norm_error *error);
/* "out of memory". Returns false. */
bool say_no_memory(void);

#define ERROR_INIT                                                                                                     \
    {                                                                                                                  \
        sizeof(norm_error), 0, 0, ""                                                                                   \
    }

#endif
