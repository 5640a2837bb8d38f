/* SPDX-License-Identifier: MIT */
#include "bench/write.h"

#include <stdio.h>
#include <string.h>

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

const struct contender *write_find(const struct contest *contest, const char *name)
{
    for (size_t i = 1; i < contest->count; i++)
        if (strcmp(contest->contender[i].name, name) == 0)
            return &contest->contender[i];
    return NULL;
}

void write_against_json(struct buffer *out, const struct contest *contest, const char *unit, double factor)
{
    json_key(out, "against");
    buffer_text(out, "{");
    for (size_t i = 1; i < contest->count; i++) {
        const struct contender *c = &contest->contender[i];
        json_key(out, c->name);
        buffer_text(out, "{");
        write_quartiles_json(out, unit, &c->seconds, factor);
        write_quartiles_json(out, "ratio", &c->ratio, 1);
        buffer_text(out, "}");
    }
    buffer_text(out, "}");
}
