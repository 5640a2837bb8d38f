/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "arguments.h"
#include "buffer.h"
#include "model.h"
#include "say.h"

static bool print_bytes(const norm_tokenizer *tokenizer, const struct ids *ids)
{
    struct buffer out = {0};
    norm_error error = ERROR_INIT;
    size_t size = 0;
    if (norm_tokenizer_decode(tokenizer, ids->item, ids->count, NULL, 0, &size, &error) != LIBNORM_OK) {
        say_error(&error);
        return false;
    }
    char *bytes = malloc(size + 1);
    if (bytes == NULL) {
        say_no_memory();
        return false;
    }
    bool fine = norm_tokenizer_decode(tokenizer, ids->item, ids->count, bytes, size, &size, &error) == LIBNORM_OK;
    if (fine)
        buffer_add(&out, bytes, size);
    else
        say_error(&error);
    fine = fine && buffer_print(&out);
    buffer_free(&out);
    free(bytes);
    return fine;
}

static int run(const struct command *self, const struct program *program, int argc, char **argv)
{
    const char *directory = NULL;
    const struct option options[] = {{"--model", OPTION_TEXT, &directory, 0, 0}};
    struct arguments a = {options, 1, {{0}, 0}, 0, 0, ""};
    struct ids ids = {0};
    int code;
    (void)program;
    if (!arguments_read(&a, self, argc, argv, &code))
        return code;
    norm_tokenizer *tokenizer = model_open_tokenizer(directory);
    bool fine = tokenizer != NULL && ids_read_stdin(&ids) && print_bytes(tokenizer, &ids);
    ids_free(&ids);
    norm_tokenizer_free(tokenizer);
    return fine ? EXIT_FINE : EXIT_FAILED;
}

const struct command command_detokenize = {
    "detokenize",
    "[--model DIR]",
    "token ids on stdin -> the bytes of the text",
    "Reads token ids, separated by white space, and writes their bytes, joined and nothing added or tidied: what\n"
    "'normlab tokenize' read comes out again byte for byte.\n\n"
    "  --model DIR  a directory with vocab.json and merges.txt; the bundled model when not given\n",
    run,
};
