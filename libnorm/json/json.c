/* SPDX-License-Identifier: MIT */
#include "json/json.h"

#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/number.h"

/* The name whose closing quote is text[end - 1]. Jansson leaves longer ones out of its message, and they are what the
 * reader needs. Escapes are shown as written. */
static norm__quoted name_before(const char *text, size_t end)
{
    size_t start = end - 1;
    while (start > 0) {
        size_t backslashes = 0;
        start--;
        while (text[start] == '"' && backslashes < start && text[start - 1 - backslashes] == '\\')
            backslashes++;
        if (text[start] == '"' && backslashes % 2 == 0)
            break;
    }
    return norm__quote(text + start + 1, end - start - 2);
}

static norm_status out_of_memory(const char *label, size_t size, norm_error *error)
{
    return norm__fail(error, LIBNORM_E_NOMEM, -1, "%s: out of memory while reading %zu bytes of JSON", label, size);
}

/* Jansson does not say so when a value or a string could not be allocated: no text at all, or a complaint about a
 * string, which ends before at, where a string is what it wants. */
static bool lost_string(const json_error_t *problem, const char *text, size_t at)
{
    static const char *const complaints[] = {"string or '}' expected", "invalid token"};
    if (problem->text[0] == '\0')
        return true;
    for (size_t i = 0; i < sizeof complaints / sizeof complaints[0]; i++)
        if (at > 0 && text[at - 1] == '"' && strncmp(problem->text, complaints[i], strlen(complaints[i])) == 0)
            return true;
    return false;
}

static norm_status json_failed(const json_error_t *problem, const char *label, const char *text, size_t size,
                               size_t offset, norm_error *error)
{
    size_t at = problem->position > 0 ? (size_t)problem->position : 0;
    if (at > size)
        at = size;
    const long long where = (long long)(offset + at);
    const enum json_error_code code = json_error_code(problem);
    if (code == json_error_out_of_memory || lost_string(problem, text, at))
        return out_of_memory(label, size, error);
    if (code == json_error_duplicate_key && at >= 2 && text[at - 1] == '"')
        return norm__fail(error, LIBNORM_E_FORMAT, where,
                          "%s: byte %lld (line %d, column %d): the key %s appears twice", label, where, problem->line,
                          problem->column, name_before(text, at).text);
    return norm__fail(error, LIBNORM_E_FORMAT, where, "%s: byte %lld (line %d, column %d): not valid JSON: %s", label,
                      where, problem->line, problem->column, problem->text);
}

norm_status norm__json_object(json_t **ret_object, const char *label, const void *text, size_t size, size_t offset,
                              norm_error *error)
{
    json_error_t problem = {.position = 0}; /* Jansson leaves the code unset where it says nothing */
    if (size == 0)
        return norm__fail(error, LIBNORM_E_FORMAT, (int64_t)offset, "%s: empty: expected a JSON object", label);
    /* Jansson reads numbers by the locale and aborts where the decimal point is more than one byte. */
    struct norm__c_locale locale;
    if (!norm__c_locale_enter(&locale))
        return out_of_memory(label, size, error);
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &problem);
    norm__c_locale_leave(&locale);
    if (root == NULL)
        return json_failed(&problem, label, text, size, offset, error);
    if (!json_is_object(root)) {
        norm_status status = norm__fail(error, LIBNORM_E_FORMAT, (int64_t)offset,
                                        "%s: expected a JSON object, found %s", label, norm__json_found(root).text);
        json_decref(root);
        return status;
    }
    *ret_object = root;
    return LIBNORM_OK;
}

norm__quoted norm__json_found(const json_t *value)
{
    norm__quoted q = {"nothing"};
    if (value == NULL)
        return q;
    switch (json_typeof(value)) {
    case JSON_STRING:
        return norm__quote(json_string_value(value), json_string_length(value));
    case JSON_INTEGER:
        snprintf(q.text, sizeof q.text, "%lld", (long long)json_integer_value(value));
        break;
    case JSON_REAL:
        snprintf(q.text, sizeof q.text, "%s", norm__text_f64(json_real_value(value)).text);
        if (strpbrk(q.text, ".e") == NULL) /* written as a real: shown as one */
            strcat(q.text, ".0");
        break;
    case JSON_OBJECT:
        snprintf(q.text, sizeof q.text, "an object");
        break;
    case JSON_ARRAY:
        snprintf(q.text, sizeof q.text, "an array");
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        snprintf(q.text, sizeof q.text, json_is_true(value) ? "true" : "false");
        break;
    case JSON_NULL:
        snprintf(q.text, sizeof q.text, "null");
        break;
    }
    return q;
}
