/* SPDX-License-Identifier: MIT */
/* How rows are cut into pieces, and the memory of one thread for its rows. */
#include "normalizers/slot.h"

#include <string.h>

#include "normalizers/row.h"
#include "normalizers/tile.h"

/* Cells of a piece: enough work to be worth handing out, small enough to stay in a cache near the core. */
#define PIECE_CELLS ((size_t)32768)

size_t norm__call_pieces(const struct norm__call *call, size_t *ret_rows)
{
    const size_t cols = (size_t)call->rows.cols;
    size_t rows = cols >= PIECE_CELLS ? 1 : cols == 0 ? call->n_rows : PIECE_CELLS / cols;
    if (call->tiled)
        rows = (rows / norm__tile_rows(call) + (rows < norm__tile_rows(call))) * norm__tile_rows(call);
    *ret_rows = rows;
    return rows == 0 ? 0 : call->n_rows / rows + (call->n_rows % rows != 0);
}

size_t norm__call_slots(const struct norm__call *call)
{
    size_t rows;
    const size_t pieces = norm__call_pieces(call, &rows);
    const size_t threads = call->handle->one_thread || call->exec.threads < 1 ? 1 : (size_t)call->exec.threads;
    return pieces < threads ? pieces : threads;
}

/* Rows of doubles that the general path wants. */
static size_t numbers(const struct norm__call *call)
{
    if (!norm__row_needs_numbers(call))
        return 0;
    switch (call->operation) {
    case LIBNORM_OPERATION_APPLY:
    case LIBNORM_OPERATION_LOG_APPLY:
        return 2;
    case LIBNORM_OPERATION_HVP:
    case LIBNORM_OPERATION_JACOBIAN_NORMS:
        return 6;
    case LIBNORM_OPERATION_PARAM_VJP:
        return 5;
    default:
        return 4;
    }
}

/* Packed rows that the kernels want: z and w share one, g and d the other. */
static size_t packed_rows(const struct norm__call *call)
{
    const bool makes_weights =
        call->operation == LIBNORM_OPERATION_APPLY || call->operation == LIBNORM_OPERATION_LOG_APPLY;
    if (call->fast == NULL)
        return 0;
    if (makes_weights)
        return call->gathers ? 1 : 0;
    return call->gathers ? 2 : call->view[NORM__W].name == NULL ? 1 : 0;
}

/* What the kernels of a row want besides; false: it does not fit. */
static bool spare_bytes(const struct norm__call *call, size_t *ret_bytes)
{
    const struct norm__fast *fast = call->fast;
    *ret_bytes = 0;
    return fast == NULL || fast->spare_rows + fast->spare_cells == 0 ||
           (norm__mul(fast->spare_rows, (size_t)call->rows.cols, ret_bytes) &&
            norm__add(*ret_bytes, fast->spare_cells, ret_bytes) && norm__mul(*ret_bytes, call->cells->size, ret_bytes));
}

/* Lays the arrays out from base (NULL: only counts) and returns the bytes, SIZE_MAX when they do not fit. */
static size_t lay_out(const struct norm__call *call, unsigned char *base, struct norm__slot *slot)
{
    const size_t cols = (size_t)call->rows.cols, n_numbers = numbers(call), n_packed = packed_rows(call);
    const size_t scratch = n_numbers != 0 ? call->kind->scratch : 0;
    size_t used = 0, at[10 + NORM__VIEWS], size[10 + NORM__VIEWS], total = 0;
    for (size_t i = 0; i < n_numbers + (scratch != 0); i++)
        size[used++] = cols * sizeof(double); /* fits: checked with the rows */
    for (size_t i = 0; i < n_packed; i++)
        size[used++] = cols * call->cells->size;
    if (!spare_bytes(call, &size[used++]))
        return SIZE_MAX;
    size[used++] = norm__sight_buffer(&call->rows);
    for (int i = 0; i < NORM__VIEWS; i++)
        size[used++] = norm__tile_helps(&call->view[i]) ? norm__tile_bytes(call) : 0;
    if (scratch != 0 && !norm__mul(scratch, cols * sizeof(double), &size[n_numbers]))
        return SIZE_MAX;
    for (size_t i = 0; i < used; i++) {
        at[i] = total;
        if (!norm__add(total, norm__piece(size[i]), &total))
            return SIZE_MAX;
    }
    if (base == NULL)
        return total;
    size_t k = 0;
    for (size_t i = 0; i < n_numbers; i++)
        slot->number[i] = (double *)(void *)(base + at[k++]);
    if (scratch != 0)
        slot->scratch = (double *)(void *)(base + at[k++]);
    for (size_t i = 0; i < n_packed; i++)
        slot->packed[i] = base + at[k++];
    slot->spare = base + at[k++];
    slot->seen = base + at[k++];
    for (int i = 0; i < NORM__VIEWS; i++)
        slot->tile[i] = base + at[k++];
    return total;
}

size_t norm__slot_bytes(const struct norm__call *call)
{
    return lay_out(call, NULL, NULL);
}

void norm__slot_open(const struct norm__call *call, struct norm__workspace *workspace, struct norm__slot *slot)
{
    memset(slot, 0, sizeof *slot);
    const size_t bytes = norm__slot_bytes(call);
    if (bytes != 0)
        lay_out(call, norm__workspace_take(workspace, bytes), slot);
}

/* As norm__workspace_open wants it: the slots themselves where there is more than one, and their arrays. */
size_t norm__call_bytes(const struct norm__call *call)
{
    const size_t slots = norm__call_slots(call), bytes = norm__slot_bytes(call);
    size_t own = 0, all;
    if (slots > 1 && !norm__mul(slots, sizeof(struct norm__slot), &own))
        return SIZE_MAX;
    own = norm__piece(own);
    return norm__mul(slots, bytes, &all) && norm__add(all, own, &all) ? all : SIZE_MAX;
}
