/* SPDX-License-Identifier: MIT */
/* Layers by heads, a colour a head: tables, so that they can be read aloud, linked and copied. */
#include <math.h>

#include "html.h"

/* Largest value of a measure over all normalizers, so that their maps compare by eye. */
static double map_top(const struct report *report, const struct column *column)
{
    double top = 0;
    for (size_t i = 0; i < report->measured_count; i++)
        for (size_t h = 0; h < report_heads(report); h++) {
            double value = report->chosen[h] ? column_value(column, &report->measured[i].heads[h]) : 0;
            top = isfinite(value) && value > top ? value : top;
        }
    return top;
}

static size_t step_of(double value, double top)
{
    if (!(value > 0) || !(top > 0))
        return 0;
    double step = floor(value / top * HTML_STEPS);
    return step > HTML_STEPS - 1 ? HTML_STEPS - 1 : (size_t)step;
}

static void write_cell(struct buffer *out, const struct column *column, const norm_head_summary *head, size_t index,
                       double top)
{
    double value = column_value(column, head);
    if (isfinite(value))
        buffer_format(out, "<td class=\"k%zu\">", step_of(value, top));
    else
        buffer_text(out, "<td>");
    buffer_format(out, "<a href=\"#n%zu-l%d-h%d\" title=\"layer %d, head %d: %s%s\"><span>%s</span></a></td>", index,
                  (int)head->layer, (int)head->head, (int)head->layer, (int)head->head,
                  column_show(column, value, false).text, column_unit(column), column_show(column, value, true).text);
}

static void write_scale(struct buffer *out, const struct column *column, double top)
{
    buffer_format(out, "<div class=\"scale\">%s<span class=\"bar\" aria-hidden=\"true\">",
                  column_show(column, 0, true).text);
    for (size_t k = 0; k < HTML_STEPS; k += 2)
        buffer_format(out, "<i class=\"k%zu\"></i>", k);
    buffer_format(out, "</span>%s%s</div>", column_show(column, top, false).text, column_unit(column));
}

static void write_map(struct buffer *out, const struct report *report, size_t index, const struct column *column)
{
    const struct measured *m = &report->measured[index];
    size_t layers = (size_t)report->model->shape.n_layer, heads = (size_t)report->model->shape.n_head;
    double top = map_top(report, column);
    buffer_text(out, "<figure><figcaption>");
    html_text(out, column->map);
    buffer_text(out, "<small>");
    html_text(out, column->meaning);
    buffer_text(out, "</small></figcaption>\n<table class=\"map\"><thead><tr><th class=\"l\" scope=\"col\">"
                     "<span title=\"layer (row) and head (column), counted from 0\">l\xc2\xb7h</span></th>");
    for (size_t h = 0; h < heads; h++)
        buffer_format(out, "<th scope=\"col\">%zu</th>", h);
    buffer_text(out, "</tr></thead><tbody>\n");
    for (size_t l = 0; l < layers; l++) {
        buffer_format(out, "<tr><th class=\"l\" scope=\"row\">%zu</th>", l);
        for (size_t h = 0; h < heads; h++) {
            if (report->chosen[l * heads + h])
                write_cell(out, column, &m->heads[l * heads + h], index, top);
            else
                buffer_text(out, "<td></td>");
        }
        buffer_text(out, "</tr>\n");
    }
    buffer_text(out, "</tbody></table>");
    write_scale(out, column, top);
    buffer_text(out, "</figure>\n");
}

void html_maps(struct buffer *out, const struct report *report, size_t index)
{
    size_t heads = (size_t)report->model->shape.n_head;
    /* A cell of 2.2 to 4 rem; above 16 heads the colour alone is left, and the value on hover. */
    bool dense = heads > 16;
    buffer_format(out, "<div class=\"maps%s\" style=\"--map:%.1frem;--most:%.1frem\">\n", dense ? " dense" : "",
                  heads < 6 ? 17.0 : 2.0 + (double)heads * (dense ? 1.0 : 1.9), 2.0 + (double)heads * 4.2);
    for (size_t c = 0; c < column_count; c++)
        if (columns[c].map != NULL)
            write_map(out, report, index, &columns[c]);
    buffer_text(out, "</div>\n");
}
