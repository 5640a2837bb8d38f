/* SPDX-License-Identifier: MIT */
/**
 * @file norm.h
 * All of libnorm. Include one of the module headers instead to see only that part.
 */
#ifndef LIBNORM_NORM_H
#define LIBNORM_NORM_H

#include <libnorm/version.h>
#include <libnorm/status.h>
#include <libnorm/exec.h>
#include <libnorm/normalizer.h>
#include <libnorm/jacobian.h>
#include <libnorm/own.h>
#include <libnorm/gradient.h>
#include <libnorm/loss.h>
#include <libnorm/attention.h>
#include <libnorm/observer.h>
#include <libnorm/tokenizer.h>
#include <libnorm/gpt2.h>
#include <libnorm/bounds.h>
#include <libnorm/measure.h>
#include <libnorm/distance.h>
#include <libnorm/sensitivity.h>
#include <libnorm/statistics.h>

#endif
