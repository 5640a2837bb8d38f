/* SPDX-License-Identifier: MIT */
/* heads.json: everything the report knows, for programs. */
#include <math.h>

#include "columns.h"
#include "json.h"
#include "report.h"

static void text_member(struct buffer *out, const char *key, const char *text)
{
    json_key(out, key);
    json_text(out, text);
}

static void number_member(struct buffer *out, const char *key, double value)
{
    json_key(out, key);
    json_number(out, value);
}

static void write_origin(const struct report *report, struct buffer *out)
{
    const norm_gpt2_shape *shape = &report->model->shape;
    text_member(out, "libnorm", report->machine.library);
    json_key(out, "command");
    buffer_text(out, "[");
    for (int i = 0; i < report->program->argc; i++) {
        buffer_text(out, i > 0 ? ", " : "");
        json_text(out, report->program->argv[i]);
    }
    buffer_text(out, "]");
    json_key(out, "machine");
    buffer_text(out, "{");
    text_member(out, "cpu_level", report->machine.cpu_level);
    text_member(out, "blas", report->machine.blas.library);
    text_member(out, "blas_kernel", report->machine.blas.kernel);
    number_member(out, "blas_threads", report->machine.blas_threads > 0 ? report->machine.blas_threads : (double)NAN);
    number_member(out, "threads", report->threads);
    buffer_text(out, "}");
    json_key(out, "model");
    buffer_text(out, "{");
    text_member(out, "directory", report->model->directory);
    text_member(out, "weights_sha256", report->weights_sha256);
    number_member(out, "n_layer", (double)shape->n_layer);
    number_member(out, "n_head", (double)shape->n_head);
    number_member(out, "n_embd", (double)shape->n_embd);
    number_member(out, "n_positions", (double)shape->n_positions);
    number_member(out, "vocab_size", (double)shape->vocab_size);
    number_member(out, "parameters", (double)shape->parameters);
    buffer_text(out, "}");
    json_key(out, "text");
    buffer_text(out, "{");
    text_member(out, "file", report->text_path);
    text_member(out, "sha256", report->text_sha256);
    number_member(out, "bytes", (double)report->text_size);
    number_member(out, "tokens", (double)report->windows.ids->count);
    buffer_text(out, "}");
    number_member(out, "window", (double)report->windows.length);
    number_member(out, "windows", (double)report->windows.count);
}

static void write_head(struct buffer *out, const norm_head_summary *head)
{
    buffer_text(out, "{");
    number_member(out, "layer", head->layer);
    number_member(out, "head", head->head);
    for (size_t c = 0; c < column_count; c++)
        number_member(out, columns[c].key, column_value(&columns[c], head));
    buffer_text(out, "}");
}

void report_write_json(const struct report *report, struct buffer *out)
{
    size_t heads = report_heads(report);
    buffer_text(out, "{");
    write_origin(report, out);
    json_key(out, "normalizers");
    buffer_text(out, "[");
    for (size_t i = 0; i < report->measured_count; i++) {
        const struct measured *m = &report->measured[i];
        const char *separator = "\n    ";
        buffer_text(out, i > 0 ? ",\n  {" : "\n  {");
        text_member(out, "normalizer", m->pass.spec);
        number_member(out, "predictions", (double)m->pass.predictions);
        number_member(out, "loss", pass_mean_loss(&m->pass));
        number_member(out, "perplexity", pass_perplexity(&m->pass));
        number_member(out, "bits_per_byte", pass_bits_a_byte(&m->pass));
        json_key(out, "heads");
        buffer_text(out, "[");
        for (size_t h = 0; h < heads; h++) {
            if (!report->chosen[h])
                continue;
            buffer_text(out, separator);
            write_head(out, &m->heads[h]);
            separator = ",\n    ";
        }
        buffer_text(out, "]}");
    }
    buffer_text(out, "]}\n");
}
