/* SPDX-License-Identifier: MIT */
#include "base/parallel.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#include "support/support.h"

/* The build links this file with --wrap=pthread_create: threads start until the allowance is used up. */
static int allowed, asked;
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *arg);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *arg)
{
    asked++;
    return asked > allowed ? EAGAIN : __real_pthread_create(thread, attributes, start, arg);
}

enum { most_tasks = 1000 };
struct tally {
    atomic_int count[most_tasks];
    atomic_int foreign; /* tasks that ran on another thread than the caller's */
    pthread_t caller;
};

static void task(void *arg, size_t index)
{
    struct tally *tally = arg;
    atomic_fetch_add(&tally->count[index], 1);
    if (!pthread_equal(pthread_self(), tally->caller))
        atomic_fetch_add(&tally->foreign, 1);
}

static struct tally tally_new(void)
{
    return (struct tally){.caller = pthread_self()};
}

static void assert_each_once(struct tally *tally, size_t tasks)
{
    for (size_t i = 0; i < most_tasks; i++)
        ck_assert_int_eq(atomic_load(&tally->count[i]), i < tasks);
}

START_TEST(every_task_runs_once_for_any_number_of_threads_and_tasks)
{
    static const int32_t threads[] = {0, 1, 2, 3, 8, 100, 1024};
    static const size_t tasks[] = {0, 1, 2, 7, 64, 65, 1000};
    for (size_t i = 0; i < 7; i++) {
        for (size_t j = 0; j < 7; j++) {
            norm_exec exec = {.struct_size = sizeof exec, .threads = threads[i]};
            struct tally tally = tally_new();
            allowed = 10000;
            asked = 0;
            norm__parallel(&exec, tasks[j], task, &tally);
            assert_each_once(&tally, tasks[j]);
            ck_assert_int_lt(asked, threads[i] > 1 ? threads[i] : 1);
            ck_assert_uint_le((size_t)asked, tasks[j] > 0 ? tasks[j] - 1 : 0);
        }
    }
}
END_TEST

START_TEST(without_an_exec_the_callers_thread_does_it)
{
    struct tally tally = tally_new();
    asked = 0;
    norm__parallel(NULL, 20, task, &tally);
    assert_each_once(&tally, 20);
    ck_assert_int_eq(asked, 0);
    ck_assert_int_eq(atomic_load(&tally.foreign), 0);
}
END_TEST

START_TEST(threads_that_cannot_be_started_are_done_without)
{
    for (allowed = 0; allowed < 8; allowed++) {
        norm_exec exec = {.struct_size = sizeof exec, .threads = 8};
        struct tally tally = tally_new();
        asked = 0;
        norm__parallel(&exec, 500, task, &tally);
        assert_each_once(&tally, 500);
        ck_assert_int_eq(asked, allowed < 7 ? allowed + 1 : 7);
        if (allowed == 0)
            ck_assert_int_eq(atomic_load(&tally.foreign), 0);
    }
}
END_TEST

struct host {
    size_t calls, tasks;
};

static void backwards(void *user, size_t tasks, void (*run)(void *arg, size_t index), void *arg)
{
    struct host *host = user;
    host->calls++;
    host->tasks = tasks;
    for (size_t i = tasks; i-- > 0;)
        run(arg, i);
}

START_TEST(the_hosts_loop_is_used_instead_of_threads)
{
    struct host host = {0, 0};
    norm_exec exec = {.struct_size = sizeof exec, .threads = 4, .parallel_user = &host, .parallel_for = backwards};
    struct tally tally = tally_new();
    asked = 0;
    norm__parallel(&exec, 33, task, &tally);
    assert_each_once(&tally, 33);
    ck_assert_int_eq(asked, 0);
    ck_assert_uint_eq(host.calls, 1);
    ck_assert_uint_eq(host.tasks, 33);
    /* One thread was asked for, or there is one task: no loop is needed. */
    exec.threads = 1;
    norm__parallel(&exec, 33, task, &tally);
    exec.threads = 4;
    norm__parallel(&exec, 1, task, &tally);
    ck_assert_uint_eq(host.calls, 1);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("parallel");
    TCase *tests = tcase_create("parallel");
    tcase_add_test(tests, every_task_runs_once_for_any_number_of_threads_and_tasks);
    tcase_add_test(tests, without_an_exec_the_callers_thread_does_it);
    tcase_add_test(tests, threads_that_cannot_be_started_are_done_without);
    tcase_add_test(tests, the_hosts_loop_is_used_instead_of_threads);
    suite_add_tcase(suite, tests);
    return suite;
}
