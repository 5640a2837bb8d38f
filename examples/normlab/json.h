/* SPDX-License-Identifier: MIT */
/* JSON out: texts of any bytes, numbers that are not finite as null. */
#ifndef NORMLAB_JSON_H
#define NORMLAB_JSON_H

#include "buffer.h"

/* A string in quotes; bytes that are not well-formed UTF-8 become U+FFFD. */
void json_text(struct buffer *out, const char *text);
void json_number(struct buffer *out, double value);
/* "key": with the comma before it unless it is the first. */
void json_key(struct buffer *out, const char *key);

#endif
