/* SPDX-License-Identifier: MIT */
/* Making and freeing normalizers of the caller's own. */
#include "normalizers/own.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/structs.h"
#include "normalizers/blame.h"

/* The first release's sizes, frozen: up to and with the last field. */
#define FAMILY_FIRST (offsetof(norm_family, log_f) + sizeof(void (*)(void)))
#define FUNCTION_FIRST (offsetof(norm_row_function, hvp) + sizeof(void (*)(void)))

#define ALLOWED_PROPERTIES                                                                                             \
    ((uint64_t)(LIBNORM_PROPERTY_SIMPLEX | LIBNORM_PROPERTY_SPARSE | LIBNORM_PROPERTY_USES_N |                         \
                LIBNORM_PROPERTY_SMOOTH | LIBNORM_PROPERTY_SHIFT_INVARIANT | LIBNORM_PROPERTY_SYMMETRIC))

int32_t norm__blame_code(const struct norm__row *row, const char *callback, int32_t code)
{
    if (code != 0)
        *row->blame = (struct norm__blame){.callback = callback};
    return code;
}

int32_t norm__blame_value(const struct norm__row *row, const char *callback, size_t entry, double value,
                          const char *expected)
{
    *row->blame =
        (struct norm__blame){.callback = callback, .expected = expected, .value = value, .entry = entry};
    return -1;
}

static norm_status check_name(const char *call, const char *name, norm_error *error)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    const size_t length = strlen(name), good = strspn(name, letters);
    if (good == length && length >= 1 && length <= NORM__OWN_NAME)
        return LIBNORM_OK;
    return norm__fail(error, LIBNORM_E_ARGUMENT, -1,
                      "%s: name is %s: expected 1 to %d letters, digits, '_' or '-'", call,
                      norm__quote(name, length).text, NORM__OWN_NAME);
}

static norm_status check_common(const char *call, const void *given, const char *given_name, const char *name,
                                const norm_allocator *allocator, norm_normalizer **ret, norm_error *error)
{
    if (!norm__error_usable(error))
        return LIBNORM_E_ARGUMENT;
    if (given == NULL || ret == NULL)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "%s: %s is NULL", call,
                          given == NULL ? given_name : "ret_normalizer");
    if (allocator != NULL && (allocator->alloc == NULL || allocator->release == NULL))
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "%s: allocator lacks alloc or release", call);
    return name == NULL ? LIBNORM_OK : check_name(call, name, error);
}

/* Of the last handle that shares them: the caller's data goes first, then ours. */
static void release_own(norm_normalizer *handle)
{
    struct norm__own *own = (struct norm__own *)(uintptr_t)handle->own;
    const norm_family *f = &own->family;
    const norm_row_function *r = &own->function;
    if (f->release != NULL)
        f->release(f->user);
    if (r->release != NULL)
        r->release(r->user);
    const norm_allocator allocator = handle->allocator;
    norm__release(&allocator, own, sizeof *own);
}

/* Copies *own to the heap and makes a handle of it. */
static norm_status make(const struct norm__own *own, const char *name, uint32_t flags, const norm_allocator *allocator,
                        norm_normalizer **ret, norm_error *error)
{
    struct norm__own *copy = norm__alloc(allocator, sizeof *copy);
    norm_normalizer *handle = copy == NULL ? NULL : norm__normalizer_new(&own->kind, (const double[]){1}, allocator);
    if (handle == NULL) {
        norm__release(allocator, copy, sizeof *copy);
        return norm__fail(error, LIBNORM_E_NOMEM, -1, "out of memory: a normalizer of the caller's own");
    }
    *copy = *own;
    memcpy(copy->name, NORM__OWN_PREFIX, sizeof NORM__OWN_PREFIX);
    strcat(copy->name, name); /* fits: checked */
    copy->kind.name = copy->name;
    handle->kind = &copy->kind;
    handle->own = copy;
    handle->release_own = release_own;
    handle->one_thread = !(flags & LIBNORM_CALLBACK_ANY_THREAD);
    *ret = handle;
    return LIBNORM_OK;
}

norm_status norm_normalizer_from_family(const norm_family *family, const char *name, const norm_allocator *allocator,
                                        norm_normalizer **ret_normalizer, norm_error *ret_error)
{
    norm_status status = check_common(__func__, family, "family", name, allocator, ret_normalizer, ret_error);
    if (status != LIBNORM_OK)
        return status;
    struct norm__own own = {.kind = norm__own_family};
    status = norm__struct_read(&own.family, sizeof own.family, family, FAMILY_FIRST, LIBNORM_CALLBACK_ANY_THREAD,
                               "norm_family", ret_error);
    if (status != LIBNORM_OK)
        return status;
    if (own.family.f == NULL || own.family.df == NULL)
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "%s: norm_family.%s is NULL", __func__,
                          own.family.f == NULL ? "f" : "df");
    if (own.family.d2f == NULL)
        own.kind.hvp = NULL;
    return make(&own, name != NULL ? name : "family", own.family.flags, allocator, ret_normalizer, ret_error);
}

norm_status norm_normalizer_from_row_function(const norm_row_function *function, const char *name,
                                              const norm_allocator *allocator, norm_normalizer **ret_normalizer,
                                              norm_error *ret_error)
{
    norm_status status = check_common(__func__, function, "function", name, allocator, ret_normalizer, ret_error);
    if (status != LIBNORM_OK)
        return status;
    struct norm__own own = {.kind = norm__own_row};
    status = norm__struct_read(&own.function, sizeof own.function, function, FUNCTION_FIRST,
                               LIBNORM_CALLBACK_ANY_THREAD, "norm_row_function", ret_error);
    if (status != LIBNORM_OK)
        return status;
    if (own.function.apply == NULL || own.function.vjp == NULL)
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "%s: norm_row_function.%s is NULL", __func__,
                          own.function.apply == NULL ? "apply" : "vjp");
    if (own.function.properties & ~ALLOWED_PROPERTIES)
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1,
                          "%s: norm_row_function.properties has bits 0x%llx that are unknown or not for it", __func__,
                          (unsigned long long)(own.function.properties & ~ALLOWED_PROPERTIES));
    if (own.function.hvp == NULL)
        own.kind.hvp = NULL;
    return make(&own, name != NULL ? name : "row", own.function.flags, allocator, ret_normalizer, ret_error);
}
