/* SPDX-License-Identifier: MIT */
#include "json.h"

#include <math.h>

#include "utf8.h"

void json_text(struct buffer *out, const char *text)
{
    buffer_text(out, "\"");
    while (*text != '\0') {
        size_t length = utf8_length(text);
        unsigned char c = (unsigned char)*text;
        if (length == 0)
            buffer_text(out, UTF8_REPLACEMENT);
        else if (c == '"' || c == '\\')
            buffer_format(out, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            buffer_format(out, "\\u%04x", c);
        else
            buffer_add(out, text, length);
        text += length == 0 ? 1 : length;
    }
    buffer_text(out, "\"");
}

void json_number(struct buffer *out, double value)
{
    if (isfinite(value))
        buffer_f64(out, value);
    else
        buffer_text(out, "null");
}

void json_key(struct buffer *out, const char *key)
{
    char last = out->size > 0 ? out->data[out->size - 1] : '{';
    if (last != '{' && last != '[')
        buffer_text(out, ", ");
    json_text(out, key);
    buffer_text(out, ": ");
}
