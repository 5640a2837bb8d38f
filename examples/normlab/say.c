/* SPDX-License-Identifier: MIT */
#include "say.h"

#include <stdarg.h>
#include <stdio.h>

#include "program.h"

static void say_line(const char *format, va_list arguments)
{
    /* Names of files may be long and hold anything: cut, and escape what would break the line or the terminal. */
    char text[8192];
    if (vsnprintf(text, sizeof text, format, arguments) < 0)
        return;
    fputs("normlab: ", stderr);
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
        if (*c < 0x20 || *c == 0x7f)
            fprintf(stderr, "\\x%02x", *c);
        else
            fputc(*c, stderr);
    }
    fputc('\n', stderr);
}

int say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say_line(format, arguments);
    va_end(arguments);
    return EXIT_FAILED;
}

int say_usage(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say_line(format, arguments);
    va_end(arguments);
    return EXIT_USAGE;
}

bool say_error(const norm_error *error)
{
    say("%s", error->text[0] != '\0' ? error->text : norm_status_name(error->status));
    return false;
}

bool say_no_memory(void)
{
    say("out of memory");
    return false;
}
