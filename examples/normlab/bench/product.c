/* SPDX-License-Identifier: MIT */
#include "bench/product.h"

#include <string.h>

/* The loop is written in vectors, and compiled for wider ones than every machine has: a comparison with a slow loop
 * would be worth nothing. */
#define LOOP(name, target, type, bytes)                                                                                \
    target static void name(const type *a, const type *b, size_t n, type *c)                                           \
    {                                                                                                                  \
        typedef type lanes __attribute__((vector_size(bytes)));                                                        \
        const size_t step = bytes / sizeof(type);                                                                      \
        size_t i = 0;                                                                                                  \
        for (; i + step <= n; i += step) {                                                                             \
            lanes x, y;                                                                                                \
            memcpy(&x, a + i, bytes);                                                                                  \
            memcpy(&y, b + i, bytes);                                                                                  \
            x *= y;                                                                                                    \
            memcpy(c + i, &x, bytes);                                                                                  \
        }                                                                                                              \
        for (; i < n; i++)                                                                                             \
            c[i] = a[i] * b[i];                                                                                        \
    }

#if defined(__GNUC__)
LOOP(narrow_f32, , float, 16)
LOOP(narrow_f64, , double, 16)
#else
static void narrow_f32(const float *a, const float *b, size_t n, float *c)
{
    for (size_t i = 0; i < n; i++)
        c[i] = a[i] * b[i];
}
static void narrow_f64(const double *a, const double *b, size_t n, double *c)
{
    for (size_t i = 0; i < n; i++)
        c[i] = a[i] * b[i];
}
#endif

#if defined(__GNUC__) && defined(__x86_64__)
LOOP(avx2_f32, __attribute__((target("avx2"))), float, 32)
LOOP(avx2_f64, __attribute__((target("avx2"))), double, 32)
LOOP(avx512_f32, __attribute__((target("avx512f"))), float, 64)
LOOP(avx512_f64, __attribute__((target("avx512f"))), double, 64)

static int width(void)
{
    return __builtin_cpu_supports("avx512f") ? 64 : __builtin_cpu_supports("avx2") ? 32 : 16;
}
#else
#define avx2_f32 narrow_f32
#define avx2_f64 narrow_f64
#define avx512_f32 narrow_f32
#define avx512_f64 narrow_f64

static int width(void)
{
    return 16;
}
#endif

void product_f32(const float *a, const float *b, size_t n, float *ret_c)
{
    const int bytes = width();
    (bytes == 64 ? avx512_f32 : bytes == 32 ? avx2_f32 : narrow_f32)(a, b, n, ret_c);
}

void product_f64(const double *a, const double *b, size_t n, double *ret_c)
{
    const int bytes = width();
    (bytes == 64 ? avx512_f64 : bytes == 32 ? avx2_f64 : narrow_f64)(a, b, n, ret_c);
}
