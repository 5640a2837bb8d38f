/* SPDX-License-Identifier: MIT */
/* Locales that do not write 0.5: localedef makes them, since no machine can be relied on to have one. */
#ifndef SUPPORT_LOCALE_H
#define SUPPORT_LOCALE_H

/* Makes the locales "comma" and "wide", whose decimal point is two bytes; they are there for setlocale until the
 * process ends. Where that cannot be done: one line, exit code 77. Call it once. */
void support_locales(void);

#endif
