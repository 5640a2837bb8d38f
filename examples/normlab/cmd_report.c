/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "machine.h"
#include "report/output.h"
#include "report/report.h"
#include "report/sha256.h"
#include "say.h"
#include "text.h"

static bool hash_weights(struct report *report)
{
    struct buffer path = {0};
    buffer_format(&path, "%s/model.safetensors", report->model->directory);
    bool fine = path.failed ? say_no_memory() : sha256_file(path.data, report->weights_sha256);
    buffer_free(&path);
    return fine;
}

/* The text becomes ids and a hash; its bytes are not needed after that. */
static bool read_text(struct report *report, struct ids *ids, const norm_exec *exec)
{
    struct text text;
    struct sha256 hash;
    if (!text_read_file(&text, report->text_path))
        return false;
    sha256_start(&hash);
    sha256_add(&hash, text.bytes, text.size);
    sha256_text(&hash, report->text_sha256);
    report->text_size = text.size;
    bool fine =
        ids_encode(ids, report->model->tokenizer, text.bytes, text.size, 0, exec) && ids_check(ids, report->model);
    text_free(&text);
    return fine;
}

static bool write_files(const struct report *report, const char *directory)
{
    static const struct {
        const char *name;
        void (*write)(const struct report *report, struct buffer *out);
    } forms[] = {
        {"heads.csv", report_write_csv},
        {"heads.json", report_write_json},
        {"report.html", report_write_html},
    };
    struct output output;
    bool fine = output_start(&output, directory);
    for (size_t i = 0; i < sizeof forms / sizeof forms[0] && fine; i++) {
        struct buffer content = {0};
        forms[i].write(report, &content);
        fine = output_add(&output, forms[i].name, &content);
        buffer_free(&content);
    }
    fine = fine && output_finish(&output);
    output_end(&output);
    return fine;
}

static bool print_path(const char *directory)
{
    struct buffer out = {0};
    const char *slash = directory[strlen(directory) - 1] == '/' ? "" : "/";
    buffer_format(&out, "%s%sreport.html\n", directory, slash);
    bool fine = buffer_print(&out);
    buffer_free(&out);
    return fine;
}

struct wishes {
    const char *model, *text, *out;
    struct texts specs, heads;
    long window, threads;
    bool no_restart;
};

static bool make_report(const struct program *program, const struct wishes *wishes,
                        const struct normalizers *normalizers)
{
    struct model model = {0};
    struct ids ids = {0};
    struct report report = {.program = program, .model = &model, .text_path = wishes->text};
    norm_exec exec = program_exec(program, wishes->threads);
    machine_describe(program, &report.machine);
    report.threads = exec.threads;
    bool fine = output_probe(wishes->out) && model_open(&model, wishes->model, true) &&
                report_choose_heads(&report, &wishes->heads) && read_text(&report, &ids, &exec) &&
                windows_cut(&report.windows, &ids, wishes->window, &model) && hash_weights(&report) &&
                report_measure(&report, normalizers, &exec) && write_files(&report, wishes->out);
    report_free(&report);
    ids_free(&ids);
    model_close(&model);
    return fine && print_path(wishes->out);
}

static int run(const struct command *self, const struct program *program, int argc, char **argv)
{
    struct wishes w = {.text = TEXT_BUNDLED};
    struct normalizers normalizers;
    const struct option options[] = {
        {"--model", OPTION_TEXT, &w.model, 0, 0},
        {"--text", OPTION_TEXT, &w.text, 0, 0},
        {"--out", OPTION_TEXT, &w.out, 0, 0},
        {"--window", OPTION_WHOLE, &w.window, 1, 1000000000},
        {"--normalizer", OPTION_LIST, &w.specs, 0, 0},
        {"--heads", OPTION_LIST, &w.heads, 0, 0},
        {"--threads", OPTION_WHOLE, &w.threads, 1, 1024},
        {"--no-restart", OPTION_FLAG, &w.no_restart, 0, 0},
    };
    struct arguments a = {options, sizeof options / sizeof options[0], {{0}, 0}, 0, 0, ""};
    int code;
    if (!arguments_read(&a, self, argc, argv, &code))
        return code;
    if (w.out == NULL)
        return say_usage("report: --out DIR is missing; see 'normlab help report'");
    if (!normalizers_parse(&normalizers, &w.specs))
        return EXIT_USAGE;
    machine_restart(program, !w.no_restart);
    machine_one_blas_thread();
    bool fine = make_report(program, &w, &normalizers);
    normalizers_free(&normalizers);
    return fine ? EXIT_FINE : EXIT_FAILED;
}

const struct command command_report = {
    "report",
    "--out DIR [--model DIR] [--text FILE] [--normalizer SPEC ...] [--heads LAYER[.HEAD] ...] [--window T]\n"
    "               [--threads N] [--no-restart]",
    "what every attention head does on a text, as HTML, CSV and JSON",
    "Runs the text through the model, looks at every row of every attention head, and writes into DIR\n"
    "  report.html  summary, maps of layers by heads, every head; one file, opens without a network\n"
    "  heads.csv    a line a head and normalizer\n"
    "  heads.json   the same and where it comes from\n"
    "all of them or, when something fails, none. DIR is made if it is missing. Prints the path of report.html.\n\n"
    "  --model DIR            a model's directory; the bundled model when not given\n"
    "  --text FILE            any bytes; the bundled sample when not given\n"
    "  --normalizer SPEC ...  in every head, one after the other; softmax when not given\n"
    "  --heads WHICH ...      3 is layer 3, 3.1 its head 1, counted from 0; all when not given\n"
    "  --window T             the text is cut into windows of T tokens side by side, the last may be shorter;\n"
    "                         from 1 to the model's positions, which are the default\n"
    "  --threads N            windows at a time; one a processor when not given\n"
    "  --no-restart           keep a slow OpenBLAS kernel: where OpenBLAS is older than the processor, normlab sets\n"
    "                         OPENBLAS_CORETYPE and starts itself again, unless the variable is set already\n",
    run,
};
