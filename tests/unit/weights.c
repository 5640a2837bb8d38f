/* SPDX-License-Identifier: MIT */
/* Which tensors become which part of a model. */
#include "gpt2/model.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "norm_config.h"
#include "support/support.h"
#include "support/tensors.h"

static norm_status open_with(const struct support_bytes *file, const char *more, uint32_t flags, norm_gpt2 **ret_model,
                             norm_error *error)
{
    char config[512];
    const norm_gpt2_options options = {sizeof options, flags, NULL};
    *error = (norm_error){sizeof *error, 0, 0, ""};
    snprintf(config, sizeof config, "{" SUPPORT_WEIGHTS_CONFIG "%s}", more);
    return norm_gpt2_open_memory(config, strlen(config), file->data, file->size, &options, ret_model, error);
}

static norm_gpt2 *opened(const struct support_bytes *file, const char *more, uint32_t flags)
{
    norm_gpt2 *model = NULL;
    norm_error error;
    ck_assert_msg(open_with(file, more, flags, &model, &error) == LIBNORM_OK, "%s", error.text);
    return model;
}

static void refused(const struct support_weights *what, const char *more, norm_status status, const char *text)
{
    struct support_bytes file = support_weights(what);
    norm_gpt2 *model = NULL;
    norm_error error;
    ck_assert_int_eq(open_with(&file, more, 0, &model, &error), status);
    ck_assert_msg(strstr(error.text, text) != NULL, "'%s', expected '%s'", error.text, text);
    ck_assert_msg(strncmp(error.text, "model.safetensors in memory: ", 29) == 0, "%s", error.text);
    ck_assert_ptr_null(model);
    free(file.data);
}

/* count numbers of the file from *at on. */
static void assert_numbers(const float *data, size_t count, size_t *at)
{
    for (size_t i = 0; i < count; i++, ++*at)
        ck_assert_msg(data[i] == support_weights_number(*at), "number %zu is %g, expected %g", *at, (double)data[i],
                      (double)support_weights_number(*at));
}

static void assert_model(const norm_gpt2 *model)
{
    size_t at = 0;
    assert_numbers(model->wte, 28, &at);
    assert_numbers(model->wpe, 20, &at);
    for (size_t i = 0; i < 2; i++) {
        const struct norm__layer *layer = &model->layers[i];
        assert_numbers(layer->ln_1_weight, 4, &at);
        assert_numbers(layer->ln_1_bias, 4, &at);
        assert_numbers(layer->attn_w, 48, &at);
        assert_numbers(layer->attn_b, 12, &at);
        assert_numbers(layer->proj_w, 16, &at);
        assert_numbers(layer->proj_b, 4, &at);
        assert_numbers(layer->ln_2_weight, 4, &at);
        assert_numbers(layer->ln_2_bias, 4, &at);
        assert_numbers(layer->fc_w, 24, &at);
        assert_numbers(layer->fc_b, 6, &at);
        assert_numbers(layer->out_w, 24, &at);
        assert_numbers(layer->out_b, 4, &at);
    }
    assert_numbers(model->ln_f_weight, 4, &at);
    assert_numbers(model->ln_f_bias, 4, &at);
    if (model->shape.tied)
        ck_assert_ptr_eq(model->lm_head, model->wte);
    else
        assert_numbers(model->lm_head, 28, &at);
    ck_assert_uint_eq(model->shape.parameters, at);
    ck_assert_uint_eq(at, SUPPORT_WEIGHTS_PARAMETERS + (model->shape.tied ? 0 : 28));
}

START_TEST(every_form_of_file_gives_the_same_model)
{
    static const char *const dtypes[] = {"F32", "F16", "BF16", NULL};
    for (int i = 0; i < 2 * 4 * 2 * 2 * 8 * 2; i++) {
        const struct support_weights what = {.prefix = i & 1 ? "transformer." : "",
                                             .dtype = dtypes[i >> 1 & 3],
                                             .lm_head = i >> 3 & 1,
                                             .masks = i >> 4 & 1,
                                             .pad = (size_t)(i >> 5 & 7)};
        struct support_bytes file = support_weights(&what);
        norm_gpt2 *model = opened(&file, "", i >> 8 & 1 ? LIBNORM_GPT2_COPY : 0);
        ck_assert_int_eq(model->shape.tied, !what.lm_head);
        assert_model(model);
        norm_gpt2_free(model);
        free(file.data);
    }
}
END_TEST

