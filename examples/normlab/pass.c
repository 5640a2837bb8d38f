/* SPDX-License-Identifier: MIT */
#include "pass.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "say.h"

/* What the threads of a pass share. Windows are independent: each thread takes the next one that nobody has. */
struct crew {
    struct pass *pass;
    const struct model *model;
    const struct windows *windows;
    norm_exec exec;      /* of one window */
    double *window_loss; /* sum of each window's losses */
    struct progress *progress;
    double progress_base;
    pthread_mutex_t lock; /* guards what follows */
    size_t next, done;
    bool failed;
    size_t failed_window; /* the first of them */
    norm_error error;
};

/* An observer that looks at the chosen heads alone. */
struct watch {
    norm_head_observer heads;
    const bool *chosen;
};

static int32_t watch_head(void *user, const norm_head_view *view)
{
    struct watch *watch = user;
    if (watch->chosen != NULL && !watch->chosen[(uint64_t)view->layer * watch->heads.n_head + (uint64_t)view->head])
        return 0;
    return norm_head_observe(&watch->heads, view);
}

/* How a window is run; watch is filled where there are records. */
static norm_gpt2_run run_of(const struct crew *crew, size_t index, struct watch *watch)
{
    const norm_gpt2_shape *shape = &crew->model->shape;
    size_t heads = (size_t)(shape->n_layer * shape->n_head);
    norm_gpt2_run run = {.struct_size = sizeof run,
                         .normalizers = crew->pass->each != NULL ? crew->pass->each : &crew->pass->normalizer,
                         .normalizer_count = crew->pass->each != NULL ? crew->pass->each_count : 1,
                         .logits = LIBNORM_GPT2_LOGITS_NONE};
    if (crew->pass->records == NULL)
        return run;
    *watch = (struct watch){{.struct_size = sizeof watch->heads,
                             .window = (double)index,
                             .n_layer = shape->n_layer,
                             .n_head = shape->n_head,
                             .records = crew->pass->records + index * heads},
                            crew->pass->chosen};
    run.observer = watch_head;
    run.observer_user = watch;
    return run;
}

static norm_status run_window(struct crew *crew, size_t index, double *loss, const norm_exec *exec, norm_error *error)
{
    const int32_t *ids;
    struct watch watch;
    size_t count = window_ids(crew->windows, index, &ids);
    norm_gpt2_run run = run_of(crew, index, &watch);
    norm_status status = norm_gpt2_loss(crew->model->gpt2, ids, count, &run, loss, exec, error);
    if (status != LIBNORM_OK)
        return status;
    crew->window_loss[index] = 0;
    for (size_t i = 0; i + 1 < count; i++)
        crew->window_loss[index] += loss[i];
    return status;
}

/* The next window that nobody has, or false. */
static bool take(struct crew *crew, size_t *ret_index, double *ret_done)
{
    pthread_mutex_lock(&crew->lock);
    bool more = !crew->failed && crew->next < crew->windows->count;
    if (more)
        *ret_index = crew->next++;
    *ret_done = (double)crew->done;
    pthread_mutex_unlock(&crew->lock);
    return more;
}

static void give_back(struct crew *crew, size_t index, norm_status status, const norm_error *error)
{
    pthread_mutex_lock(&crew->lock);
    crew->done++;
    if (status != LIBNORM_OK && (!crew->failed || index < crew->failed_window)) {
        crew->failed = true;
        crew->failed_window = index;
        crew->error = *error;
    }
    pthread_mutex_unlock(&crew->lock);
}

