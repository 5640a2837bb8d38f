/* SPDX-License-Identifier: MIT */
/* The words of the command line. "--name value" and "--name=value"; "--" ends the options. */
#ifndef NORMLAB_ARGUMENTS_H
#define NORMLAB_ARGUMENTS_H

#include <stdbool.h>

#include "program.h"

#define TEXTS_MAX 64

struct texts {
    const char *item[TEXTS_MAX];
    size_t count;
};

enum option_kind {
    OPTION_FLAG,  /* bool */
    OPTION_TEXT,  /* const char *, not empty */
    OPTION_WHOLE, /* long, low to high */
    OPTION_LIST,  /* struct texts: every word up to the next that begins with '-'; may be given again */
};

struct option {
    const char *name; /* with its dashes */
    enum option_kind kind;
    void *value; /* written only when the option is given */
    long low, high;
};

struct arguments {
    const struct option *options;
    size_t option_count;
    struct texts words; /* what is not an option */
    size_t words_low, words_high;
    const char *words_name; /* for the message: "a normalizer" */
};

/* Reads argv[1 ...]. False: *ret_exit is the exit code; either something was said, or --help was asked and printed. */
bool arguments_read(struct arguments *a, const struct command *command, int argc, char **argv, int *ret_exit);

#endif
