/* SPDX-License-Identifier: MIT */
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "say.h"

/* A bound, so that an endless stream ends with a message rather than with the machine's memory. */
#define TEXT_LIMIT ((size_t)1 << 30)

/* Reads to the end. expected: a guess of the size, for one allocation that fits. */
static bool read_all(struct text *text, int file, const char *name, size_t expected)
{
    size_t capacity = expected < 4096 ? 4096 : expected + 2;
    text->bytes = malloc(capacity);
    text->size = 0;
    while (text->bytes != NULL) {
        ssize_t got = read(file, text->bytes + text->size, capacity - text->size);
        if (got == 0) {
            text->bytes[text->size] = '\0'; /* there is room: it grows as soon as it is full */
            return true;
        }
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            say("cannot read %s: %s", name, strerror(errno));
            return false;
        }
        text->size += (size_t)got;
        if (text->size > TEXT_LIMIT) {
            say("%s is larger than %zu MB, the most that is read at once: split it", name, TEXT_LIMIT >> 20);
            return false;
        }
        if (text->size == capacity) {
            char *bytes = realloc(text->bytes, capacity *= 2);
            if (bytes == NULL)
                break;
            text->bytes = bytes;
        }
    }
    say_no_memory();
    return false;
}

static bool finish(struct text *text, bool fine)
{
    if (!fine)
        text_free(text);
    return fine;
}

bool text_read_stdin(struct text *ret_text)
{
    return finish(ret_text, read_all(ret_text, STDIN_FILENO, "standard input", 0));
}

bool text_read_file(struct text *ret_text, const char *path)
{
    struct stat about;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ret_text->bytes = NULL;
    if (file < 0 || fstat(file, &about) != 0) {
        say("cannot open the text %s: %s", path, strerror(errno));
        if (file >= 0)
            close(file);
        return false;
    }
    bool fine = !S_ISDIR(about.st_mode);
    if (!fine)
        say("the text %s is a directory; expected a file", path);
    size_t expected = S_ISREG(about.st_mode) && about.st_size > 0 ? (size_t)about.st_size : 0;
    if (fine && expected > TEXT_LIMIT) {
        say("the text %s has %zu MB; at most %zu MB are read at once: split it", path, expected >> 20,
            TEXT_LIMIT >> 20);
        fine = false;
    }
    fine = fine && read_all(ret_text, file, path, expected);
    if (fine && ret_text->size == 0) {
        say("the text %s is empty", path);
        fine = false;
    }
    close(file);
    return finish(ret_text, fine);
}

void text_free(struct text *text)
{
    free(text->bytes);
    text->bytes = NULL;
    text->size = 0;
}