/* Windows until there are none. shown: this thread draws the progress; only the first does. False: no memory. */
static bool work(struct crew *crew, bool shown)
{
    norm_exec exec = crew->exec;
    norm_error error = ERROR_INIT;
    struct watch watch;
    norm_gpt2_run run = run_of(crew, 0, &watch);
    size_t size = 0, index;
    double done, *loss = malloc(crew->windows->length * sizeof *loss);
    if (loss == NULL)
        return false;
    /* Memory for one window, taken once. Without it each call takes its own. */
    if (norm_gpt2_workspace(crew->model->gpt2, crew->windows->length, &run, &exec, &size, NULL) == LIBNORM_OK)
        exec.workspace = size > 0 ? malloc(size) : NULL;
    exec.workspace_size = exec.workspace != NULL ? size : 0;
    if (shown && crew->progress->shown) {
        exec.progress_user = crew->progress;
        exec.progress = progress_within;
    }
    while (take(crew, &index, &done)) {
        if (shown) {
            crew->progress->base = crew->progress_base + done;
            progress_to(crew->progress, crew->progress->base);
        }
        give_back(crew, index, run_window(crew, index, loss, &exec, &error), &error);
    }
    free(exec.workspace);
    free(loss);
    return true;
}

static void *work_beside(void *user)
{
    work(user, false);
    return NULL;
}

/* This thread and as many more as there are windows for. A thread that cannot be started is done without. */
static bool work_together(struct crew *crew, size_t threads)
{
    pthread_t *others = threads > 1 ? malloc((threads - 1) * sizeof *others) : NULL;
    size_t started = 0;
    while (others != NULL && started < threads - 1 && pthread_create(&others[started], NULL, work_beside, crew) == 0)
        started++;
    bool fine = work(crew, true);
    for (size_t i = 0; i < started; i++)
        pthread_join(others[i], NULL);
    free(others);
    return fine;
}

/* The sums of all windows, in their order. */
static bool add_up(struct crew *crew)
{
    struct pass *pass = crew->pass;
    norm_error error = ERROR_INIT;
    pass->loss = 0;
    pass->predictions = pass->predicted_bytes = 0;
    for (size_t w = 0; w < crew->windows->count; w++) {
        const int32_t *ids;
        size_t count = window_ids(crew->windows, w, &ids);
        pass->loss += crew->window_loss[w];
        if (pass->window_loss != NULL)
            pass->window_loss[w] = crew->window_loss[w];
        pass->predictions += count - 1;
        for (size_t i = 1; i < count; i++) {
            const uint8_t *bytes;
            size_t size;
            if (norm_tokenizer_token(crew->model->tokenizer, ids[i], &bytes, &size, &error) != LIBNORM_OK)
                return say_error(&error);
            pass->predicted_bytes += size;
        }
    }
    return true;
}

bool pass_run(struct pass *pass, const struct model *model, const struct windows *windows, const norm_exec *exec,
              struct progress *progress)
{
    struct crew crew = {.pass = pass,
                        .model = model,
                        .windows = windows,
                        .exec = *exec,
                        .window_loss = malloc(windows->count * sizeof *crew.window_loss),
                        .progress = progress,
                        .progress_base = progress->base};
    size_t threads = exec->threads > 1 ? (size_t)exec->threads : 1;
    size_t records = pass->records != NULL ? windows->count * (size_t)(model->shape.n_layer * model->shape.n_head) : 0;
    size_t together = threads < windows->count ? threads : windows->count;
    if (crew.window_loss == NULL || pthread_mutex_init(&crew.lock, NULL) != 0) {
        free(crew.window_loss);
        return say_no_memory();
    }
    for (size_t i = 0; i < records; i++)
        pass->records[i].struct_size = sizeof pass->records[i];
    crew.exec.threads = (int32_t)(threads / together);
    bool fine = work_together(&crew, together);
    progress_stop(progress);
    progress->base = crew.progress_base + (double)windows->count;
    pthread_mutex_destroy(&crew.lock);
    if (!fine) {
        say_no_memory();
    } else if (crew.failed) {
        say("window %zu of %zu: %s", crew.failed_window + 1, windows->count, crew.error.text);
        fine = false;
    }
    fine = fine && add_up(&crew);
    free(crew.window_loss);
    return fine;
}

double pass_mean_loss(const struct pass *pass)
{
    return pass->predictions == 0 ? (double)NAN : pass->loss / (double)pass->predictions;
}

double pass_perplexity(const struct pass *pass)
{
    return exp(pass_mean_loss(pass));
}

double pass_bits_a_byte(const struct pass *pass)
{
    return pass->predicted_bytes == 0 ? (double)NAN : pass->loss / log(2) / (double)pass->predicted_bytes;
}
