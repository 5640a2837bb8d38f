/* SPDX-License-Identifier: MIT */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int norm__error_usable(const norm_error *error)
{
    return error == NULL || error->struct_size >= sizeof *error;
}

/* Cuts text at the start of a UTF-8 sequence that does not end within it. */
static void cut_to_whole_characters(char *text)
{
    size_t n = strlen(text), start = n;
    while (start > 0 && n - start < 4 && ((unsigned char)text[start - 1] & 0xC0u) == 0x80u)
        start--;
    if (start == 0)
        return;
    unsigned char lead = (unsigned char)text[start - 1];
    size_t length = lead < 0xC0u ? 1 : lead < 0xE0u ? 2 : lead < 0xF0u ? 3 : 4;
    if (n - (start - 1) < length)
        text[start - 1] = '\0';
}

norm_status norm__fail(norm_error *error, norm_status status, int64_t where, const char *format, ...)
{
    if (error == NULL || !norm__error_usable(error))
        return status;
    int saved = errno;
    error->status = status;
    error->where = where;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    if (length < 0)
        error->text[0] = '\0';
    else if ((size_t)length >= sizeof error->text)
        cut_to_whole_characters(error->text);
    for (char *c = error->text; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20u || *c == 0x7F)
            *c = '?';
    errno = saved;
    return status;
}

const char *norm__errno_text(int number)
{
    /* strerror is not safe with threads and follows the locale. These are the ones files and memory give. */
    switch (number) {
    case ENOENT:
        return "no such file or directory";
    case EACCES:
    case EPERM:
        return "permission denied";
    case EISDIR:
        return "it is a directory";
    case ENOTDIR:
        return "a part of the path is not a directory";
    case ENAMETOOLONG:
        return "the name is too long";
    case ELOOP:
        return "too many symbolic links";
    case EMFILE:
    case ENFILE:
        return "too many open files";
    case ENOMEM:
        return "out of memory";
    case ENOSPC:
        return "no space left on the device";
    case EROFS:
        return "the file system is read-only";
    case EFBIG:
    case EOVERFLOW:
        return "the file is too large";
    case EIO:
        return "input or output failed";
    default:
        return "the operating system refused";
    }
}

norm__quoted norm__quote(const void *bytes, size_t size)
{
    static const char hex[] = "0123456789abcdef";
    const unsigned char *p = bytes;
    norm__quoted q;
    size_t used = 0;
    q.text[used++] = '\'';
    for (size_t i = 0; i < size; i++) {
        if (used > sizeof q.text - 10) { /* room for one escape, "...", the quote and the NUL */
            memcpy(q.text + used, "...", 3);
            used += 3;
            break;
        }
        if (p[i] >= 0x20u && p[i] < 0x7Fu) {
            q.text[used++] = (char)p[i];
        } else {
            q.text[used++] = '\\';
            q.text[used++] = 'x';
            q.text[used++] = hex[p[i] >> 4];
            q.text[used++] = hex[p[i] & 15u];
        }
    }
    q.text[used++] = '\'';
    q.text[used] = '\0';
    return q;
}
