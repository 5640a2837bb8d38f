/* SPDX-License-Identifier: MIT */
#include "rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "say.h"

static size_t row_width(const struct row *row)
{
    return row->wide ? sizeof(double) : sizeof(float);
}

bool row_reserve(struct row *row, size_t count)
{
    if (count <= row->capacity && row->values != NULL)
        return true;
    size_t capacity = row->capacity < 64 ? 64 : row->capacity;
    while (capacity < count)
        capacity *= 2;
    void *values = realloc(row->values, capacity * row_width(row));
    if (values != NULL)
        row->values = values;
    unsigned char *visible = realloc(row->visible, capacity);
    if (visible != NULL)
        row->visible = visible;
    if (values == NULL || visible == NULL) {
        say_no_memory();
        return false;
    }
    row->capacity = capacity;
    return true;
}

static enum number_read read_value(struct row *row, const char *text, size_t size)
{
    double d = 0;
    float f = 0;
    enum number_read result = NUMBER_FINE;
    bool hidden = size == 1 && text[0] == '_';
    if (!hidden)
        result = row->wide ? number_read_f64(text, size, &d) : number_read_f32(text, size, &f);
    if (row->wide)
        ((double *)row->values)[row->count] = d;
    else
        ((float *)row->values)[row->count] = f;
    row->visible[row->count++] = !hidden;
    row->masked |= hidden;
    return result;
}

static int complain(const struct row_reader *reader, const struct row *row, const char *text, size_t size,
                    enum number_read result)
{
    int shown = size > 40 ? 40 : (int)size;
    const char *more = size > 40 ? "..." : "";
    if (result == NUMBER_TOO_LARGE)
        say("%s, line %llu, entry %zu: '%.*s%s' is too large for %s", reader->name, (unsigned long long)row->line,
            row->count, shown, text, more, row->wide ? "a double" : "a float; --f64 has more room");
    else
        say("%s, line %llu, entry %zu: '%.*s%s' is not a number; expected decimals such as -1.5e3, inf, nan, or _ for "
            "hidden",
            reader->name, (unsigned long long)row->line, row->count, shown, text, more);
    return -1;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

int row_read(struct row_reader *reader, struct row *row)
{
    errno = 0;
    ssize_t length = getline(&reader->text, &reader->capacity, reader->file);
    if (length < 0) {
        if (feof(reader->file) && !ferror(reader->file))
            return 0;
        say("cannot read %s: %s", reader->name, strerror(errno));
        return -1;
    }
    size_t size = (size_t)length;
    if (size > 0 && reader->text[size - 1] == '\n')
        size--;
    if (size > 0 && reader->text[size - 1] == '\r')
        size--;
    reader->text[size] = '\0';
    row->line = ++reader->line;
    row->count = 0;
    row->masked = false;
    if (!row_reserve(row, 1))
        return -1;
    for (size_t at = 0; at < size;) {
        size_t end = at;
        while (end < size && !is_blank(reader->text[end]))
            end++;
        if (end > at) {
            if (!row_reserve(row, row->count + 1))
                return -1;
            enum number_read result = read_value(row, reader->text + at, end - at);
            if (result != NUMBER_FINE)
                return complain(reader, row, reader->text + at, end - at, result);
        }
        at = end + 1;
    }
    return 1;
}

void row_reader_free(struct row_reader *reader)
{
    free(reader->text);
    reader->text = NULL;
}

void row_free(struct row *row)
{
    free(row->values);
    free(row->visible);
    row->values = NULL;
    row->visible = NULL;
}

void row_write(struct buffer *out, const void *values, size_t count, bool wide, const char *separator, bool json)
{
    for (size_t i = 0; i < count; i++) {
        double value = wide ? ((const double *)values)[i] : (double)((const float *)values)[i];
        if (i > 0)
            buffer_text(out, separator);
        if (json && !isfinite(value))
            buffer_text(out, "null");
        else if (wide)
            buffer_f64(out, value);
        else
            buffer_f32(out, ((const float *)values)[i]);
    }
}
