/* SPDX-License-Identifier: MIT */
/* Preloaded by a test: what a plugin or a toolkit does to a process whose user writes a decimal comma. */
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

__attribute__((constructor)) static void switch_locale(void)
{
    char text[8];
    setlocale(LC_ALL, "");
    snprintf(text, sizeof text, "%.1f", 0.5);
    if (strcmp(text, "0,5") != 0)
        _exit(99);
}
