/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <stdint.h>
#include <stdlib.h>

#include "say.h"

size_t report_heads(const struct report *report)
{
    return (size_t)(report->model->shape.n_layer * report->model->shape.n_head);
}

/* Summaries are made from one head's records in window order; the records stand window by window. */
static bool summarize(struct measured *m, size_t windows, size_t heads, const bool *chosen)
{
    norm_error error = ERROR_INIT;
    norm_head_record *column = malloc(windows * sizeof *column);
    bool fine = column != NULL;
    if (!fine)
        say_no_memory();
    for (size_t h = 0; h < heads && fine; h++) {
        if (!chosen[h])
            continue;
        for (size_t w = 0; w < windows; w++)
            column[w] = m->pass.records[w * heads + h];
        m->heads[h].struct_size = sizeof m->heads[h];
        fine = norm_head_summarize(column, windows, &m->heads[h], &error) == LIBNORM_OK;
        if (!fine)
            say_error(&error);
    }
    free(column);
    return fine;
}

static bool measure_one(struct report *report, struct measured *m, const norm_exec *exec, struct progress *progress)
{
    size_t heads = report_heads(report), windows = report->windows.count;
    if (windows <= SIZE_MAX / heads / sizeof *m->pass.records)
        m->pass.records = calloc(windows * heads, sizeof *m->pass.records);
    m->heads = calloc(heads, sizeof *m->heads);
    if (m->pass.records == NULL || m->heads == NULL) {
        say_no_memory();
        return false;
    }
    m->pass.chosen = report->chosen;
    return pass_run(&m->pass, report->model, &report->windows, exec, progress) &&
           summarize(m, windows, heads, report->chosen);
}

bool report_measure(struct report *report, const struct normalizers *normalizers, const norm_exec *exec)
{
    struct progress progress;
    bool fine = true;
    progress_start(&progress, "windows", (double)(report->windows.count * normalizers->count));
    for (size_t i = 0; i < normalizers->count && fine; i++) {
        struct measured *m = &report->measured[report->measured_count++];
        m->pass.normalizer = normalizers->item[i];
        m->pass.spec = normalizers->text[i];
        fine = measure_one(report, m, exec, &progress);
    }
    progress_stop(&progress);
    return fine;
}

void report_free(struct report *report)
{
    for (size_t i = 0; i < report->measured_count; i++) {
        free(report->measured[i].pass.records);
        free(report->measured[i].heads);
    }
    report->measured_count = 0;
    free(report->chosen);
    report->chosen = NULL;
}
