/* SPDX-License-Identifier: MIT */
/* What was found, in sentences; every rule names its number. */
#include <math.h>
#include <stddef.h>

#include "html.h"

#define MOSTLY 0.5  /* a head "looks mostly at": its mean weight there */
#define DIFFUSE 0.9 /* of the largest entropy there could be */
#define FOCUSED 2.0 /* tokens: exp H below */

static const struct column *column_at(size_t offset)
{
    for (size_t c = 0; c < column_count; c++)
        if (columns[c].offset == offset)
            return &columns[c];
    return &columns[0];
}
#define COLUMN(field) column_at(offsetof(norm_head_summary, field))

/* Over the chosen heads whose value is finite. */
struct spread {
    double mean;
    size_t count, above, below; /* strictly, of the threshold */
    const norm_head_summary *least, *most;
};

static struct spread spread_of(const struct report *report, const struct measured *m, const struct column *column,
                               double threshold)
{
    struct spread s = {0};
    for (size_t h = 0; h < report_heads(report); h++) {
        const norm_head_summary *head = &m->heads[h];
        double value = report->chosen[h] ? column_value(column, head) : (double)NAN;
        if (!isfinite(value))
            continue;
        s.mean += value;
        s.count++;
        s.above += value > threshold;
        s.below += value < threshold;
        if (s.least == NULL || value < column_value(column, s.least))
            s.least = head;
        if (s.most == NULL || value > column_value(column, s.most))
            s.most = head;
    }
    s.mean = s.count > 0 ? s.mean / (double)s.count : (double)NAN;
    return s;
}

static void write_head_link(struct buffer *out, size_t index, const norm_head_summary *head)
{
    buffer_format(out, "<a href=\"#n%zu-l%d-h%d\">layer %d head %d</a>", index, (int)head->layer, (int)head->head,
                  (int)head->layer, (int)head->head);
}

static void write_value(struct buffer *out, const struct column *column, double value)
{
    buffer_format(out, "%s%s", column_show(column, value, false).text, column_unit(column));
}

static const char *is_or_are(size_t count)
{
    return count == 1 ? "is" : "are";
}

static void write_extent(struct buffer *out, const struct report *report, const struct measured *m, size_t index)
{
    const struct column *entropy = COLUMN(entropy), *tokens = COLUMN(exp_entropy);
    struct spread s = spread_of(report, m, entropy, 0), wide = spread_of(report, m, tokens, FOCUSED);
    struct spread relative = spread_of(report, m, COLUMN(relative_entropy), DIFFUSE);
    if (s.count == 0)
        return;
    buffer_text(out, "<li>The mean entropy of a head is ");
    write_value(out, entropy, s.mean);
    buffer_text(out, ", ");
    write_value(out, COLUMN(relative_entropy), relative.mean);
    buffer_text(out, " of the most it could be. It runs from ");
    write_value(out, entropy, s.least->entropy);
    buffer_text(out, " in ");
    write_head_link(out, index, s.least);
    buffer_text(out, ", whose attention is spread over ");
    write_value(out, tokens, s.least->exp_entropy);
    buffer_text(out, ", to ");
    write_value(out, entropy, s.most->entropy);
    buffer_text(out, " in ");
    write_head_link(out, index, s.most);
    buffer_text(out, ", which spreads it over ");
    write_value(out, tokens, s.most->exp_entropy);
    buffer_text(out, ".</li>\n");
    buffer_format(out,
                  "<li>%zu of %zu heads %s focused (spread over fewer than %.0f tokens), %zu %s diffuse (more than "
                  "%.0f\xc2\xa0%% of the largest entropy).</li>\n",
                  wide.below, wide.count, is_or_are(wide.below), FOCUSED, relative.above, is_or_are(relative.above),
                  100 * DIFFUSE);
}

/* "3 of 32 heads look mostly at the first token", or who comes nearest to it. */
static void write_mostly(struct buffer *out, const struct report *report, const struct measured *m, size_t index,
                         const struct column *column, const char *what)
{
    struct spread s = spread_of(report, m, column, MOSTLY);
    if (s.count == 0)
        return;
    if (s.above > 0)
        buffer_format(out, "<li>%zu of %zu %s more than %.0f\xc2\xa0%% of the weight on %s; the most is ", s.above,
                      s.count, s.above == 1 ? "heads puts" : "heads put", 100 * MOSTLY, what);
    else
        buffer_format(out, "<li>No head puts more than %.0f\xc2\xa0%% of its weight on %s; the most is ", 100 * MOSTLY,
                      what);
    write_value(out, column, column_value(column, s.most));
    buffer_text(out, " in ");
    write_head_link(out, index, s.most);
    buffer_text(out, ".</li>\n");
}

