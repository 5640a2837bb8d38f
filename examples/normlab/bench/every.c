/* SPDX-License-Identifier: MIT */
#include "bench/every.h"

#include <stdio.h>

#include "say.h"

#define REQUIRED "8"

/* The name, with the keys that must be given. */
static bool describe(size_t index, char *text, size_t size)
{
    norm_normalizer_info about = {.struct_size = sizeof about};
    norm_error error = ERROR_INIT;
    if (norm_registry_get(index, &about, &error) != LIBNORM_OK)
        return say_error(&error);
    int length = snprintf(text, size, "%s", about.name);
    char before = ':';
    for (size_t i = 0; i < about.keys && length >= 0 && (size_t)length < size; i++) {
        norm_key_info key = {.struct_size = sizeof key};
        if (norm_registry_key(index, i, &key, &error) != LIBNORM_OK)
            return say_error(&error);
        if ((key.flags & LIBNORM_KEY_REQUIRED) == 0)
            continue;
        length += snprintf(text + length, size - (size_t)length, "%c%s=" REQUIRED, before, key.name);
        before = ',';
    }
    return true;
}

bool every_normalizer(struct normalizers *ret_normalizers)
{
    char text[TEXTS_MAX][128];
    struct texts texts = {.count = 0};
    const size_t count = norm_registry_count();
    for (size_t i = 0; i < count && i < TEXTS_MAX; i++) {
        if (!describe(i, text[i], sizeof text[i]))
            return false;
        texts.item[texts.count++] = text[i];
    }
    return normalizers_parse(ret_normalizers, &texts);
}
