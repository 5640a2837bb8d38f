/* SPDX-License-Identifier: MIT */
/* Memory of a call: one slot a thread. */
#ifndef NORM_NORMALIZERS_SLOT_H
#define NORM_NORMALIZERS_SLOT_H

#include "base/memory.h"
#include "normalizers/call.h"

/* Bytes of one slot's arrays, and of all slots of a call; SIZE_MAX when that does not fit. */
size_t norm__slot_bytes(const struct norm__call *call);
size_t norm__call_bytes(const struct norm__call *call);

/* How many pieces of rows there are, and how many rows a piece has: neither depends on the threads. */
size_t norm__call_pieces(const struct norm__call *call, size_t *ret_rows);
/* Slots in use at once: a thread each, and no more than there are pieces. */
size_t norm__call_slots(const struct norm__call *call);

/* Takes a slot's arrays out of the workspace. */
void norm__slot_open(const struct norm__call *call, struct norm__workspace *workspace, struct norm__slot *slot);

#endif
