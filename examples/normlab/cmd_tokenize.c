/* SPDX-License-Identifier: MIT */
#include "arguments.h"
#include "json.h"
#include "model.h"
#include "say.h"
#include "text.h"

static bool print_ids(const struct ids *ids, bool json)
{
    struct buffer out = {0};
    bool fine = true;
    buffer_text(&out, json ? "{\"ids\": [" : "");
    for (size_t i = 0; i < ids->count && fine; i++) {
        buffer_text(&out, i == 0 ? "" : json ? ", " : " ");
        buffer_whole(&out, ids->item[i]);
        fine = buffer_drain(&out);
    }
    buffer_text(&out, json ? "]}\n" : "\n");
    fine = fine && buffer_print(&out);
    buffer_free(&out);
    return fine;
}

static int run(const struct command *self, const struct program *program, int argc, char **argv)
{
    const char *directory = NULL;
    bool special = false, json = false;
    const struct option options[] = {{"--model", OPTION_TEXT, &directory, 0, 0},
                                     {"--special", OPTION_FLAG, &special, 0, 0},
                                     {"--json", OPTION_FLAG, &json, 0, 0}};
    struct arguments a = {options, 3, {{0}, 0}, 0, 0, ""};
    struct text text = {0};
    struct ids ids = {0};
    int code;
    if (!arguments_read(&a, self, argc, argv, &code))
        return code;
    norm_tokenizer *tokenizer = model_open_tokenizer(directory);
    norm_exec exec = program_exec(program, 1);
    bool fine = tokenizer != NULL && text_read_stdin(&text) &&
                ids_encode(&ids, tokenizer, text.bytes, text.size, special ? LIBNORM_TOKENIZER_SPECIAL : 0, &exec) &&
                print_ids(&ids, json);
    ids_free(&ids);
    text_free(&text);
    norm_tokenizer_free(tokenizer);
    return fine ? EXIT_FINE : EXIT_FAILED;
}

const struct command command_tokenize = {
    "tokenize",
    "[--model DIR] [--special] [--json]",
    "text on stdin -> token ids",
    "Reads all of standard input, any bytes, as one text and writes its token ids on one line. Nothing is added: a\n"
    "final newline of the input is part of the text.\n\n"
    "  --model DIR  a directory with vocab.json and merges.txt; the bundled model when not given\n"
    "  --special    <|endoftext|> in the text becomes its own id instead of being read as plain text\n"
    "  --json       {\"ids\": [...]}\n",
    run,
};