static void write_reach(struct buffer *out, const struct report *report, const struct measured *m, size_t index)
{
    const struct column *distance = COLUMN(distance), *score = COLUMN(max_score);
    struct spread s = spread_of(report, m, distance, 0), top = spread_of(report, m, score, 0);
    if (s.count == 0)
        return;
    buffer_text(out, "<li>Heads look back ");
    write_value(out, distance, s.mean);
    buffer_text(out, " in the mean: least in ");
    write_head_link(out, index, s.least);
    buffer_text(out, " (");
    write_value(out, distance, s.least->distance);
    buffer_text(out, "), most in ");
    write_head_link(out, index, s.most);
    buffer_text(out, " (");
    write_value(out, distance, s.most->distance);
    buffer_text(out, ").</li>\n");
    if (top.count == 0)
        return;
    buffer_text(out, "<li>The largest score is ");
    write_value(out, score, top.most->max_score);
    buffer_text(out, ", in ");
    write_head_link(out, index, top.most);
    buffer_text(out, ".</li>\n");
}

static void write_trouble(struct buffer *out, const struct report *report, const struct measured *m)
{
    double empty = 0, nan = 0;
    for (size_t h = 0; h < report_heads(report); h++) {
        empty += m->heads[h].empty_rows;
        nan += m->heads[h].nan_rows;
    }
    if (empty > 0)
        buffer_format(out, "<li><strong>%s rows had no weight at all</strong> and are left out of the means.</li>\n",
                      whole_show(empty).text);
    if (nan > 0)
        buffer_format(out,
                      "<li><strong>%s rows held weights that are not numbers</strong> and are left out of the "
                      "means.</li>\n",
                      whole_show(nan).text);
}

static void write_findings(struct buffer *out, const struct report *report, size_t index)
{
    const struct measured *m = &report->measured[index];
    if (report->measured_count > 1) {
        buffer_text(out, "<h3>With <span class=\"mono\">");
        html_text(out, m->pass.spec);
        buffer_text(out, "</span></h3>\n");
    }
    buffer_text(out, "<ul>\n");
    write_extent(out, report, m, index);
    write_mostly(out, report, m, index, COLUMN(first_mass), "the first token of the window (attention sinks)");
    write_mostly(out, report, m, index, COLUMN(previous_mass), "the token before");
    write_mostly(out, report, m, index, COLUMN(self_mass), "the token itself");
    write_reach(out, report, m, index);
    write_trouble(out, report, m);
    buffer_text(out, "</ul>\n");
}

void html_words(struct buffer *out, const struct report *report)
{
    const norm_gpt2_shape *shape = &report->model->shape;
    size_t last = report->windows.ids->count - (report->windows.count - 1) * report->windows.length;
    buffer_text(out, "<h2 id=\"summary\">In plain words</h2>\n<div class=\"beside\"><div>\n<p>The model <strong>");
    html_text(out, html_base_name(report->model->directory));
    buffer_format(out, "</strong>, %zu layers of %zu heads and %s parameters, read <strong>", (size_t)shape->n_layer,
                  (size_t)shape->n_head, whole_show((double)shape->parameters).text);
    html_text(out, html_base_name(report->text_path));
    buffer_format(out, "</strong>: %s bytes, ", whole_show((double)report->text_size).text);
    buffer_format(out, "%s tokens, in ", whole_show((double)report->windows.ids->count).text);
    if (report->windows.count == 1) {
        buffer_text(out, "one window");
    } else {
        buffer_format(out, "%s windows", whole_show((double)report->windows.count).text);
        buffer_format(out, " of %s tokens", whole_show((double)report->windows.length).text);
        if (last != report->windows.length)
            buffer_format(out, " (the last of %s)", whole_show((double)last).text);
    }
    buffer_text(out, ".</p>\n");
    if (report->chosen_count != report_heads(report))
        buffer_format(out, "<p>%zu of the %zu heads were chosen for this report.</p>\n", report->chosen_count,
                      report_heads(report));
    for (size_t i = 0; i < report->measured_count; i++)
        write_findings(out, report, i);
    buffer_text(out, "</div>\n");
    html_profile(out, report);
    buffer_text(out, "</div>\n");
}
