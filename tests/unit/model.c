/* SPDX-License-Identifier: MIT */
/* Opening from files and memory: what is refused, what it costs to fail, who owns what. */
#include <libnorm/norm.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/support.h"
#include "support/tensors.h"

static const char config_text[] = "{" SUPPORT_WEIGHTS_CONFIG "}";

static struct support_bytes small_model(void)
{
    const struct support_weights what = {.prefix = "transformer.", .dtype = NULL, .lm_head = 1, .masks = 1};
    return support_weights(&what);
}

/* -- a folder for the files ---------------------------------------------------------------------------------------- */

static char folder[32];

static void put(const char *name, const void *data, size_t size)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(data, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

static void make_folder(void)
{
    strcpy(folder, "/tmp/libnorm-model-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_folder(void)
{
    char path[128];
    snprintf(path, sizeof path, "%s/config.json", folder);
    remove(path);
    snprintf(path, sizeof path, "%s/model.safetensors", folder);
    remove(path);
    ck_assert_int_eq(rmdir(folder), 0);
}

static void refused(const char *directory, norm_status status, const char *text)
{
    norm_error error = {sizeof error, 0, 0, ""};
    norm_gpt2 *model = NULL;
    errno = 77;
    ck_assert_int_eq(norm_gpt2_open(directory, NULL, &model, &error), status);
    ck_assert_int_eq(errno, 77);
    ck_assert_msg(strstr(error.text, text) != NULL, "'%s', expected '%s'", error.text, text);
    ck_assert_ptr_null(model);
}

START_TEST(files_that_are_not_there_or_no_files)
{
    char path[128], text[256];
    refused("/nonexistent", LIBNORM_E_IO, "'/nonexistent/config.json': cannot open it: no such file or directory");
    put("config.json", config_text, strlen(config_text));
    snprintf(text, sizeof text, "'%s/model.safetensors': cannot open it: no such file or directory", folder);
    refused(folder, LIBNORM_E_IO, text);
    snprintf(path, sizeof path, "%s/model.safetensors", folder);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    snprintf(text, sizeof text, "'%s/model.safetensors': expected a file, found a directory", folder);
    refused(folder, LIBNORM_E_IO, text);
}
END_TEST

START_TEST(empty_and_oversized_files)
{
    char text[256];
    put("config.json", "", 0);
    snprintf(text, sizeof text, "'%s/config.json': empty: expected a JSON object", folder);
    refused(folder, LIBNORM_E_FORMAT, text);
    put("config.json", config_text, strlen(config_text));
    put("model.safetensors", "", 0);
    snprintf(text, sizeof text, "'%s/model.safetensors': 0 bytes: expected at least the 8 of a safetensors length",
             folder);
    refused(folder, LIBNORM_E_FORMAT, text);
    char path[128];
    snprintf(path, sizeof path, "%s/config.json", folder);
    ck_assert_int_eq(truncate(path, 100 << 20), 0); /* 100 MB of zeros behind it */
    snprintf(text, sizeof text, "'%s/config.json': 104857600 bytes: expected at most 16777216", folder);
    refused(folder, LIBNORM_E_FORMAT, text);
}
END_TEST

START_TEST(a_file_that_is_cut_off_is_refused_and_names_the_place)
{
    struct support_bytes file = small_model();
    char text[256];
    put("config.json", config_text, strlen(config_text));
    put("model.safetensors", file.data, file.size - 1);
    refused(folder, LIBNORM_E_FORMAT, "tensor 'lm_head.weight': data_offsets [");
    snprintf(text, sizeof text, "'%s/model.safetensors': tensor ", folder);
    refused(folder, LIBNORM_E_FORMAT, text);
    put("model.safetensors", file.data, file.size);
    norm_gpt2 *model = NULL;
    ck_assert_int_eq(norm_gpt2_open(folder, NULL, &model, NULL), LIBNORM_OK);
    norm_gpt2_free(model);
    free(file.data);
}
END_TEST

/* -- from memory --------------------------------------------------------------------------------------------------- */

static norm_status open_bytes(const void *data, size_t size, uint32_t flags, norm_gpt2 **ret_model, norm_error *error)
{
    const norm_gpt2_options options = {sizeof options, flags, NULL};
    return norm_gpt2_open_memory(config_text, strlen(config_text), data, size, &options, ret_model, error);
}

/* Each length in a block of its own, so that a read behind the end is seen by the checkers of memory. */
START_TEST(cut_off_at_any_byte_is_an_error)
{
    struct support_bytes file = small_model();
    for (size_t size = 0; size < file.size; size++) {
        unsigned char *cut = malloc(size > 0 ? size : 1);
        norm_gpt2 *model = NULL;
        norm_error error = {sizeof error, 0, 0, ""};
        memcpy(cut, file.data, size);
        ck_assert_msg(open_bytes(cut, size, 0, &model, &error) == LIBNORM_E_FORMAT, "%zu bytes", size);
        ck_assert_msg(strncmp(error.text, "model.safetensors in memory: ", 29) == 0, "%s", error.text);
        ck_assert_ptr_null(model);
        free(cut);
    }
    free(file.data);
}
END_TEST

START_TEST(a_config_cut_off_at_any_byte_is_an_error)
{
    struct support_bytes file = small_model();
    for (size_t size = 0; size < strlen(config_text); size++) {
        char *cut = malloc(size > 0 ? size : 1);
        norm_gpt2 *model = NULL;
        memcpy(cut, config_text, size);
        ck_assert_msg(norm_gpt2_open_memory(cut, size, file.data, file.size, NULL, &model, NULL) == LIBNORM_E_FORMAT,
                      "%zu bytes", size);
        free(cut);
    }
    free(file.data);
}
END_TEST

/* Bytes of the header replaced at random: an error, or a model whose every number can be reached. */
START_TEST(damaged_headers_never_crash)
{
    struct support_random random = {support_seed(3)};
    struct support_bytes file = small_model();
    size_t length = 0;
    for (size_t i = 8; i-- > 0;)
        length = length << 8 | file.data[i];
    for (int round = 0; round < 3000; round++) {
        unsigned char *bad = malloc(file.size);
        memcpy(bad, file.data, file.size);
        for (size_t i = 1 + support_below(&random, 3); i > 0; i--)
            bad[support_below(&random, 8 + length)] =
                support_below(&random, 2) ? (unsigned char)support_next(&random)
                                          : (unsigned char)"0123456789[],:{}\""[support_below(&random, 17)];
        norm_gpt2 *model = NULL;
        norm_error error = {sizeof error, 0, 0, ""};
        norm_status status = open_bytes(bad, file.size, LIBNORM_GPT2_COPY, &model, &error);
        ck_assert((status == LIBNORM_OK) == (model != NULL));
        ck_assert((status == LIBNORM_OK) == (error.text[0] == '\0'));
        ck_assert_ptr_null(strchr(error.text, '\n'));
        norm_gpt2_free(model);
        free(bad);
    }
    free(file.data);
}
END_TEST

/* -- memory -------------------------------------------------------------------------------------------------------- */

struct countdown {
    size_t left, live;
};

static void *count_alloc(void *user, size_t size, size_t align)
{
    struct countdown *c = user;
    void *p = NULL;
    if (c->left == 0)
        return NULL;
    c->left--;
    if (posix_memalign(&p, align, size) != 0)
        return NULL;
    memset(p, 0xa5, size);
    c->live++;
    return p;
}

static void count_release(void *user, void *p, size_t size)
{
    struct countdown *c = user;
    memset(p, 0x5a, size);
    c->live--;
    free(p);
}

START_TEST(out_of_memory_at_any_point_leaks_nothing)
{
    struct support_bytes file = small_model();
    put("config.json", config_text, strlen(config_text));
    put("model.safetensors", file.data, file.size);
    for (int way = 0; way < 4; way++)
        for (size_t n = 0;; n++) {
            struct countdown c = {n, 0};
            const norm_allocator allocator = {&c, count_alloc, count_release};
            const norm_gpt2_options options = {sizeof options, way & 1 ? LIBNORM_GPT2_COPY : 0, &allocator};
            norm_error error = {sizeof error, 0, 0, ""};
            norm_gpt2 *model = NULL;
            norm_status status = way & 2 ? norm_gpt2_open(folder, &options, &model, &error)
                                         : norm_gpt2_open_memory(config_text, strlen(config_text), file.data, file.size,
                                                                 &options, &model, &error);
            if (status == LIBNORM_OK) {
                ck_assert_uint_gt(n, 3);
                norm_gpt2_free(model);
                ck_assert_uint_eq(c.live, 0);
                break;
            }
            ck_assert_int_eq(status, LIBNORM_E_NOMEM);
            ck_assert_ptr_nonnull(strstr(error.text, "out of memory"));
            ck_assert_ptr_null(model);
            ck_assert_uint_eq(c.live, 0);
        }
    free(file.data);
}
END_TEST

START_TEST(the_last_owner_frees)
{
    struct support_bytes file = small_model();
    struct countdown c = {100, 0};
    const norm_allocator allocator = {&c, count_alloc, count_release};
    const norm_gpt2_options options = {sizeof options, LIBNORM_GPT2_COPY, &allocator};
    norm_gpt2 *model = NULL;
    ck_assert_int_eq(
        norm_gpt2_open_memory(config_text, strlen(config_text), file.data, file.size, &options, &model, NULL),
        LIBNORM_OK);
    ck_assert_ptr_eq(norm_gpt2_ref(model), model);
    norm_gpt2_free(model);
    norm_gpt2_shape shape = {.struct_size = sizeof shape};
    ck_assert_int_eq(norm_gpt2_get_shape(model, &shape, NULL), LIBNORM_OK);
    ck_assert_uint_eq(shape.parameters, SUPPORT_WEIGHTS_PARAMETERS + 28);
    norm_gpt2_free(model);
    ck_assert_uint_eq(c.live, 0);
    ck_assert_ptr_null(norm_gpt2_ref(NULL));
    norm_gpt2_free(NULL);
    free(file.data);
}
END_TEST

/* -- arguments ----------------------------------------------------------------------------------------------------- */

START_TEST(bad_arguments_are_named)
{
    norm_error error = {sizeof error, 0, 0, ""};
    norm_gpt2 *model = NULL;
    norm_gpt2_options options = {sizeof options, 2, NULL};
    strcpy(folder, "/nonexistent"); /* never looked at */
    ck_assert_int_eq(norm_gpt2_open(NULL, NULL, &model, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_gpt2_open: directory is NULL");
    ck_assert_int_eq(norm_gpt2_open(folder, NULL, NULL, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_gpt2_open: ret_model is NULL");
    ck_assert_int_eq(norm_gpt2_open(folder, &options, &model, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_gpt2_options.flags has unknown bits 0x2");
    options = (norm_gpt2_options){4, 0, NULL};
    ck_assert_int_eq(norm_gpt2_open(folder, &options, &model, &error), LIBNORM_E_ARGUMENT);
    const norm_allocator half = {NULL, count_alloc, NULL};
    options = (norm_gpt2_options){sizeof options, 0, &half};
    ck_assert_int_eq(norm_gpt2_open(folder, &options, &model, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_gpt2_options.allocator lacks alloc or release");
    ck_assert_int_eq(norm_gpt2_open_memory("{}", 2, NULL, 0, NULL, &model, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_gpt2_open_memory: weights is NULL");
    ck_assert_ptr_null(model);
}
END_TEST

START_TEST(the_shape_goes_into_structs_of_its_first_size_and_longer)
{
    struct support_bytes file = small_model();
    norm_error error = {sizeof error, 0, 0, ""};
    norm_gpt2 *model = NULL;
    ck_assert_int_eq(open_bytes(file.data, file.size, 0, &model, NULL), LIBNORM_OK);
    struct {
        norm_gpt2_shape shape;
        double later;
    } longer = {.shape = {.struct_size = sizeof longer}, .later = 5};
    ck_assert_int_eq(norm_gpt2_get_shape(model, &longer.shape, &error), LIBNORM_OK);
    ck_assert_uint_eq(longer.shape.struct_size, sizeof longer);
    ck_assert_uint_eq(longer.shape.n_inner, 6);
    ck_assert_double_eq(longer.later, 5);
    longer.shape.struct_size = 16;
    ck_assert_int_eq(norm_gpt2_get_shape(model, &longer.shape, &error), LIBNORM_E_ARGUMENT);
    ck_assert_int_eq(norm_gpt2_get_shape(model, NULL, &error), LIBNORM_E_ARGUMENT);
    ck_assert_int_eq(norm_gpt2_get_shape(NULL, &longer.shape, &error), LIBNORM_E_ARGUMENT);
    norm_gpt2_free(model);
    free(file.data);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("model");
    TCase *files = tcase_create("files"), *memory = tcase_create("memory");
    tcase_add_checked_fixture(files, make_folder, remove_folder);
    tcase_add_test(files, files_that_are_not_there_or_no_files);
    tcase_add_test(files, empty_and_oversized_files);
    tcase_add_test(files, a_file_that_is_cut_off_is_refused_and_names_the_place);
    tcase_add_test(files, out_of_memory_at_any_point_leaks_nothing);
    suite_add_tcase(suite, files);
    tcase_set_timeout(memory, 0);
    tcase_add_test(memory, cut_off_at_any_byte_is_an_error);
    tcase_add_test(memory, a_config_cut_off_at_any_byte_is_an_error);
    tcase_add_test(memory, damaged_headers_never_crash);
    tcase_add_test(memory, the_last_owner_frees);
    tcase_add_test(memory, bad_arguments_are_named);
    tcase_add_test(memory, the_shape_goes_into_structs_of_its_first_size_and_longer);
    suite_add_tcase(suite, memory);
    return suite;
}
