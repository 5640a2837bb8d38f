/* SPDX-License-Identifier: MIT */
/* Files of a result, all or none: written beside their names first, then renamed. */
#ifndef NORMLAB_OUTPUT_H
#define NORMLAB_OUTPUT_H

#include "buffer.h"

#define OUTPUT_FILES 16

struct output {
    char *directory;
    size_t existed; /* length of the part of directory that was there before */
    struct {
        char *path, *temporary;
    } file[OUTPUT_FILES];
    size_t count;
};

/* Finds out now whether the directory can be made and written, and leaves no trace. False: says so. */
bool output_probe(const char *directory);

/* Makes the directory where it is missing. False: says so. */
bool output_start(struct output *output, const char *directory);
/* Writes one file under a temporary name, down to the disk. False: says so. */
bool output_add(struct output *output, const char *name, struct buffer *content);
/* Gives all files their names. False: says so. */
bool output_finish(struct output *output);
/* Removes what is not finished, a directory that output_start made included. Frees; call it always. */
void output_end(struct output *output);

#endif
