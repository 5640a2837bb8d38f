/* SPDX-License-Identifier: MIT */
/* The N largest weights, lower index first among equals, without sorting and without memory. */
#include <libnorm/bounds.h>

#include <string.h>

#include "base/error.h"
#include "bounds/check.h"

/* A number whose order as an integer is that of the double. Adding 0 makes -0 and 0 equal. */
static uint64_t order(double w)
{
    uint64_t bits;
    w += 0.0;
    memcpy(&bits, &w, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static size_t count_from(const double *w, size_t count, uint64_t key)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += order(w[i]) >= key;
    return found;
}

norm_status norm_bound_select_top(size_t tokens, const double *weights, size_t selected, uint8_t *ret_selected,
                                  norm_error *ret_error)
{
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = norm__bound_count(tokens, 1, SIZE_MAX, "tokens", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_count(selected, 0, tokens, "selected", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_array(weights, tokens, NORM__ANY, "weights", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_pointer(ret_selected, "ret_selected", ret_error);
    if (status != LIBNORM_OK)
        return status;
    /* The largest key that at least `selected` weights reach, bit by bit. */
    uint64_t key = 0;
    for (int bit = 63; bit >= 0; bit--)
        if (count_from(weights, tokens, key | UINT64_C(1) << bit) >= selected)
            key |= UINT64_C(1) << bit;
    size_t above = key == UINT64_MAX ? 0 : count_from(weights, tokens, key + 1), ties = selected - above;
    for (size_t i = 0; i < tokens; i++) {
        uint64_t own = order(weights[i]);
        ret_selected[i] = own > key || (own == key && ties > 0);
        ties -= own == key && ties > 0;
    }
    return LIBNORM_OK;
}
