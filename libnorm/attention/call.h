/* SPDX-License-Identifier: MIT */
/* What the public calls of attention share. */
#ifndef NORM_ATTENTION_CALL_H
#define NORM_ATTENTION_CALL_H

#include "attention/attention.h"
#include "base/error.h"

norm_status norm__attention_read_outputs(struct norm__attention *t, const norm_attention_outputs *outputs);
/* Bytes of the workspace, as norm__workspace_open wants them. */
norm_status norm__attention_size(struct norm__attention *t, size_t *ret_bytes);

#endif
