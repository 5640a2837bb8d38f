/* SPDX-License-Identifier: MIT */
/* The rows of a call: handed out in pieces, on one thread or several, with progress and a way to stop. */
#include <errno.h>
#include <stdatomic.h>

#include "base/error.h"
#include "base/number.h"
#include "base/parallel.h"
#include "normalizers/row.h"
#include "normalizers/slot.h"
#include "normalizers/tile.h"

enum { GOES_ON, CANCELLED, FAILED };
enum { reports = 64 }; /* progress is told this often at most */

struct run {
    const struct norm__call *call;
    struct norm__slot *slots;
    size_t pieces, piece_rows;
    uintptr_t caller;
    atomic_size_t next, done;
    atomic_int stop;
    atomic_int_least32_t code;
    const struct norm__blame *blame; /* of the row that stopped it; written by the thread that did */
    size_t told; /* used on the caller's thread alone */
};

/* The first reason to stop is the one that counts. */
static void stop(struct run *run, int reason, int32_t code, const struct norm__blame *blame)
{
    int expected = GOES_ON;
    if (atomic_compare_exchange_strong(&run->stop, &expected, reason)) {
        atomic_store(&run->code, code);
        run->blame = blame;
    }
}

static void tell_progress(struct run *run)
{
    const norm_exec *exec = &run->call->exec;
    if (exec->progress == NULL || norm__thread() != run->caller)
        return;
    const size_t done = atomic_load(&run->done), step = run->pieces / reports + 1;
    if (done < run->told + step)
        return;
    run->told = done;
    const int32_t code =
        done < run->pieces ? exec->progress(exec->progress_user, (double)done / (double)run->pieces) : 0;
    if (code != 0)
        stop(run, CANCELLED, code, NULL);
}

int32_t norm__row_run(const struct norm__call *call, struct norm__slot *slot, size_t batch, size_t row)
{
    struct norm__line line = {call, slot, batch * (size_t)call->rows.rows + row, batch, row, {0, 0, 0, NULL}};
    if (!call->empty) {
        line.sight = norm__sight_find(&call->rows, batch, row, call->cells, norm__line_cells(&line, NORM__Z),
                                      call->view[NORM__Z].stride[2], slot->seen);
        const int32_t code = call->fast != NULL ? norm__row_fast(&line) : norm__row_general(&line);
        if (code != 0) {
            slot->blame.row = line.index;
            slot->blame.column = norm__sight_column(&line.sight, slot->blame.entry);
        }
        return code;
    }
    if (call->per_row != NULL) /* no columns: nothing depends on anything */
        call->per_row[line.index] = 0;
    if (call->operation == LIBNORM_OPERATION_JACOBIAN_NORMS)
        norm__row_norms_write(&line, 0, 0, 0);
    norm__row_tell(&line, &(struct norm__telling){.class = NORM__ROW_EMPTY});
    return 0;
}

/* Rows first ... first + count - 1, counted over all batches. */
static int32_t run_piece(const struct norm__call *call, struct norm__slot *slot, size_t first, size_t count)
{
    const size_t rows = (size_t)call->rows.rows, together = call->tiled ? norm__tile_rows(call) : 1;
    size_t batch = first / rows, row = first % rows;
    while (count > 0) {
        size_t n = together < rows - row ? together : rows - row;
        n = n < count ? n : count;
        const int32_t code =
            call->tiled ? norm__tile_run(call, slot, batch, row, n) : norm__row_run(call, slot, batch, row);
        if (code != 0)
            return code;
        count -= n;
        row += n;
        if (row == rows) {
            row = 0;
            batch++;
        }
    }
    return 0;
}

static void work(void *arg, size_t slot)
{
    struct run *run = arg;
    for (;;) {
        const size_t piece = atomic_fetch_add(&run->next, 1);
        if (piece >= run->pieces || atomic_load(&run->stop) != GOES_ON)
            return;
        const size_t first = piece * run->piece_rows, left = run->call->n_rows - first;
        const size_t rows = left < run->piece_rows ? left : run->piece_rows;
        const int32_t code = run_piece(run->call, &run->slots[slot], first, rows);
        if (code != 0) {
            stop(run, FAILED, code, &run->slots[slot].blame);
            return;
        }
        atomic_fetch_add(&run->done, 1);
        tell_progress(run);
    }
}

static norm_status callback_failed(const struct run *run, const struct norm__arguments *a, norm_error *error)
{
    const struct norm__blame *b = run->blame;
    const int32_t code = atomic_load(&run->code);
    if (b->expected == NULL)
        return norm__fail(error, LIBNORM_E_CALLBACK, code, "%s: %s of %s failed with code %d at row %zu", a->call,
                          b->callback, run->call->kind->name, (int)code, b->row);
    return norm__fail(error, LIBNORM_E_CALLBACK, -1, "%s: %s of %s gave %s for column %zu of row %zu: expected %s",
                      a->call, b->callback, run->call->kind->name, norm__text_f64(b->value).text, b->column, b->row,
                      b->expected);
}

static norm_status finish(struct run *run, const struct norm__arguments *a, size_t slots, norm_error *error)
{
    const norm_exec *exec = &run->call->exec;
    if (atomic_load(&run->stop) == GOES_ON && exec->progress != NULL) {
        const int32_t code = exec->progress(exec->progress_user, 1);
        if (code != 0)
            stop(run, CANCELLED, code, NULL);
    }
    if (atomic_load(&run->stop) == CANCELLED)
        return norm__fail(error, LIBNORM_E_CANCELLED, atomic_load(&run->code),
                          "%s: cancelled by norm_exec.progress with %d", a->call, (int)atomic_load(&run->code));
    if (atomic_load(&run->stop) == FAILED)
        return callback_failed(run, a, error);
    if (a->outputs != NULL) {
        uint64_t empty = 0, nan = 0, inf = 0;
        for (size_t i = 0; i < slots; i++) {
            empty += run->slots[i].empty_rows;
            nan += run->slots[i].nan_rows;
            inf += run->slots[i].inf_rows;
        }
        a->outputs->empty_rows = empty;
        a->outputs->nan_rows = nan;
        a->outputs->inf_rows = inf;
    }
    return LIBNORM_OK;
}

norm_status norm__call_run(const struct norm__arguments *a, norm_error *error)
{
    if (!norm__error_usable(error))
        return LIBNORM_E_ARGUMENT;
    const int saved = errno; /* exp and its kin set it */
    struct norm__call call;
    norm_status status = norm__call_read(&call, a, error);
    if (status != LIBNORM_OK)
        return status;
    struct norm__workspace workspace;
    status = norm__workspace_open(&workspace, &call.exec, norm__call_bytes(&call), error);
    if (status != LIBNORM_OK)
        return status;
    const size_t slots = norm__call_slots(&call);
    struct norm__slot one = {.empty_rows = 0};
    struct run run = {.call = &call, .caller = norm__thread()};
    run.slots = slots > 1 ? norm__workspace_take(&workspace, slots * sizeof one) : &one;
    run.pieces = norm__call_pieces(&call, &run.piece_rows);
    for (size_t i = 0; i < slots; i++)
        norm__slot_open(&call, &workspace, &run.slots[i]);
    norm__parallel(slots > 1 ? &call.exec : NULL, slots, work, &run);
    status = finish(&run, a, slots, error);
    norm__workspace_close(&workspace);
    errno = saved;
    return status;
}
