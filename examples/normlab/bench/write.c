/* SPDX-License-Identifier: MIT */
#include "bench/write.h"

#include <stdio.h>

#include "json.h"

void write_brackets(struct buffer *out, const char *format, const struct quartiles *q, double factor, int width)
{
    char text[64];
    snprintf(text, sizeof text, format, q->low * factor, q->high * factor);
    buffer_format(out, " %-*s", width, text);
}

void write_quartiles_json(struct buffer *out, const char *key, const struct quartiles *q, double factor)
{
    json_key(out, key);
    buffer_text(out, "[");
    json_number(out, q->low * factor);
    buffer_text(out, ", ");
    json_number(out, q->median * factor);
    buffer_text(out, ", ");
    json_number(out, q->high * factor);
    buffer_text(out, "]");
}

void write_text_json(struct buffer *out, const char *key, const char *text)
{
    json_key(out, key);
    json_text(out, text);
}

void write_whole_json(struct buffer *out, const char *key, size_t value)
{
    json_key(out, key);
    buffer_whole(out, (long)value);
}
