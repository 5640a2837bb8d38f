/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "report.h"
#include "say.h"

static bool choose(struct report *report, const char *text)
{
    size_t layers = (size_t)report->model->shape.n_layer, heads = (size_t)report->model->shape.n_head;
    const char *point = strchr(text, '.');
    size_t layer_size = point != NULL ? (size_t)(point - text) : strlen(text);
    int64_t layer, head = 0;
    if (!number_read_whole(text, layer_size, 0, (int64_t)layers - 1, &layer) ||
        (point != NULL && !number_read_whole(point + 1, strlen(point + 1), 0, (int64_t)heads - 1, &head))) {
        say("--heads %s: expected LAYER or LAYER.HEAD; the model has layers 0 to %zu with heads 0 to %zu", text,
            layers - 1, heads - 1);
        return false;
    }
    for (size_t h = 0; h < heads; h++)
        if (point == NULL || h == (size_t)head)
            report->chosen[(size_t)layer * heads + h] = true;
    return true;
}

bool report_choose_heads(struct report *report, const struct texts *texts)
{
    size_t count = report_heads(report);
    report->chosen = calloc(count, sizeof *report->chosen);
    if (report->chosen == NULL)
        return say_no_memory();
    for (size_t i = 0; i < texts->count; i++)
        if (!choose(report, texts->item[i]))
            return false;
    report->chosen_count = 0;
    for (size_t i = 0; i < count; i++) {
        report->chosen[i] |= texts->count == 0;
        report->chosen_count += report->chosen[i];
    }
    return true;
}
