/* SPDX-License-Identifier: MIT */
#include "windows.h"

#include <math.h>
#include <stdlib.h>

#include "say.h"

bool windows_cut(struct windows *ret_windows, const struct ids *ids, long length, const struct model *model)
{
    uint64_t positions = model->shape.n_positions;
    if ((uint64_t)length > positions) {
        say("--window %ld: the model in %s has %llu positions", length, model->directory,
            (unsigned long long)positions);
        return false;
    }
    ret_windows->ids = ids;
    ret_windows->length = length == 0 ? (size_t)positions : (size_t)length;
    ret_windows->count = ids->count / ret_windows->length + (ids->count % ret_windows->length != 0);
    return true;
}

size_t window_ids(const struct windows *windows, size_t index, const int32_t **ret_ids)
{
    size_t first = index * windows->length, left = windows->ids->count - first;
    *ret_ids = windows->ids->item + first;
    return left < windows->length ? left : windows->length;
}

/* -- one pass ------------------------------------------------------------------------------------------------------ */

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

/* Adds the losses of one window, in order. */
static bool add_losses(struct pass *pass, const struct model *model, const int32_t *ids, size_t count,
                       const double *loss)
{
    norm_error error = ERROR_INIT;
    for (size_t i = 1; i < count; i++) {
        const uint8_t *bytes;
        size_t size;
        if (norm_tokenizer_token(model->tokenizer, ids[i], &bytes, &size, &error) != LIBNORM_OK) {
            say_error(&error);
            return false;
        }
        pass->loss += loss[i - 1];
        pass->predicted_bytes += size;
    }
    pass->predictions += count - 1;
    return true;
}

static bool run_window(struct pass *pass, const struct model *model, const struct windows *windows, size_t index,
                       double *loss, const norm_exec *exec, struct progress *progress)
{
    const int32_t *ids;
    size_t count = window_ids(windows, index, &ids), heads = (size_t)(model->shape.n_layer * model->shape.n_head);
    norm_error error = ERROR_INIT;
    struct watch watch = {{.struct_size = sizeof watch.heads,
                           .window = (double)index,
                           .n_layer = model->shape.n_layer,
                           .n_head = model->shape.n_head},
                          pass->chosen};
    norm_gpt2_run run = {.struct_size = sizeof run,
                         .normalizers = &pass->normalizer,
                         .normalizer_count = 1,
                         .logits = LIBNORM_GPT2_LOGITS_NONE};
    if (pass->records != NULL) {
        watch.heads.records = pass->records + index * heads;
        for (size_t i = 0; i < heads; i++)
            watch.heads.records[i].struct_size = sizeof watch.heads.records[i];
        run.observer = watch_head;
        run.observer_user = &watch;
    }
    norm_status status = norm_gpt2_loss(model->gpt2, ids, count, &run, loss, exec, &error);
    if (status != LIBNORM_OK) {
        progress_stop(progress);
        say("window %zu of %zu: %s", index + 1, windows->count, error.text);
        return false;
    }
    return add_losses(pass, model, ids, count, loss);
}

/* Memory for one window, taken once and used by all. */
static bool reserve(norm_exec *exec, const struct model *model, const struct windows *windows, const struct pass *pass)
{
    norm_gpt2_run run = {.struct_size = sizeof run,
                         .normalizers = &pass->normalizer,
                         .normalizer_count = 1,
                         .logits = LIBNORM_GPT2_LOGITS_NONE};
    norm_error error = ERROR_INIT;
    size_t size = 0;
    if (pass->records != NULL)
        run.observer = watch_head;
    if (norm_gpt2_workspace(model->gpt2, windows->length, &run, exec, &size, &error) != LIBNORM_OK) {
        say_error(&error);
        return false;
    }
    exec->workspace = size > 0 ? malloc(size) : NULL;
    exec->workspace_size = exec->workspace != NULL ? size : 0;
    return true;
}

bool pass_run(struct pass *pass, const struct model *model, const struct windows *windows, const norm_exec *exec,
              struct progress *progress)
{
    norm_exec mine = *exec;
    double *loss = malloc(windows->length * sizeof *loss), base = progress->base;
    if (loss == NULL)
        return say_no_memory() == EXIT_SUCCESS;
    bool fine = reserve(&mine, model, windows, pass);
    if (progress->shown) {
        mine.progress_user = progress;
        mine.progress = progress_within;
    }
    pass->loss = 0;
    pass->predictions = pass->predicted_bytes = 0;
    for (size_t i = 0; i < windows->count && fine; i++) {
        progress->base = base + (double)i;
        progress_to(progress, progress->base);
        fine = run_window(pass, model, windows, i, loss, &mine, progress);
    }
    progress->base = base + (double)windows->count;
    free(mine.workspace);
    free(loss);
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
