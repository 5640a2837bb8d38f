/* SPDX-License-Identifier: MIT */
/* Which word was meant, and the messages about words that are not known. */
#ifndef NORM_NORMALIZERS_SUGGEST_H
#define NORM_NORMALIZERS_SUGGEST_H

#include <libnorm/normalizer.h>

struct norm__kind;

/* Letters to add, drop, change or swap to turn a into b, whatever their case. Long words count as far apart. */
size_t norm__word_distance(const char *a, size_t a_length, const char *b, size_t b_length);

/* "unknown normalizer 'sofmax': did you mean softmax? Known: ..." */
norm_status norm__unknown_name(const char *name, size_t length, norm_status status, int64_t where, norm_error *error);
/* "softmax has no key 'temprature': did you mean temperature? Its keys: temperature" */
norm_status norm__unknown_key(const struct norm__kind *kind, const char *name, size_t length, norm_status status,
                              int64_t where, norm_error *error);

#endif
