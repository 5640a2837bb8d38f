/* SPDX-License-Identifier: MIT */
/* SHA-256 (FIPS 180-4): says which file a report is about. */
#ifndef NORMLAB_SHA256_H
#define NORMLAB_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sha256 {
    uint32_t state[8];
    uint64_t size;
    unsigned char block[64];
};

void sha256_start(struct sha256 *h);
void sha256_add(struct sha256 *h, const void *bytes, size_t size);
/* 64 hexadecimal digits and a NUL. */
void sha256_text(struct sha256 *h, char ret_text[65]);

/* Of a whole file. False: says so. */
bool sha256_file(const char *path, char ret_text[65]);

#endif
