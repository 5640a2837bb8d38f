/* SPDX-License-Identifier: MIT */
/* Whole files: mapped, or read into memory. */
#ifndef NORM_BASE_FILE_H
#define NORM_BASE_FILE_H

#include <stdbool.h>

#include <libnorm/exec.h>

struct norm__file {
    const unsigned char *data; /* never NULL after success */
    size_t size;
    bool mapped;
    norm_allocator allocator;
};

/* Opens path for reading. map: map it; else read it all. Not a regular file, or larger than limit: refused
 * (LIBNORM_E_IO, LIBNORM_E_FORMAT). Messages name the path. */
norm_status norm__file_open(struct norm__file *file, const char *path, bool map, size_t limit,
                            const norm_allocator *allocator, norm_error *error);
void norm__file_close(struct norm__file *file);

/* directory + "/" + name as a new text; NULL when memory is out. Freed with norm__release(..., strlen + 1). */
char *norm__file_join(const norm_allocator *allocator, const char *directory, const char *name);

#endif
