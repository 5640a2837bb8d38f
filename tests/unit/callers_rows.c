/* SPDX-License-Identifier: MIT */
/* Older and newer callers of everything about rows, normalizers and attention: the structs of exec.h, normalizer.h,
 * own.h, gradient.h, jacobian.h and attention.h. The last member of each in the first release is written down here and
 * stays. */
#include <libnorm/norm.h>

#include <stdlib.h>
#include <string.h>

#include "support/one_row.h"
#include "support/sized.h"
#include "support/support.h"

static const float z[3] = {1, 2, 4};
static const double z64[3] = {1, 2, 4};

/* softmax of one row, with one struct of the caller's; what is NULL is a present one. */
static norm_status apply(const norm_rows *rows, norm_row_outputs *outputs, const norm_exec *exec, norm_error *error)
{
    norm_normalizer *n = one_row_parse("softmax");
    const norm_rows one = one_row_of(3);
    float w[3] = {0, 0, 0};
    const norm_status status = norm_apply_f32(n, rows != NULL ? rows : &one, z, w, outputs, exec, error);
    norm_normalizer_free(n);
    ck_assert((w[2] > 0.8f) == (status == LIBNORM_OK));
    return status;
}

static norm_status exec(void *s, norm_error *error) { return apply(NULL, NULL, s, error); }
static void make_exec(void *s) { ((norm_exec *)s)->threads = 1; }

static void make_rows(void *s)
{
    norm_rows *rows = s;
    rows->batch = rows->rows = 1;
    rows->cols = 3;
}
static norm_status rows(void *s, norm_error *error) { return apply(s, NULL, NULL, error); }

static double support_of_row;
static void make_outputs(void *s) { ((norm_row_outputs *)s)->support = &support_of_row; }
static norm_status outputs(void *s, norm_error *error)
{
    support_of_row = 0;
    const norm_status status = apply(NULL, s, NULL, error);
    ck_assert((support_of_row == 3) == (status == LIBNORM_OK));
    return status;
}

static norm_status blas_info(void *s, norm_error *error) { return norm_blas_describe(s, error); }
static norm_status key_info(void *s, norm_error *error) { return norm_registry_key(0, 0, s, error); }
static norm_status normalizer_info(void *s, norm_error *error) { return norm_registry_get(0, s, error); }

static int32_t one(void *user, size_t n, const double *t, double *ret)
{
    (void)user;
    (void)t;
    for (size_t i = 0; i < n; i++)
        ret[i] = 1;
    return 0;
}

static int32_t product(void *user, size_t n, const double *t, const double *w, const double *g, double *ret)
{
    (void)w;
    (void)g;
    return one(user, n, t, ret);
}

static void make_family(void *s)
{
    norm_family *family = s;
    family->flags = LIBNORM_CALLBACK_ANY_THREAD;
    family->f = family->df = one;
}
static norm_status family(void *s, norm_error *error)
{
    norm_normalizer *n = NULL;
    const norm_status status = norm_normalizer_from_family(s, "one", NULL, &n, error);
    ck_assert((n != NULL) == (status == LIBNORM_OK));
    norm_normalizer_free(n);
    return status;
}

static void make_row_function(void *s)
{
    norm_row_function *function = s;
    function->apply = one;
    function->vjp = product;
}
static norm_status row_function(void *s, norm_error *error)
{
    norm_normalizer *n = NULL;
    const norm_status status = norm_normalizer_from_row_function(s, "one", NULL, &n, error);
    ck_assert((n != NULL) == (status == LIBNORM_OK));
    norm_normalizer_free(n);
    return status;
}

static norm_status gradient_check(void *s, norm_error *error)
{
    norm_normalizer *n = one_row_parse("softmax");
    const norm_rows one_row = one_row_of(3);
    const norm_status status = norm_check_gradients(n, &one_row, z64, s, NULL, error);
    norm_normalizer_free(n);
    ck_assert(status != LIBNORM_OK || ((norm_gradient_check *)s)->passed == 1);
    return status;
}

