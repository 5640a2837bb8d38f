/* SPDX-License-Identifier: MIT */
#include "property/specs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A value other than the default, well inside the range. */
static double moved(const norm_key_info *key)
{
    double value = key->flags & LIBNORM_KEY_REQUIRED ? key->low : key->default_value;
    if (key->flags & LIBNORM_KEY_INTEGER)
        return value + 1 <= key->high ? value + 1 : value - 1;
    value = value * 1.3 + 0.2;
    return value < key->high ? value : (key->low + key->high) / 2;
}

static norm_normalizer *parse(const char *text)
{
    norm_error error = {sizeof error, 0, 0, ""};
    norm_normalizer *n = NULL;
    if (norm_normalizer_parse(text, strlen(text), NULL, &n, &error) != LIBNORM_OK) {
        fprintf(stderr, "%s: %s\n", text, error.text);
        exit(EXIT_FAILURE);
    }
    return n;
}

/* Setting number index of normalizer i: 0 the defaults, k + 1 with key k moved. */
static norm_normalizer *make(size_t i, size_t index, char *text)
{
    norm_normalizer_info info = {.struct_size = sizeof info};
    norm_registry_get(i, &info, NULL);
    int length = snprintf(text, 128, "%s", info.name);
    char before = ':';
    for (size_t k = 0; k < info.keys; k++) {
        norm_key_info key = {.struct_size = sizeof key};
        norm_registry_key(i, k, &key, NULL);
        if (index == k + 1)
            length += snprintf(text + length, 128 - (size_t)length, "%c%s=%g", before, key.name, moved(&key));
        else if (key.flags & LIBNORM_KEY_REQUIRED)
            length += snprintf(text + length, 128 - (size_t)length, "%c%s=%g", before, key.name, key.low);
        else
            continue;
        before = ',';
    }
    return parse(text);
}

static size_t settings(size_t i)
{
    norm_normalizer_info info = {.struct_size = sizeof info};
    norm_registry_get(i, &info, NULL);
    return (size_t)info.keys + 1;
}

size_t specs_count(void)
{
    size_t count = 0;
    for (size_t i = 0; i < norm_registry_count(); i++)
        count += settings(i);
    return count;
}

norm_normalizer *specs_get(size_t index, char *text)
{
    for (size_t i = 0; i < norm_registry_count(); i++) {
        if (index < settings(i))
            return make(i, index, text);
        index -= settings(i);
    }
    fprintf(stderr, "no setting %zu\n", index);
    exit(EXIT_FAILURE);
}
