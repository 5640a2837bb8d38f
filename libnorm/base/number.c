/* SPDX-License-Identifier: MIT */
#include "base/number.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What this thread's locale writes between 0 and 5: asked by writing, since localeconv is not safe with threads. */
static size_t decimal_point(char *ret_point, size_t size)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%.1f", 0.5);
    if (length < 3 || (size_t)length - 2 >= size) {
        memcpy(ret_point, ".", 2);
        return 1;
    }
    memcpy(ret_point, text + 1, (size_t)length - 2);
    ret_point[length - 2] = '\0';
    return (size_t)length - 2;
}

/* Replaces the locale's decimal point by '.'. */
static void unlocalize(char *text)
{
    char point[16];
    size_t n = decimal_point(point, sizeof point);
    char *at = n == 1 && point[0] == '.' ? NULL : strstr(text, point);
    if (at != NULL) {
        *at = '.';
        memmove(at + 1, at + n, strlen(at + n) + 1);
    }
}

/* strtod of text that uses '.', in whatever locale. text: NUL-terminated, checked, at most 400 bytes. */
static double read_checked(const char *text)
{
    char point[16], local[432];
    size_t n = decimal_point(point, sizeof point);
    const char *dot = strchr(text, '.');
    if (dot == NULL || (n == 1 && point[0] == '.'))
        return strtod(text, NULL);
    size_t before = (size_t)(dot - text);
    memcpy(local, text, before);
    memcpy(local + before, point, n);
    memcpy(local + before + n, dot + 1, strlen(dot + 1) + 1);
    return strtod(local, NULL);
}

norm__number norm__text_f64(double x)
{
    norm__number number;
    if (isnan(x) || isinf(x)) {
        const char *word = isnan(x) ? "nan" : x > 0 ? "inf" : "-inf";
        memcpy(number.text, word, strlen(word) + 1);
        return number;
    }
    int saved = errno;
    /* %g drops zeros at the end, so 15 digits give every shorter text, and 100 as 100 rather than as 1e+02; the few
     * digits of a subnormal number are told apart from the first on. */
    for (int digits = fabs(x) < DBL_MIN ? 1 : DBL_DIG; digits <= 17; digits++) {
        snprintf(number.text, sizeof number.text, "%.*g", digits, x);
        unlocalize(number.text);
        if (digits == 17 || read_checked(number.text) == x)
            break;
    }
    errno = saved;
    return number;
}

norm__number norm__text_f32(float x)
{
    norm__number number;
    if (isnan(x) || isinf(x))
        return norm__text_f64((double)x);
    int saved = errno;
    for (int digits = fabsf(x) < FLT_MIN ? 1 : FLT_DIG; digits <= 9; digits++) {
        snprintf(number.text, sizeof number.text, "%.*g", digits, (double)x);
        unlocalize(number.text);
        if (digits == 9 || (float)read_checked(number.text) == x)
            break;
    }
    errno = saved;
    return number;
}

bool norm__read_f64(const char *text, size_t size, double *ret_value)
{
    char copy[400];
    size_t i = 0, digits = 0;
    if (size == 0 || size >= sizeof copy)
        return false;
    if (text[i] == '-' || text[i] == '+')
        i++;
    for (; i < size && text[i] >= '0' && text[i] <= '9'; i++)
        digits++;
    if (i < size && text[i] == '.')
        for (i++; i < size && text[i] >= '0' && text[i] <= '9'; i++)
            digits++;
    if (digits == 0)
        return false;
    if (i < size && (text[i] == 'e' || text[i] == 'E')) {
        i++;
        if (i < size && (text[i] == '-' || text[i] == '+'))
            i++;
        size_t first = i;
        while (i < size && text[i] >= '0' && text[i] <= '9')
            i++;
        if (i == first)
            return false;
    }
    if (i != size)
        return false;
    memcpy(copy, text, size);
    copy[size] = '\0';
    int saved = errno;
    double value = read_checked(copy);
    errno = saved;
    if (isinf(value))
        return false;
    *ret_value = value;
    return true;
}
