/* SPDX-License-Identifier: MIT */
#include "gpt2/config.h"

#include <stdio.h>
#include <string.h>

#include "json/json.h"

/* Far above any model, and low enough that no product of two sizes wraps and that all fit a BLAS's 32-bit lengths. */
#define MAX_SIZE (1 << 24)
#define MAX_LAYERS (1 << 16)

struct source {
    const char *label;
    const json_t *root;
    norm_error *error;
};

static norm_status wrong(const struct source *s, const char *key, const char *expected)
{
    const json_t *value = json_object_get(s->root, key);
    if (value == NULL)
        return norm__fail(s->error, LIBNORM_E_FORMAT, -1, "%s: %s is missing: expected %s", s->label, key, expected);
    return norm__fail(s->error, LIBNORM_E_FORMAT, -1, "%s: %s is %s: expected %s", s->label, key,
                      norm__json_found(value).text, expected);
}

static norm_status unsupported(const struct source *s, const char *key, const char *supported)
{
    return norm__fail(s->error, LIBNORM_E_UNSUPPORTED, -1, "%s: %s is %s: libnorm supports %s", s->label, key,
                      norm__json_found(json_object_get(s->root, key)).text, supported);
}

static norm_status read_size(const struct source *s, const char *key, int64_t high, uint64_t *ret_size)
{
    const json_t *value = json_object_get(s->root, key);
    char expected[64];
    snprintf(expected, sizeof expected, "an integer from 1 to %lld", (long long)high);
    if (!json_is_integer(value) || json_integer_value(value) < 1 || json_integer_value(value) > high)
        return wrong(s, key, expected);
    *ret_size = (uint64_t)json_integer_value(value);
    return LIBNORM_OK;
}

static norm_status read_flag(const struct source *s, const char *key, int absent, int *ret_flag)
{
    const json_t *value = json_object_get(s->root, key);
    if (value != NULL && !json_is_boolean(value))
        return wrong(s, key, "true or false");
    *ret_flag = value != NULL ? json_is_true(value) : absent;
    return LIBNORM_OK;
}

static norm_status read_sizes(const struct source *s, norm_gpt2_shape *shape)
{
    const struct {
        const char *key;
        int64_t high;
        uint64_t *size;
    } sizes[] = {{"vocab_size", INT32_MAX, &shape->vocab_size},
                 {"n_positions", MAX_SIZE, &shape->n_positions},
                 {"n_embd", MAX_SIZE, &shape->n_embd},
                 {"n_layer", MAX_LAYERS, &shape->n_layer},
                 {"n_head", MAX_SIZE, &shape->n_head}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        norm_status status = read_size(s, sizes[i].key, sizes[i].high, sizes[i].size);
        if (status != LIBNORM_OK)
            return status;
    }
    if (shape->n_embd % shape->n_head != 0)
        return norm__fail(s->error, LIBNORM_E_FORMAT, -1, "%s: n_embd is %llu: expected a multiple of n_head, %llu",
                          s->label, (unsigned long long)shape->n_embd, (unsigned long long)shape->n_head);
    const json_t *inner = json_object_get(s->root, "n_inner");
    if (inner != NULL && !json_is_null(inner))
        return read_size(s, "n_inner", MAX_SIZE, &shape->n_inner);
    shape->n_inner = 4 * shape->n_embd;
    return LIBNORM_OK;
}

static norm_status read_activation(const struct source *s, norm_gpt2_shape *shape)
{
    const json_t *value = json_object_get(s->root, "activation_function");
    shape->activation = LIBNORM_GPT2_GELU_TANH;
    if (value == NULL)
        return LIBNORM_OK;
    const char *name = json_string_value(value);
    if (name != NULL && strcmp(name, "gelu") == 0)
        shape->activation = LIBNORM_GPT2_GELU_ERF;
    else if (name == NULL || (strcmp(name, "gelu_new") != 0 && strcmp(name, "gelu_pytorch_tanh") != 0))
        return unsupported(s, "activation_function", "'gelu_new', 'gelu_pytorch_tanh' and 'gelu'");
    return LIBNORM_OK;
}

