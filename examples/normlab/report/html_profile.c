/* SPDX-License-Identifier: MIT */
/* Entropy against depth: a dot a head, a colour a normalizer. */
#include <math.h>

#include "html.h"

/* The drawing, in its own units. */
#define WIDTH 400.0
#define HEIGHT 260.0
#define LEFT 34.0
#define RIGHT 8.0
#define TOP 12.0
#define BOTTOM 34.0

/* Told apart by eye and in grey; the first is the one most reports have alone. */
static const char *const colours[] = {"#22577f", "#c2543d", "#4f8f4a", "#8a5fa8", "#b08a1e", "#5b6770"};
#define COLOUR_COUNT (sizeof colours / sizeof colours[0])

static double highest(const struct report *report)
{
    double most = 0;
    for (size_t i = 0; i < report->measured_count; i++)
        for (size_t h = 0; h < report_heads(report); h++) {
            double value = report->chosen[h] ? report->measured[i].heads[h].entropy : 0;
            most = isfinite(value) && value > most ? value : most;
        }
    return most > 1 ? ceil(most) : 1;
}

static double height_of(double value, double most)
{
    return HEIGHT - BOTTOM - value / most * (HEIGHT - TOP - BOTTOM);
}

static void write_axes(struct buffer *out, const struct report *report, double most)
{
    size_t layers = (size_t)report->model->shape.n_layer, every = (layers + 15) / 16;
    double step = most > 12 ? ceil(most / 6) : most > 6 ? 2 : 1, width = (WIDTH - LEFT - RIGHT) / (double)layers;
    for (double value = 0; value <= most; value += step)
        buffer_format(out,
                      "<line x1=\"%.0f\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\"/>"
                      "<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">%.0f</text>\n",
                      LEFT, WIDTH - RIGHT, height_of(value, most), height_of(value, most), LEFT - 6,
                      height_of(value, most) + 4, value);
    for (size_t l = 0; l < layers; l += every)
        buffer_format(out, "<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">%zu</text>\n",
                      LEFT + ((double)l + 0.5) * width, HEIGHT - BOTTOM + 16, l);
    buffer_format(out, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">layer</text>\n", LEFT + (WIDTH - LEFT) / 2,
                  HEIGHT - 4);
}

static void write_dots(struct buffer *out, const struct report *report, double most)
{
    size_t heads = (size_t)report->model->shape.n_head, count = report->measured_count;
    double width = (WIDTH - LEFT - RIGHT) / (double)report->model->shape.n_layer;
    for (size_t i = 0; i < count; i++) {
        /* Normalizers side by side within a layer. */
        double shift = ((double)i + 0.5) / (double)count * 0.7 + 0.15;
        for (size_t h = 0; h < report_heads(report); h++) {
            const norm_head_summary *head = &report->measured[i].heads[h];
            if (!report->chosen[h] || !isfinite(head->entropy))
                continue;
            buffer_format(out,
                          "<a href=\"#n%zu-l%d-h%d\"><circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\">"
                          "<title>layer %d, head %d: %.2f nats</title></circle></a>\n",
                          i, (int)head->layer, (int)head->head, LEFT + ((double)(h / heads) + shift) * width,
                          height_of(head->entropy, most), colours[i % COLOUR_COUNT], (int)head->layer, (int)head->head,
                          head->entropy);
        }
    }
}

static void write_names(struct buffer *out, const struct report *report)
{
    if (report->measured_count < 2)
        return;
    buffer_text(out, "<ul>");
    for (size_t i = 0; i < report->measured_count; i++) {
        buffer_format(out,
                      "<li><span style=\"color:%s\" aria-hidden=\"true\">\xe2\x97\x8f</span> <span class=\"mono\">",
                      colours[i % COLOUR_COUNT]);
        html_text(out, report->measured[i].pass.spec);
        buffer_text(out, "</span></li>");
    }
    buffer_text(out, "</ul>\n");
}

void html_profile(struct buffer *out, const struct report *report)
{
    double most = highest(report);
    buffer_format(out,
                  "<figure class=\"profile\"><figcaption>Entropy, layer by layer<small>A dot a head, in "
                  "nats.</small></figcaption>\n"
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
                  "aria-label=\"Entropy of every head by layer; the table of all heads has the numbers\">\n",
                  WIDTH, HEIGHT);
    write_axes(out, report, most);
    write_dots(out, report, most);
    buffer_text(out, "</svg>\n");
    write_names(out, report);
    buffer_text(out, "</figure>\n");
}
