/* SPDX-License-Identifier: MIT */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

static norm_status io_error(norm_error *error, const char *path, const char *doing, int number)
{
    return norm__fail(error, LIBNORM_E_IO, -1, "%s: cannot %s: %s", norm__quote(path, strlen(path)).text, doing,
                      norm__errno_text(number));
}

/* Reads exactly size bytes; a file that ends early changed under us. */
static norm_status read_all(int fd, unsigned char *data, size_t size, const char *path, norm_error *error)
{
    size_t done = 0;
    while (done < size) {
        ssize_t got = read(fd, data + done, size - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return io_error(error, path, "read it", errno);
        if (got == 0)
            return norm__fail(error, LIBNORM_E_IO, (int64_t)done, "%s: ended at byte %zu while being read, not %zu",
                              norm__quote(path, strlen(path)).text, done, size);
        done += (size_t)got;
    }
    return LIBNORM_OK;
}

static norm_status load(struct norm__file *file, int fd, size_t size, bool map, const char *path, norm_error *error)
{
    if (map && size > 0) {
        void *p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (p == MAP_FAILED)
            return io_error(error, path, "map it", errno);
        file->data = p;
        file->mapped = true;
        file->size = size;
        return LIBNORM_OK;
    }
    unsigned char *data = norm__alloc(&file->allocator, size);
    if (data == NULL)
        return norm__fail(error, LIBNORM_E_NOMEM, -1, "%s: out of memory: %zu bytes",
                          norm__quote(path, strlen(path)).text, size);
    norm_status status = read_all(fd, data, size, path, error);
    if (status != LIBNORM_OK) {
        norm__release(&file->allocator, data, size);
        return status;
    }
    file->data = data;
    file->mapped = false;
    file->size = size;
    return LIBNORM_OK;
}

norm_status norm__file_open(struct norm__file *file, const char *path, bool map, size_t limit,
                            const norm_allocator *allocator, norm_error *error)
{
    int saved = errno;
    file->allocator = norm__allocator_or_default(allocator);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* not to hang on a pipe, which is refused below */
    norm_status status;
    if (fd < 0) {
        status = io_error(error, path, "open it", errno);
    } else {
        struct stat info;
        if (fstat(fd, &info) != 0)
            status = io_error(error, path, "ask its size", errno);
        else if (!S_ISREG(info.st_mode))
            status = norm__fail(error, LIBNORM_E_IO, -1, "%s: expected a file, found %s",
                                norm__quote(path, strlen(path)).text,
                                S_ISDIR(info.st_mode) ? "a directory" : "something else");
        else if ((uintmax_t)info.st_size > limit)
            status = norm__fail(error, LIBNORM_E_FORMAT, -1, "%s: %llu bytes: expected at most %zu",
                                norm__quote(path, strlen(path)).text, (unsigned long long)info.st_size, limit);
        else
            status = load(file, fd, (size_t)info.st_size, map, path, error);
        close(fd);
    }
    errno = saved;
    return status;
}

void norm__file_close(struct norm__file *file)
{
    if (file->data == NULL)
        return;
    if (file->mapped)
        munmap((void *)(uintptr_t)file->data, file->size);
    else
        norm__release(&file->allocator, (void *)(uintptr_t)file->data, file->size);
    file->data = NULL;
}

char *norm__file_join(const norm_allocator *allocator, const char *directory, const char *name)
{
    size_t a = strlen(directory), b = strlen(name);
    char *path = norm__alloc(allocator, a + b + 2);
    if (path == NULL)
        return NULL;
    memcpy(path, directory, a);
    path[a] = '/';
    memcpy(path + a + 1, name, b + 1);
    return path;
}
