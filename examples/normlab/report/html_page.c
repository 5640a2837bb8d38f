/* SPDX-License-Identifier: MIT */
/* report.html: one file, no script, nothing fetched. */
#include "html.h"

static void write_head(struct buffer *out, const struct report *report)
{
    buffer_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                     "<link rel=\"icon\" href=\"data:,\"/>\n<title>");
    html_text(out, html_base_name(report->model->directory));
    buffer_text(out, " on ");
    html_text(out, html_base_name(report->text_path));
    buffer_text(out, ": attention report</title>\n");
    html_style(out);
    buffer_text(out, "</head>\n");
}

static void write_title(struct buffer *out, const struct report *report)
{
    buffer_text(out, "<h1>What the attention heads of ");
    html_text(out, html_base_name(report->model->directory));
    buffer_text(out, " do</h1>\n<p class=\"lead\">on ");
    html_text(out, html_base_name(report->text_path));
    buffer_text(out, ", with ");
    for (size_t i = 0; i < report->measured_count; i++) {
        buffer_text(out, i == 0 ? "<span class=\"mono\">" : ", <span class=\"mono\">");
        html_text(out, report->measured[i].pass.spec);
        buffer_text(out, "</span>");
    }
    buffer_text(out, "</p>\n");
}

static void write_normalizer(struct buffer *out, const struct report *report, size_t index)
{
    buffer_format(out, "<h2 id=\"n%zu\">Layers by heads", index);
    if (report->measured_count > 1) {
        buffer_text(out, " with <span class=\"mono\">");
        html_text(out, report->measured[index].pass.spec);
        buffer_text(out, "</span>");
    }
    buffer_text(out, "</h2>\n<p>One cell a head: rows are layers, the one nearest to the input on top, columns are "
                     "heads. Darker is more. A cell leads to the head in the table below.</p>\n");
    html_maps(out, report, index);
    buffer_text(out, "<h3>Every head</h3>\n");
    html_heads(out, report, index);
}

void report_write_html(const struct report *report, struct buffer *out)
{
    write_head(out, report);
    buffer_text(out, "<body>\n<main>\n");
    write_title(out, report);
    html_losses(out, report);
    html_words(out, report);
    for (size_t i = 0; i < report->measured_count; i++)
        write_normalizer(out, report, i);
    html_methods(out, report);
    buffer_text(out, "</main>\n</body>\n</html>\n");
}
