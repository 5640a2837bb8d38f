/* SPDX-License-Identifier: MIT */
#include "base/parallel.h"

#include <pthread.h>
#include <stdatomic.h>

struct loop {
    atomic_size_t next;
    size_t tasks;
    void (*task)(void *arg, size_t index);
    void *arg;
};

static void *work(void *p)
{
    struct loop *loop = p;
    for (;;) {
        size_t i = atomic_fetch_add_explicit(&loop->next, 1, memory_order_relaxed);
        if (i >= loop->tasks)
            return NULL;
        loop->task(loop->arg, i);
    }
}

void norm__parallel(const norm_exec *exec, size_t tasks, void (*task)(void *arg, size_t index), void *arg)
{
    if (exec == NULL || exec->threads <= 1 || tasks <= 1) {
        for (size_t i = 0; i < tasks; i++)
            task(arg, i);
        return;
    }
    if (exec->parallel_for != NULL) {
        exec->parallel_for(exec->parallel_user, tasks, task, arg);
        return;
    }
    struct loop loop = {0, tasks, task, arg};
    enum { most = 64 }; /* started in groups of this size at most: the handles live on the stack */
    pthread_t thread[most];
    size_t wanted = (size_t)exec->threads - 1;
    if (wanted > tasks - 1)
        wanted = tasks - 1;
    if (wanted > most)
        wanted = most;
    size_t started = 0;
    while (started < wanted && pthread_create(&thread[started], NULL, work, &loop) == 0)
        started++;
    work(&loop);
    for (size_t i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
}

uintptr_t norm__thread(void)
{
    return (uintptr_t)pthread_self(); /* a number or a pointer, wherever this builds */
}
