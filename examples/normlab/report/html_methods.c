/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "html.h"

static void write_columns(struct buffer *out)
{
    buffer_text(out, "<dl class=\"keys\">\n");
    for (size_t c = 0; c < column_count; c++) {
        buffer_text(out, "<dt>");
        html_text(out, columns[c].title);
        buffer_text(out, "</dt><dd>");
        html_text(out, columns[c].meaning);
        if (strcmp(columns[c].title, columns[c].key) != 0)
            buffer_format(out, " <code>%s</code>", columns[c].key);
        buffer_text(out, "</dd>\n");
    }
    buffer_text(out, "</dl>\n");
}

static void write_pair(struct buffer *out, const char *name, const char *value)
{
    buffer_format(out, "<dt>%s</dt><dd class=\"mono\">", name);
    html_text(out, value);
    buffer_text(out, "</dd>\n");
}

/* A word as a shell would have to be given it. */
static void write_word(struct buffer *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        html_text(out, word);
        return;
    }
    buffer_text(out, "&#39;");
    for (const char *part = word; *part != '\0';) {
        size_t length = strcspn(part, "'");
        struct buffer piece = {0};
        buffer_add(&piece, part, length);
        buffer_add(&piece, "", 1);
        if (!piece.failed)
            html_text(out, piece.data);
        out->failed |= piece.failed;
        buffer_free(&piece);
        part += length;
        if (*part == '\'') {
            buffer_text(out, "&#39;\\&#39;&#39;");
            part++;
        }
    }
    buffer_text(out, "&#39;");
}

static void write_machine(struct buffer *out, const struct report *report)
{
    const norm_blas_info *blas = &report->machine.blas;
    char text[160], threads[32] = "";
    if (report->machine.blas_threads > 0)
        snprintf(threads, sizeof threads, ", threads %d", report->machine.blas_threads);
    snprintf(text, sizeof text, "%s%s%s%s%s", blas->library, blas->kernel[0] != '\0' ? ", kernel " : "", blas->kernel,
             blas->suits < 0 ? " (slower than this processor allows)" : "", threads);
    write_pair(out, "BLAS", text);
    write_pair(out, "CPU level", report->machine.cpu_level);
    snprintf(text, sizeof text, "%d", (int)report->threads);
    write_pair(out, "threads", text);
}

static void write_origin(struct buffer *out, const struct report *report)
{
    char text[32];
    buffer_text(out, "<dl class=\"keys\">\n<dt>command</dt><dd class=\"mono\">");
    for (int i = 0; i < report->program->argc; i++) {
        buffer_text(out, i > 0 ? " " : "");
        write_word(out, report->program->argv[i]);
    }
    buffer_text(out, "</dd>\n");
    write_pair(out, "model", report->model->directory);
    write_pair(out, "weights, SHA-256", report->weights_sha256);
    write_pair(out, "text", report->text_path);
    write_pair(out, "text, SHA-256", report->text_sha256);
    snprintf(text, sizeof text, "%zu", report->windows.length);
    write_pair(out, "window", text);
    write_pair(out, "libnorm", report->machine.library);
    write_machine(out, report);
    buffer_text(out, "</dl>\n");
}

void html_methods(struct buffer *out, const struct report *report)
{
    buffer_text(
        out,
        "<h2 id=\"methods\">How it was measured</h2>\n"
        "<p>The text is turned into tokens and cut into windows that lie side by side; the last one holds what "
        "remains. Each window goes through the model on its own, so a token sees the tokens of its window up to "
        "itself. The first token of a window is not predicted; loss, perplexity and bits a byte are over all others. "
        "Bits a byte divide by the bytes of the predicted tokens.</p>\n"
        "<p>A row is what one head does at one token: its weights p over the n tokens it sees, taken as the model "
        "used them, with its own scale, mask and normalizer, and divided by their sum. Each value is the mean over all "
        "rows of all windows, computed in double. Early rows of a window see few tokens and count as much as "
        "late ones. Layers and heads are counted from 0; 3.1 is layer 3, head 1. All logarithms are natural.</p>\n"
        "<h3>The columns, and their names in heads.csv and heads.json</h3>\n");
    write_columns(out);
    buffer_text(out, "<h2 id=\"origin\">To do it again</h2>\n");
    write_origin(out, report);
}
