/* SPDX-License-Identifier: MIT */
#include "gpt2/config.h"

#include <stdio.h>
#include <string.h>

#include "support/support.h"

#define SIZES "\"vocab_size\": 65, \"n_positions\": 128, \"n_embd\": 48, \"n_layer\": 3, \"n_head\": 4"

static norm_status read_text(const char *text, struct norm__config *config, norm_error *error)
{
    *error = (norm_error){sizeof *error, 0, 0, ""};
    return norm__config_read(config, "'config.json'", text, strlen(text), error);
}

/* The five sizes and what a case adds. */
static norm_status read_with(const char *more, struct norm__config *config, norm_error *error)
{
    char text[1024];
    snprintf(text, sizeof text, "{" SIZES "%s%s}", *more != '\0' ? ", " : "", more);
    return read_text(text, config, error);
}

static struct norm__config accepted(const char *more)
{
    struct norm__config config;
    norm_error error;
    ck_assert_msg(read_with(more, &config, &error) == LIBNORM_OK, "%s: %s", more, error.text);
    return config;
}

static void refused(const char *more, norm_status status, const char *text)
{
    struct norm__config config, before;
    norm_error error;
    memset(&config, 0x55, sizeof config);
    before = config;
    ck_assert_int_eq(read_with(more, &config, &error), status);
    ck_assert_int_eq(error.status, status);
    ck_assert_str_eq(error.text, text);
    ck_assert_mem_eq(&config, &before, sizeof config);
}

START_TEST(what_is_not_said_has_the_usual_default)
{
    const struct norm__config c = accepted("");
    ck_assert_uint_eq(c.shape.vocab_size, 65);
    ck_assert_uint_eq(c.shape.n_positions, 128);
    ck_assert_uint_eq(c.shape.n_embd, 48);
    ck_assert_uint_eq(c.shape.n_layer, 3);
    ck_assert_uint_eq(c.shape.n_head, 4);
    ck_assert_uint_eq(c.shape.n_inner, 192);
    ck_assert_double_eq(c.shape.layer_norm_epsilon, 1e-5);
    ck_assert_int_eq(c.shape.activation, LIBNORM_GPT2_GELU_TANH);
    ck_assert_int_eq(c.shape.scale_attn_weights, 1);
    ck_assert_int_eq(c.shape.scale_attn_by_inverse_layer_idx, 0);
    ck_assert_int_eq(c.shape.bos_token_id, -1);
    ck_assert_int_eq(c.shape.eos_token_id, -1);
    ck_assert_int_eq(c.tie, NORM__TIE_UNSAID);
}
END_TEST

START_TEST(inner_width_never_comes_from_n_ctx)
{
    ck_assert_uint_eq(accepted("\"n_ctx\": 7").shape.n_inner, 192);
    ck_assert_uint_eq(accepted("\"n_ctx\": 7, \"n_inner\": null").shape.n_inner, 192);
    ck_assert_uint_eq(accepted("\"n_inner\": 100").shape.n_inner, 100);
    ck_assert_uint_eq(accepted("\"n_ctx\": \"anything\"").shape.n_positions, 128);
}
END_TEST

START_TEST(activations_are_told_apart_and_others_named)
{
    ck_assert_int_eq(accepted("\"activation_function\": \"gelu_new\"").shape.activation, LIBNORM_GPT2_GELU_TANH);
    ck_assert_int_eq(accepted("\"activation_function\": \"gelu_pytorch_tanh\"").shape.activation,
                     LIBNORM_GPT2_GELU_TANH);
    ck_assert_int_eq(accepted("\"activation_function\": \"gelu\"").shape.activation, LIBNORM_GPT2_GELU_ERF);
    refused("\"activation_function\": \"relu\"", LIBNORM_E_UNSUPPORTED,
            "'config.json': activation_function is 'relu': libnorm supports 'gelu_new', 'gelu_pytorch_tanh' and "
            "'gelu'");
    refused("\"activation_function\": \"quick_gelu\\n\"", LIBNORM_E_UNSUPPORTED,
            "'config.json': activation_function is 'quick_gelu\\x0a': libnorm supports 'gelu_new', "
            "'gelu_pytorch_tanh' and 'gelu'");
    refused("\"activation_function\": null", LIBNORM_E_UNSUPPORTED,
            "'config.json': activation_function is null: libnorm supports 'gelu_new', 'gelu_pytorch_tanh' and 'gelu'");
}
END_TEST