START_TEST(aligned_floats_are_used_where_they_lie)
{
    const struct support_weights what = {.prefix = "transformer.", .dtype = "F32"};
    struct support_bytes file = support_weights(&what);
    norm_gpt2 *model = opened(&file, "", 0);
    const unsigned char *at = (const unsigned char *)model->ln_f_bias;
    ck_assert(NORM__BIG_ENDIAN || (at >= file.data && at < file.data + file.size));
    norm_gpt2_free(model);
    free(file.data);
}
END_TEST

START_TEST(a_copy_outlives_the_callers_memory)
{
    const struct support_weights what = {.prefix = "", .dtype = "F32"};
    struct support_bytes file = support_weights(&what);
    norm_gpt2 *model = opened(&file, "", LIBNORM_GPT2_COPY);
    memset(file.data, 0xff, file.size);
    free(file.data);
    assert_model(model);
    norm_gpt2_free(model);
}
END_TEST

START_TEST(every_missing_tensor_is_named)
{
    static const char *const names[] = {"wte.weight",
                                        "wpe.weight",
                                        "ln_f.weight",
                                        "ln_f.bias",
                                        "h.0.ln_1.weight",
                                        "h.1.ln_1.bias",
                                        "h.0.attn.c_attn.weight",
                                        "h.1.attn.c_attn.bias",
                                        "h.0.attn.c_proj.weight",
                                        "h.1.attn.c_proj.bias",
                                        "h.0.ln_2.weight",
                                        "h.1.ln_2.bias",
                                        "h.0.mlp.c_fc.weight",
                                        "h.1.mlp.c_fc.bias",
                                        "h.0.mlp.c_proj.weight",
                                        "h.1.mlp.c_proj.bias"};
    for (size_t i = 0; i < 2 * sizeof names / sizeof names[0]; i++) {
        const char *prefix = i % 2 ? "transformer." : "";
        const struct support_weights what = {.prefix = prefix, .dtype = "F32", .skip = names[i / 2]};
        char text[128];
        snprintf(text, sizeof text, "tensor '%s%s' is missing (config.json says n_layer 2)", prefix, names[i / 2]);
        refused(&what, "", LIBNORM_E_FORMAT, text);
    }
}
END_TEST

START_TEST(a_wrong_shape_names_both)
{
    struct support_weights what = {.prefix = "", .dtype = "F32", .replace = "h.1.attn.c_attn.weight", .by_size = 192};
    what.by = "\"dtype\":\"F32\",\"shape\":[12,4]"; /* (out, in), as other exports have it */
    refused(&what, "", LIBNORM_E_FORMAT, ") has the shape [12, 4]: expected [4, 12], from config.json");
    what.by = "\"dtype\":\"F32\",\"shape\":[48]";
    refused(&what, "", LIBNORM_E_FORMAT, "has the shape [48]: expected [4, 12]");
    what.by = "\"dtype\":\"F32\",\"shape\":[1,4,12]";
    refused(&what, "", LIBNORM_E_FORMAT, "tensor 'h.1.attn.c_attn.weight' (byte ");
    what.replace = "ln_f.bias";
    what.by = "\"dtype\":\"F32\",\"shape\":[]";
    what.by_size = 4;
    refused(&what, "", LIBNORM_E_FORMAT, "has the shape []: expected [4], from config.json");
    what.replace = "wte.weight";
    what.by = "\"dtype\":\"F32\",\"shape\":[8,4]";
    what.by_size = 128;
    refused(&what, "", LIBNORM_E_FORMAT, "tensor 'wte.weight' (byte ");
}
END_TEST

START_TEST(types_that_are_not_read_are_refused_where_they_matter)
{
    struct support_weights what = {.prefix = "", .dtype = "F32", .replace = "h.0.ln_2.bias", .by_size = 4};
    what.by = "\"dtype\":\"I8\",\"shape\":[4]";
    refused(&what, "", LIBNORM_E_UNSUPPORTED, "has the dtype I8: libnorm reads F32, F16 and BF16");
    what.by = "\"dtype\":\"F64\",\"shape\":[4]";
    what.by_size = 32;
    refused(&what, "", LIBNORM_E_UNSUPPORTED, "tensor 'h.0.ln_2.bias' (byte ");
}
END_TEST

/* A file with one more tensor, an empty one, whose name is given in full. */
static struct support_bytes with_extra(const char *prefix, const char *name)
{
    const struct support_weights what = {.prefix = prefix, .dtype = "F16"};
    struct support_bytes plain = support_weights(&what);
    char header[8192];
    size_t length = 0;
    for (size_t i = 8; i-- > 0;)
        length = length << 8 | plain.data[i];
    snprintf(header, sizeof header, "{\"%s\":{\"dtype\":\"I8\",\"shape\":[0],\"data_offsets\":[0,0]},%.*s", name,
             (int)length - 1, (const char *)plain.data + 9);
    struct support_bytes file = support_safetensors(header, plain.data + 8 + length, plain.size - 8 - length);
    free(plain.data);
    return file;
}

