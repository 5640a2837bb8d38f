/* SPDX-License-Identifier: MIT */
/* The text form of a normalizer: "name" or "name:key=value,key=value". */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "normalizers/own.h"
#include "normalizers/registry.h"
#include "normalizers/suggest.h"

struct parser {
    const char *text;
    size_t length, at;
    const struct norm__kind *kind;
    double value[NORM__KEYS_MOST];
    bool given[NORM__KEYS_MOST];
    norm_error *error;
};

/* Moves at to the next byte that is one of stops, or to the end; returns where the word began. */
static size_t word(struct parser *p, const char *stops)
{
    const size_t start = p->at;
    while (p->at < p->length && strchr(stops, p->text[p->at]) == NULL)
        p->at++;
    return start;
}

/* Blanks, control bytes, NUL and what is not ASCII are never part of a spec; found first, they get one message. */
static norm_status check_bytes(struct parser *p)
{
    for (size_t i = 0; i < p->length; i++) {
        const unsigned char c = (unsigned char)p->text[i];
        if (c > 0x20u && c < 0x7Fu)
            continue;
        return norm__fail(p->error, LIBNORM_E_SPEC, (int64_t)i,
                          "%s: %s at byte %zu: expected name or name:key=value,key=value without blanks",
                          norm__quote(p->text, p->length).text,
                          c == ' ' || (c >= 0x09u && c <= 0x0Du) ? "a blank" : "a byte that is not printable ASCII", i);
    }
    return LIBNORM_OK;
}

static norm_status read_name(struct parser *p)
{
    const size_t prefix = sizeof NORM__OWN_PREFIX - 1;
    const size_t start = word(p, ":");
    const size_t length = p->at - start;
    if (p->length == 0)
        return norm__fail(p->error, LIBNORM_E_SPEC, 0,
                          "the normalizer is empty: expected a name such as softmax or softmax:temperature=0.5");
    for (size_t i = 0; i < norm__registry_count; i++) {
        if (strlen(norm__registry[i]->name) == length && memcmp(norm__registry[i]->name, p->text, length) == 0) {
            p->kind = norm__registry[i];
            return LIBNORM_OK;
        }
    }
    if (length >= prefix && memcmp(p->text, NORM__OWN_PREFIX, prefix) == 0)
        return norm__fail(p->error, LIBNORM_E_SPEC, 0,
                          "%s is a normalizer of a program's own: a text cannot make it, expected a built-in name",
                          norm__quote(p->text, length).text);
    return norm__unknown_name(p->text, length, LIBNORM_E_SPEC, 0, p->error);
}

static norm_status read_value(struct parser *p, size_t key)
{
    const size_t start = word(p, ",");
    const norm__quoted quoted = norm__quote(p->text + start, p->at - start);
    double value = NAN;
    if (!norm__read_f64(p->text + start, p->at - start, &value))
        value = NAN; /* refused below, with what is allowed */
    norm_status status =
        norm__kind_check(p->kind, key, value, quoted.text, LIBNORM_E_SPEC, (int64_t)start, p->error);
    if (status != LIBNORM_OK)
        return status;
    p->value[key] = value + 0.0; /* -0 becomes 0 */
    p->given[key] = true;
    return LIBNORM_OK;
}

/* One key=value, from at. */
static norm_status read_key(struct parser *p)
{
    const char before = p->text[p->at - 1];
    const size_t start = word(p, "=,");
    const char *name = p->text + start;
    const size_t length = p->at - start;
    if (length == 0)
        return norm__fail(p->error, LIBNORM_E_SPEC, (int64_t)start, "%s: expected key=value after '%c' at byte %zu",
                          norm__quote(p->text, p->length).text, before, start - 1);
    const int key = norm__kind_key(p->kind, name, length);
    if (key < 0)
        return norm__unknown_key(p->kind, name, length, LIBNORM_E_SPEC, (int64_t)start, p->error);
    if (p->given[key])
        return norm__fail(p->error, LIBNORM_E_SPEC, (int64_t)start, "%s: key %s is given twice: expected it once",
                          p->kind->name, norm__quote(name, length).text);
    if (p->at == p->length || p->text[p->at] != '=')
        return norm__fail(p->error, LIBNORM_E_SPEC, (int64_t)p->at, "%s: key %s has no value: expected %s=number",
                          p->kind->name, norm__quote(name, length).text, p->kind->keys[key].name);
    p->at++;
    return read_value(p, (size_t)key);
}

static norm_status fill_defaults(struct parser *p)
{
    for (size_t i = 0; i < p->kind->n_keys; i++) {
        if (p->given[i])
            continue;
        if (p->kind->keys[i].flags & LIBNORM_KEY_REQUIRED)
            return norm__fail(p->error, LIBNORM_E_SPEC, (int64_t)p->length,
                              "%s: key '%s' is missing: expected %s:%s=...",
                              p->kind->name, p->kind->keys[i].name, p->kind->name, p->kind->keys[i].name);
        p->value[i] = p->kind->keys[i].default_value;
    }
    return LIBNORM_OK;
}

static norm_status parse(struct parser *p)
{
    norm_status status = check_bytes(p);
    if (status == LIBNORM_OK)
        status = read_name(p);
    while (status == LIBNORM_OK && p->at < p->length) {
        p->at++; /* over ':' or ',' */
        status = read_key(p);
    }
    return status == LIBNORM_OK ? fill_defaults(p) : status;
}

norm_status norm_normalizer_parse(const char *spec, size_t length, const norm_allocator *allocator,
                                  norm_normalizer **ret_normalizer, norm_error *ret_error)
{
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    if (ret_normalizer == NULL || (spec == NULL && length != 0))
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "norm_normalizer_parse: %s is NULL",
                          ret_normalizer == NULL ? "ret_normalizer" : "spec");
    if (allocator != NULL && (allocator->alloc == NULL || allocator->release == NULL))
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "norm_normalizer_parse: allocator lacks alloc or release");
    struct parser p = {.text = spec, .length = length, .error = ret_error};
    norm_status status = parse(&p);
    if (status != LIBNORM_OK)
        return status;
    norm_normalizer *handle = norm__normalizer_new(p.kind, p.value, allocator);
    if (handle == NULL)
        return norm__fail(ret_error, LIBNORM_E_NOMEM, -1, "out of memory: a normalizer of %zu bytes", sizeof *handle);
    *ret_normalizer = handle;
    return LIBNORM_OK;
}

/* Appends as much of a word as fits, leaving room for the NUL; counts all of it. */
static void append(char *buffer, size_t size, size_t *length, const char *text)
{
    for (; *text != '\0'; text++, (*length)++)
        if (*length + 1 < size)
            buffer[*length] = *text;
}

norm_status norm_normalizer_spec(const norm_normalizer *n, char *buffer, size_t size, size_t *ret_length)
{
    if (n == NULL || (buffer == NULL && size != 0))
        return LIBNORM_E_ARGUMENT;
    size_t length = 0;
    append(buffer, size, &length, n->kind->name);
    for (size_t i = 0; i < n->kind->n_keys; i++) {
        append(buffer, size, &length, i == 0 ? ":" : ",");
        append(buffer, size, &length, n->kind->keys[i].name);
        append(buffer, size, &length, "=");
        append(buffer, size, &length, norm__text_f64(n->value[i]).text);
    }
    if (size != 0)
        buffer[length < size ? length : size - 1] = '\0';
    if (ret_length != NULL)
        *ret_length = length;
    return length < size ? LIBNORM_OK : LIBNORM_E_ARGUMENT;
}
