/* SPDX-License-Identifier: MIT */
#include "bench/processor.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first line of a file under /sys about a cache of the first processor; false: there is none. */
static bool read_about(int index, const char *what, char *text, size_t size)
{
    char path[96];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, what);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    const bool fine = fgets(text, (int)size, file) != NULL;
    fclose(file);
    return fine;
}

/* Not through sysconf(): what glibc makes of an AMD processor's answers can be ten times the truth. */
static void read_caches(struct processor *p)
{
    char level[32], size[32], *end;
    for (int index = 0; read_about(index, "level", level, sizeof level); index++) {
        if ((level[0] != '2' && level[0] != '3') || !read_about(index, "size", size, sizeof size))
            continue;
        unsigned long bytes = strtoul(size, &end, 10);
        bytes *= *end == 'K' ? 1024 : *end == 'M' ? 1024 * 1024 : 1;
        *(level[0] == '2' ? &p->level2 : &p->level3) = (size_t)bytes;
    }
}

static void read_name(char *name, size_t size)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (file == NULL)
        return;
    while (fgets(line, sizeof line, file) != NULL) {
        const char *value = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || value == NULL)
            continue;
        value += 1 + strspn(value + 1, " \t");
        snprintf(name, size, "%.*s", (int)strcspn(value, "\n"), value);
        break;
    }
    fclose(file);
}

void processor_describe(struct processor *ret_processor)
{
    *ret_processor = (struct processor){.level2 = 0};
    read_name(ret_processor->name, sizeof ret_processor->name);
    read_caches(ret_processor);
}
