/* SPDX-License-Identifier: MIT */
#include "base/structs.h"

#include <stddef.h>
#include <string.h>

#include "base/cpu.h"
#include "base/error.h"

static uint32_t read_u32(const void *p)
{
    uint32_t value;
    memcpy(&value, p, sizeof value);
    return value;
}

norm_status norm__struct_read(void *own, size_t own_size, const void *given, size_t first_size, uint32_t known_flags,
                              const char *name, norm_error *error)
{
    const uint32_t size_here = (uint32_t)own_size;
    memset(own, 0, own_size);
    memcpy(own, &size_here, sizeof size_here);
    if (given == NULL)
        return LIBNORM_OK;
    const size_t size = read_u32(given);
    if (size < first_size)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "%s.struct_size is %zu: expected sizeof(%s), at least %zu",
                          name, size, name, first_size);
    const unsigned char *bytes = given;
    for (size_t i = own_size; i < size; i++)
        if (bytes[i] != 0)
            return norm__fail(error, LIBNORM_E_ARGUMENT, -1,
                              "%s is from a newer libnorm and uses a field this one does not have (byte %zu of %zu)",
                              name, i, size);
    memcpy(own, given, size < own_size ? size : own_size);
    memcpy(own, &size_here, sizeof size_here);
    const uint32_t flags = read_u32((const unsigned char *)own + sizeof(uint32_t));
    if (flags & ~known_flags)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "%s.flags has unknown bits 0x%x", name,
                          (unsigned)(flags & ~known_flags));
    return LIBNORM_OK;
}

norm_status norm__struct_writable(const void *given, size_t first_size, const char *name, norm_error *error)
{
    if (given == NULL)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "%s is NULL", name);
    if (read_u32(given) < first_size)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "%s.struct_size is %u: expected sizeof(%s), at least %zu",
                          name, (unsigned)read_u32(given), name, first_size);
    return LIBNORM_OK;
}

void norm__struct_write(void *given, const void *own, size_t own_size)
{
    const size_t size = read_u32(given), copied = size < own_size ? size : own_size;
    memcpy((unsigned char *)given + sizeof(uint32_t), (const unsigned char *)own + sizeof(uint32_t),
           copied - sizeof(uint32_t));
}

norm_status norm__exec_read(norm_exec *own, const norm_exec *given, norm_error *error)
{
    /* The first release's size, frozen: up to and with progress. */
    const size_t first = offsetof(norm_exec, progress) + sizeof own->progress;
    norm_status status = norm__struct_read(own, sizeof *own, given, first, 0, "norm_exec", error);
    if (status != LIBNORM_OK)
        return status;
    if (own->threads < 0 || own->threads > 1024)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "norm_exec.threads is %d: expected 0 to 1024",
                          (int)own->threads);
    if (!norm__cpu_level_known(own->cpu_level))
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "norm_exec.cpu_level is %d: expected 0 or LIBNORM_CPU_...",
                          (int)own->cpu_level);
    if (own->workspace == NULL && own->workspace_size != 0)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "norm_exec.workspace is NULL, but its size is %llu",
                          (unsigned long long)own->workspace_size);
    if (own->allocator != NULL && (own->allocator->alloc == NULL || own->allocator->release == NULL))
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "norm_exec.allocator lacks alloc or release");
    return LIBNORM_OK;
}
