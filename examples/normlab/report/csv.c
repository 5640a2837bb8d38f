/* SPDX-License-Identifier: MIT */
/* heads.csv: a line a head and normalizer. */
#include "columns.h"
#include "report.h"

/* In quotes, which stand doubled inside: specs hold commas. */
static void csv_text(struct buffer *out, const char *text)
{
    buffer_text(out, "\"");
    for (; *text != '\0'; text++)
        buffer_format(out, *text == '"' ? "%c\"" : "%c", *text);
    buffer_text(out, "\"");
}

void report_write_csv(const struct report *report, struct buffer *out)
{
    size_t heads = report_heads(report);
    buffer_text(out, "normalizer,layer,head");
    for (size_t c = 0; c < column_count; c++)
        buffer_format(out, ",%s", columns[c].key);
    buffer_text(out, "\n");
    for (size_t i = 0; i < report->measured_count; i++) {
        const struct measured *m = &report->measured[i];
        for (size_t h = 0; h < heads; h++) {
            if (!report->chosen[h])
                continue;
            csv_text(out, m->pass.spec);
            buffer_format(out, ",%d,%d", (int)m->heads[h].layer, (int)m->heads[h].head);
            for (size_t c = 0; c < column_count; c++) {
                buffer_text(out, ",");
                buffer_f64(out, column_value(&columns[c], &m->heads[h]));
            }
            buffer_text(out, "\n");
        }
    }
}
