/* SPDX-License-Identifier: MIT */
#include "number.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static struct number not_finite(double x)
{
    struct number n;
    snprintf(n.text, sizeof n.text, "%s", isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
    return n;
}

struct number number_f32(float x)
{
    struct number n;
    if (!isfinite(x))
        return not_finite((double)x);
    /* %g drops trailing zeros, so six digits already give the shortest of all shorter texts. */
    for (int digits = FLT_DIG; digits <= FLT_DECIMAL_DIG; digits++) {
        snprintf(n.text, sizeof n.text, "%.*g", digits, (double)x);
        if (strtof(n.text, NULL) == x)
            break;
    }
    return n;
}

struct number number_f64(double x)
{
    struct number n;
    if (!isfinite(x))
        return not_finite(x);
    for (int digits = DBL_DIG; digits <= DBL_DECIMAL_DIG; digits++) {
        snprintf(n.text, sizeof n.text, "%.*g", digits, x);
        if (strtod(n.text, NULL) == x)
            break;
    }
    return n;
}

static size_t skip_digits(const char *text, size_t size, size_t at)
{
    while (at < size && text[at] >= '0' && text[at] <= '9')
        at++;
    return at;
}

/* strtod takes hexadecimal, blanks and "nan(...)": only plain decimal is wanted. */
static bool is_decimal(const char *text, size_t size)
{
    size_t at = size > 0 && (text[0] == '-' || text[0] == '+');
    size_t whole = skip_digits(text, size, at), digits = whole - at;
    at = whole;
    if (at < size && text[at] == '.') {
        size_t fraction = skip_digits(text, size, at + 1);
        digits += fraction - at - 1;
        at = fraction;
    }
    if (digits == 0)
        return false;
    if (at < size && (text[at] == 'e' || text[at] == 'E')) {
        at++;
        at += at < size && (text[at] == '-' || text[at] == '+');
        size_t exponent = skip_digits(text, size, at);
        if (exponent == at)
            return false;
        at = exponent;
    }
    return at == size;
}

static bool is_word(const char *text, size_t size, const char *word)
{
    return size == strlen(word) && strncasecmp(text, word, size) == 0;
}

/* inf, infinity and nan, with a sign or without. */
static bool read_word(const char *text, size_t size, double *ret_value)
{
    size_t sign = size > 0 && (text[0] == '-' || text[0] == '+');
    bool infinite = is_word(text + sign, size - sign, "inf") || is_word(text + sign, size - sign, "infinity");
    if (!infinite && !is_word(text + sign, size - sign, "nan"))
        return false;
    *ret_value = !infinite ? (double)NAN : text[0] == '-' ? -(double)INFINITY : (double)INFINITY;
    return true;
}

enum number_read number_read_f32(const char *text, size_t size, float *ret_value)
{
    double word;
    if (read_word(text, size, &word)) {
        *ret_value = (float)word;
        return NUMBER_FINE;
    }
    if (!is_decimal(text, size))
        return NUMBER_NOT;
    float value = strtof(text, NULL);
    if (isinf(value))
        return NUMBER_TOO_LARGE;
    *ret_value = value;
    return NUMBER_FINE;
}

enum number_read number_read_f64(const char *text, size_t size, double *ret_value)
{
    if (read_word(text, size, ret_value))
        return NUMBER_FINE;
    if (!is_decimal(text, size))
        return NUMBER_NOT;
    double value = strtod(text, NULL);
    if (isinf(value))
        return NUMBER_TOO_LARGE;
    *ret_value = value;
    return NUMBER_FINE;
}

bool number_read_whole(const char *text, size_t size, int64_t low, int64_t high, int64_t *ret_value)
{
    size_t at = size > 0 && (text[0] == '-' || text[0] == '+');
    if (size == at || skip_digits(text, size, at) != size)
        return false;
    errno = 0;
    long long value = strtoll(text, NULL, 10);
    if (errno != 0 || value < low || value > high)
        return false;
    *ret_value = value;
    return true;
}
