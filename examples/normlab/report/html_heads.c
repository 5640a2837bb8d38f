/* SPDX-License-Identifier: MIT */
#include "html.h"

static void write_title_row(struct buffer *out)
{
    buffer_text(out, "<thead><tr><th scope=\"col\">head</th>");
    for (size_t c = 0; c < column_count; c++) {
        if (!columns[c].table)
            continue;
        buffer_text(out, "<th scope=\"col\" title=\"");
        html_text(out, columns[c].meaning);
        buffer_text(out, "\">");
        html_text(out, columns[c].title);
        buffer_format(out, "<small>%s</small></th>", column_unit(&columns[c]));
    }
    buffer_text(out, "</tr></thead>\n");
}

void html_heads(struct buffer *out, const struct report *report, size_t index)
{
    const struct measured *m = &report->measured[index];
    int32_t layer = -1;
    buffer_text(out, "<div class=\"wide\" tabindex=\"0\"><table class=\"list\">");
    write_title_row(out);
    buffer_text(out, "<tbody>\n");
    for (size_t h = 0; h < report_heads(report); h++) {
        const norm_head_summary *head = &m->heads[h];
        if (!report->chosen[h])
            continue;
        buffer_format(out, "<tr id=\"n%zu-l%d-h%d\"%s><th scope=\"row\">%d.%d</th>", index, (int)head->layer,
                      (int)head->head, head->layer != layer && layer >= 0 ? " class=\"first\"" : "", (int)head->layer,
                      (int)head->head);
        layer = head->layer;
        for (size_t c = 0; c < column_count; c++)
            if (columns[c].table)
                buffer_format(out, "<td>%s</td>",
                              column_show(&columns[c], column_value(&columns[c], head), false).text);
        buffer_text(out, "</tr>\n");
    }
    buffer_text(out, "</tbody></table></div>\n");
}