static double spectral;
static void make_norms(void *s) { ((norm_jacobian_norms *)s)->spectral = &spectral; }
static norm_status norms(void *s, norm_error *error)
{
    norm_normalizer *n = one_row_parse("softmax");
    const norm_rows one_row = one_row_of(3);
    spectral = -1;
    const norm_status status = norm_jacobian_norms_f32(n, &one_row, z, s, NULL, error);
    norm_normalizer_free(n);
    ck_assert((spectral > 0) == (status == LIBNORM_OK));
    return status;
}

static norm_status attend(const norm_attention *attention, const norm_attention_outputs *wanted, norm_error *error)
{
    norm_attention one_head = {.struct_size = sizeof one_head, .batch = 1, .heads = 1, .queries = 1, .keys = 3};
    one_head.head_dim = 1;
    float out = -1;
    const norm_attention *given = attention != NULL ? attention : &one_head;
    const norm_status status = norm_attention_forward_f32(given, z, z, z, &out, NULL, wanted, NULL, error);
    ck_assert((out > 1) == (status == LIBNORM_OK));
    return status;
}

static void make_attention(void *s)
{
    norm_attention *attention = s;
    attention->batch = attention->heads = attention->queries = attention->head_dim = 1;
    attention->keys = 3;
}
static norm_status attention(void *s, norm_error *error) { return attend(s, NULL, error); }

static double entropy;
static void make_attention_outputs(void *s) { ((norm_attention_outputs *)s)->entropy = &entropy; }
static norm_status attention_outputs(void *s, norm_error *error)
{
    entropy = -1;
    const norm_status status = attend(NULL, s, error);
    ck_assert((entropy > 0) == (status == LIBNORM_OK));
    return status;
}

static const struct support_sized structs[] = {
    SUPPORT_SIZED(norm_exec, progress, support_sized_given, make_exec, exec),
    SUPPORT_SIZED(norm_blas_info, advice, support_sized_filled, NULL, blas_info),
    SUPPORT_SIZED(norm_rows, visible_stride, support_sized_given, make_rows, rows),
    SUPPORT_SIZED(norm_row_outputs, inf_rows, support_sized_kept, make_outputs, outputs),
    SUPPORT_SIZED(norm_key_info, high, support_sized_filled, NULL, key_info),
    SUPPORT_SIZED(norm_normalizer_info, properties, support_sized_filled, NULL, normalizer_info),
    SUPPORT_SIZED(norm_family, log_f, support_sized_given, make_family, family),
    SUPPORT_SIZED(norm_row_function, hvp, support_sized_given, make_row_function, row_function),
    SUPPORT_SIZED(norm_gradient_check, skipped, support_sized_kept, NULL, gradient_check),
    SUPPORT_SIZED(norm_jacobian_norms, constant, support_sized_given, make_norms, norms),
    SUPPORT_SIZED(norm_attention, normalizer_count, support_sized_given, make_attention, attention),
    SUPPORT_SIZED(norm_attention_outputs, entropy, support_sized_given, make_attention_outputs, attention_outputs),
};

START_TEST(older_and_newer_callers) { support_sized_check(&structs[_i]); }
END_TEST

START_TEST(an_error_of_another_size)
{
    norm_error error = {sizeof error - 1, 7, 7, "before"};
    float w[3];
    ck_assert_int_eq(norm_cpu_level_parse("scalar", &(int32_t){0}, &error), LIBNORM_E_ARGUMENT);
    ck_assert_int_eq(norm_softmax_f32(z, 3, w), LIBNORM_OK); /* takes none */
    ck_assert(error.status == 7 && error.where == 7 && strcmp(error.text, "before") == 0);
    struct {
        norm_error error;
        unsigned char tail[16];
    } longer = {{sizeof longer, 0, 0, ""}, {9}};
    int32_t level = 3;
    ck_assert_int_eq(norm_cpu_level_parse("none", &level, &longer.error), LIBNORM_E_ARGUMENT);
    ck_assert(longer.error.status == LIBNORM_E_ARGUMENT && longer.error.text[0] != '\0' && level == 3);
    ck_assert(longer.error.struct_size == sizeof longer && longer.tail[0] == 9 && longer.tail[15] == 0);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("callers_rows");
    TCase *tests = tcase_create("callers_rows");
    tcase_add_loop_test(tests, older_and_newer_callers, 0, sizeof structs / sizeof structs[0]);
    tcase_add_test(tests, an_error_of_another_size);
    suite_add_tcase(suite, tests);
    return suite;
}
