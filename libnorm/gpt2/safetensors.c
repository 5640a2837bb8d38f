/* SPDX-License-Identifier: MIT */
/* The rules, as the format's text and its reference reader have them:
 * - 8 bytes, little-endian: length N of the header; N <= 100,000,000 and N + 8 <= size of the file;
 * - the header is one JSON object that begins with '{' and may end in blanks; no key twice;
 * - "__metadata__" maps strings to strings; every other key is a tensor {dtype, shape, data_offsets};
 * - in the order of their offsets the first tensor begins at 0, each begins where the last one ended, the last one ends
 *   with the file: no holes, no overlaps, nothing behind;
 * - a tensor's length is the product of its shape times the size of its type. Dimensions of 0 and rank 0 are legal.
 * A type we do not know has no known length, so a file that holds one is refused. */
#include "gpt2/safetensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "json/json.h"

#define MAX_HEADER ((size_t)100000000)

static const struct dtype {
    char name[12];
    uint8_t bits;
    uint8_t kind;
} dtypes[] = {{"F32", 32, NORM__F32},         {"F16", 16, NORM__F16},      {"BF16", 16, NORM__BF16},
              {"BOOL", 8, NORM__OTHER},       {"U8", 8, NORM__OTHER},      {"I8", 8, NORM__OTHER},
              {"I16", 16, NORM__OTHER},       {"U16", 16, NORM__OTHER},    {"I32", 32, NORM__OTHER},
              {"U32", 32, NORM__OTHER},       {"I64", 64, NORM__OTHER},    {"U64", 64, NORM__OTHER},
              {"F64", 64, NORM__OTHER},       {"C64", 64, NORM__OTHER},    {"F8_E4M3", 8, NORM__OTHER},
              {"F8_E5M2", 8, NORM__OTHER},    {"F8_E8M0", 8, NORM__OTHER}, {"F8_E4M3FNUZ", 8, NORM__OTHER},
              {"F4", 4, NORM__OTHER},         {"F6_E2M3", 6, NORM__OTHER}, {"F6_E3M2", 6, NORM__OTHER},
              {"F8_E5M2FNUZ", 8, NORM__OTHER}};

static const struct dtype *dtype_of(const json_t *entry)
{
    const char *name = json_string_value(json_object_get(entry, "dtype"));
    for (size_t i = 0; name != NULL && i < sizeof dtypes / sizeof dtypes[0]; i++)
        if (strcmp(name, dtypes[i].name) == 0)
            return &dtypes[i];
    return NULL;
}

/* A non-negative JSON integer that fits; "2.0" and "1e3" are reals, and numbers from 2^63 on never pass the parser. */
static bool read_size(const json_t *value, size_t *ret_size)
{
    if (!json_is_integer(value) || json_integer_value(value) < 0 ||
        (unsigned long long)json_integer_value(value) > SIZE_MAX)
        return false;
    *ret_size = (size_t)json_integer_value(value);
    return true;
}

struct span {
    const char *name;
    size_t begin, end;
};

/* What a message about one tensor needs. */
struct place {
    const struct norm__safetensors *st;
    const char *name;
    norm_error *error;
};

static norm_status wrong(const struct place *p, const char *what, const json_t *found, const char *expected)
{
    return norm__fail(p->error, LIBNORM_E_FORMAT, -1, "%s: tensor %s: %s is %s: expected %s", p->st->label,
                      norm__quote(p->name, strlen(p->name)).text, what, norm__json_found(found).text, expected);
}

/* Product of the shape times the type's bits, in elements and bytes; checked. */
static norm_status measure(const struct place *p, const json_t *entry, size_t *ret_elements, size_t *ret_bytes)
{
    const json_t *shape = json_object_get(entry, "shape"), *type = json_object_get(entry, "dtype");
    const struct dtype *dtype = dtype_of(entry);
    size_t elements = 1, bits = 0;
    if (!json_is_string(type))
        return wrong(p, "dtype", type, "a string");
    if (dtype == NULL)
        return norm__fail(p->error, LIBNORM_E_UNSUPPORTED, -1, "%s: tensor %s: unknown dtype %s", p->st->label,
                          norm__quote(p->name, strlen(p->name)).text, norm__json_found(type).text);
    if (!json_is_array(shape))
        return wrong(p, "shape", shape, "an array of integers");
    bool fits = true;
    for (size_t i = 0; i < json_array_size(shape); i++) {
        size_t dim;
        if (!read_size(json_array_get(shape, i), &dim))
            return wrong(p, "a dimension", json_array_get(shape, i), "an integer from 0 to 2^63 - 1");
        fits = norm__mul(elements, dim, &elements) && fits;
    }
    if (!fits || !norm__mul(elements, dtype->bits, &bits))
        return norm__fail(p->error, LIBNORM_E_FORMAT, -1,
                          "%s: tensor %s: its shape times %u bits does not fit an address", p->st->label,
                          norm__quote(p->name, strlen(p->name)).text, (unsigned)dtype->bits);
    if (bits % 8 != 0)
        return norm__fail(p->error, LIBNORM_E_FORMAT, -1, "%s: tensor %s: %zu bits are not whole bytes", p->st->label,
                          norm__quote(p->name, strlen(p->name)).text, bits);
    *ret_elements = elements;
    *ret_bytes = bits / 8;
    return LIBNORM_OK;
}

