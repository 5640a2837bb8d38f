/* SPDX-License-Identifier: MIT */
#include "bench/print.h"

#include "json.h"

void print_open(struct printer *p, const struct machine *machine, const struct processor *processor)
{
    buffer_text(&p->out, p->json ? "{" : "");
    (p->json ? write_machine_json : write_machine_text)(&p->out, machine, processor);
}

bool print_close(struct printer *p)
{
    buffer_text(&p->out, p->json ? "}\n" : "");
    return buffer_print(&p->out);
}

/* After a figure was added. */
static bool printed(struct printer *p)
{
    p->printed++;
    progress_stop(&p->progress);
    return p->json || buffer_print(&p->out);
}

static void begin(struct printer *p, const char *key)
{
    p->printed = 0;
    if (p->json) {
        json_key(&p->out, key);
        buffer_text(&p->out, "[");
    }
}

static bool end(struct printer *p, bool fine)
{
    progress_stop(&p->progress);
    buffer_text(&p->out, p->json ? "]" : "");
    return fine;
}

static bool tell_rows(void *user, const struct row_figure *figure)
{
    struct printer *p = user;
    if (p->json) {
        buffer_text(&p->out, p->printed > 0 ? ",\n  " : "\n  ");
        write_rows_json(&p->out, figure);
        return printed(p);
    }
    if (p->printed == 0 || p->set != figure->set || p->scores != figure->scores)
        write_rows_title(&p->out, figure);
    p->set = figure->set;
    p->scores = figure->scores;
    write_rows_text(&p->out, figure);
    return printed(p);
}

bool print_rows(struct printer *p, struct row_bench *bench)
{
    bench->tell = tell_rows;
    bench->user = p;
    bench->progress = &p->progress;
    if (p->json)
        write_text_json(&p->out, "width", bench->wide ? "f64" : "f32");
    else
        write_rows_head(&p->out, bench);
    begin(p, "rows");
    progress_start(&p->progress, "figures of rows", (double)row_bench_count(bench));
    return end(p, row_bench_run(bench));
}

static bool tell_attention(void *user, const struct attention_figure *figure)
{
    struct printer *p = user;
    if (p->json)
        buffer_text(&p->out, p->printed > 0 ? ",\n  " : "\n  ");
    (p->json ? write_attention_json : write_attention_text)(&p->out, figure);
    return printed(p);
}

bool print_attention(struct printer *p, struct attention_bench *bench, const struct machine *machine)
{
    bench->tell = tell_attention;
    bench->user = p;
    bench->progress = &p->progress;
    if (!p->json)
        write_attention_head(&p->out, machine);
    begin(p, "attention");
    progress_start(&p->progress, "figures of attention", (double)attention_bench_count(bench));
    return end(p, attention_bench_run(bench));
}

static bool tell_model(void *user, const struct model_figure *figure)
{
    struct printer *p = user;
    if (p->json)
        buffer_text(&p->out, p->printed > 0 ? ",\n  " : "\n  ");
    (p->json ? write_model_json : write_model_text)(&p->out, figure);
    return printed(p);
}

bool print_model(struct printer *p, struct model_bench *bench, const struct machine *machine)
{
    bench->tell = tell_model;
    bench->user = p;
    bench->progress = &p->progress;
    (p->json ? write_model_json_head : write_model_head)(&p->out, bench, machine);
    begin(p, "passes");
    progress_start(&p->progress, "figures of the model", (double)model_bench_count(bench));
    return end(p, model_bench_run(bench));
}
