/* SPDX-License-Identifier: MIT */
/* Comparing two samples, for what is built on it. */
#ifndef NORM_MEASURE_SMIRNOV_H
#define NORM_MEASURE_SMIRNOV_H

#include <libnorm/statistics.h>

/* norm_measure_ks() with the samples' names for messages; *ret_ks is our own. */
norm_status norm__ks(size_t a_count, const double *a, const char *a_name, size_t b_count, const double *b,
                     const char *b_name, double level, norm_ks *ret_ks, const norm_exec *exec, norm_error *error);
norm_status norm__ks_writable(const norm_ks *given, norm_error *error);
/* 0 < level < 1. */
norm_status norm__level(double level, norm_error *error);

#endif
