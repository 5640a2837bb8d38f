/* SPDX-License-Identifier: MIT */
#include "fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"
#include "search.h"

bool fit_scope_read(const char *word, enum fit_scope *ret_scope)
{
    const bool layer = strcmp(word, "layer") == 0;
    if (!layer && strcmp(word, "model") != 0) {
        say_usage("--fit %s: expected model or layer", word);
        return false;
    }
    *ret_scope = layer ? FIT_LAYER : FIT_MODEL;
    return true;
}

/* What a search tries: one number, in every layer or in one. */
struct trial {
    struct fit *fit;
    const norm_normalizer *normalizer;
    size_t first, end; /* layers that get it */
    const struct model *model;
    const struct windows *windows;
    const norm_exec *exec;
    struct progress *progress;
};

static bool set(struct trial *t, double x)
{
    norm_error error = ERROR_INIT;
    for (size_t i = t->first; i < t->end; i++) {
        norm_normalizer *changed = NULL;
        if (norm_normalizer_with(t->normalizer, t->fit->key, x, &changed, &error) != LIBNORM_OK)
            return say_error(&error);
        norm_normalizer_free(t->fit->item[i]);
        t->fit->item[i] = changed;
        t->fit->value[i] = x;
    }
    return true;
}

static bool loss_at(void *user, double x, double *ret)
{
    struct trial *t = user;
    struct pass pass = {.each = (const norm_normalizer *const *)t->fit->item, .each_count = t->fit->count};
    /* How many more there will be nobody knows. */
    t->progress->total = 0;
    if (!set(t, x) || !pass_run(&pass, t->model, t->windows, t->exec, t->progress))
        return false;
    *ret = pass_mean_loss(&pass);
    return true;
}

static bool search_model(struct trial *t, const struct search *search, double start)
{
    double x;
    return search_least(search, start, &x, &t->fit->loss) && set(t, x);
}

static bool search_layers(struct trial *t, const struct search *search)
{
    struct fit *fit = t->fit;
    double before = INFINITY;
    for (int round = 0; round < 3 && !(before - fit->loss < 1e-3); round++) {
        before = fit->loss;
        for (size_t layer = 0; layer < fit->count; layer++) {
            double x;
            t->first = layer;
            t->end = layer + 1;
            if (!search_near(search, fit->value[layer], 4, &x, &fit->loss) || !set(t, x))
                return false;
        }
    }
    return true;
}

bool fit_find(struct fit *ret_fit, enum fit_scope scope, const norm_normalizer *normalizer, const struct model *model,
              const struct windows *calibration, const norm_exec *exec, struct progress *progress)
{
    const size_t layers = scope == FIT_LAYER ? (size_t)model->shape.n_layer : 1;
    double start;
    *ret_fit = (struct fit){.key = "s", .count = layers};
    if (norm_normalizer_get(normalizer, "s", &start) != LIBNORM_OK) {
        ret_fit->key = "temperature";
        norm_normalizer_get(normalizer, "temperature", &start);
    }
    ret_fit->item = calloc(layers, sizeof *ret_fit->item);
    ret_fit->value = calloc(layers, sizeof *ret_fit->value);
    struct trial trial = {ret_fit, normalizer, 0, layers, model, calibration, exec, progress};
    const struct search search = {loss_at, &trial, 1.02, 8};
    const struct search rough = {loss_at, &trial, 1.1, 8};
    const double total = progress->total;
    bool fine = ret_fit->item != NULL && ret_fit->value != NULL;
    if (!fine)
        say_no_memory();
    /* s may be 0 or negative as it was given: the search is among positive ones. */
    fine = fine && search_model(&trial, &search, start > 0 ? start : 1) &&
           (scope != FIT_LAYER || search_layers(&trial, &rough));
    progress->total = total;
    if (!fine)
        fit_free(ret_fit);
    return fine;
}

void fit_free(struct fit *fit)
{
    for (size_t i = 0; fit->item != NULL && i < fit->count; i++)
        norm_normalizer_free(fit->item[i]);
    free(fit->item);
    free(fit->value);
    *fit = (struct fit){.count = 0};
}

bool fit_split(const struct windows *all, long percent, struct ids ids[2], struct windows *ret_calibration,
               struct windows *ret_rest)
{
    size_t count = all->count / 100 * (size_t)percent + all->count % 100 * (size_t)percent / 100;
    if (count == 0)
        count = 1;
    if (count >= all->count) {
        say("--fit: the text is %zu window%s of %zu tokens: expected at least two, one to fit and one to judge on",
            all->count, all->count == 1 ? "" : "s", all->length);
        return false;
    }
    const size_t first = count * all->length;
    ids[0] = (struct ids){all->ids->item, first};
    ids[1] = (struct ids){all->ids->item + first, all->ids->count - first};
    *ret_calibration = (struct windows){&ids[0], all->length, count};
    *ret_rest = (struct windows){&ids[1], all->length, all->count - count};
    return true;
}
