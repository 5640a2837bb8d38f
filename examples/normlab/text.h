/* SPDX-License-Identifier: MIT */
/* A text, read whole: any bytes. */
#ifndef NORMLAB_TEXT_H
#define NORMLAB_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct text {
    char *bytes; /* a NUL stands behind the last */
    size_t size;
};

/* False: says so. A file that is empty is refused, empty input is not. */
bool text_read_file(struct text *ret_text, const char *path);
bool text_read_stdin(struct text *ret_text);
void text_free(struct text *text);

#endif
