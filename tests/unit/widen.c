/* SPDX-License-Identifier: MIT */
#include "gpt2/widen.h"

#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpt2/safetensors.h"
#include "support/support.h"

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* IEEE 754 binary16 by its definition. */
static uint32_t half_reference(uint32_t half)
{
    const uint32_t sign = half >> 15, exponent = half >> 10 & 31u, fraction = half & 1023u;
    if (exponent == 31) /* infinity, or a NaN, whose payload keeps its place */
        return sign << 31 | 0x7f800000u | fraction << 13;
    const double magnitude = exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, (int)exponent - 25);
    return bits_of((float)(sign ? -magnitude : magnitude));
}

static uint32_t brain_reference(uint32_t brain)
{
    const uint32_t sign = brain >> 15, exponent = brain >> 7 & 255u, fraction = brain & 127u;
    if (exponent == 255)
        return sign << 31 | 0x7f800000u | fraction << 16;
    const double magnitude = exponent == 0 ? ldexp(fraction, -133) : ldexp(128 + fraction, (int)exponent - 134);
    return bits_of((float)(sign ? -magnitude : magnitude));
}

/* All 65,536 values, little-endian, at every alignment: the bits of each. */
static void every_value(int32_t dtype, uint32_t (*reference)(uint32_t))
{
    enum { COUNT = 65536 };
    unsigned char *in = malloc(2 * COUNT + 8);
    float *out = malloc(COUNT * sizeof *out);
    for (size_t offset = 0; offset < 8; offset++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            in[offset + 2 * i] = (unsigned char)i;
            in[offset + 2 * i + 1] = (unsigned char)(i >> 8);
        }
        norm__widen(out, in + offset, dtype, COUNT);
        for (uint32_t i = 0; i < COUNT; i++)
            if (bits_of(out[i]) != reference(i))
                ck_abort_msg("%04x gave %08x, expected %08x", (unsigned)i, (unsigned)bits_of(out[i]),
                             (unsigned)reference(i));
    }
    free(in);
    free(out);
}

START_TEST(every_half_is_exact)
{
    ck_assert_uint_eq(half_reference(0x3c00), bits_of(1));
    ck_assert_uint_eq(half_reference(0xc000), bits_of(-2));
    ck_assert_uint_eq(half_reference(0x7bff), bits_of(65504));
    ck_assert_uint_eq(half_reference(1), bits_of(0x1p-24f));
    every_value(NORM__F16, half_reference);
}
END_TEST

START_TEST(halves_are_exact_in_every_rounding_mode)
{
    static const int modes[] = {FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    unsigned char in[2048];
    float out[1024];
    for (size_t i = 0; i < 1024; i++) { /* zero and the subnormal ones */
        in[2 * i] = (unsigned char)i;
        in[2 * i + 1] = (unsigned char)(i >> 8);
    }
    for (size_t m = 0; m < sizeof modes / sizeof modes[0]; m++) {
        ck_assert_int_eq(fesetround(modes[m]), 0);
        norm__widen(out, in, NORM__F16, 1024);
        fesetround(FE_TONEAREST);
        for (uint32_t i = 0; i < 1024; i++)
            ck_assert_uint_eq(bits_of(out[i]), half_reference(i));
    }
}
END_TEST

START_TEST(every_bfloat_is_exact)
{
    ck_assert_uint_eq(brain_reference(0x3f80), bits_of(1));
    ck_assert_uint_eq(brain_reference(1), bits_of(0x1p-133f));
    every_value(NORM__BF16, brain_reference);
}
END_TEST

START_TEST(floats_keep_their_bits)
{
    static const unsigned char in[] = {0xff, 0, 0, 0x80, 0x3f, 1, 0, 0, 0x80, 1, 0, 0x80, 0x7f, 0xdb, 0x0f, 0x49, 0x40};
    static const uint32_t want[] = {0x3f800000u, 0x80000001u, 0x7f800001u, 0x40490fdbu};
    float out[4];
    norm__widen(out, in + 1, NORM__F32, 4);
    for (size_t i = 0; i < 4; i++)
        ck_assert_uint_eq(bits_of(out[i]), want[i]);
}
END_TEST

START_TEST(nothing_is_read_or_written_beyond_the_count)
{
    for (size_t n = 0; n < 70; n++)
        for (int32_t dtype = NORM__F32; dtype <= NORM__BF16; dtype++) {
            const size_t width = dtype == NORM__F32 ? 4 : 2;
            struct support_guard in = support_guard_new(n * width, 1), out = support_guard_new(n * sizeof(float), 4);
            memset(in.data, 0x3c, n * width);
            norm__widen(out.data, in.data, dtype, n);
            ck_assert(support_guard_intact(&out));
            support_guard_free(&in);
            support_guard_free(&out);
        }
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("widen");
    TCase *tests = tcase_create("widen");
    tcase_add_test(tests, every_half_is_exact);
    tcase_add_test(tests, halves_are_exact_in_every_rounding_mode);
    tcase_add_test(tests, every_bfloat_is_exact);
    tcase_add_test(tests, floats_keep_their_bits);
    tcase_add_test(tests, nothing_is_read_or_written_beyond_the_count);
    suite_add_tcase(suite, tests);
    return suite;
}
