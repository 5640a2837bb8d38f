/* SPDX-License-Identifier: MIT */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "say.h"

static char *join(const char *format, const char *directory, const char *name)
{
    struct buffer b = {0};
    const char *slash = directory[0] != '\0' && directory[strlen(directory) - 1] == '/' ? "" : "/";
    buffer_format(&b, "%s%s", directory, slash);
    buffer_format(&b, format, name, (long)getpid());
    if (b.failed) {
        say_no_memory();
        buffer_free(&b);
    }
    return b.data;
}

/* Makes every part of the path that is missing; existed becomes the length of what was there. */
static bool make_directory(struct output *output)
{
    char *path = output->directory;
    size_t length = strlen(path);
    struct stat about;
    output->existed = length;
    for (size_t at = 1; at <= length; at++) {
        if (at < length && path[at] != '/')
            continue;
        char kept = path[at];
        path[at] = '\0';
        bool made = mkdir(path, 0777) == 0;
        bool there = made || (errno == EEXIST && stat(path, &about) == 0 && S_ISDIR(about.st_mode));
        int why = errno == EEXIST ? ENOTDIR : errno;
        path[at] = kept;
        if (made && output->existed == length)
            output->existed = at - 1;
        if (!there) {
            say("cannot make the directory %s: %s", path, strerror(why));
            return false;
        }
    }
    return true;
}

/* Takes back what make_directory made, from the end; a directory that is not empty stays. */
static void remove_directory(struct output *output)
{
    char *path = output->directory;
    for (size_t at = strlen(path); at > output->existed; at--)
        if (path[at] == '\0' || path[at] == '/') {
            path[at] = '\0';
            if (rmdir(path) != 0 && errno != ENOENT)
                return;
        }
}

bool output_start(struct output *output, const char *directory)
{
    memset(output, 0, sizeof *output);
    output->directory = strdup(directory);
    if (output->directory == NULL)
        return say_no_memory();
    return make_directory(output);
}

/* A new file under the name: -1 and errno. */
static int create(const char *path)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 && errno == EEXIST && unlink(path) == 0) /* left by a process that had our number and was killed */
        file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return file;
}

static bool write_all(int file, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(file, bytes, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes += written;
        size -= (size_t)written;
    }
    /* Some file systems tell only here that there is no room. Others cannot do it at all, which is no fault. */
    return fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP;
}

bool output_add(struct output *output, const char *name, struct buffer *content)
{
    if (content->failed || output->count == OUTPUT_FILES)
        return say_no_memory();
    char *path = join("%s", output->directory, name), *temporary = join(".%s.%ld.part", output->directory, name);
    if (path == NULL || temporary == NULL) {
        free(path);
        free(temporary);
        return false;
    }
    int file = create(temporary);
    bool fine = file >= 0;
    if (!fine) {
        say("cannot create %s: %s", path, strerror(errno));
        free(path);
        free(temporary);
        return false;
    }
    output->file[output->count].path = path;
    output->file[output->count++].temporary = temporary;
    fine = write_all(file, content->data, content->size);
    int why = errno;
    if (close(file) != 0 && fine) {
        fine = false;
        why = errno;
    }
    if (!fine)
        say("cannot write %s: %s", path, strerror(why));
    return fine;
}

bool output_finish(struct output *output)
{
    for (size_t i = 0; i < output->count; i++) {
        if (rename(output->file[i].temporary, output->file[i].path) != 0) {
            say("cannot write %s: %s", output->file[i].path, strerror(errno));
            return false;
        }
        free(output->file[i].temporary);
        output->file[i].temporary = NULL;
    }
    return true;
}

void output_end(struct output *output)
{
    bool unfinished = output->count == 0;
    for (size_t i = 0; i < output->count; i++) {
        if (output->file[i].temporary != NULL) {
            unlink(output->file[i].temporary);
            unfinished = true;
        }
        free(output->file[i].temporary);
        free(output->file[i].path);
    }
    if (unfinished && output->directory != NULL)
        remove_directory(output);
    free(output->directory);
    memset(output, 0, sizeof *output);
}

bool output_probe(const char *directory)
{
    struct output output;
    struct buffer nothing = {0};
    bool fine = output_start(&output, directory) && output_add(&output, "report.html", &nothing);
    output_end(&output);
    return fine;
}
