/* SPDX-License-Identifier: MIT */
#include "utf8.h"

#include <stdbool.h>

static bool is_tail(unsigned char c)
{
    return (c & 0xc0) == 0x80;
}

size_t utf8_length(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] == 0)
        return 0;
    if (c[0] < 0x80)
        return 1;
    if (c[0] >= 0xc2 && c[0] <= 0xdf)
        return is_tail(c[1]) ? 2 : 0;
    if (c[0] >= 0xe0 && c[0] <= 0xef) {
        /* No second way to write a shorter one, and no surrogates. */
        if (!is_tail(c[1]) || (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f))
            return 0;
        return is_tail(c[2]) ? 3 : 0;
    }
    if (c[0] >= 0xf0 && c[0] <= 0xf4) {
        if (!is_tail(c[1]) || (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f))
            return 0;
        return is_tail(c[2]) && is_tail(c[3]) ? 4 : 0;
    }
    return 0;
}
