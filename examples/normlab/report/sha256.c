/* SPDX-License-Identifier: MIT */
#include "sha256.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "say.h"

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t cube_roots[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static void mix_block(struct sha256 *h, const unsigned char *p)
{
    uint32_t w[64], s[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 | (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t low = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t high = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + low + w[i - 7] + high;
    }
    memcpy(s, h->state, sizeof s);
    for (int i = 0; i < 64; i++) {
        uint32_t high = rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25);
        uint32_t t = s[7] + high + ((s[4] & s[5]) ^ (~s[4] & s[6])) + cube_roots[i] + w[i];
        uint32_t low = rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22);
        uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        memmove(s + 1, s, 7 * sizeof s[0]);
        s[4] += t;
        s[0] = t + low + majority;
    }
    for (int i = 0; i < 8; i++)
        h->state[i] += s[i];
}

void sha256_start(struct sha256 *h)
{
    static const uint32_t square_roots[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                             0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(h->state, square_roots, sizeof h->state);
    h->size = 0;
}

void sha256_add(struct sha256 *h, const void *bytes, size_t size)
{
    const unsigned char *p = bytes;
    size_t used = (size_t)(h->size % 64);
    h->size += size;
    if (used > 0) {
        size_t part = size < 64 - used ? size : 64 - used;
        memcpy(h->block + used, p, part);
        p += part;
        size -= part;
        if (used + part < 64)
            return;
        mix_block(h, h->block);
    }
    for (; size >= 64; p += 64, size -= 64)
        mix_block(h, p);
    if (size > 0)
        memcpy(h->block, p, size);
}

void sha256_text(struct sha256 *h, char ret_text[65])
{
    unsigned char tail[72] = {0x80};
    uint64_t bits = h->size * 8;
    size_t zeros = (size_t)((119 - h->size % 64) % 64);
    for (int i = 0; i < 8; i++)
        tail[1 + zeros + (size_t)i] = (unsigned char)(bits >> (56 - 8 * i));
    sha256_add(h, tail, 1 + zeros + 8);
    for (size_t i = 0; i < 8; i++)
        snprintf(ret_text + 8 * i, 9, "%08lx", (unsigned long)h->state[i]);
}

bool sha256_file(const char *path, char ret_text[65])
{
    static unsigned char bytes[1 << 16];
    struct sha256 h;
    size_t size;
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        say("cannot open %s: %s", path, strerror(errno));
        return false;
    }
    sha256_start(&h);
    while ((size = fread(bytes, 1, sizeof bytes, file)) > 0)
        sha256_add(&h, bytes, size);
    bool fine = ferror(file) == 0;
    if (!fine)
        say("cannot read %s: %s", path, strerror(errno));
    fclose(file);
    if (fine)
        sha256_text(&h, ret_text);
    return fine;
}
