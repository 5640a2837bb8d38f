/* SPDX-License-Identifier: MIT */
/* One number a normalizer: how large its Jacobian can get, whatever the scores. */
#include <libnorm/bounds.h>

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "bounds/check.h"
#include "kernels/gradient_bound.h"

enum { MOST_KEYS = 4 };

struct key {
    const char *name;
    double value, low, high; /* value: the default; NaN where there is none */
    bool whole;
};

struct normalizer {
    const char *name;
    norm__gradient_bound *bound;
    struct key keys[MOST_KEYS];
};

#define ALL (-HUGE_VAL), HUGE_VAL, false
#define ABOVE_0 0x1p-1074, HUGE_VAL, false
static const struct normalizer table[] = {
    {.name = "softmax", .bound = norm__gradient_bound_half},
    {.name = "softmax1", .bound = norm__gradient_bound_softmax1},
    {"topk", norm__gradient_bound_topk, {{"k", NAN, 1, 0x1p53, true}, {"renormalize", 1, 0, 1, true}}},
    {.name = "sparsemax", .bound = norm__gradient_bound_sparsemax},
    {"entmax", norm__gradient_bound_entmax, {{"alpha", 1.5, 1, 100, false}}},
    {"normmax", norm__gradient_bound_normmax, {{"gamma", 2, 1 + 0x1p-52, 100, false}}},
    {"ssmax", norm__gradient_bound_ssmax, {{"s", 0.43, ALL}, {"b", 0, ALL}}},
    {"asentmax",
     norm__gradient_bound_asentmax,
     {{"alpha", 1.5, 1, 100, false}, {"delta", 1, ALL}, {"beta", 0.5, ALL}, {"gamma", 1, ALL}}},
    {"sasoftmax", norm__gradient_bound_sasoftmax, {{"variant", 1, 1, 2, true}}},
    {.name = "adaptive", .bound = norm__gradient_bound_adaptive},
    {"sigmoid", norm__gradient_bound_sigmoid, {{"bias", 0, ALL}, {"length", 1, 0, 1, true}}},
    {"relu", norm__gradient_bound_relu, {{"power", 1, ABOVE_0}, {"decay", 1, ALL}}},
    {"lssa", norm__gradient_bound_lssa, {{"scale", 4.1588830833596715, ALL}}}, /* log 64 */
    {"lssar", norm__gradient_bound_lssar, {{"scale", 4.1588830833596715, ALL}, {"p", 3, ABOVE_0}, {"offset", 1, ALL}}},
    {"softpick", norm__gradient_bound_softpick, {{"epsilon", 1e-8, ABOVE_0}}},
    {.name = "softplus", .bound = norm__gradient_bound_half},
    {.name = "elu1", .bound = norm__gradient_bound_half},
    {.name = "square1", .bound = norm__gradient_bound_half},
};

static const struct normalizer *find(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

/* One given key into v or *temperature. */
static norm_status take_key(const struct normalizer *n, const char *name, double value, double *v, double *temperature,
                            norm_error *error)
{
    if (name == NULL)
        return norm__bound_pointer(NULL, "a name in keys", error);
    if (strcmp(name, "temperature") == 0) {
        *temperature = value;
        return norm__bound_number(value, NORM__POSITIVE, "temperature", error);
    }
    for (size_t k = 0; k < MOST_KEYS && n->keys[k].name != NULL; k++) {
        if (strcmp(name, n->keys[k].name) != 0)
            continue;
        v[k] = value;
        const struct key *key = &n->keys[k];
        if (isfinite(value) && value >= key->low && value <= key->high && (!key->whole || value == floor(value)))
            return LIBNORM_OK;
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "%s of %s = %s: expected a %s number, %s to %s", name, n->name,
                          norm__text_f64(value).text, key->whole ? "whole" : "finite", norm__text_f64(key->low).text,
                          norm__text_f64(key->high).text);
    }
    return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "%s has no key %s", n->name, norm__quote(name, strlen(name)).text);
}

norm_status norm_bound_normalizer_gradient(const char *name, const char *const *keys, const double *values,
                                           size_t key_count, size_t tokens, double max_score, double *ret_upper,
                                           norm_error *ret_error)
{
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = norm__bound_pointer(name, "name", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_count(tokens, 1, SIZE_MAX, "tokens", ret_error);
    if (status == LIBNORM_OK && key_count > 0)
        status = norm__bound_pointer(keys, "keys", ret_error);
    if (status == LIBNORM_OK && key_count > 0)
        status = norm__bound_pointer(values, "values", ret_error);
    if (status == LIBNORM_OK && !(max_score >= 0))
        status = norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "max_score = %s: expected >= 0 or +inf",
                            norm__text_f64(max_score).text);
    if (status == LIBNORM_OK)
        status = norm__bound_pointer(ret_upper, "ret_upper", ret_error);
    if (status != LIBNORM_OK)
        return status;
    const struct normalizer *n = find(name);
    if (n == NULL)
        return norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "unknown normalizer %s",
                          norm__quote(name, strlen(name)).text);
    double v[MOST_KEYS], temperature = 1;
    for (size_t k = 0; k < MOST_KEYS; k++)
        v[k] = n->keys[k].value;
    for (size_t k = 0; status == LIBNORM_OK && k < key_count; k++)
        status = take_key(n, keys[k], values[k], v, &temperature, ret_error);
    for (size_t k = 0; status == LIBNORM_OK && k < MOST_KEYS; k++)
        if (n->keys[k].name != NULL && isnan(v[k]))
            status = norm__fail(ret_error, LIBNORM_E_ARGUMENT, -1, "%s needs its key %s", n->name, n->keys[k].name);
    if (status != LIBNORM_OK)
        return status;
    double bound = n->bound(v, (double)tokens, max_score / temperature);
    if (isnan(bound))
        return norm__fail(ret_error, LIBNORM_E_UNSUPPORTED, -1, "no constant is known for the gradient of %s", name);
    *ret_upper = bound / temperature;
    return LIBNORM_OK;
}
