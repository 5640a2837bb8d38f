/* SPDX-License-Identifier: MIT */
#include <libnorm/gradient.h>

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/structs.h"
#include "normalizers/call.h"
#include "normalizers/check_row.h"

#define CHECK_FIRST (offsetof(norm_gradient_check, skipped) + sizeof(uint64_t))

#define BIT(operation) (UINT64_C(1) << (operation))
#define ALL_OPERATIONS                                                                                                 \
    (BIT(LIBNORM_OPERATION_VJP) | BIT(LIBNORM_OPERATION_LOG_VJP) | BIT(LIBNORM_OPERATION_JVP) |                        \
     BIT(LIBNORM_OPERATION_HVP) | BIT(LIBNORM_OPERATION_PARAM_VJP))

static norm_status read_check(const norm_normalizer *n, const norm_gradient_check *given, norm_gradient_check *check,
                              norm_error *error)
{
    norm_status status = norm__struct_writable(given, CHECK_FIRST, "norm_gradient_check", error);
    if (status == LIBNORM_OK)
        status = norm__struct_read(check, sizeof *check, given, CHECK_FIRST, 0, "norm_gradient_check", error);
    if (status != LIBNORM_OK)
        return status;
    if (check->operations & ~ALL_OPERATIONS)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1,
                          "norm_check_gradients: operations has bits 0x%llx that are not of VJP, LOG_VJP, JVP, HVP or "
                          "PARAM_VJP",
                          (unsigned long long)(check->operations & ~ALL_OPERATIONS));
    if (check->tolerance != 0 && !(check->tolerance >= 1e-8 && check->tolerance <= 1))
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1,
                          "norm_check_gradients: tolerance is %s: expected 1e-08 to 1, or 0 for 1e-06",
                          norm__text_f64(check->tolerance).text);
    check->tolerance = check->tolerance != 0 ? check->tolerance : 1e-6;
    for (int32_t operation = 0; operation < 64; operation++)
        if ((check->operations & BIT(operation)) && !norm_normalizer_supports(n, operation))
            return norm__fail(error, LIBNORM_E_UNSUPPORTED, -1, "norm_check_gradients: %s does not have operation %d",
                              n->kind->name, (int)operation);
    return LIBNORM_OK;
}

