/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "html.h"
#include "number.h"

static void write_fact(struct buffer *out, const char *name, const char *value, const char *unit)
{
    buffer_format(out, "<div><dt>%s</dt><dd>%s</dd><dd class=\"unit\">%s</dd></div>\n", name, value, unit);
}

static struct column_number show(const char *format, double value)
{
    struct column_number n;
    if (isfinite(value) && fabs(value) < 1e7)
        snprintf(n.text, sizeof n.text, value < 1000 ? format : "%.0f", value);
    else
        snprintf(n.text, sizeof n.text, isfinite(value) ? "%.3g" : "\xe2\x80\x93", value);
    return n;
}

static double mean_entropy(const struct report *report, const struct measured *m)
{
    double sum = 0;
    for (size_t h = 0; h < report_heads(report); h++)
        sum += report->chosen[h] ? m->heads[h].entropy : 0;
    return sum / (double)report->chosen_count;
}

static void write_facts(struct buffer *out, const struct report *report)
{
    const struct measured *m = &report->measured[0];
    buffer_text(out, "<dl class=\"facts\">\n");
    write_fact(out, "loss", show("%.4f", pass_mean_loss(&m->pass)).text, "nats a token");
    write_fact(out, "perplexity", show("%.2f", pass_perplexity(&m->pass)).text, "equal choices");
    write_fact(out, "bits a byte", show("%.3f", pass_bits_a_byte(&m->pass)).text, "of the text");
    write_fact(out, "mean entropy", show("%.2f", mean_entropy(report, m)).text, "nats a head");
    write_fact(out, "heads", whole_show((double)report->chosen_count).text,
               report->chosen_count == report_heads(report) ? "all of the model" : "chosen");
    struct buffer windows = {0};
    buffer_format(&windows, "in %s window%s", whole_show((double)report->windows.count).text,
                  report->windows.count == 1 ? "" : "s");
    buffer_add(&windows, "", 1);
    write_fact(out, "tokens", whole_show((double)report->windows.ids->count).text, windows.failed ? "" : windows.data);
    buffer_free(&windows);
    buffer_text(out, "</dl>\n");
}

static void write_comparison(struct buffer *out, const struct report *report)
{
    buffer_text(out,
                "<div class=\"wide\" tabindex=\"0\"><table class=\"list\"><thead><tr><th scope=\"col\">normalizer</th>"
                "<th scope=\"col\">loss<small>nats a token</small></th>"
                "<th scope=\"col\">change<small>nats a token</small></th>"
                "<th scope=\"col\">perplexity</th><th scope=\"col\">bits a byte</th>"
                "<th scope=\"col\">mean entropy<small>nats</small></th></tr></thead><tbody>\n");
    for (size_t i = 0; i < report->measured_count; i++) {
        const struct pass *pass = &report->measured[i].pass;
        buffer_format(out, "<tr><th scope=\"row\"><a class=\"mono\" href=\"#n%zu\">", i);
        html_text(out, pass->spec);
        buffer_format(out, "</a></th><td>%s</td>", show("%.4f", pass_mean_loss(pass)).text);
        double change = pass_mean_loss(pass) - pass_mean_loss(&report->measured[0].pass);
        buffer_format(out, "<td>%s</td>", i == 0 ? "" : show("%+.4f", change).text);
        buffer_format(out, "<td>%s</td>", show("%.2f", pass_perplexity(pass)).text);
        buffer_format(out, "<td>%s</td>", show("%.3f", pass_bits_a_byte(pass)).text);
        buffer_format(out, "<td>%s</td></tr>\n", show("%.2f", mean_entropy(report, &report->measured[i])).text);
    }
    buffer_text(out,
                "</tbody></table></div>\n<p>A model is trained with one normalizer; another one put in its place "
                "without training shows what the trained weights depend on, not which normalizer is better.</p>\n");
}

void html_losses(struct buffer *out, const struct report *report)
{
    if (report->measured_count == 1)
        write_facts(out, report);
    else
        write_comparison(out, report);
}
