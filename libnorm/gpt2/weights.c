/* SPDX-License-Identifier: MIT */
/* Which tensors a GPT-2 has, under which names and in which shapes. Names that are not among them are ignored, the mask
 * buffers of older files (h.N.attn.bias, h.N.attn.masked_bias) with them, whatever their type. */
#include "gpt2/weights.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "gpt2/widen.h"
#include "norm_config.h"

#define PREFIX "transformer."

enum { NONE, EMBD, EMBD_3, INNER };

static const struct part {
    const char *name;
    uint8_t rows, cols; /* rows NONE: a vector */
    size_t slot;
} parts[] = {
    {"ln_1.weight", NONE, EMBD, offsetof(struct norm__layer, ln_1_weight)},
    {"ln_1.bias", NONE, EMBD, offsetof(struct norm__layer, ln_1_bias)},
    {"attn.c_attn.weight", EMBD, EMBD_3, offsetof(struct norm__layer, attn_w)},
    {"attn.c_attn.bias", NONE, EMBD_3, offsetof(struct norm__layer, attn_b)},
    {"attn.c_proj.weight", EMBD, EMBD, offsetof(struct norm__layer, proj_w)},
    {"attn.c_proj.bias", NONE, EMBD, offsetof(struct norm__layer, proj_b)},
    {"ln_2.weight", NONE, EMBD, offsetof(struct norm__layer, ln_2_weight)},
    {"ln_2.bias", NONE, EMBD, offsetof(struct norm__layer, ln_2_bias)},
    {"mlp.c_fc.weight", EMBD, INNER, offsetof(struct norm__layer, fc_w)},
    {"mlp.c_fc.bias", NONE, INNER, offsetof(struct norm__layer, fc_b)},
    {"mlp.c_proj.weight", INNER, EMBD, offsetof(struct norm__layer, out_w)},
    {"mlp.c_proj.bias", NONE, EMBD, offsetof(struct norm__layer, out_b)},
};

/* Two walks over the same tensors: the first checks and adds up, the second fills. */
struct walk {
    norm_gpt2 *model;
    const struct norm__safetensors *st;
    const char *prefix;
    norm_error *error;
    bool in_place, fill, any_in_place;
    uint64_t parameters;
    size_t used; /* bytes of model->owned */
};

static bool lies_well(const struct walk *w, const struct norm__tensor *t)
{
    return w->in_place && !NORM__BIG_ENDIAN && t->dtype == NORM__F32 && (uintptr_t)t->data % sizeof(float) == 0;
}

static norm_status check(const struct walk *w, const char *name, const struct norm__tensor *t, const size_t *dims,
                         size_t rank)
{
    char expected[64];
    const norm__quoted quoted = norm__quote(name, strlen(name));
    if (rank == 1)
        snprintf(expected, sizeof expected, "[%zu]", dims[0]);
    else
        snprintf(expected, sizeof expected, "[%zu, %zu]", dims[0], dims[1]);
    if (!norm__tensor_is(t, dims, rank))
        return norm__fail(w->error, LIBNORM_E_FORMAT, (int64_t)t->offset,
                          "%s: tensor %s (byte %zu) has the shape %s: expected %s, from config.json", w->st->label,
                          quoted.text, t->offset, norm__tensor_shape_text(t).text, expected);
    if (t->dtype == NORM__OTHER)
        return norm__fail(w->error, LIBNORM_E_UNSUPPORTED, (int64_t)t->offset,
                          "%s: tensor %s (byte %zu) has the dtype %s: libnorm reads F32, F16 and BF16", w->st->label,
                          quoted.text, t->offset, norm__tensor_dtype_text(t).text);
    return LIBNORM_OK;
}

/* Takes one tensor: dims holds rank sizes. */
static norm_status take(struct walk *w, const char *name, const size_t *dims, size_t rank, const float **ret_slot)
{
    struct norm__tensor t;
    if (!norm__safetensors_find(w->st, name, &t))
        return norm__fail(w->error, LIBNORM_E_FORMAT, -1, "%s: tensor %s is missing (config.json says n_layer %llu)",
                          w->st->label, norm__quote(name, strlen(name)).text,
                          (unsigned long long)w->model->shape.n_layer);
    if (!w->fill) {
        norm_status status = check(w, name, &t, dims, rank);
        if (status != LIBNORM_OK)
            return status;
        w->parameters += t.elements;
    }
    if (lies_well(w, &t)) {
        w->any_in_place = true;
        *ret_slot = (const float *)(const void *)t.data;
        return LIBNORM_OK;
    }
    size_t bytes, used;
    if (!norm__mul(t.elements, sizeof(float), &bytes) || !norm__add(w->used, norm__piece(bytes), &used))
        return norm__fail(w->error, LIBNORM_E_NOMEM, -1, "%s: the weights as float32 do not fit the address space",
                          w->st->label);
    if (w->fill) {
        float *out = (float *)(void *)((unsigned char *)w->model->owned + w->used);
        norm__widen(out, t.data, t.dtype, t.elements);
        *ret_slot = out;
    }
    w->used = used;
    return LIBNORM_OK;
}

