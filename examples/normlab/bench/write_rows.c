/* SPDX-License-Identifier: MIT */
#include "bench/write.h"
#include "json.h"

/* The columns of ratios; each pass has some of them. */
static const char *const references[] = {"memcpy", "softmax", "product", "forward"};
enum { REFERENCES = sizeof references / sizeof references[0] };

void write_rows_head(struct buffer *out, const struct row_bench *bench)
{
    buffer_format(out, "%s, one thread; hot: %zu KiB again and again; streaming: through %zu MiB\n",
                  bench->wide ? "f64" : "f32", bench->hot_bytes >> 10, bench->streaming_bytes >> 20);
    buffer_text(out, "medians (quartiles); x: times what that takes on the same rows in the same run\n");
}

void write_rows_title(struct buffer *out, const struct row_figure *f)
{
    buffer_format(out, "\n%s, scores %s\n%8s %-7s %9s %-17s %9s %8s %-15s", f->set, scores_name(f->scores), "n", "pass",
                  "ns", "a number", "numbers/s", "x memcpy", "");
    for (int i = 1; i < REFERENCES; i++)
        buffer_format(out, " x %s", references[i]);
    buffer_text(out, "  normalizer\n");
}

void write_rows_text(struct buffer *out, const struct row_figure *f)
{
    const struct contender *subject = &f->contest->contender[0], *copy = write_find(f->contest, "memcpy");
    buffer_format(out, "%8zu %-7s %9.4f", f->n, f->pass, 1e9 * subject->seconds.median);
    write_brackets(out, "(%.4f %.4f)", &subject->seconds, 1e9, 17);
    buffer_format(out, " %9.3g %8.2f", 1 / subject->seconds.median, copy->ratio.median);
    write_brackets(out, "(%.2f %.2f)", &copy->ratio, 1, 15);
    for (int i = 1; i < REFERENCES; i++) {
        const struct contender *c = write_find(f->contest, references[i]);
        if (c == NULL)
            buffer_format(out, " %9s", "-");
        else
            buffer_format(out, " %9.2f", c->ratio.median);
    }
    buffer_format(out, "  %s\n", f->normalizer);
}

void write_rows_json(struct buffer *out, const struct row_figure *f)
{
    const struct contender *subject = &f->contest->contender[0];
    buffer_text(out, "{");
    write_text_json(out, "normalizer", f->normalizer);
    write_text_json(out, "pass", f->pass);
    write_text_json(out, "scores", scores_name(f->scores));
    write_text_json(out, "set", f->set);
    write_whole_json(out, "n", f->n);
    write_whole_json(out, "rows", f->rows);
    write_whole_json(out, "bytes", f->bytes);
    write_whole_json(out, "rounds", f->contest->rounds);
    write_quartiles_json(out, "ns", &subject->seconds, 1e9);
    json_key(out, "numbers_per_second");
    json_number(out, 1 / subject->seconds.median);
    write_against_json(out, f->contest, "ns", 1e9);
    buffer_text(out, "}");
}
