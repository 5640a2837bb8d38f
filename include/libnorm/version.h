/* SPDX-License-Identifier: MIT */
/**
 * @file version.h
 * Which libnorm this is, and what this build of it can do.
 *
 * libnorm is the numeric library of attention normalizers. It is not NRL's multicast library, whose file is
 * libnorm.so.1: a program that loads a library by name checks norm_version_number() first.
 */
#ifndef LIBNORM_VERSION_H
#define LIBNORM_VERSION_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) || !defined(__GNUC__)
#define LIBNORM_API
#else
/** Marks what the shared library exports; everything else is hidden. */
#define LIBNORM_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Version of these headers; norm_version_number() tells the version of the library that was loaded. */
#define LIBNORM_VERSION_MAJOR 0
#define LIBNORM_VERSION_MINOR 1
#define LIBNORM_VERSION_PATCH 0

/**
 * Version of the loaded library, major << 16 | minor << 8 | patch. Never fails; any thread.
 */
LIBNORM_API uint32_t norm_version_number(void);

/**
 * Whether this build has a feature: 1 yes, 0 no or unknown word (NULL counts as unknown). Any thread.
 *
 * Words: "blas" (products run through a CBLAS rather than the plain C product), "gpt2" (tokenizer and GPT-2, which
 * need a JSON and a Unicode library), "threads" (norm_exec.threads > 1 starts threads), and the names of the
 * CPU levels that were compiled in: "scalar", "baseline", "neon", "avx2", "avx512".
 * Every symbol exists in every build: a function that was left out returns LIBNORM_E_UNSUPPORTED.
 */
LIBNORM_API int32_t norm_has_feature(const char *name);

#ifdef __cplusplus
}
#endif
#endif
