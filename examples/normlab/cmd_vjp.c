/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "arguments.h"
#include "json.h"
#include "rows.h"
#include "say.h"
#include "spec.h"

/* Gradient of one row in its scores, over the upstream gradient. */
static bool vjp_row(const norm_normalizer *normalizer, const struct row *z, struct row *g, const norm_exec *exec)
{
    norm_rows rows = {.struct_size = sizeof rows, .batch = 1, .rows = 1, .cols = z->count};
    norm_error error = ERROR_INIT;
    norm_status status;
    if (z->masked) {
        rows.visible = z->visible;
        rows.visible_stride[2] = 1;
    }
    if (z->wide)
        status = norm_vjp_f64(normalizer, &rows, z->values, NULL, g->values, g->values, exec, &error);
    else
        status = norm_vjp_f32(normalizer, &rows, z->values, NULL, g->values, g->values, exec, &error);
    if (status != LIBNORM_OK) {
        say_error(&error);
        return false;
    }
    return true;
}

/* The gradient of a hidden entry does not matter, so it may be '_' too; elsewhere there must be a number. */
static bool rows_match(const struct row_reader *reader, const struct row *z, const struct row *g)
{
    if (z->count != g->count) {
        say("%s, line %llu: %zu gradients for the %zu scores of line %llu", reader->name, (unsigned long long)g->line,
            g->count, z->count, (unsigned long long)z->line);
        return false;
    }
    for (size_t i = 0; g->masked && i < g->count; i++)
        if (!g->visible[i] && z->visible[i]) {
            say("%s, line %llu, entry %zu: a gradient is missing: '_' stands over a visible score", reader->name,
                (unsigned long long)g->line, i + 1);
            return false;
        }
    return true;
}

static bool vjp_all(const norm_normalizer *normalizer, struct row *z, struct row *g, struct row_reader *reader,
                    const norm_exec *exec, bool json, struct buffer *out)
{
    int more = 0;
    while ((more = row_read(reader, z)) == 1) {
        int second = row_read(reader, g);
        if (second == 0)
            say("%s, line %llu: a row of scores without a row of gradients behind it", reader->name,
                (unsigned long long)z->line);
        if (second != 1 || !rows_match(reader, z, g) || !vjp_row(normalizer, z, g, exec))
            return false;
        if (json)
            buffer_text(out, reader->line > 2 ? ",\n  [" : "\n  [");
        row_write(out, g->values, g->count, g->wide, json ? ", " : " ", json);
        buffer_text(out, json ? "]" : "\n");
        if (!json && !buffer_drain(out))
            return false;
    }
    return more == 0;
}

static int run(const struct command *self, const struct program *program, int argc, char **argv)
{
    bool wide = false, json = false;
    const struct option options[] = {{"--f64", OPTION_FLAG, &wide, 0, 0}, {"--json", OPTION_FLAG, &json, 0, 0}};
    struct arguments a = {options, 2, {{0}, 0}, 1, 1, "a normalizer"};
    int code;
    if (!arguments_read(&a, self, argc, argv, &code))
        return code;
    norm_normalizer *normalizer = spec_parse(a.words.item[0]);
    if (normalizer == NULL)
        return EXIT_USAGE;
    char *text = spec_text(normalizer);
    struct row z = {.wide = wide}, g = {.wide = wide};
    struct row_reader reader = {.file = stdin, .name = "standard input"};
    struct buffer out = {0};
    norm_exec exec = program_exec(program, 1);
    bool fine = text != NULL;
    if (fine && json) {
        buffer_text(&out, "{");
        json_key(&out, "normalizer");
        json_text(&out, text);
        json_key(&out, "gradients");
        buffer_text(&out, "[");
    }
    fine = fine && vjp_all(normalizer, &z, &g, &reader, &exec, json, &out);
    if (fine && json)
        buffer_text(&out, "]}\n");
    if (fine || !json)
        fine = buffer_print(&out) && fine;
    buffer_free(&out);
    row_reader_free(&reader);
    row_free(&z);
    row_free(&g);
    free(text);
    norm_normalizer_free(normalizer);
    return fine ? EXIT_FINE : EXIT_FAILED;
}

const struct command command_vjp = {
    "vjp",
    "SPEC [--f64] [--json]",
    "rows of scores and of upstream gradients, by turns -> rows of gradients",
    "Reads lines in pairs: a row of scores, then the gradient of a loss in the weights of that row. Writes the\n"
    "gradient of the loss in the scores, one line a pair. Rows are written as for 'normlab apply'; above a hidden\n"
    "score the gradient may be anything, '_' too.\n\n"
    "  --f64   compute in double; numbers are printed with up to 17 digits instead of 9\n"
    "  --json  {\"normalizer\": SPEC, \"gradients\": [[...], ...]}; numbers that are not finite become null\n\n"
    "  printf '1 2 3 0.5\\n0.3 -0.2 0.5 0.1\\n' | normlab vjp softmax\n",
    run,
};
