/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "arguments.h"
#include "json.h"
#include "say.h"

static const struct {
    uint64_t bit;
    const char *key, *words;
} properties[] = {
    {LIBNORM_PROPERTY_SIMPLEX, "simplex", "sums to one"},
    {LIBNORM_PROPERTY_SPARSE, "sparse", "sparse"},
    {LIBNORM_PROPERTY_USES_N, "uses_n", "uses n"},
    {LIBNORM_PROPERTY_SMOOTH, "smooth", "smooth"},
    {LIBNORM_PROPERTY_FAMILY, "family", "F/sum F"},
    {LIBNORM_PROPERTY_SHIFT_INVARIANT, "shift_invariant", "ignores shifts"},
    {LIBNORM_PROPERTY_SYMMETRIC, "symmetric", "symmetric Jacobian"},
};
#define PROPERTY_COUNT (sizeof properties / sizeof properties[0])

/* "0 < temperature", "1 <= alpha <= 100". */
static void range_text(struct buffer *out, const norm_key_info *key)
{
    if (isfinite(key->low)) {
        buffer_f64(out, key->low);
        buffer_text(out, key->flags & LIBNORM_KEY_LOW_OPEN ? " < " : " <= ");
    }
    buffer_text(out, key->name);
    if (isfinite(key->high)) {
        buffer_text(out, key->flags & LIBNORM_KEY_HIGH_OPEN ? " < " : " <= ");
        buffer_f64(out, key->high);
    }
    if (!isfinite(key->low) && !isfinite(key->high))
        buffer_text(out, " any finite number");
}

static void key_text(struct buffer *out, const norm_key_info *key)
{
    buffer_text(out, "    ");
    range_text(out, key);
    if (key->flags & LIBNORM_KEY_INTEGER)
        buffer_text(out, ", whole");
    if (key->flags & LIBNORM_KEY_REQUIRED) {
        buffer_text(out, ", required");
    } else {
        buffer_text(out, ", default ");
        buffer_f64(out, key->default_value);
    }
    buffer_format(out, ": %s\n", key->meaning);
}

static void normalizer_text(struct buffer *out, const norm_normalizer_info *info)
{
    const char *separator = "";
    buffer_format(out, "%s\n    w = %s\n    ", info->name, info->formula);
    for (size_t i = 0; i < PROPERTY_COUNT; i++)
        if (info->properties & properties[i].bit) {
            buffer_format(out, "%s%s", separator, properties[i].words);
            separator = ", ";
        }
    buffer_format(out, "%s\n    source: %s\n", separator[0] == '\0' ? "no property" : "", info->source);
}

static void key_json(struct buffer *out, const norm_key_info *key)
{
    buffer_text(out, "{");
    json_key(out, "name");
    json_text(out, key->name);
    json_key(out, "meaning");
    json_text(out, key->meaning);
    json_key(out, "default");
    json_number(out, key->flags & LIBNORM_KEY_REQUIRED ? (double)NAN : key->default_value);
    json_key(out, "low");
    json_number(out, key->low);
    json_key(out, "high");
    json_number(out, key->high);
    json_key(out, "low_open");
    buffer_text(out, key->flags & LIBNORM_KEY_LOW_OPEN ? "true" : "false");
    json_key(out, "high_open");
    buffer_text(out, key->flags & LIBNORM_KEY_HIGH_OPEN ? "true" : "false");
    json_key(out, "integer");
    buffer_text(out, key->flags & LIBNORM_KEY_INTEGER ? "true" : "false");
    json_key(out, "required");
    buffer_text(out, key->flags & LIBNORM_KEY_REQUIRED ? "true" : "false");
    buffer_text(out, "}");
}

static void normalizer_json(struct buffer *out, const norm_normalizer_info *info)
{
    buffer_text(out, "{");
    json_key(out, "name");
    json_text(out, info->name);
    json_key(out, "formula");
    json_text(out, info->formula);
    json_key(out, "source");
    json_text(out, info->source);
    for (size_t i = 0; i < PROPERTY_COUNT; i++) {
        json_key(out, properties[i].key);
        buffer_text(out, info->properties & properties[i].bit ? "true" : "false");
    }
    json_key(out, "keys");
    buffer_text(out, "[");
}

static bool list(struct buffer *out, bool json)
{
    norm_error error = ERROR_INIT;
    size_t count = norm_registry_count();
    buffer_text(out, json ? "[" : "");
    for (size_t i = 0; i < count; i++) {
        norm_normalizer_info info = {.struct_size = sizeof info};
        if (norm_registry_get(i, &info, &error) != LIBNORM_OK)
            return say_error(&error);
        buffer_text(out, json ? (i > 0 ? ",\n" : "\n") : (i > 0 ? "\n" : ""));
        (json ? normalizer_json : normalizer_text)(out, &info);
        for (uint64_t k = 0; k < info.keys; k++) {
            norm_key_info key = {.struct_size = sizeof key};
            if (norm_registry_key(i, (size_t)k, &key, &error) != LIBNORM_OK)
                return say_error(&error);
            buffer_text(out, json && k > 0 ? ", " : "");
            (json ? key_json : key_text)(out, &key);
        }
        buffer_text(out, json ? "]}" : "");
    }
    buffer_text(out, json ? "]\n" : "");
    return true;
}

static int run(const struct command *self, const struct program *program, int argc, char **argv)
{
    bool json = false;
    const struct option options[] = {{"--json", OPTION_FLAG, &json, 0, 0}};
    struct arguments a = {options, 1, {{0}, 0}, 0, 0, ""};
    struct buffer out = {0};
    int code;
    (void)program;
    if (!arguments_read(&a, self, argc, argv, &code))
        return code;
    bool fine = list(&out, json) && buffer_print(&out);
    buffer_free(&out);
    return fine ? EXIT_FINE : EXIT_FAILED;
}

const struct command command_list = {
    "list",
    "[--json]",
    "every normalizer, its keys, ranges and properties",
    "Prints every normalizer: name, formula of the weights (z is the score divided by the temperature, n the number\n"
    "of visible entries), properties with all keys at their defaults, source, and its keys with range and default.\n"
    "A normalizer is written as a name, or name:key=value,key=value.\n\n"
    "  --json  a list of objects; a bound that does not exist is null\n",
    run,
};
