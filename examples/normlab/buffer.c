/* SPDX-License-Identifier: MIT */
#include "buffer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "say.h"

#define DRAIN_AT ((size_t)1 << 16)

/* Room for size more bytes, or NULL. */
static char *buffer_room(struct buffer *b, size_t size)
{
    if (b->failed)
        return NULL;
    if (size > b->capacity - b->size) {
        size_t capacity = b->capacity < 256 ? 256 : b->capacity;
        while (capacity - b->size < size && capacity <= (size_t)-1 / 2)
            capacity *= 2;
        char *data = capacity - b->size < size ? NULL : realloc(b->data, capacity);
        if (data == NULL) {
            b->failed = true;
            return NULL;
        }
        b->data = data;
        b->capacity = capacity;
    }
    return b->data + b->size;
}

void buffer_add(struct buffer *b, const void *bytes, size_t size)
{
    if (size == 0)
        return;
    char *room = buffer_room(b, size);
    if (room == NULL)
        return;
    memcpy(room, bytes, size);
    b->size += size;
}

void buffer_text(struct buffer *b, const char *text)
{
    buffer_add(b, text, strlen(text));
}

void buffer_format(struct buffer *b, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *room = length < 0 ? NULL : buffer_room(b, (size_t)length + 1);
    if (room == NULL) {
        b->failed = true;
        return;
    }
    va_start(arguments, format);
    vsnprintf(room, (size_t)length + 1, format, arguments);
    va_end(arguments);
    b->size += (size_t)length;
}

/* By hand: a long text has millions of ids. */
void buffer_whole(struct buffer *b, long x)
{
    char digits[24], *at = digits + sizeof digits;
    unsigned long left = x < 0 ? 0UL - (unsigned long)x : (unsigned long)x;
    do {
        *--at = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (x < 0)
        *--at = '-';
    buffer_add(b, at, (size_t)(digits + sizeof digits - at));
}

void buffer_f32(struct buffer *b, float x)
{
    buffer_text(b, number_f32(x).text);
}

void buffer_f64(struct buffer *b, double x)
{
    buffer_text(b, number_f64(x).text);
}

void buffer_free(struct buffer *b)
{
    free(b->data);
    *b = (struct buffer){0};
}

bool buffer_print(struct buffer *b)
{
    if (b->failed) {
        say_no_memory();
        return false;
    }
    size_t size = b->size;
    b->size = 0;
    errno = 0;
    if ((size > 0 && fwrite(b->data, 1, size, stdout) != size) || fflush(stdout) != 0) {
        say("cannot write to standard output: %s", strerror(errno));
        return false;
    }
    return true;
}

bool buffer_drain(struct buffer *b)
{
    return b->size < DRAIN_AT ? true : buffer_print(b);
}
