/* SPDX-License-Identifier: MIT */
/* Public structs that say their size, passed as older and newer callers would. */
#ifndef SUPPORT_SIZED_H
#define SUPPORT_SIZED_H

#include <stddef.h>

#include <libnorm/status.h>

enum support_sized_kind {
    support_sized_given,  /* the call reads it */
    support_sized_filled, /* the call writes it */
    support_sized_kept    /* the call reads it and writes it */
};

struct support_sized {
    const char *name;   /* of the type, as messages give it */
    size_t size, first; /* sizeof here; in the first release, up to the end of its last member then */
    enum support_sized_kind kind;
    /* Fills a struct whose struct_size is set; the bytes beyond that size are not its own. NULL: nothing to fill. */
    void (*make)(void *s);
    /* A call that is right but for what this test does to the struct. NULL: texts of errors are not looked at. */
    norm_status (*call)(void *s, norm_error *error);
};
#define SUPPORT_SIZED(type, last, kind, make, call) \
    {#type, sizeof(type), offsetof(type, last) + sizeof(((type *)0)->last), kind, make, call}

/* Passes one: as large as in the first release; larger than any there is, with zeros and with a wish in the tail; too
 * small; with an unknown flag. Fails the test where the call does not answer as docs/abi.md says. */
void support_sized_check(const struct support_sized *s);

#endif
