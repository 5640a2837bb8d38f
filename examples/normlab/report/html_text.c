/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "html.h"
#include "utf8.h"

void html_text(struct buffer *out, const char *text)
{
    while (*text != '\0') {
        size_t length = utf8_length(text);
        unsigned char c = (unsigned char)*text;
        if (c == '&')
            buffer_text(out, "&amp;");
        else if (c == '<')
            buffer_text(out, "&lt;");
        else if (c == '>')
            buffer_text(out, "&gt;");
        else if (c == '"')
            buffer_text(out, "&quot;");
        else if (c == '\'')
            buffer_text(out, "&#39;");
        else if (length == 0 || c == 0x7f || (c < 0x20 && c != '\t' && c != '\n'))
            buffer_text(out, UTF8_REPLACEMENT);
        else
            buffer_add(out, text, length);
        text += length == 0 ? 1 : length;
    }
}

/* The part behind the last slash; a slash at the very end does not count. */
const char *html_base_name(const char *path)
{
    const char *base = path;
    for (const char *c = path; *c != '\0'; c++)
        if (*c == '/' && c[1] != '\0' && c[1] != '/')
            base = c + 1;
    return base;
}
