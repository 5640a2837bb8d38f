/* SPDX-License-Identifier: MIT */
#include "normalizers/tile.h"

#include "base/memory.h"
#include "normalizers/row.h"

static uint64_t magnitude(int64_t x)
{
    return x < 0 ? (uint64_t)0 - (uint64_t)x : (uint64_t)x;
}

bool norm__tile_helps(const struct norm__view *view)
{
    return view->name != NULL && view->stride[2] != 1 && view->extent[1] > 1 &&
           magnitude(view->stride[1]) < magnitude(view->stride[2]);
}

/* Elements of a cache line. */
static size_t line_of(const struct norm__call *call)
{
    return NORM__ALIGN / call->cells->size;
}

/* At least a cache line of every column; several while the tile stays small, since each column is another page. */
size_t norm__tile_rows(const struct norm__call *call)
{
    const size_t line = line_of(call), small = ((size_t)1 << 18) / call->cells->size, most = 8;
    const size_t lines = small / line / ((size_t)call->rows.cols + 1);
    return (lines < 1 ? 1 : lines < most ? lines : most) * line;
}

/* A line more than the row needs, so that the rows of a tile do not meet in one set of the cache. */
static size_t pitch(const struct norm__call *call)
{
    return (size_t)call->rows.cols + line_of(call);
}

size_t norm__tile_bytes(const struct norm__call *call)
{
    size_t bytes;
    return norm__mul(pitch(call) * call->cells->size, norm__tile_rows(call), &bytes) ? bytes : SIZE_MAX;
}

/* The view of a tile, addressed by the row's own number. */
static void point_at_tile(const struct norm__call *call, struct norm__view *view, void *tile, size_t first_row)
{
    const size_t row_bytes = pitch(call) * call->cells->size;
    view->data = (unsigned char *)((uintptr_t)tile - first_row * row_bytes);
    view->stride[0] = 0;
    view->stride[1] = (int64_t)pitch(call);
    view->stride[2] = 1;
}

int32_t norm__tile_run(const struct norm__call *call, struct norm__slot *slot, size_t batch, size_t row, size_t rows)
{
    const size_t cols = (size_t)call->rows.cols;
    struct norm__call inside = *call;
    for (int i = 0; i < NORM__VIEWS; i++) {
        const struct norm__view *v = &call->view[i];
        if (!norm__tile_helps(v))
            continue;
        if (!v->written)
            call->cells->tile_in(norm__view_row(v, batch, row), v->stride[1], v->stride[2], rows, cols, pitch(call),
                                 slot->tile[i]);
        point_at_tile(call, &inside.view[i], slot->tile[i], row);
    }
    for (size_t r = row; r < row + rows; r++) {
        const int32_t code = norm__row_run(&inside, slot, batch, r);
        if (code != 0)
            return code;
    }
    for (int i = 0; i < NORM__VIEWS; i++) {
        const struct norm__view *v = &call->view[i];
        if (v->written && norm__tile_helps(v))
            call->cells->tile_out(slot->tile[i], pitch(call), rows, cols, norm__view_row(v, batch, row), v->stride[1],
                                  v->stride[2]);
    }
    return 0;
}
