/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "arguments.h"
#include "json.h"
#include "rows.h"
#include "say.h"
#include "spec.h"

struct job {
    const norm_normalizer *normalizer;
    const norm_exec *exec;
    bool norms, json;
    struct row z;
    double *block; /* cols x cols */
    size_t capacity;
    struct buffer out;
};

static bool failed(const norm_error *error)
{
    say_error(error);
    return false;
}

static norm_rows rows_of(const struct row *z)
{
    norm_rows rows = {.struct_size = sizeof rows, .batch = 1, .rows = 1, .cols = z->count};
    if (z->masked) {
        rows.visible = z->visible;
        rows.visible_stride[2] = 1;
    }
    return rows;
}

static bool reserve(struct job *job, size_t count)
{
    if (count > job->capacity / (count == 0 ? 1 : count) || job->block == NULL) {
        free(job->block);
        job->block = NULL;
        job->capacity = 0;
        if (count < SIZE_MAX / sizeof(double) / (count + 1))
            job->block = malloc((count * count + 1) * sizeof(double));
        if (job->block == NULL) {
            say("out of memory: the Jacobian of a row of %zu scores", count);
            return false;
        }
        job->capacity = count * count;
    }
    return true;
}

/* cols lines of cols numbers, and an empty line behind. */
static bool write_block(struct job *job)
{
    const struct row *z = &job->z;
    const norm_rows rows = rows_of(z);
    norm_error error = ERROR_INIT;
    if (!reserve(job, z->count))
        return false;
    const norm_status status =
        z->wide ? norm_jacobian_f64(job->normalizer, &rows, z->values, NULL, job->block, job->exec, &error)
                : norm_jacobian_f32(job->normalizer, &rows, z->values, NULL, job->block, job->exec, &error);
    if (status != LIBNORM_OK)
        return failed(&error);
    for (size_t i = 0; i < z->count; i++) {
        if (job->json)
            buffer_text(&job->out, i == 0 ? "[" : ",\n   [");
        row_write(&job->out, job->block + i * z->count, z->count, true, job->json ? ", " : " ", job->json);
        buffer_text(&job->out, job->json ? "]" : "\n");
        if (!job->json && !buffer_drain(&job->out))
            return false;
    }
    if (!job->json)
        buffer_text(&job->out, "\n");
    return true;
}

static bool write_norms(struct job *job)
{
    static const char *const names[4] = {"spectral", "frobenius", "bound", "constant"};
    const struct row *z = &job->z;
    const norm_rows rows = rows_of(z);
    double value[4];
    const norm_jacobian_norms to = {sizeof to, 0, &value[0], &value[1], &value[2], &value[3]};
    norm_error error = ERROR_INIT;
    const norm_status status =
        z->wide ? norm_jacobian_norms_f64(job->normalizer, &rows, z->values, &to, job->exec, &error)
                : norm_jacobian_norms_f32(job->normalizer, &rows, z->values, &to, job->exec, &error);
    if (status != LIBNORM_OK)
        return failed(&error);
    for (int i = 0; job->json && i < 4; i++) {
        json_key(&job->out, names[i]);
        json_number(&job->out, value[i]);
    }
    if (!job->json) {
        row_write(&job->out, value, 4, true, " ", false);
        buffer_text(&job->out, "\n");
    }
    return true;
}

static bool jacobian_all(struct job *job, struct row_reader *reader)
{
    const char *open = job->norms ? "{" : "[", *close = job->norms ? "}" : "]";
    int more = 0;
    while ((more = row_read(reader, &job->z)) == 1) {
        if (job->json) {
            buffer_text(&job->out, reader->line > 1 ? ",\n  " : "\n  ");
            buffer_text(&job->out, open);
        }
        if (!(job->norms ? write_norms(job) : write_block(job)))
            return false;
        if (job->json)
            buffer_text(&job->out, close);
        else if (!buffer_drain(&job->out))
            return false;
    }
    return more == 0;
}

static int run(const struct command *self, const struct program *program, int argc, char **argv)
{
    struct job job = {.norms = false};
    const struct option options[] = {{"--norms", OPTION_FLAG, &job.norms, 0, 0},
                                     {"--f64", OPTION_FLAG, &job.z.wide, 0, 0},
                                     {"--json", OPTION_FLAG, &job.json, 0, 0}};
    struct arguments a = {options, 3, {{0}, 0}, 1, 1, "a normalizer"};
    int code;
    if (!arguments_read(&a, self, argc, argv, &code))
        return code;
    norm_normalizer *normalizer = spec_parse(a.words.item[0]);
    if (normalizer == NULL)
        return EXIT_USAGE;
    char *text = spec_text(normalizer);
    struct row_reader reader = {.file = stdin, .name = "standard input"};
    const norm_exec exec = program_exec(program, 1);
    job.normalizer = normalizer;
    job.exec = &exec;
    bool fine = text != NULL;
    if (fine && job.json) {
        buffer_text(&job.out, "{");
        json_key(&job.out, "normalizer");
        json_text(&job.out, text);
        json_key(&job.out, job.norms ? "norms" : "jacobians");
        buffer_text(&job.out, "[");
    }
    fine = fine && jacobian_all(&job, &reader);
    if (fine && job.json)
        buffer_text(&job.out, "]}\n");
    if (fine || !job.json)
        fine = buffer_print(&job.out) && fine;
    buffer_free(&job.out);
    row_reader_free(&reader);
    row_free(&job.z);
    free(job.block);
    free(text);
    norm_normalizer_free(normalizer);
    return fine ? EXIT_FINE : EXIT_FAILED;
}

const struct command command_jacobian = {
    "jacobian",
    "SPEC [--norms] [--f64] [--json]",
    "rows of scores -> the Jacobian of each, or its norms",
    "Reads rows of scores as 'normlab apply' does. For a row of n scores it writes n lines of n numbers, the\n"
    "derivative of weight i in score j at line i, place j, and an empty line. Lines and places of hidden scores\n"
    "are 0.\n\n"
    "  --norms  one line a row instead: the 2-norm, the Frobenius norm, a bound on the 2-norm from the weights of\n"
    "           the row, and a bound for all scores; inf where there is none\n"
    "  --f64    read scores as double; results are double in either case, printed with up to 17 digits\n"
    "  --json   {\"normalizer\": SPEC, \"jacobians\": [[[...], ...], ...]}, or\n"
    "           {\"normalizer\": SPEC, \"norms\": [{\"spectral\": ..., \"frobenius\": ..., \"bound\": ...,\n"
    "           \"constant\": ...}, ...]}; numbers that are not finite become null\n\n"
    "  echo 1 2 3 0.5 | normlab jacobian sparsemax --norms\n",
    run,
};
