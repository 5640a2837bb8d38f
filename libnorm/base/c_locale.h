/* SPDX-License-Identifier: MIT */
/* For calls into libraries that read or write numbers by the thread's locale. */
#ifndef NORM_BASE_C_LOCALE_H
#define NORM_BASE_C_LOCALE_H

#include <locale.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif
#include <stdbool.h>

struct norm__c_locale {
    locale_t own, before;
};

/* From here to the leave this thread, and no other, is in the C locale. false: out of memory, nothing to leave. */
bool norm__c_locale_enter(struct norm__c_locale *state);
void norm__c_locale_leave(struct norm__c_locale *state);

#endif
