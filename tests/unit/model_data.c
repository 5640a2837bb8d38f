/* SPDX-License-Identifier: MIT */
#include <libnorm/norm.h>

#include "support/support.h"

static norm_gpt2_shape open_shape(const char *relative, uint32_t flags)
{
    norm_error error = {sizeof error, 0, 0, ""};
    const norm_gpt2_options options = {sizeof options, flags, NULL};
    norm_gpt2_shape shape = {.struct_size = sizeof shape};
    norm_gpt2 *model = NULL;
    ck_assert_msg(norm_gpt2_open(support_data(relative), &options, &model, &error) == LIBNORM_OK, "%s", error.text);
    ck_assert_int_eq(norm_gpt2_get_shape(model, &shape, &error), LIBNORM_OK);
    norm_gpt2_free(model);
    return shape;
}

START_TEST(the_data_models_have_the_size_they_are_said_to_have)
{
    static const struct {
        const char *name;
        uint64_t layers, heads, embd, positions, vocab, parameters;
        int32_t tied, eos;
    } known[] = {{"gpt-nano-sort", 3, 3, 48, 11, 3, 85728, 0, -1},
                 {"gpt-nano-shakespeare", 3, 3, 48, 128, 65, 97296, 0, -1},
                 {"gpt2-tiny", 8, 4, 256, 1024, 4096, 7629312, 1, 4095}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        for (uint32_t flags = 0; flags <= LIBNORM_GPT2_COPY; flags++) {
            const norm_gpt2_shape shape = open_shape(known[i].name, flags);
            ck_assert_uint_eq(shape.n_layer, known[i].layers);
            ck_assert_uint_eq(shape.n_head, known[i].heads);
            ck_assert_uint_eq(shape.n_embd, known[i].embd);
            ck_assert_uint_eq(shape.n_inner, 4 * known[i].embd);
            ck_assert_uint_eq(shape.n_positions, known[i].positions);
            ck_assert_uint_eq(shape.vocab_size, known[i].vocab);
            ck_assert_uint_eq(shape.parameters, known[i].parameters);
            ck_assert_int_eq(shape.tied, known[i].tied);
            ck_assert_int_eq(shape.eos_token_id, known[i].eos);
            ck_assert_int_eq(shape.activation, LIBNORM_GPT2_GELU_TANH);
            ck_assert_double_eq(shape.layer_norm_epsilon, 1e-5);
        }
}
END_TEST

Suite *support_suite(void)
{
    support_data("SOURCES.md"); /* skips the file as a whole where there are no data */
    Suite *suite = suite_create("model_data");
    TCase *tests = tcase_create("model_data");
    tcase_add_test(tests, the_data_models_have_the_size_they_are_said_to_have);
    suite_add_tcase(suite, tests);
    return suite;
}
