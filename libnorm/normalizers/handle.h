/* SPDX-License-Identifier: MIT */
/* The handle behind norm_normalizer: a kind, the values of its keys, a count. */
#ifndef NORM_NORMALIZERS_HANDLE_H
#define NORM_NORMALIZERS_HANDLE_H

#include <stdatomic.h>
#include <stdbool.h>

#include <libnorm/normalizer.h>

#define NORM__KEYS_MOST 8

struct norm__kind;

struct norm_normalizer {
    atomic_size_t owners;
    norm_allocator allocator;
    const struct norm__kind *kind;
    double value[NORM__KEYS_MOST]; /* in the order of kind->keys */

    /* Of the caller's own normalizers; empty for built-in ones. */
    const void *own; /* what the kind's row functions read */
    void (*release_own)(struct norm_normalizer *handle); /* called by the last owner; NULL: nothing to do */
    struct norm_normalizer *parent; /* the handle that own belongs to, when this is a changed copy */
    bool one_thread; /* callbacks must stay on the caller's thread */
};

/* A new handle with one owner; values are copied and trusted. NULL when memory is out. */
norm_normalizer *norm__normalizer_new(const struct norm__kind *kind, const double *values,
                                      const norm_allocator *allocator);

/* Position of a key of this length, or -1. */
int norm__kind_key(const struct norm__kind *kind, const char *name, size_t length);

/* LIBNORM_OK if value is allowed for key number key; else a message that says what is. quoted: the value as it was
 * written; name: what begins the message, "softmax: temperature". */
norm_status norm__kind_check(const struct norm__kind *kind, size_t key, double value, const char *quoted,
                             norm_status status, int64_t where, norm_error *error);

#endif
