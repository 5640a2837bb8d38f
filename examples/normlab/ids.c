/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "model.h"
#include "number.h"
#include "say.h"
#include "text.h"

bool ids_encode(struct ids *ret_ids, const norm_tokenizer *tokenizer, const void *text, size_t size, uint32_t flags,
                const norm_exec *exec)
{
    norm_error error = ERROR_INIT;
    ret_ids->count = 0;
    /* There are never more ids than bytes. Pages that stay untouched cost nothing. */
    ret_ids->item = malloc((size + 1) * sizeof *ret_ids->item);
    if (ret_ids->item == NULL) {
        say_no_memory();
        return false;
    }
    if (norm_tokenizer_encode(tokenizer, text, size, flags, ret_ids->item, size, &ret_ids->count, exec, &error) !=
        LIBNORM_OK) {
        say_error(&error);
        ids_free(ret_ids);
        return false;
    }
    int32_t *fitting = realloc(ret_ids->item, (ret_ids->count + 1) * sizeof *ret_ids->item);
    if (fitting != NULL)
        ret_ids->item = fitting;
    return true;
}

bool ids_check(const struct ids *ids, const struct model *model)
{
    for (size_t i = 0; i < ids->count; i++)
        if (ids->item[i] < 0 || (uint64_t)ids->item[i] >= model->shape.vocab_size) {
            say("the vocabulary of %s gives id %ld, its model has %llu: vocab.json and config.json do not belong "
                "together",
                model->directory, (long)ids->item[i], (unsigned long long)model->shape.vocab_size);
            return false;
        }
    return true;
}

/* isspace without the locale. */
static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool read_ids(struct ids *ids, const char *text, size_t size)
{
    unsigned long long line = 1;
    for (size_t at = 0; at < size;) {
        size_t end = at;
        while (end < size && !is_space(text[end]))
            end++;
        int64_t id;
        if (end > at) {
            if (!number_read_whole(text + at, end - at, INT32_MIN, INT32_MAX, &id)) {
                say("standard input, line %llu: '%.*s' is not a token id; expected whole numbers between blanks", line,
                    (int)(end - at > 40 ? 40 : end - at), text + at);
                return false;
            }
            ids->item[ids->count++] = (int32_t)id;
        }
        line += end < size && text[end] == '\n';
        at = end + 1;
    }
    return true;
}

bool ids_read_stdin(struct ids *ret_ids)
{
    struct text text;
    ret_ids->item = NULL;
    ret_ids->count = 0;
    if (!text_read_stdin(&text))
        return false;
    /* An id and the blank behind it take two bytes at least. */
    ret_ids->item = malloc((text.size / 2 + 2) * sizeof *ret_ids->item);
    bool fine = ret_ids->item != NULL;
    if (!fine)
        say_no_memory();
    fine = fine && read_ids(ret_ids, text.bytes, text.size);
    text_free(&text);
    if (!fine)
        ids_free(ret_ids);
    return fine;
}

void ids_free(struct ids *ids)
{
    free(ids->item);
    ids->item = NULL;
    ids->count = 0;
}
