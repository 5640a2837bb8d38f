/* SPDX-License-Identifier: MIT */
/* Text that grows. A failed allocation is remembered, so that only the end needs to look. */
#ifndef NORMLAB_BUFFER_H
#define NORMLAB_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct buffer {
    char *data;
    size_t size, capacity;
    bool failed;
};

void buffer_add(struct buffer *b, const void *bytes, size_t size);
void buffer_text(struct buffer *b, const char *text);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void buffer_format(struct buffer *b, const char *format, ...);
void buffer_whole(struct buffer *b, long x);
void buffer_f32(struct buffer *b, float x);
void buffer_f64(struct buffer *b, double x);
void buffer_free(struct buffer *b);

/* Writes the buffer to standard output and empties it; not: says so and returns false. */
bool buffer_print(struct buffer *b);
/* Writes and empties it once it is large: for output that is produced row by row. */
bool buffer_drain(struct buffer *b);

#endif