static norm_status check_tensor(const struct place *p, const json_t *entry, struct span *ret_span)
{
    const struct norm__safetensors *st = p->st;
    size_t elements = 0, bytes = 0, begin = 0, end = 0;
    if (!json_is_object(entry))
        return wrong(p, "its entry", entry, "an object with dtype, shape and data_offsets");
    norm_status status = measure(p, entry, &elements, &bytes);
    if (status != LIBNORM_OK)
        return status;
    const json_t *offsets = json_object_get(entry, "data_offsets");
    if (!json_is_array(offsets) || json_array_size(offsets) != 2)
        return wrong(p, "data_offsets", offsets, "an array of two integers");
    for (size_t i = 0; i < 2; i++)
        if (!read_size(json_array_get(offsets, i), i == 0 ? &begin : &end))
            return wrong(p, "a data offset", json_array_get(offsets, i), "an integer from 0 to 2^63 - 1");
    const norm__quoted name = norm__quote(p->name, strlen(p->name));
    if (end < begin)
        return norm__fail(p->error, LIBNORM_E_FORMAT, -1, "%s: tensor %s: data_offsets [%zu, %zu] run backwards",
                          st->label, name.text, begin, end);
    if (end - begin != bytes)
        return norm__fail(p->error, LIBNORM_E_FORMAT, -1,
                          "%s: tensor %s: data_offsets [%zu, %zu] hold %zu bytes: its shape and dtype need %zu",
                          st->label, name.text, begin, end, end - begin, bytes);
    if (end > st->data_size)
        return norm__fail(
            p->error, LIBNORM_E_FORMAT, (int64_t)(st->data_offset + st->data_size),
            "%s: tensor %s: data_offsets [%zu, %zu] reach beyond the %zu bytes of data: is the file cut off?",
            st->label, name.text, begin, end, st->data_size);
    *ret_span = (struct span){p->name, begin, end};
    return LIBNORM_OK;
}

static int by_offset(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end;
}

static norm_status check_cover(const struct norm__safetensors *st, struct span *spans, size_t count, norm_error *error)
{
    size_t at = 0;
    if (count > 0)
        qsort(spans, count, sizeof *spans, by_offset);
    for (size_t i = 0; i < count; i++) {
        if (spans[i].begin != at)
            return norm__fail(error, LIBNORM_E_FORMAT, (int64_t)(st->data_offset + spans[i].begin),
                              "%s: tensor %s begins at offset %zu of the data: expected %zu, where %s ends (%s)",
                              st->label, norm__quote(spans[i].name, strlen(spans[i].name)).text, spans[i].begin, at,
                              i == 0 ? "the header" : norm__quote(spans[i - 1].name, strlen(spans[i - 1].name)).text,
                              spans[i].begin > at ? "a hole" : "an overlap");
        at = spans[i].end;
    }
    if (at != st->data_size)
        return norm__fail(error, LIBNORM_E_FORMAT, (int64_t)(st->data_offset + at),
                          "%s: %zu bytes after the last tensor, which ends at offset %zu of the data: expected none",
                          st->label, st->data_size - at, at);
    return LIBNORM_OK;
}

static norm_status check_metadata(const struct norm__safetensors *st, const json_t *metadata, norm_error *error)
{
    const char *key;
    const json_t *value;
    if (!json_is_object(metadata))
        return norm__fail(error, LIBNORM_E_FORMAT, -1, "%s: __metadata__ is %s: expected an object of strings",
                          st->label, norm__json_found(metadata).text);
    json_object_foreach((json_t *)(uintptr_t)metadata, key, value) if (!json_is_string(value)) return norm__fail(
        error, LIBNORM_E_FORMAT, -1, "%s: __metadata__ %s is %s: expected a string", st->label,
        norm__quote(key, strlen(key)).text, norm__json_found(value).text);
    return LIBNORM_OK;
}

