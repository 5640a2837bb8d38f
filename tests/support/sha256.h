/* SPDX-License-Identifier: MIT */
/* SHA-256 of a block of memory, to compare large results with a published digest. */
#ifndef SUPPORT_SHA256_H
#define SUPPORT_SHA256_H

#include <stddef.h>

struct support_digest {
    char hex[65];
};
struct support_digest support_sha256(const void *data, size_t size);

#endif
