/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "arguments.h"
#include "json.h"
#include "rows.h"
#include "say.h"
#include "spec.h"

/* Weights of one row, over its scores. */
static bool apply_row(const norm_normalizer *normalizer, struct row *row, const norm_exec *exec)
{
    norm_rows rows = {.struct_size = sizeof rows, .batch = 1, .rows = 1, .cols = row->count};
    norm_error error = ERROR_INIT;
    norm_status status;
    if (row->masked) {
        rows.visible = row->visible;
        rows.visible_stride[2] = 1;
    }
    if (row->wide)
        status = norm_apply_f64(normalizer, &rows, row->values, row->values, NULL, exec, &error);
    else
        status = norm_apply_f32(normalizer, &rows, row->values, row->values, NULL, exec, &error);
    if (status != LIBNORM_OK) {
        say_error(&error);
        return false;
    }
    return true;
}

static bool apply_all(const norm_normalizer *normalizer, struct row *row, struct row_reader *reader,
                      const norm_exec *exec, bool json, struct buffer *out)
{
    int more = 0;
    bool fine = true;
    while (fine && (more = row_read(reader, row)) == 1) {
        fine = apply_row(normalizer, row, exec);
        if (!fine)
            break;
        if (json)
            buffer_text(out, reader->line > 1 ? ",\n  [" : "\n  [");
        row_write(out, row->values, row->count, row->wide, json ? ", " : " ", json);
        buffer_text(out, json ? "]" : "\n");
        /* JSON that stops in the middle is of no use to anybody: it is held until it is whole. */
        fine = json || buffer_drain(out);
    }
    return fine && more == 0;
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
    struct row row = {.wide = wide};
    struct row_reader reader = {.file = stdin, .name = "standard input"};
    struct buffer out = {0};
    norm_exec exec = program_exec(program, 1);
    bool fine = text != NULL;
    if (fine && json) {
        buffer_text(&out, "{");
        json_key(&out, "normalizer");
        json_text(&out, text);
        json_key(&out, "weights");
        buffer_text(&out, "[");
    }
    fine = fine && apply_all(normalizer, &row, &reader, &exec, json, &out);
    if (fine && json)
        buffer_text(&out, "]}\n");
    /* Rows before a bad one are whole: a filter passes them on. */
    if (fine || !json)
        fine = buffer_print(&out) && fine;
    buffer_free(&out);
    row_reader_free(&reader);
    row_free(&row);
    free(text);
    norm_normalizer_free(normalizer);
    return fine ? EXIT_FINE : EXIT_FAILED;
}

const struct command command_apply = {
    "apply",
    "SPEC [--f64] [--json]",
    "rows of scores on stdin -> rows of weights",
    "Reads one row of scores a line, numbers separated by blanks, and writes one row of weights a line.\n"
    "  _               a hidden entry: not counted, and printed as 0\n"
    "  inf, -inf, nan  are accepted; an empty line is an empty row\n"
    "SPEC is a normalizer: softmax, softmax:temperature=0.5, ...; 'normlab list' has them all.\n\n"
    "  --f64   compute in double; numbers are printed with up to 17 digits instead of 9\n"
    "  --json  {\"normalizer\": SPEC, \"weights\": [[...], ...]}; numbers that are not finite become null\n\n"
    "  printf '1 2 3 0.5\\n' | normlab apply softmax\n",
    run,
};
