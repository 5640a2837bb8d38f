/* SPDX-License-Identifier: MIT */
#include "bounds/check.h"

#include <float.h>
#include <math.h>
#include <stdalign.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"

norm_status norm__bound_pointer(const void *p, const char *name, norm_error *error)
{
    if (p == NULL)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "%s is NULL", name);
    return LIBNORM_OK;
}

norm_status norm__bound_count(size_t value, size_t low, size_t high, const char *name, norm_error *error)
{
    if (value >= low && value <= high)
        return LIBNORM_OK;
    if (high == SIZE_MAX)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "%s = %zu: expected at least %zu", name, value, low);
    return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "%s = %zu: expected %zu to %zu", name, value, low, high);
}

static bool allowed(double value, enum norm__sign sign)
{
    if (!isfinite(value))
        return false;
    return sign == NORM__ANY || (sign == NORM__POSITIVE ? value > 0 : value >= 0);
}

static const char *expectation(enum norm__sign sign)
{
    static const char *const texts[] = {"a finite number", "a finite number >= 0", "a finite number > 0"};
    return texts[sign];
}

norm_status norm__bound_number(double value, enum norm__sign sign, const char *name, norm_error *error)
{
    if (allowed(value, sign))
        return LIBNORM_OK;
    return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "%s = %s: expected %s", name, norm__text_f64(value).text,
                      expectation(sign));
}

static norm_status aligned(const double *values, const char *name, norm_error *error)
{
    if ((uintptr_t)values % alignof(double) != 0)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "%s is not aligned to its elements", name);
    return LIBNORM_OK;
}

norm_status norm__bound_array(const double *values, size_t count, enum norm__sign sign, const char *name,
                              norm_error *error)
{
    if (values == NULL)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "%s is NULL", name);
    norm_status status = aligned(values, name, error);
    for (size_t i = 0; status == LIBNORM_OK && i < count; i++)
        if (!allowed(values[i], sign))
            status = norm__fail(error, LIBNORM_E_ARGUMENT, -1, "%s[%zu] = %s: expected %s", name, i,
                                norm__text_f64(values[i]).text, expectation(sign));
    return status;
}

norm_status norm__bound_result(const double *result, size_t count, const double *input, size_t input_count,
                               bool optional, const char *name, norm_error *error)
{
    if (result == NULL)
        return optional ? LIBNORM_OK : norm__fail(error, LIBNORM_E_ARGUMENT, -1, "%s is NULL", name);
    norm_status status = aligned(result, name, error);
    uintptr_t a = (uintptr_t)result, b = (uintptr_t)input;
    if (status == LIBNORM_OK && a < b + input_count * sizeof *input && b < a + count * sizeof *result)
        status = norm__fail(error, LIBNORM_E_OVERLAP, -1, "%s overlaps an input", name);
    return status;
}

/* Every entry of x, and whether sums of squares of contributions and of differences of tokens stay finite. */
static norm_status check_entries(const struct norm__tokens *t, norm_error *error)
{
    double largest = 0, total = 0;
    for (size_t i = 0; i < t->tokens; i++) {
        const double *row = norm__token(t, i);
        for (size_t k = 0; k < t->dim; k++) {
            if (!isfinite(row[k]))
                return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "x[%zu][%zu] = %s: expected a finite number", i, k,
                                  norm__text_f64(row[k]).text);
            largest = fmax(largest, fabs(row[k]));
        }
        total += fabs(t->weights[i]);
    }
    double reach = 2 * largest * fmax(1, total) * sqrt((double)t->dim) * (double)t->tokens;
    if (!(reach < 0x1p500))
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1,
                          "x holds values up to %s: too large, sums of squares would overflow",
                          norm__text_f64(largest).text);
    return LIBNORM_OK;
}

norm_status norm__bound_tokens(struct norm__tokens *t, bool set, norm_error *error)
{
    size_t elements;
    norm_status status = norm__bound_count(t->tokens, 1, SIZE_MAX, "tokens", error);
    if (status == LIBNORM_OK)
        status = norm__bound_count(t->dim, 1, SIZE_MAX, "dim", error);
    if (status != LIBNORM_OK)
        return status;
    if (t->stride == 0)
        t->stride = t->dim <= (size_t)INT64_MAX ? (int64_t)t->dim : 0;
    size_t step = t->stride < 0 ? (size_t)(-(t->stride + 1)) + 1 : (size_t)t->stride;
    if (!norm__mul(t->tokens, step > t->dim ? step : t->dim, &elements) || elements > PTRDIFF_MAX / sizeof(double))
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "x of %zu rows with a stride of %lld does not fit in memory",
                          t->tokens, (long long)t->stride);
    status = norm__bound_array(t->weights, t->tokens, NORM__ANY, "weights", error);
    if (status == LIBNORM_OK)
        status = norm__bound_pointer(t->x, "x", error);
    if (status == LIBNORM_OK)
        status = aligned(t->x, "x", error);
    if (status == LIBNORM_OK && set)
        status = norm__bound_pointer(t->selected, "selected", error);
    if (status == LIBNORM_OK)
        status = check_entries(t, error);
    t->chosen = 0;
    for (size_t i = 0; status == LIBNORM_OK && set && i < t->tokens; i++)
        t->chosen += t->selected[i] != 0;
    return status;
}

norm_status norm__bound_tokens_result(const double *result, size_t count, const struct norm__tokens *t, bool optional,
                                      const char *name, norm_error *error)
{
    norm_status status = norm__bound_result(result, count, t->weights, t->tokens, optional, name, error);
    if (status != LIBNORM_OK || result == NULL)
        return status;
    const double *first = norm__token(t, t->stride < 0 ? t->tokens - 1 : 0);
    const double *last = norm__token(t, t->stride < 0 ? 0 : t->tokens - 1);
    return norm__bound_result(result, count, first, (size_t)(last - first) + t->dim, optional, name, error);
}
