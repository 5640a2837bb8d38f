/* SPDX-License-Identifier: MIT */
/* Reading structs that start with their size, from callers older or newer than this library. */
#ifndef NORM_BASE_STRUCTS_H
#define NORM_BASE_STRUCTS_H

#include <libnorm/exec.h>

/* own (own_size bytes) gets what the caller gave, zero beyond it. given starts with uint32_t struct_size, uint32_t
 * flags. Refused: a size below first_size (the first release's), a longer struct with a tail that is not zero, flags
 * outside known_flags. given NULL: own is zero, with its size set. name is for the message. */
norm_status norm__struct_read(void *own, size_t own_size, const void *given, size_t first_size, uint32_t known_flags,
                              const char *name, norm_error *error);

/* The same check for a struct we write to: at least first_size bytes. Use norm__struct_write to copy out. */
norm_status norm__struct_writable(const void *given, size_t first_size, const char *name, norm_error *error);

/* Copies own to the caller's struct, as much of it as the caller's size holds, keeping the caller's struct_size. */
void norm__struct_write(void *given, const void *own, size_t own_size);

/* Reads and checks a norm_exec: threads in [0, 1024], a known level, no size without a workspace. */
norm_status norm__exec_read(norm_exec *own, const norm_exec *given, norm_error *error);

#endif