static norm_status check_header(const struct norm__safetensors *st, const norm_allocator *allocator, norm_error *error)
{
    const size_t room = json_object_size(st->header);
    struct span *spans = norm__alloc_array(allocator, room, sizeof *spans);
    if (spans == NULL)
        return norm__fail(error, LIBNORM_E_NOMEM, -1, "%s: out of memory: %zu entries of its header", st->label, room);
    size_t count = 0;
    norm_status status = LIBNORM_OK;
    const char *key;
    const json_t *value;
    json_object_foreach(st->header, key, value)
    {
        const struct place place = {st, key, error};
        if (strcmp(key, "__metadata__") == 0)
            status = check_metadata(st, value, error);
        else
            status = check_tensor(&place, value, &spans[count++]);
        if (status != LIBNORM_OK)
            break;
    }
    if (status == LIBNORM_OK)
        status = check_cover(st, spans, count, error);
    norm__release(allocator, spans, room * sizeof *spans);
    return status;
}

norm_status norm__safetensors_open(struct norm__safetensors *st, const char *label, const unsigned char *file,
                                   size_t size, const norm_allocator *allocator, norm_error *error)
{
    uint64_t length = 0;
    if (size < 8)
        return norm__fail(error, LIBNORM_E_FORMAT, (int64_t)size,
                          "%s: %zu bytes: expected at least the 8 of a safetensors length", label, size);
    for (size_t i = 8; i-- > 0;)
        length = length << 8 | file[i];
    if (length > MAX_HEADER)
        return norm__fail(error, LIBNORM_E_FORMAT, 0,
                          "%s: header of %llu bytes: expected at most %zu (is it safetensors?)", label,
                          (unsigned long long)length, MAX_HEADER);
    if (length > size - 8)
        return norm__fail(error, LIBNORM_E_FORMAT, 0,
                          "%s: header of %llu bytes: the file ends %zu bytes after the length", label,
                          (unsigned long long)length, size - 8);
    if (length == 0 || file[8] != '{')
        return norm__fail(error, LIBNORM_E_FORMAT, 8, "%s: byte 8: expected the '{' of a header", label);
    *st = (struct norm__safetensors){label, NULL, file + 8 + length, 8 + (size_t)length, size - 8 - (size_t)length};
    norm_status status = norm__json_object(&st->header, label, file + 8, (size_t)length, 8, error);
    if (status != LIBNORM_OK)
        return status;
    status = check_header(st, allocator, error);
    if (status != LIBNORM_OK)
        norm__safetensors_close(st);
    return status;
}

void norm__safetensors_close(struct norm__safetensors *st)
{
    json_decref(st->header);
    st->header = NULL;
}

int norm__safetensors_find(const struct norm__safetensors *st, const char *name, struct norm__tensor *ret_tensor)
{
    const json_t *entry = strcmp(name, "__metadata__") == 0 ? NULL : json_object_get(st->header, name);
    if (entry == NULL)
        return 0;
    const struct dtype *dtype = dtype_of(entry);
    const json_t *offsets = json_object_get(entry, "data_offsets");
    const size_t begin = (size_t)json_integer_value(json_array_get(offsets, 0));
    const size_t end = (size_t)json_integer_value(json_array_get(offsets, 1));
    const size_t width = dtype->bits / 8u; /* 0 for types narrower than a byte, which are none of ours */
    *ret_tensor = (struct norm__tensor){st->data + begin, st->data_offset + begin,
                                        width > 0 ? (end - begin) / width : 0, dtype->kind, entry};
    return 1;
}

int norm__tensor_is(const struct norm__tensor *tensor, const size_t *dims, size_t rank)
{
    const json_t *shape = json_object_get(tensor->entry, "shape");
    if (json_array_size(shape) != rank)
        return 0;
    for (size_t i = 0; i < rank; i++)
        if ((unsigned long long)json_integer_value(json_array_get(shape, i)) != dims[i])
            return 0;
    return 1;
}

norm__quoted norm__tensor_shape_text(const struct norm__tensor *tensor)
{
    const json_t *shape = json_object_get(tensor->entry, "shape");
    norm__quoted q = {"["};
    size_t used = 1;
    for (size_t i = 0; i < json_array_size(shape); i++) {
        if (used > sizeof q.text - 32) {
            used += (size_t)snprintf(q.text + used, sizeof q.text - used, ", ...");
            break;
        }
        used += (size_t)snprintf(q.text + used, sizeof q.text - used, "%s%lld", i > 0 ? ", " : "",
                                 (long long)json_integer_value(json_array_get(shape, i)));
    }
    snprintf(q.text + used, sizeof q.text - used, "]");
    return q;
}

norm__quoted norm__tensor_dtype_text(const struct norm__tensor *tensor)
{
    norm__quoted q;
    snprintf(q.text, sizeof q.text, "%s", json_string_value(json_object_get(tensor->entry, "dtype")));
    return q;
}
