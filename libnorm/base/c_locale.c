/* SPDX-License-Identifier: MIT */
#include "base/c_locale.h"

bool norm__c_locale_enter(struct norm__c_locale *state)
{
    state->own = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (state->own == (locale_t)0)
        return false;
    state->before = uselocale(state->own);
    return true;
}

void norm__c_locale_leave(struct norm__c_locale *state)
{
    uselocale(state->before);
    freelocale(state->own);
}
