/* SPDX-License-Identifier: MIT */
/* Filling the caller's norm_error. Every failing public call goes through norm__fail exactly once. */
#ifndef NORM_BASE_ERROR_H
#define NORM_BASE_ERROR_H

#include <libnorm/status.h>

/* 0 if the caller's error struct cannot be used: the call must return LIBNORM_E_ARGUMENT at once. NULL is usable. */
int norm__error_usable(const norm_error *error);

/* Writes status, where and the text, cut to fit on a character boundary and kept to one line; returns status.
 * The format must not hold floating-point conversions, which follow the locale: use norm__text_f64. errno is kept. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
norm_status norm__fail(norm_error *error, norm_status status, int64_t where, const char *format, ...);

/* What an errno value means, in plain words; static, not translated. */
const char *norm__errno_text(int number);

/* Bytes of a name as text for a message: in single quotes, all but printable ASCII as \xNN, cut at about
 * 150 characters with "..." at the end. */
typedef struct norm__quoted {
    char text[160];
} norm__quoted;
norm__quoted norm__quote(const void *bytes, size_t size);

#endif