static void extra(const char *prefix, const char *name, norm_status status, const char *text)
{
    struct support_bytes file = with_extra(prefix, name);
    norm_gpt2 *model = NULL;
    norm_error error;
    ck_assert_msg(open_with(&file, "", 0, &model, &error) == status, "%s: %s", name, error.text);
    if (status == LIBNORM_OK)
        assert_model(model);
    else
        ck_assert_str_eq(error.text, text);
    norm_gpt2_free(model);
    free(file.data);
}

START_TEST(tensors_of_no_gpt2_are_ignored)
{
    extra("", "score.weight", LIBNORM_OK, NULL);
    extra("transformer.", "score.weight", LIBNORM_OK, NULL);
    extra("transformer.", "transformer.h.0.attn.rotary", LIBNORM_OK, NULL);
    extra("", "h.1.attn.bias", LIBNORM_OK, NULL);
}
END_TEST

START_TEST(names_with_and_without_prefix_do_not_mix)
{
    extra("", "transformer.wte.weight", LIBNORM_E_FORMAT,
          "model.safetensors in memory: tensors 'transformer.wte.weight' and 'ln_f.bias': expected all names with "
          "'transformer.' or all without");
    extra("transformer.", "h.0.ln_1.weight", LIBNORM_E_FORMAT,
          "model.safetensors in memory: tensors 'transformer.ln_f.bias' and 'h.0.ln_1.weight': expected all names with "
          "'transformer.' or all without");
}
END_TEST

START_TEST(more_layers_than_the_configuration_knows_are_refused)
{
    struct support_bytes file = with_extra("", "h.2.ln_1.weight");
    norm_gpt2 *model = NULL;
    norm_error error;
    ck_assert_int_eq(open_with(&file, "", 0, &model, &error), LIBNORM_E_FORMAT);
    ck_assert_ptr_nonnull(strstr(error.text, "tensor 'h.2.ln_1.weight' (byte "));
    ck_assert_ptr_nonnull(strstr(error.text, "): more layers than config.json's n_layer, 2"));
    free(file.data);
}
END_TEST

START_TEST(the_configuration_says_whether_the_output_is_tied)
{
    static const char *const said[] = {"", ", \"tie_word_embeddings\": true", ", \"tie_word_embeddings\": false"};
    for (int lm_head = 0; lm_head < 2; lm_head++)
        for (int i = 0; i < 3; i++) {
            const struct support_weights what = {.prefix = "", .dtype = "F16", .lm_head = lm_head};
            if (i == 2 && !lm_head) {
                refused(&what, said[i], LIBNORM_E_FORMAT, "tensor 'lm_head.weight' is missing");
                continue;
            }
            struct support_bytes file = support_weights(&what);
            norm_gpt2 *model = opened(&file, said[i], 0);
            ck_assert_int_eq(model->shape.tied, i == 0 ? !lm_head : i == 1);
            assert_model(model);
            norm_gpt2_free(model);
            free(file.data);
        }
    const struct support_weights wrong = {.prefix = "",
                                          .dtype = "F16",
                                          .lm_head = 1,
                                          .replace = "lm_head.weight",
                                          .by = "\"dtype\":\"F16\",\"shape\":[4,7]",
                                          .by_size = 56};
    refused(&wrong, said[2], LIBNORM_E_FORMAT, "has the shape [4, 7]: expected [7, 4], from config.json");
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("weights");
    TCase *tests = tcase_create("weights");
    tcase_add_test(tests, every_form_of_file_gives_the_same_model);
    tcase_add_test(tests, aligned_floats_are_used_where_they_lie);
    tcase_add_test(tests, a_copy_outlives_the_callers_memory);
    tcase_add_test(tests, every_missing_tensor_is_named);
    tcase_add_test(tests, a_wrong_shape_names_both);
    tcase_add_test(tests, types_that_are_not_read_are_refused_where_they_matter);
    tcase_add_test(tests, tensors_of_no_gpt2_are_ignored);
    tcase_add_test(tests, names_with_and_without_prefix_do_not_mix);
    tcase_add_test(tests, more_layers_than_the_configuration_knows_are_refused);
    tcase_add_test(tests, the_configuration_says_whether_the_output_is_tied);
    suite_add_tcase(suite, tests);
    return suite;
}
