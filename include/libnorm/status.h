/* SPDX-License-Identifier: MIT */
/**
 * @file status.h
 * How every libnorm call reports failure: a status to branch on, and one line of text for a person.
 *
 * The caller owns the text. libnorm keeps no error per thread or per process and leaves errno as it found it.
 */
#ifndef LIBNORM_STATUS_H
#define LIBNORM_STATUS_H

#include <libnorm/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Result of a call that can fail: 0 done, negative failed. Values are frozen; new ones are only appended. */
typedef int32_t norm_status;

#define LIBNORM_OK 0
/** NULL, out of range, an unknown flag, or a struct_size below that of the first release. */
#define LIBNORM_E_ARGUMENT (-1)
/** Memory could not be had. */
#define LIBNORM_E_NOMEM (-2)
/** An operation this normalizer lacks, or a feature that was not built in. */
#define LIBNORM_E_UNSUPPORTED (-3)
/** Inputs and outputs overlap in a way that is not allowed. */
#define LIBNORM_E_OVERLAP (-4)
/** The text of a normalizer could not be read; norm_error.where is the byte offset. */
#define LIBNORM_E_SPEC (-5)
/** A file could not be opened, read or written. */
#define LIBNORM_E_IO (-6)
/** A file holds what it must not; norm_error.where is the byte offset, or -1. */
#define LIBNORM_E_FORMAT (-7)
/** The positions of the model are used up. */
#define LIBNORM_E_FULL (-8)
/** A handle that serves one thread at a time is in use on another. */
#define LIBNORM_E_BUSY (-9)
/** A callback of the caller's failed; norm_error.where is its code. Arrays of results are unspecified. */
#define LIBNORM_E_CALLBACK (-10)
/** A progress callback of the caller's asked to stop; where = its code. Arrays of results are unspecified. */
#define LIBNORM_E_CANCELLED (-11)

/**
 * Where a failing call writes what went wrong. Set struct_size before the first use, e.g.
 *
 *     norm_error error = {sizeof error, 0, 0, ""};
 *
 * Passed last to every call that can fail, or NULL. Written only on failure, never on success, so one struct
 * serves many calls. A struct_size smaller than this struct makes the call itself fail with LIBNORM_E_ARGUMENT.
 */
typedef struct norm_error {
    uint32_t struct_size; /**< sizeof(norm_error) as the caller compiled it. */
    norm_status status;   /**< What the call returned. */
    int64_t where;        /**< Byte offset, callback's code, or -1: see the status. */
    char text[496];       /**< One line of UTF-8, NUL-terminated; unprintable bytes of names are escaped. */
} norm_error;

/**
 * Name of a status, "LIBNORM_E_NOMEM" for LIBNORM_E_NOMEM. Static text, never NULL; "LIBNORM_E_UNKNOWN" for a value
 * this library does not know. Any thread.
 */
LIBNORM_API const char *norm_status_name(norm_status status);

#ifdef __cplusplus
}
#endif
#endif