static bool all_finite(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

/* One row of scores: what it sees, packed, through every operation. */
static norm_status check_one(struct norm__check *c, const struct norm__call *call, uint64_t operations, size_t batch,
                             size_t row, uint8_t *seen)
{
    const struct norm__view *z = &call->view[NORM__Z];
    const unsigned char *cells = norm__view_row(z, batch, row);
    const struct norm__sight sight =
        norm__sight_find(&call->rows, batch, row, &norm__cells_f64, cells, z->stride[2], seen);
    c->n = sight.n;
    norm__cells_f64.widen(cells, z->stride[2], &sight, c->z);
    if (c->n == 0 || !all_finite(c->z, c->n)) {
        c->skipped += c->n;
        return LIBNORM_OK;
    }
    norm_status status = LIBNORM_OK;
    for (int32_t operation = LIBNORM_OPERATION_VJP; operation <= LIBNORM_OPERATION_PARAM_VJP; operation++) {
        struct norm__finding *found = &c->found[operation];
        if (status != LIBNORM_OK || !(operations & BIT(operation)) || !norm_normalizer_supports(c->handle, operation))
            continue;
        status = norm__check_row(c, operation);
        if (!found->fresh)
            continue;
        found->fresh = false;
        found->batch = batch;
        found->row = row;
        found->entry = norm__sight_column(&sight, found->entry);
    }
    return status;
}

/* The first operation that fails, or the worst of all; 0: nothing was compared. */
static int32_t choose(const struct norm__check *c)
{
    int32_t worst = 0;
    for (int32_t operation = LIBNORM_OPERATION_VJP; operation <= LIBNORM_OPERATION_PARAM_VJP; operation++) {
        const double error = c->found[operation].error;
        if (error > c->tolerance)
            return operation;
        if (error >= 0 && (worst == 0 || error > c->found[worst].error))
            worst = operation;
    }
    return worst;
}

static void write_result(const struct norm__check *c, norm_gradient_check *ret)
{
    const int32_t operation = choose(c);
    const struct norm__finding *found = &c->found[operation];
    ret->passed = operation == 0 || found->error <= c->tolerance;
    ret->operation = operation;
    ret->compared = c->compared;
    ret->skipped = c->skipped;
    ret->batch = ret->row = 0;
    ret->column = -1;
    ret->got = ret->expected = ret->error = 0;
    memset(ret->key, 0, sizeof ret->key);
    if (operation == 0)
        return;
    ret->batch = found->batch;
    ret->row = found->row;
    ret->got = found->got;
    ret->expected = found->expected;
    ret->error = found->error;
    if (operation != LIBNORM_OPERATION_PARAM_VJP)
        ret->column = (int64_t)found->entry;
    else
        strncpy(ret->key, c->handle->kind->keys[found->key].name, sizeof ret->key - 1);
}

static norm_status check_rows(struct norm__check *c, const struct norm__call *call, uint64_t operations, uint8_t *seen)
{
    const norm_exec *exec = &call->exec;
    norm_status status = LIBNORM_OK;
    for (size_t i = 0; status == LIBNORM_OK && i < call->n_rows; i++) {
        const size_t rows = (size_t)call->rows.rows;
        status = check_one(c, call, operations, i / rows, i % rows, seen);
        if (status != LIBNORM_OK || exec->progress == NULL)
            continue;
        const int32_t code = exec->progress(exec->progress_user, (double)(i + 1) / (double)call->n_rows);
        if (code != 0)
            status = norm__fail(c->error, LIBNORM_E_CANCELLED, code,
                                "norm_check_gradients: cancelled by norm_exec.progress with %d", (int)code);
    }
    return status;
}

norm_status norm_check_gradients(const norm_normalizer *n, const norm_rows *rows, const double *z,
                                 norm_gradient_check *check, const norm_exec *exec, norm_error *ret_error)
{
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    /* Handle, rows and scores are checked as for norms, none of which is wanted. */
    const norm_jacobian_norms none = {.struct_size = sizeof none};
    const struct norm__arguments a = {.call = __func__, .operation = LIBNORM_OPERATION_JACOBIAN_NORMS,
                                      .cells = &norm__cells_f64, .handle = n, .rows = rows, .z = z, .norms = &none,
                                      .exec = exec};
    struct norm__call call;
    norm_gradient_check own;
    norm_status status = norm__call_read(&call, &a, ret_error);
    if (status == LIBNORM_OK)
        status = read_check(n, check, &own, ret_error);
    if (status != LIBNORM_OK)
        return status;
    const size_t cols = (size_t)call.rows.cols, doubles = NORM__CHECK_WORK + 1;
    const norm_exec inner = {.struct_size = sizeof inner, .cpu_level = call.exec.cpu_level,
                             .allocator = call.exec.allocator};
    struct norm__check c = {.handle = n, .exec = &inner, .error = ret_error, .tolerance = own.tolerance,
                            .random = own.seed};
    for (size_t i = 0; i < sizeof c.found / sizeof c.found[0]; i++)
        c.found[i].error = -1;
    if (call.n_rows > 0 && !call.empty) {
        uint8_t *seen = norm__alloc(inner.allocator, cols);
        c.memory = norm__alloc_array(inner.allocator, cols, doubles * sizeof(double));
        if (seen == NULL || c.memory == NULL) {
            status = norm__fail(ret_error, LIBNORM_E_NOMEM, -1, "out of memory: %zu doubles for each of %zu columns",
                                doubles, cols);
        } else {
            c.z = c.memory + NORM__CHECK_WORK * cols;
            status = check_rows(&c, &call, own.operations != 0 ? own.operations : ALL_OPERATIONS, seen);
        }
        norm__release(inner.allocator, c.memory, cols * doubles * sizeof(double));
        norm__release(inner.allocator, seen, cols);
    }
    if (status != LIBNORM_OK)
        return status;
    write_result(&c, &own);
    norm__struct_write(check, &own, sizeof own);
    return LIBNORM_OK;
}