START_TEST(attention_scales_are_honoured)
{
    ck_assert_int_eq(accepted("\"scale_attn_weights\": false").shape.scale_attn_weights, 0);
    ck_assert_int_eq(accepted("\"scale_attn_weights\": true").shape.scale_attn_weights, 1);
    ck_assert_int_eq(accepted("\"scale_attn_by_inverse_layer_idx\": true").shape.scale_attn_by_inverse_layer_idx, 1);
    accepted("\"reorder_and_upcast_attn\": true");
    refused("\"scale_attn_weights\": 1", LIBNORM_E_FORMAT,
            "'config.json': scale_attn_weights is 1: expected true or false");
    refused("\"reorder_and_upcast_attn\": \"no\"", LIBNORM_E_FORMAT,
            "'config.json': reorder_and_upcast_attn is 'no': expected true or false");
}
END_TEST

START_TEST(epsilon_is_read_in_full)
{
    ck_assert_double_eq(accepted("\"layer_norm_epsilon\": 1e-3").shape.layer_norm_epsilon, 1e-3);
    ck_assert_double_eq(accepted("\"layer_norm_epsilon\": 1E-05").shape.layer_norm_epsilon, 1e-5);
    ck_assert_double_eq(accepted("\"layer_norm_epsilon\": 0.000012345678901234567").shape.layer_norm_epsilon,
                        0.000012345678901234567);
    refused("\"layer_norm_epsilon\": 0", LIBNORM_E_FORMAT,
            "'config.json': layer_norm_epsilon is 0: expected a number above 0 and below 1");
    refused("\"layer_norm_epsilon\": 1", LIBNORM_E_FORMAT,
            "'config.json': layer_norm_epsilon is 1: expected a number above 0 and below 1");
    refused("\"layer_norm_epsilon\": -1e-5", LIBNORM_E_FORMAT,
            "'config.json': layer_norm_epsilon is -1e-05: expected a number above 0 and below 1");
    refused("\"layer_norm_epsilon\": null", LIBNORM_E_FORMAT,
            "'config.json': layer_norm_epsilon is null: expected a number above 0 and below 1");
    refused("\"layer_norm_epsilon\": \"1e-5\"", LIBNORM_E_FORMAT,
            "'config.json': layer_norm_epsilon is '1e-5': expected a number above 0 and below 1");
}
END_TEST