static norm_status read_epsilon(const struct source *s, norm_gpt2_shape *shape)
{
    const json_t *value = json_object_get(s->root, "layer_norm_epsilon");
    shape->layer_norm_epsilon = 1e-5;
    if (value == NULL)
        return LIBNORM_OK;
    const double epsilon = json_number_value(value); /* 0 for what is not a number */
    if (!(epsilon > 0 && epsilon < 1))
        return wrong(s, "layer_norm_epsilon", "a number above 0 and below 1");
    shape->layer_norm_epsilon = epsilon;
    return LIBNORM_OK;
}

/* An id, the first of a list of ids, or -1 for null, a negative one, or none at all. */
static norm_status read_token(const struct source *s, const char *key, int32_t *ret_id)
{
    const json_t *value = json_object_get(s->root, key);
    *ret_id = -1;
    if (json_is_array(value) && json_array_size(value) > 0)
        value = json_array_get(value, 0);
    if (value == NULL || json_is_null(value))
        return LIBNORM_OK;
    if (!json_is_integer(value) || json_integer_value(value) > INT32_MAX)
        return wrong(s, key, "a token id or null");
    if (json_integer_value(value) >= 0)
        *ret_id = (int32_t)json_integer_value(value);
    return LIBNORM_OK;
}

/* What would make this another model than the one we compute. */
static norm_status refuse_others(const struct source *s)
{
    static const char *const switches[] = {"add_cross_attention", "is_encoder_decoder"};
    const json_t *type = json_object_get(s->root, "model_type");
    if (type != NULL && (!json_is_string(type) || strcmp(json_string_value(type), "gpt2") != 0))
        return unsupported(s, "model_type", "'gpt2'");
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++) {
        int on;
        norm_status status = read_flag(s, switches[i], 0, &on);
        if (status != LIBNORM_OK)
            return status;
        if (on)
            return unsupported(s, switches[i], "false");
    }
    const json_t *quantization = json_object_get(s->root, "quantization_config");
    if (quantization != NULL && !json_is_null(quantization))
        return unsupported(s, "quantization_config", "weights in F32, F16 and BF16 only");
    const json_t *pruned = json_object_get(s->root, "pruned_heads");
    if (pruned != NULL && !json_is_null(pruned) && !(json_is_object(pruned) && json_object_size(pruned) == 0))
        return unsupported(s, "pruned_heads", "models with all their heads");
    return LIBNORM_OK;
}

static norm_status read_all(const struct source *s, struct norm__config *config)
{
    norm_gpt2_shape *shape = &config->shape;
    int upcast; /* rounding of half-precision scores only: nothing to do in float32 */
    norm_status status = refuse_others(s);
    if (status == LIBNORM_OK)
        status = read_sizes(s, shape);
    if (status == LIBNORM_OK)
        status = read_activation(s, shape);
    if (status == LIBNORM_OK)
        status = read_epsilon(s, shape);
    if (status == LIBNORM_OK)
        status = read_flag(s, "scale_attn_weights", 1, &shape->scale_attn_weights);
    if (status == LIBNORM_OK)
        status = read_flag(s, "scale_attn_by_inverse_layer_idx", 0, &shape->scale_attn_by_inverse_layer_idx);
    if (status == LIBNORM_OK)
        status = read_flag(s, "reorder_and_upcast_attn", 0, &upcast);
    if (status == LIBNORM_OK)
        status = read_flag(s, "tie_word_embeddings", NORM__TIE_UNSAID, &config->tie);
    if (status == LIBNORM_OK)
        status = read_token(s, "bos_token_id", &shape->bos_token_id);
    if (status == LIBNORM_OK)
        status = read_token(s, "eos_token_id", &shape->eos_token_id);
    return status;
}

norm_status norm__config_read(struct norm__config *ret_config, const char *label, const void *text, size_t size,
                              norm_error *error)
{
    json_t *root = NULL;
    norm_status status = norm__json_object(&root, label, text, size, 0, error);
    if (status != LIBNORM_OK)
        return status;
    struct norm__config config = {{sizeof config.shape, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1}, 0};
    const struct source s = {label, root, error};
    status = read_all(&s, &config);
    json_decref(root);
    if (status == LIBNORM_OK)
        *ret_config = config;
    return status;
}
