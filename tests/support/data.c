/* SPDX-License-Identifier: MIT */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *in_folder(const char *variable, const char *relative)
{
    static char path[4096];
    const char *folder = getenv(variable);
    if (folder == NULL || snprintf(path, sizeof path, "%s/%s", folder, relative) >= (int)sizeof path) {
        fprintf(stderr, "%s is not set: run through meson test\n", variable);
        exit(EXIT_FAILURE);
    }
    return path;
}

const char *support_data(const char *relative)
{
    const char *path = in_folder("LIBNORM_TEST_DATA", relative);
    if (access(path, R_OK) != 0) {
        fprintf(stderr, "skipped: test data %s is not here\n", relative);
        exit(77);
    }
    return path;
}

const char *support_source(const char *relative)
{
    return in_folder("LIBNORM_TEST_SOURCE", relative);
}

char *support_read(const char *path, size_t *ret_size)
{
    FILE *file = fopen(path, "rb");
    long size = -1;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0)
        size = ftell(file);
    char *data = size >= 0 ? malloc((size_t)size + 1) : NULL;
    if (data == NULL || fseek(file, 0, SEEK_SET) != 0 || fread(data, 1, (size_t)size, file) != (size_t)size) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(EXIT_FAILURE);
    }
    fclose(file);
    data[size] = '\0';
    *ret_size = (size_t)size;
    return data;
}
