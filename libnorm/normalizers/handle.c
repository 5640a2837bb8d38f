/* SPDX-License-Identifier: MIT */
#include "normalizers/handle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "normalizers/kind.h"
#include "normalizers/suggest.h"

norm_normalizer *norm__normalizer_new(const struct norm__kind *kind, const double *values,
                                      const norm_allocator *allocator)
{
    norm_normalizer *handle = norm__alloc(allocator, sizeof *handle);
    if (handle == NULL)
        return NULL;
    memset(handle, 0, sizeof *handle);
    atomic_init(&handle->owners, 1);
    handle->allocator = norm__allocator_or_default(allocator);
    handle->kind = kind;
    memcpy(handle->value, values, kind->n_keys * sizeof *values);
    return handle;
}

norm_normalizer *norm_normalizer_ref(norm_normalizer *n)
{
    if (n != NULL)
        atomic_fetch_add_explicit(&n->owners, 1, memory_order_relaxed);
    return n;
}

void norm_normalizer_free(norm_normalizer *n)
{
    if (n == NULL || atomic_fetch_sub_explicit(&n->owners, 1, memory_order_acq_rel) != 1)
        return;
    if (n->release_own != NULL)
        n->release_own(n);
    norm_normalizer_free(n->parent);
    norm_allocator allocator = n->allocator;
    norm__release(&allocator, n, sizeof *n);
}

int norm__kind_key(const struct norm__kind *kind, const char *name, size_t length)
{
    for (size_t i = 0; i < kind->n_keys; i++)
        if (strlen(kind->keys[i].name) == length && memcmp(kind->keys[i].name, name, length) == 0)
            return (int)i;
    return -1;
}

/* "a whole number >= 1", "a number > 0", "a number >= 1 and <= 100". */
static void describe_range(const struct norm__key *key, char *text, size_t size)
{
    const char *kind = key->flags & LIBNORM_KEY_INTEGER ? "a whole number" : "a number";
    const char *low = key->flags & LIBNORM_KEY_LOW_OPEN ? "> " : ">= ";
    const char *high = key->flags & LIBNORM_KEY_HIGH_OPEN ? "< " : "<= ";
    norm__number a = norm__text_f64(key->low), b = norm__text_f64(key->high);
    if (isinf(key->low) && isinf(key->high))
        snprintf(text, size, "%s", key->flags & LIBNORM_KEY_INTEGER ? "a whole number" : "a finite number");
    else if (isinf(key->high))
        snprintf(text, size, "%s %s%s", kind, low, a.text);
    else if (isinf(key->low))
        snprintf(text, size, "%s %s%s", kind, high, b.text);
    else
        snprintf(text, size, "%s %s%s and %s%s", kind, low, a.text, high, b.text);
}

norm_status norm__kind_check(const struct norm__kind *kind, size_t key, double value, const char *quoted,
                             norm_status status, int64_t where, norm_error *error)
{
    const struct norm__key *k = &kind->keys[key];
    const bool inside = isfinite(value) && (k->flags & LIBNORM_KEY_LOW_OPEN ? value > k->low : value >= k->low) &&
                        (k->flags & LIBNORM_KEY_HIGH_OPEN ? value < k->high : value <= k->high) &&
                        (!(k->flags & LIBNORM_KEY_INTEGER) || value == floor(value));
    if (inside)
        return LIBNORM_OK;
    char range[128];
    describe_range(k, range, sizeof range);
    return norm__fail(error, status, where, "%s: %s is %s: expected %s", kind->name, k->name, quoted, range);
}

norm_status norm_normalizer_with(const norm_normalizer *n, const char *key, double value,
                                 norm_normalizer **ret_normalizer, norm_error *ret_error)
{
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    const char *missing = n == NULL ? "n" : key == NULL ? "key" : ret_normalizer == NULL ? "ret_normalizer" : NULL;
    if (missing != NULL)
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "norm_normalizer_with: %s is NULL", missing);
    const int i = norm__kind_key(n->kind, key, strlen(key));
    if (i < 0)
        return norm__unknown_key(n->kind, key, strlen(key), LIBNORM_E_ARGUMENT, -1, ret_error);
    norm_status status = norm__kind_check(n->kind, (size_t)i, value, norm__text_f64(value).text, LIBNORM_E_ARGUMENT,
                                          -1, ret_error);
    if (status != LIBNORM_OK)
        return status;
    norm_normalizer *copy = norm__normalizer_new(n->kind, n->value, &n->allocator);
    if (copy == NULL)
        return norm__fail(ret_error, LIBNORM_E_NOMEM, -1, "out of memory: a copy of a normalizer");
    copy->value[i] = value + 0.0; /* -0 becomes 0 */
    copy->own = n->own;
    copy->one_thread = n->one_thread;
    if (n->own != NULL) /* The count is not part of the value, so a const handle may gain an owner. */
        copy->parent = norm_normalizer_ref((norm_normalizer *)(uintptr_t)(n->parent != NULL ? n->parent : n));
    *ret_normalizer = copy;
    return LIBNORM_OK;
}

norm_status norm_normalizer_get(const norm_normalizer *n, const char *key, double *ret_value)
{
    if (n == NULL || key == NULL || ret_value == NULL)
        return LIBNORM_E_ARGUMENT;
    const int i = norm__kind_key(n->kind, key, strlen(key));
    if (i < 0)
        return LIBNORM_E_ARGUMENT;
    *ret_value = n->value[i];
    return LIBNORM_OK;
}

uint64_t norm_normalizer_properties(const norm_normalizer *n)
{
    return n == NULL ? 0 : n->kind->properties(n);
}
