/* SPDX-License-Identifier: MIT */
/* A build without the tokenizer has its functions, which say so. */
#include <libnorm/norm.h>

#include "support/support.h"

START_TEST(every_function_says_that_the_tokenizer_is_not_built_in)
{
    norm_error error = {sizeof error, 0, 0, ""};
    norm_tokenizer *t = NULL;
    int32_t id = 7;
    size_t size = 7;
    const uint8_t *bytes = NULL;
    ck_assert_int_eq(norm_has_feature("gpt2"), 0);
    ck_assert_int_eq(norm_tokenizer_open(".", NULL, &t, &error), LIBNORM_E_UNSUPPORTED);
    ck_assert_str_eq(error.text, "this libnorm was built without the tokenizer (-Dgpt2=disabled)");
    ck_assert_int_eq(norm_tokenizer_open_memory("{}", 2, "", 0, NULL, &t, &error), LIBNORM_E_UNSUPPORTED);
    ck_assert_int_eq(norm_tokenizer_encode(NULL, "a", 1, 0, &id, 1, &size, NULL, &error), LIBNORM_E_UNSUPPORTED);
    ck_assert_int_eq(norm_tokenizer_encode_workspace(NULL, 1, &size, &error), LIBNORM_E_UNSUPPORTED);
    ck_assert_int_eq(norm_tokenizer_decode(NULL, &id, 1, NULL, 0, &size, &error), LIBNORM_E_UNSUPPORTED);
    ck_assert_int_eq(norm_tokenizer_token(NULL, 0, &bytes, &size, &error), LIBNORM_E_UNSUPPORTED);
    ck_assert_int_eq(norm_tokenizer_id(NULL, "a", 1, &id, &error), LIBNORM_E_UNSUPPORTED);
    ck_assert_ptr_null(norm_tokenizer_ref(NULL));
    ck_assert_uint_eq(norm_tokenizer_size(NULL), 0);
    norm_tokenizer_free(NULL);
    ck_assert(t == NULL && id == 7 && size == 7 && bytes == NULL);
    norm_error small = {8, 0, 0, ""};
    ck_assert_int_eq(norm_tokenizer_open(".", NULL, &t, &small), LIBNORM_E_ARGUMENT);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("tokenizer absent");
    TCase *tests = tcase_create("tokenizer absent");
    tcase_add_test(tests, every_function_says_that_the_tokenizer_is_not_built_in);
    suite_add_tcase(suite, tests);
    return suite;
}
