/* SPDX-License-Identifier: MIT */
#include "bench/write.h"
#include "json.h"

void write_model_head(struct buffer *out, const struct model_bench *bench, const struct machine *machine)
{
    const norm_gpt2_shape *shape = &bench->model->shape;
    buffer_format(out, "\nforward pass of %s: %.0f numbers in %.0f layers of %.0f heads, %zu tokens\n",
                  bench->model->directory, (double)shape->parameters, (double)shape->n_layer, (double)shape->n_head,
                  bench->tokens);
    buffer_format(out, "%d threads of the library, ", (int)bench->exec.threads);
    if (machine->blas_threads > 0)
        buffer_format(out, "%d of the BLAS\n", machine->blas_threads);
    else
        buffer_text(out, "the BLAS's own\n");
    buffer_format(out, "%-6s %9s %-19s %9s %11s %7s %10s %-13s %7s  normalizer\n", "logits", "ms", "a pass", "tokens/s",
                  "products ms", "GFLOP/s", "x products", "", "share %");
}

void write_model_text(struct buffer *out, const struct model_figure *f)
{
    const struct quartiles *pass = &f->contest->contender[0].seconds;
    buffer_format(out, "%-6s %9.2f", f->logits, 1e3 * pass->median);
    write_brackets(out, "(%.2f %.2f)", pass, 1e3, 19);
    buffer_format(out, " %9.1f", (double)f->tokens / pass->median);
    if (f->contest->count > 1) {
        const struct contender *products = &f->contest->contender[1];
        buffer_format(out, " %11.2f %7.1f %10.3f", 1e3 * products->seconds.median,
                      1e-9 * f->flops / products->seconds.median, products->ratio.median);
        write_brackets(out, "(%.2f %.2f)", &products->ratio, 1, 13);
        buffer_format(out, " %7.1f", 100 / products->ratio.median);
    } else
        buffer_format(out, " %11s %7s %10s %-13s %7s", "-", "-", "-", "", "-");
    buffer_format(out, "  %s\n", f->normalizer);
}

void write_model_json_head(struct buffer *out, const struct model_bench *bench, const struct machine *machine)
{
    json_key(out, "model");
    json_text(out, bench->model->directory);
    write_whole_json(out, "parameters", (size_t)bench->model->shape.parameters);
    write_whole_json(out, "threads", (size_t)bench->exec.threads);
    json_key(out, "blas_threads");
    if (machine->blas_threads > 0)
        buffer_whole(out, machine->blas_threads);
    else
        buffer_text(out, "null");
}

void write_model_json(struct buffer *out, const struct model_figure *f)
{
    const struct quartiles *pass = &f->contest->contender[0].seconds;
    buffer_text(out, "{");
    write_text_json(out, "normalizer", f->normalizer);
    write_text_json(out, "logits", f->logits);
    write_whole_json(out, "tokens", f->tokens);
    write_whole_json(out, "rounds", f->contest->rounds);
    write_quartiles_json(out, "ms", pass, 1e3);
    json_key(out, "tokens_per_second");
    json_number(out, (double)f->tokens / pass->median);
    json_key(out, "products");
    if (f->contest->count > 1) {
        const struct contender *products = &f->contest->contender[1];
        buffer_text(out, "{");
        json_key(out, "flops");
        json_number(out, f->flops);
        write_quartiles_json(out, "ms", &products->seconds, 1e3);
        write_quartiles_json(out, "ratio", &products->ratio, 1);
        buffer_text(out, "}");
    } else
        buffer_text(out, "null");
    buffer_text(out, "}");
}
