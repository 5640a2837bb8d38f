/* SPDX-License-Identifier: MIT */
#include "bench/write.h"
#include "json.h"

/* The columns of ratios; each pass has some of them. */
static const char *const references[] = {"products", "softmax", "forward"};
enum { REFERENCES = sizeof references / sizeof references[0] };

void write_attention_head(struct buffer *out, const struct machine *machine)
{
    buffer_format(out, "\nattention: %d heads of width %d, queries see the keys up to themselves; BLAS threads: ",
                  (int)ATTENTION_HEADS, (int)ATTENTION_WIDTH);
    if (machine->blas_threads > 0)
        buffer_format(out, "%d\n", machine->blas_threads);
    else
        buffer_text(out, "its own\n");
    buffer_format(out, "%8s %-8s %9s %-17s %10s", "n", "pass", "ms", "all heads", "ns a score");
    for (int i = 0; i < REFERENCES; i++)
        buffer_format(out, " x %-8s", references[i]);
    buffer_text(out, "  normalizer\n");
}

void write_attention_text(struct buffer *out, const struct attention_figure *f)
{
    const struct contender *subject = &f->contest->contender[0];
    buffer_format(out, "%8zu %-8s %9.3f", f->length, f->pass, 1e3 * subject->seconds.median);
    write_brackets(out, "(%.3f %.3f)", &subject->seconds, 1e3, 17);
    buffer_format(out, " %10.3f", 1e9 * subject->seconds.median / f->scores);
    for (int i = 0; i < REFERENCES; i++) {
        const struct contender *c = write_find(f->contest, references[i]);
        if (c == NULL)
            buffer_format(out, " %10s", "-");
        else
            buffer_format(out, " %10.2f", c->ratio.median);
    }
    buffer_format(out, "  %s\n", f->normalizer);
}

void write_attention_json(struct buffer *out, const struct attention_figure *f)
{
    const struct contender *subject = &f->contest->contender[0];
    buffer_text(out, "{");
    write_text_json(out, "normalizer", f->normalizer);
    write_text_json(out, "pass", f->pass);
    write_whole_json(out, "n", f->length);
    write_whole_json(out, "heads", ATTENTION_HEADS);
    write_whole_json(out, "width", ATTENTION_WIDTH);
    write_whole_json(out, "rounds", f->contest->rounds);
    write_quartiles_json(out, "ms", &subject->seconds, 1e3);
    json_key(out, "ns_a_score");
    json_number(out, 1e9 * subject->seconds.median / f->scores);
    write_against_json(out, f->contest, "ms", 1e3);
    buffer_text(out, "}");
}
