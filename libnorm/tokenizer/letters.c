/* SPDX-License-Identifier: MIT */
#include "tokenizer/letters.h"

/* Bytes that are visible characters of Latin-1 are their own letters; the other 68, in order, are U+0100 and on. */
static int byte_of_letter(unsigned letter)
{
    if ((letter >= 0x21 && letter <= 0x7E) || (letter >= 0xA1 && letter <= 0xFF && letter != 0xAD))
        return (int)letter;
    if (letter < 0x100 || letter > 0x143)
        return -1;
    unsigned nth = letter - 0x100;
    if (nth <= 0x20)
        return (int)nth;
    return nth == 0x43 ? 0xAD : (int)(nth - 0x21 + 0x7F);
}

bool norm__letters_to_bytes(const char *letters, size_t size, uint8_t *ret_bytes, size_t *ret_count)
{
    const unsigned char *p = (const unsigned char *)letters;
    size_t count = 0;
    for (size_t i = 0; i < size;) {
        size_t length = 1;
        unsigned letter = p[i];
        if (letter >= 0xC2 && letter <= 0xDF && i + 1 < size && (p[i + 1] & 0xC0u) == 0x80u) {
            letter = (letter & 0x1Fu) << 6 | (p[i + 1] & 0x3Fu);
            length = 2;
        } else if (letter >= 0x80) {
            letter = 0; /* no letter is longer than two bytes */
        }
        int byte = byte_of_letter(letter);
        if (byte < 0) {
            *ret_count = i;
            return false;
        }
        ret_bytes[count++] = (uint8_t)byte;
        i += length;
    }
    *ret_count = count;
    return true;
}
