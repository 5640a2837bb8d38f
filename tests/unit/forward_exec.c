/* SPDX-License-Identifier: MIT */
/* How a pass is run: threads, workspace, allocator, progress, observers that stop. */
#include <libnorm/norm.h>

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "support/gpt2.h"
#include "support/support.h"

enum { count = 66, vocab = 150 };
static struct support_gpt2 small;
static norm_gpt2 *model;
static int32_t ids[count];
static float first[count * vocab], again[count * vocab];
static double first_loss[count], again_loss[count];
static const norm_gpt2_run all = {.struct_size = sizeof all, .logits = LIBNORM_GPT2_LOGITS_ALL};

static void set_up(void)
{
    small = support_gpt2_small();
    small.vocab = vocab;
    support_gpt2_make(&small, 40);
    model = support_gpt2_open(&small);
    struct support_random r = {41};
    for (size_t i = 0; i < count; i++)
        ids[i] = (int32_t)support_below(&r, vocab);
    ck_assert_int_eq(norm_gpt2_forward(model, ids, count, &all, first, NULL, NULL), LIBNORM_OK);
    ck_assert_int_eq(norm_gpt2_loss(model, ids, count, NULL, first_loss, NULL, NULL), LIBNORM_OK);
}

static void tear_down(void)
{
    norm_gpt2_free(model);
    support_gpt2_free(&small);
}

static void same_bits(const norm_exec *exec)
{
    norm_error error = {sizeof error, 0, 0, ""};
    memset(again, 0xFF, sizeof again);
    ck_assert_msg(norm_gpt2_forward(model, ids, count, &all, again, exec, &error) == LIBNORM_OK, "%s", error.text);
    ck_assert(memcmp(first, again, sizeof first) == 0);
    ck_assert_msg(norm_gpt2_loss(model, ids, count, NULL, again_loss, exec, &error) == LIBNORM_OK, "%s", error.text);
    ck_assert(memcmp(first_loss, again_loss, (count - 1) * sizeof first_loss[0]) == 0);
}

static void backwards(void *user, size_t tasks, void (*task)(void *arg, size_t index), void *arg)
{
    ++*(int *)user;
    while (tasks-- > 0)
        task(arg, tasks);
}

START_TEST(threads_change_no_bit)
{
    int loops = 0;
    norm_exec exec = {.struct_size = sizeof exec, .threads = 4};
    same_bits(NULL);
    same_bits(&exec);
    exec.threads = 2;
    exec.parallel_user = &loops;
    exec.parallel_for = backwards;
    same_bits(&exec);
}
END_TEST

/* One of several that use the model at once; returns NULL when its logits are those of a pass alone. */
static void *pass_of_its_own(void *unused)
{
    float *logits = calloc((size_t)count * vocab, sizeof *logits);
    (void)unused;
    const int same = norm_gpt2_forward(model, ids, count, &all, logits, NULL, NULL) == LIBNORM_OK &&
                     memcmp(first, logits, sizeof first) == 0;
    free(logits);
    return same ? NULL : &first;
}

START_TEST(a_model_serves_several_threads_at_once)
{
    pthread_t thread[4];
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, pass_of_its_own, NULL), 0);
    for (int i = 0; i < 4; i++) {
        void *different = NULL;
        pthread_join(thread[i], &different);
        ck_assert(different == NULL);
    }
}
END_TEST

START_TEST(the_workspace_asked_for_suffices_and_nothing_beyond_is_written)
{
    norm_error error = {sizeof error, 0, 0, ""};
    size_t bytes = 0;
    norm_exec exec = {.struct_size = sizeof exec};
    ck_assert_int_eq(norm_gpt2_workspace(model, count, &all, &exec, &bytes, &error), LIBNORM_OK);
    for (size_t offset = 0; offset < 64; offset += 21) {
        struct support_guard room = support_guard_new(bytes, offset);
        exec.workspace = room.data;
        exec.workspace_size = bytes;
        same_bits(&exec);
        ck_assert(support_guard_intact(&room));
        exec.workspace_size = bytes - 64;
        memset(again, 0, sizeof again);
        if (offset != 0) { /* then the alignment needs what was left out */
            ck_assert_int_eq(norm_gpt2_forward(model, ids, count, &all, again, &exec, &error), LIBNORM_E_ARGUMENT);
            ck_assert_msg(strstr(error.text, "workspace") != NULL, "%s", error.text);
            ck_assert(again[0] == 0);
        }
        support_guard_free(&room);
    }
}
END_TEST

/* An allocator that fails from its n-th call on, and counts what is not given back. */
struct budget {
    int left, blocks;
    size_t bytes;
};

static void *spend(void *user, size_t size, size_t align)
{
    struct budget *b = user;
    void *p = NULL;
    if (b->left-- <= 0 || posix_memalign(&p, align, size) != 0)
        return NULL;
    b->blocks++;
    b->bytes += size;
    return p;
}

static void give_back(void *user, void *p, size_t size)
{
    struct budget *b = user;
    b->blocks--;
    b->bytes -= size;
    free(p);
}

