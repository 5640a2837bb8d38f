/* SPDX-License-Identifier: MIT */
/* Older and newer callers of the model. The last member of each struct in the first release is written down here and
 * stays. */
#include <libnorm/norm.h>

#include <string.h>

#include "support/gpt2.h"
#include "support/sized.h"
#include "support/support.h"

static struct support_gpt2 files;
static norm_gpt2 *model;

static void set_up(void)
{
    files = support_gpt2_small();
    support_gpt2_make(&files, 1);
    model = support_gpt2_open(&files);
}

static void tear_down(void)
{
    norm_gpt2_free(model);
    support_gpt2_free(&files);
}

static void make_options(void *s) { ((norm_gpt2_options *)s)->flags = LIBNORM_GPT2_COPY; }
static norm_status options(void *s, norm_error *error)
{
    norm_gpt2 *opened = NULL;
    const norm_status status = norm_gpt2_open_memory(files.config, strlen(files.config), files.file, files.file_size,
                                                     s, &opened, error);
    ck_assert((opened != NULL) == (status == LIBNORM_OK));
    norm_gpt2_free(opened);
    return status;
}

static norm_status shape(void *s, norm_error *error)
{
    const norm_status status = norm_gpt2_get_shape(model, s, error);
    ck_assert(status != LIBNORM_OK || ((norm_gpt2_shape *)s)->n_head == files.heads);
    return status;
}

static void make_run(void *s) { ((norm_gpt2_run *)s)->logits = LIBNORM_GPT2_LOGITS_NONE; }
static norm_status run(void *s, norm_error *error)
{
    const int32_t ids[3] = {1, 2, 3};
    return norm_gpt2_forward(model, ids, 3, s, NULL, NULL, error);
}

static const struct support_sized structs[] = {
    SUPPORT_SIZED(norm_gpt2_options, allocator, support_sized_given, make_options, options),
    SUPPORT_SIZED(norm_gpt2_shape, bos_token_id, support_sized_filled, NULL, shape),
    SUPPORT_SIZED(norm_gpt2_run, observer_user, support_sized_given, make_run, run),
};

START_TEST(older_and_newer_callers) { support_sized_check(&structs[_i]); }
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("callers_gpt2");
    TCase *tests = tcase_create("callers_gpt2");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, older_and_newer_callers, 0, sizeof structs / sizeof structs[0]);
    suite_add_tcase(suite, tests);
    return suite;
}
