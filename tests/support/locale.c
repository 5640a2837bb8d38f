/* SPDX-License-Identifier: MIT */
#include "support/locale.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/libnorm-locale-XXXXXX";

static void write_text(const char *name, const char *text)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0)
        abort();
}

/* Defines the locale name in folder; 0 if this system can. The characters come along: no locale data are needed. */
static int define_locale(const char *name, const char *point)
{
    char text[200], command[640], path[160];
    write_text("characters", "<escape_char> /\n<code_set_name> LIBNORM\n<mb_cur_min> 1\n<mb_cur_max> 2\n"
                             "CHARMAP\n<U0000>..<U007F> /x00\n<U066B> /xd9/xab\nEND CHARMAP\n");
    snprintf(text, sizeof text, "LC_NUMERIC\ndecimal_point \"%s\"\nthousands_sep \"\"\ngrouping -1\nEND LC_NUMERIC\n",
             point);
    write_text("source", text);
    snprintf(command, sizeof command, "localedef -c --no-archive -f %s/characters -i %s/source %s/%s >/dev/null 2>&1",
             folder, folder, folder, name);
    (void)!system(command); /* warns about what is not defined: whether it worked shows below */
    snprintf(path, sizeof path, "%s/%s/LC_NUMERIC", folder, name);
    return access(path, R_OK);
}

static pid_t owner; /* the tests run in children, which end through exit as well */

static void remove_folder(void)
{
    if (getpid() != owner)
        return;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    (void)!system(command);
}

void support_locales(void)
{
    if (mkdtemp(folder) == NULL) {
        fputs("skipped: no temporary folder\n", stderr);
        exit(77);
    }
    owner = getpid();
    atexit(remove_folder);
    if (define_locale("comma", ",") != 0 || define_locale("wide", "<U066B>") != 0) {
        fputs("skipped: localedef cannot make a locale with a decimal comma here\n", stderr);
        exit(77);
    }
    setenv("LOCPATH", folder, 1);
}