static norm_status take_layer(struct walk *w, size_t layer, struct norm__layer *ret_layer)
{
    const norm_gpt2_shape *shape = &w->model->shape;
    const size_t sizes[] = {0, (size_t)shape->n_embd, 3 * (size_t)shape->n_embd, (size_t)shape->n_inner};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        char name[64];
        const float *data = NULL;
        const bool vector = parts[i].rows == NONE;
        const size_t dims[2] = {sizes[vector ? parts[i].cols : parts[i].rows], sizes[parts[i].cols]};
        snprintf(name, sizeof name, "%sh.%zu.%s", w->prefix, layer, parts[i].name);
        norm_status status = take(w, name, dims, vector ? 1 : 2, &data);
        if (status != LIBNORM_OK)
            return status;
        memcpy((unsigned char *)ret_layer + parts[i].slot, &data, sizeof data);
    }
    return LIBNORM_OK;
}

static norm_status take_all(struct walk *w)
{
    norm_gpt2 *model = w->model;
    const size_t embd = (size_t)model->shape.n_embd;
    const size_t vocab[] = {(size_t)model->shape.vocab_size, embd},
                 positions[] = {(size_t)model->shape.n_positions, embd};
    const struct {
        const char *name;
        const size_t *dims;
        size_t rank;
        const float **slot;
    } outside[] = {{"wte.weight", vocab, 2, &model->wte},
                   {"wpe.weight", positions, 2, &model->wpe},
                   {"ln_f.weight", &embd, 1, &model->ln_f_weight},
                   {"ln_f.bias", &embd, 1, &model->ln_f_bias}};
    char name[64];
    norm_status status = LIBNORM_OK;
    w->used = 0;
    for (size_t i = 0; i < sizeof outside / sizeof outside[0] && status == LIBNORM_OK; i++) {
        snprintf(name, sizeof name, "%s%s", w->prefix, outside[i].name);
        status = take(w, name, outside[i].dims, outside[i].rank, outside[i].slot);
    }
    for (size_t i = 0; i < model->shape.n_layer && status == LIBNORM_OK; i++) {
        struct norm__layer unused;
        status = take_layer(w, i, w->fill ? &model->layers[i] : &unused);
    }
    if (status == LIBNORM_OK && !model->shape.tied)
        status = take(w, "lm_head.weight", vocab, 2, &model->lm_head);
    else if (status == LIBNORM_OK)
        model->lm_head = model->wte;
    return status;
}

static bool starts(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/* Names with "transformer." or without: either, not both. And no more layers than the configuration knows. */
static norm_status choose_prefix(struct walk *w)
{
    const char *key, *bare = NULL, *prefixed = NULL;
    const json_t *value;
    char next[64];
    struct norm__tensor t;
    json_object_foreach(w->st->header, key, value)
    {
        if (starts(key, PREFIX))
            prefixed = key;
        else if (starts(key, "wte.") || starts(key, "wpe.") || starts(key, "ln_f.") || starts(key, "h."))
            bare = key;
    }
    if (bare != NULL && prefixed != NULL)
        return norm__fail(w->error, LIBNORM_E_FORMAT, -1,
                          "%s: tensors %s and %s: expected all names with '" PREFIX "' or all without", w->st->label,
                          norm__quote(prefixed, strlen(prefixed)).text, norm__quote(bare, strlen(bare)).text);
    w->prefix = prefixed != NULL ? PREFIX : "";
    snprintf(next, sizeof next, "%sh.%zu.ln_1.weight", w->prefix, (size_t)w->model->shape.n_layer);
    if (norm__safetensors_find(w->st, next, &t))
        return norm__fail(w->error, LIBNORM_E_FORMAT, (int64_t)t.offset,
                          "%s: tensor '%s' (byte %zu): more layers than config.json's n_layer, %zu", w->st->label, next,
                          t.offset, (size_t)w->model->shape.n_layer);
    return LIBNORM_OK;
}

norm_status norm__weights_bind(norm_gpt2 *model, const struct norm__safetensors *st, int tie, bool in_place,
                               bool *ret_in_place, norm_error *error)
{
    struct walk w = {model, st, "", error, in_place, false, false, 0, 0};
    struct norm__tensor head;
    model->shape.tied = tie != NORM__TIE_UNSAID ? tie : !norm__safetensors_find(st, "lm_head.weight", &head);
    norm_status status = choose_prefix(&w);
    if (status == LIBNORM_OK)
        status = take_all(&w);
    if (status != LIBNORM_OK)
        return status;
    model->shape.parameters = w.parameters;
    model->layers = norm__alloc_array(&model->allocator, (size_t)model->shape.n_layer, sizeof *model->layers);
    if (w.used > 0) {
        model->owned = norm__alloc(&model->allocator, w.used);
        model->owned_size = w.used;
    }
    if (model->layers == NULL || (w.used > 0 && model->owned == NULL))
        return norm__fail(error, LIBNORM_E_NOMEM, -1, "%s: out of memory: %zu bytes of weights as float32", st->label,
                          w.used);
    w.fill = true;
    status = take_all(&w);
    *ret_in_place = w.any_in_place;
    return status;
}

void norm__weights_release(norm_gpt2 *model)
{
    norm__release(&model->allocator, model->owned, model->owned_size);
    norm__release(&model->allocator, model->layers, (size_t)model->shape.n_layer * sizeof *model->layers);
}