START_TEST(sizes_are_whole_numbers_within_reason)
{
    static const struct {
        const char *json, *text;
    } bad[] = {
        {"0", "'config.json': n_inner is 0: expected an integer from 1 to 16777216"},
        {"-4", "'config.json': n_inner is -4: expected an integer from 1 to 16777216"},
        {"192.0", "'config.json': n_inner is 192.0: expected an integer from 1 to 16777216"},
        {"1e2", "'config.json': n_inner is 100.0: expected an integer from 1 to 16777216"},
        {"\"192\"", "'config.json': n_inner is '192': expected an integer from 1 to 16777216"},
        {"true", "'config.json': n_inner is true: expected an integer from 1 to 16777216"},
        {"[192]", "'config.json': n_inner is an array: expected an integer from 1 to 16777216"},
        {"{}", "'config.json': n_inner is an object: expected an integer from 1 to 16777216"},
        {"16777217", "'config.json': n_inner is 16777217: expected an integer from 1 to 16777216"},
        {"9223372036854775807",
         "'config.json': n_inner is 9223372036854775807: expected an integer from 1 to 16777216"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char more[64];
        snprintf(more, sizeof more, "\"n_inner\": %s", bad[i].json);
        refused(more, LIBNORM_E_FORMAT, bad[i].text);
    }
    ck_assert_uint_eq(accepted("\"n_inner\": 16777216").shape.n_inner, 16777216);
}
END_TEST

START_TEST(each_size_must_be_there_and_is_named)
{
    static const char *const keys[] = {"vocab_size", "n_positions", "n_embd", "n_layer", "n_head"};
    static const char *const limits[] = {"2147483647", "16777216", "16777216", "65536", "16777216"};
    for (size_t missing = 0; missing < 5; missing++) {
        char text[256] = "{\"model_type\": \"gpt2\"", expected[256];
        struct norm__config config;
        norm_error error;
        for (size_t i = 0; i < 5; i++)
            if (i != missing)
                snprintf(text + strlen(text), sizeof text - strlen(text), ", \"%s\": 12", keys[i]);
        strcat(text, "}");
        snprintf(expected, sizeof expected, "'config.json': %s is missing: expected an integer from 1 to %s",
                 keys[missing], limits[missing]);
        ck_assert_int_eq(read_text(text, &config, &error), LIBNORM_E_FORMAT);
        ck_assert_str_eq(error.text, expected);
    }
}
END_TEST

START_TEST(heads_divide_the_width)
{
    struct norm__config config;
    norm_error error;
    ck_assert_int_eq(read_text("{\"vocab_size\": 1, \"n_positions\": 1, \"n_embd\": 48, \"n_layer\": 1, \"n_head\": 5}",
                               &config, &error),
                     LIBNORM_E_FORMAT);
    ck_assert_str_eq(error.text, "'config.json': n_embd is 48: expected a multiple of n_head, 5");
}
END_TEST

START_TEST(other_models_are_refused_by_name)
{
    accepted("\"model_type\": \"gpt2\", \"add_cross_attention\": false, \"is_encoder_decoder\": false, "
             "\"quantization_config\": null, \"pruned_heads\": {}");
    refused("\"model_type\": \"llama\"", LIBNORM_E_UNSUPPORTED,
            "'config.json': model_type is 'llama': libnorm supports 'gpt2'");
    refused("\"add_cross_attention\": true", LIBNORM_E_UNSUPPORTED,
            "'config.json': add_cross_attention is true: libnorm supports false");
    refused("\"is_encoder_decoder\": true", LIBNORM_E_UNSUPPORTED,
            "'config.json': is_encoder_decoder is true: libnorm supports false");
    refused("\"quantization_config\": {\"bits\": 4}", LIBNORM_E_UNSUPPORTED,
            "'config.json': quantization_config is an object: libnorm supports weights in F32, F16 and BF16 only");
    refused("\"pruned_heads\": {\"0\": [1]}", LIBNORM_E_UNSUPPORTED,
            "'config.json': pruned_heads is an object: libnorm supports models with all their heads");
}
END_TEST

START_TEST(ties_and_tokens)
{
    ck_assert_int_eq(accepted("\"tie_word_embeddings\": true").tie, 1);
    ck_assert_int_eq(accepted("\"tie_word_embeddings\": false").tie, 0);
    const struct norm__config c = accepted("\"bos_token_id\": 50256, \"eos_token_id\": [7, 8]");
    ck_assert_int_eq(c.shape.bos_token_id, 50256); /* above vocab_size, as small models' files have it */
    ck_assert_int_eq(c.shape.eos_token_id, 7);
    ck_assert_int_eq(accepted("\"eos_token_id\": null").shape.eos_token_id, -1);
    ck_assert_int_eq(accepted("\"eos_token_id\": -5").shape.eos_token_id, -1);
    refused("\"eos_token_id\": 2147483648", LIBNORM_E_FORMAT,
            "'config.json': eos_token_id is 2147483648: expected a token id or null");
    refused("\"bos_token_id\": 1.5", LIBNORM_E_FORMAT,
            "'config.json': bos_token_id is 1.5: expected a token id or null");
}
END_TEST

START_TEST(malformed_json_is_reported_with_its_place)
{
    static const struct {
        const char *text, *message;
        int64_t where;
    } bad[] = {
        {"", "'config.json': empty: expected a JSON object", 0},
        {"[]", "'config.json': expected a JSON object, found an array", 0},
        {"{\n\"n_embd\": }", "'config.json': byte 13 (line 2, column 11): not valid JSON: unexpected token near '}'",
         13},
        {"{\"a\": 1", "'config.json': byte 7 (line 1, column 7): not valid JSON: '}' expected near end of file", 7},
        {"{} {}", "'config.json': byte 4 (line 1, column 4): not valid JSON: end of file expected near '{'", 4},
        {"{\"n_embd\": 99999999999999999999}",
         "'config.json': byte 31 (line 1, column 31): not valid JSON: too big integer near '99999999999999999999'", 31},
        {"{\"n_embd\": 48,\n \"n_embd\": 64}",
         "'config.json': byte 24 (line 2, column 9): the key 'n_embd' appears twice", 24},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct norm__config config;
        norm_error error;
        ck_assert_int_eq(read_text(bad[i].text, &config, &error), LIBNORM_E_FORMAT);
        ck_assert_str_eq(error.text, bad[i].message);
        ck_assert_int_eq(error.where, bad[i].where);
    }
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("config");
    TCase *tests = tcase_create("config");
    tcase_add_test(tests, what_is_not_said_has_the_usual_default);
    tcase_add_test(tests, inner_width_never_comes_from_n_ctx);
    tcase_add_test(tests, activations_are_told_apart_and_others_named);
    tcase_add_test(tests, attention_scales_are_honoured);
    tcase_add_test(tests, epsilon_is_read_in_full);
    tcase_add_test(tests, sizes_are_whole_numbers_within_reason);
    tcase_add_test(tests, each_size_must_be_there_and_is_named);
    tcase_add_test(tests, heads_divide_the_width);
    tcase_add_test(tests, other_models_are_refused_by_name);
    tcase_add_test(tests, ties_and_tokens);
    tcase_add_test(tests, malformed_json_is_reported_with_its_place);
    suite_add_tcase(suite, tests);
    return suite;
}
