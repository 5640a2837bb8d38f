/* SPDX-License-Identifier: MIT */
/* Names may hold any bytes; what we write is UTF-8. */
#ifndef NORMLAB_UTF8_H
#define NORMLAB_UTF8_H

#include <stddef.h>

#define UTF8_REPLACEMENT "\xef\xbf\xbd"

/* Length of the well-formed character at text, which ends in NUL; 0 where there is none. */
size_t utf8_length(const char *text);

#endif
