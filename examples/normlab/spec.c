/* SPDX-License-Identifier: MIT */
#include "spec.h"

#include <stdlib.h>
#include <string.h>

#include "say.h"

norm_normalizer *spec_parse(const char *text)
{
    norm_normalizer *normalizer = NULL;
    norm_error error = ERROR_INIT;
    if (norm_normalizer_parse(text, strlen(text), NULL, &normalizer, &error) != LIBNORM_OK)
        say_error(&error);
    return normalizer;
}

char *spec_text(const norm_normalizer *normalizer)
{
    size_t length = 0;
    norm_normalizer_spec(normalizer, NULL, 0, &length);
    char *text = malloc(length + 1);
    if (text == NULL || norm_normalizer_spec(normalizer, text, length + 1, &length) != LIBNORM_OK) {
        say_no_memory();
        free(text);
        return NULL;
    }
    return text;
}

static bool add(struct normalizers *n, const char *text)
{
    norm_normalizer *normalizer = spec_parse(text);
    char *canonical = normalizer != NULL ? spec_text(normalizer) : NULL;
    if (canonical == NULL) {
        norm_normalizer_free(normalizer);
        return false;
    }
    bool repeated = false;
    for (size_t i = 0; i < n->count; i++)
        repeated |= strcmp(n->text[i], canonical) == 0;
    n->item[n->count] = normalizer;
    n->text[n->count++] = canonical;
    if (repeated)
        say("--normalizer %s: this is %s, which was given before", text, canonical);
    return !repeated;
}

bool normalizers_parse(struct normalizers *ret_normalizers, const struct texts *texts)
{
    ret_normalizers->count = 0;
    if (texts->count == 0)
        return add(ret_normalizers, "softmax");
    for (size_t i = 0; i < texts->count; i++)
        if (!add(ret_normalizers, texts->item[i])) {
            normalizers_free(ret_normalizers);
            return false;
        }
    return true;
}

void normalizers_free(struct normalizers *normalizers)
{
    for (size_t i = 0; i < normalizers->count; i++) {
        norm_normalizer_free(normalizers->item[i]);
        free(normalizers->text[i]);
    }
    normalizers->count = 0;
}
