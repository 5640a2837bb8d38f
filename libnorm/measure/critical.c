/* SPDX-License-Identifier: MIT */
/* Search for the smallest N at which two samples can no longer be told apart. */
#include <libnorm/statistics.h>

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/number.h"
#include "base/structs.h"
#include "bounds/check.h"
#include "measure/smirnov.h"

#define FIRST (offsetof(norm_critical, critical) + sizeof(uint64_t))

norm_status norm__level(double level, norm_error *error)
{
    if (level > 0 && level < 1)
        return LIBNORM_OK;
    return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "level = %s: expected a number between 0 and 1",
                      norm__text_f64(level).text);
}

norm_status norm_critical_start(uint64_t low, uint64_t high, double level, int32_t method, norm_critical *ret_search,
                                norm_error *ret_error)
{
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = norm__struct_writable(ret_search, FIRST, "norm_critical", ret_error);
    if (status == LIBNORM_OK && low >= high)
        status = norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "low = %llu: expected less than high = %llu",
                            (unsigned long long)low, (unsigned long long)high);
    if (status == LIBNORM_OK)
        status = norm__level(level, ret_error);
    if (status == LIBNORM_OK && method != LIBNORM_CRITICAL_SCAN && method != LIBNORM_CRITICAL_BISECT)
        status = norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "method = %d: expected LIBNORM_CRITICAL_...",
                            (int)method);
    if (status != LIBNORM_OK)
        return status;
    const norm_critical own = {.struct_size = sizeof own,
                               .method = method,
                               .level = level,
                               .low = low,
                               .high = high,
                               .next = method == LIBNORM_CRITICAL_SCAN ? low + 1 : high};
    norm__struct_write(ret_search, &own, sizeof own);
    return LIBNORM_OK;
}

static norm_status read_search(norm_critical *own, const norm_critical *given, norm_error *error)
{
    if (given == NULL)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "norm_critical is NULL");
    norm_status status = norm__struct_read(own, sizeof *own, given, FIRST, 0, "norm_critical", error);
    if (status == LIBNORM_OK && own->next == 0)
        status = norm__fail(error, LIBNORM_E_ARGUMENT, -1, "norm_critical.next is 0: the search is finished");
    if (status == LIBNORM_OK && (own->next <= own->low || own->next > own->high))
        status = norm__fail(error, LIBNORM_E_ARGUMENT, -1, "norm_critical.next is %llu: expected %llu to %llu",
                            (unsigned long long)own->next, (unsigned long long)own->low + 1,
                            (unsigned long long)own->high);
    return status;
}

/* Where to look after the samples at next were, or were not, told apart. */
static void go_on(norm_critical *s, bool differ)
{
    if (differ) {
        s->low = s->next;
    } else {
        s->critical = s->next;
        s->high = s->next;
    }
    if (s->method == LIBNORM_CRITICAL_SCAN)
        s->next = differ && s->low < s->high ? s->low + 1 : 0;
    else if (s->critical == 0)
        s->next = 0; /* high itself was told apart */
    else
        s->next = s->high - s->low > 1 ? s->low + (s->high - s->low) / 2 : 0;
}

norm_status norm_critical_tell(norm_critical *search, size_t heads, const double *measured, const double *expected,
                               norm_ks *ret_ks, const norm_exec *exec, norm_error *ret_error)
{
    norm_critical own;
    norm_ks ks;
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = read_search(&own, search, ret_error);
    if (status == LIBNORM_OK && ret_ks != NULL)
        status = norm__ks_writable(ret_ks, ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_count(heads, 1, SIZE_MAX, "heads", ret_error);
    if (status == LIBNORM_OK)
        status = norm__ks(heads, measured, "measured", heads, expected, "expected", own.level, &ks, exec, ret_error);
    if (status != LIBNORM_OK)
        return status;
    go_on(&own, ks.rejected != 0);
    norm__struct_write(search, &own, sizeof own);
    if (ret_ks != NULL)
        norm__struct_write(ret_ks, &ks, sizeof ks);
    return LIBNORM_OK;
}