START_TEST(every_failed_allocation_is_survived)
{
    norm_error error = {sizeof error, 0, 0, ""};
    norm_gpt2_run run = all;
    int n = 0;
    for (norm_status status = LIBNORM_E_NOMEM; status != LIBNORM_OK; n++) {
        struct budget budget = {n, 0, 0};
        const norm_allocator allocator = {&budget, spend, give_back};
        const norm_exec exec = {.struct_size = sizeof exec, .allocator = &allocator};
        ck_assert_int_lt(n, 100);
        memset(again, 0, sizeof again);
        errno = 123;
        status = norm_gpt2_forward(model, ids, count, &run, again, &exec, &error);
        ck_assert_int_eq(errno, 123);
        ck_assert(status == LIBNORM_OK || status == LIBNORM_E_NOMEM);
        ck_assert(budget.blocks == 0 && budget.bytes == 0);
        if (status != LIBNORM_OK) {
            ck_assert_msg(strstr(error.text, "out of memory") != NULL, "%s", error.text);
            for (size_t i = 0; i < (size_t)count * vocab; i++)
                ck_assert(again[i] == 0);
        }
    }
    ck_assert_int_gt(n, 1);
    ck_assert(memcmp(first, again, sizeof first) == 0);
}
END_TEST

struct reports {
    int calls, stop_at;
    double last;
};

static int32_t report(void *user, double done)
{
    struct reports *r = user;
    ck_assert_msg(done >= r->last && done <= 1, "%.9g after %.9g", done, r->last);
    r->last = done;
    return r->calls++ == r->stop_at ? 17 : 0;
}

START_TEST(progress_runs_from_0_to_1_and_can_cancel)
{
    norm_error error = {sizeof error, 0, 0, ""};
    struct reports whole = {0, -1, 0};
    norm_exec exec = {.struct_size = sizeof exec, .progress = report, .progress_user = &whole};
    same_bits(NULL);
    ck_assert_int_eq(norm_gpt2_forward(model, ids, count, &all, again, &exec, &error), LIBNORM_OK);
    ck_assert(whole.last == 1 && whole.calls >= 4);
    whole = (struct reports){0, -1, 0};
    ck_assert_int_eq(norm_gpt2_loss(model, ids, count, NULL, again_loss, &exec, &error), LIBNORM_OK);
    ck_assert(whole.last == 1 && whole.calls >= 4);
    for (int i = 0; i < whole.calls; i++) {
        struct reports cut = {0, i, 0};
        exec.progress_user = &cut;
        ck_assert_int_eq(norm_gpt2_loss(model, ids, count, NULL, again_loss, &exec, &error), LIBNORM_E_CANCELLED);
        ck_assert_int_eq(error.where, 17);
        ck_assert_int_eq(cut.calls, i + 1);
    }
}
END_TEST

static int32_t stop(void *user, const norm_head_view *view)
{
    const int *at = user;
    return view->layer == at[0] && view->head == at[1] && view->first_row == (uint64_t)at[2] ? -77 : 0;
}

START_TEST(an_observer_stops_the_pass)
{
    norm_error error = {sizeof error, 0, 0, ""};
    int at[3] = {1, 2, 64};
    norm_gpt2_run run = all;
    run.observer = stop;
    run.observer_user = at;
    ck_assert_int_eq(norm_gpt2_forward(model, ids, count, &run, again, NULL, &error), LIBNORM_E_CALLBACK);
    ck_assert_int_eq(error.where, -77);
    ck_assert_str_eq(error.text, "the observer stopped layer 1, head 2, row 64 with -77");
    at[0] = 9;
    ck_assert_int_eq(norm_gpt2_forward(model, ids, count, &run, again, NULL, &error), LIBNORM_OK);
    ck_assert(memcmp(first, again, sizeof first) == 0);
}
END_TEST

START_TEST(levels_agree)
{
    norm_exec exec = {.struct_size = sizeof exec};
    static const int32_t levels[] = {LIBNORM_CPU_SCALAR, LIBNORM_CPU_BASELINE, LIBNORM_CPU_AVX2};
    for (size_t i = 0; i < 3; i++) {
        exec.cpu_level = levels[i];
        ck_assert_int_eq(norm_gpt2_forward(model, ids, count, &all, again, &exec, NULL), LIBNORM_OK);
        for (size_t j = 0; j < (size_t)count * vocab; j++)
            ck_assert_float_eq_tol(again[j], first[j], 1e-4f);
    }
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("forward_exec");
    TCase *tests = tcase_create("forward_exec");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, threads_change_no_bit);
    tcase_add_test(tests, a_model_serves_several_threads_at_once);
    tcase_add_test(tests, the_workspace_asked_for_suffices_and_nothing_beyond_is_written);
    tcase_add_test(tests, every_failed_allocation_is_survived);
    tcase_add_test(tests, progress_runs_from_0_to_1_and_can_cancel);
    tcase_add_test(tests, an_observer_stops_the_pass);
    tcase_add_test(tests, levels_agree);
    suite_add_tcase(suite, tests);
    return suite;
}
