/* SPDX-License-Identifier: MIT */
/* Reading and checking the arguments of a row operation. */
#include "normalizers/call.h"

#include <string.h>

#include "base/cpu.h"
#include "base/error.h"
#include "base/structs.h"
#include "normalizers/suggest.h"
#include "normalizers/supports.h"
#include "normalizers/tile.h"

/* The first release's sizes, frozen: up to and with the last field. */
#define ROWS_FIRST (offsetof(norm_rows, visible_stride) + sizeof(int64_t[3]))
#define OUTPUTS_FIRST (offsetof(norm_row_outputs, inf_rows) + sizeof(uint64_t))
#define NORMS_FIRST (offsetof(norm_jacobian_norms, constant) + sizeof(double *))

static norm_status read_rows(struct norm__call *c, const struct norm__arguments *a, norm_error *error)
{
    if (a->rows == NULL)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "%s: rows is NULL", a->call);
    norm_status status = norm__struct_read(&c->rows, sizeof c->rows, a->rows, ROWS_FIRST,
                                           LIBNORM_ROWS_CAUSAL | LIBNORM_ROWS_NEG_INF_HIDDEN, "norm_rows", error);
    if (status != LIBNORM_OK)
        return status;
    const norm_rows *r = &c->rows;
    uint64_t n_rows, cells;
    if (__builtin_mul_overflow(r->batch, r->rows, &n_rows) || __builtin_mul_overflow(n_rows, r->cols, &cells) ||
        n_rows > PTRDIFF_MAX / sizeof(double) || cells > PTRDIFF_MAX || r->cols > PTRDIFF_MAX / sizeof(double))
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "%s: %llu x %llu x %llu elements do not fit the address space",
                          a->call, (unsigned long long)r->batch, (unsigned long long)r->rows,
                          (unsigned long long)r->cols);
    c->n_rows = (size_t)n_rows;
    c->empty = cells == 0;
    return LIBNORM_OK;
}

static norm_status read_outputs(struct norm__call *c, const struct norm__arguments *a, norm_error *error)
{
    if (a->outputs == NULL)
        return LIBNORM_OK;
    return norm__struct_read(&c->outputs, sizeof c->outputs, a->outputs, OUTPUTS_FIRST, 0, "norm_row_outputs", error);
}

static norm_status read_key(struct norm__call *c, const struct norm__arguments *a, norm_error *error)
{
    if (a->operation != LIBNORM_OPERATION_PARAM_VJP)
        return LIBNORM_OK;
    if (a->key == NULL)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "%s: key is NULL", a->call);
    const int key = norm__kind_key(c->kind, a->key, strlen(a->key));
    if (key < 0)
        return norm__unknown_key(c->kind, a->key, strlen(a->key), LIBNORM_E_ARGUMENT, -1, error);
    if (!norm__supports_key(c->handle, (size_t)key))
        return norm__fail(error, LIBNORM_E_UNSUPPORTED, -1, "%s: %s has no gradient in %s", a->call, c->kind->name,
                          a->key);
    c->key = (size_t)key;
    return LIBNORM_OK;
}

/* Strides of each view: the result of apply has the strides of weights, that of a gradient its own. */
const int64_t *norm__call_strides(const struct norm__call *c, int view)
{
    const bool makes_weights = c->operation == LIBNORM_OPERATION_APPLY || c->operation == LIBNORM_OPERATION_LOG_APPLY;
    switch (view) {
    case NORM__Z:
        return c->rows.z_stride;
    case NORM__W:
        return c->rows.w_stride;
    case NORM__G:
    case NORM__H:
        return c->rows.g_stride;
    default:
        return makes_weights ? c->rows.w_stride : c->rows.d_stride;
    }
}

/* Which arrays an operation must have; optional ones count when they are given. */
unsigned norm__call_wanted(const struct norm__arguments *a)
{
    const unsigned z = 1u << NORM__Z, g = 1u << NORM__G, h = 1u << NORM__H, d = 1u << NORM__D;
    const unsigned w = a->w != NULL ? 1u << NORM__W : 0;
    switch (a->operation) {
    case LIBNORM_OPERATION_APPLY:
    case LIBNORM_OPERATION_LOG_APPLY:
        return z | d;
    case LIBNORM_OPERATION_HVP:
        return z | g | h | (a->d != NULL || a->e == NULL ? d : 0) | (a->e != NULL ? 1u << NORM__E : 0);
    case LIBNORM_OPERATION_PARAM_VJP:
        return z | w | g;
    case LIBNORM_OPERATION_JACOBIAN:
    case LIBNORM_OPERATION_JACOBIAN_NORMS:
        return z;
    case LIBNORM_OPERATION_LOSS:
        return z | (a->target == NULL ? h : 0) | (a->d != NULL ? d : 0);
    default:
        return z | w | g | d;
    }
}

static norm_status check_targets(const struct norm__call *c, const int64_t *target, norm_error *error)
{
    if ((uintptr_t)target % _Alignof(int64_t) != 0)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "%s: target is not aligned to its element", c->name);
    for (size_t i = 0; i < c->n_rows; i++)
        if (target[i] >= 0 && (uint64_t)target[i] >= c->rows.cols)
            return norm__fail(error, LIBNORM_E_ARGUMENT, -1,
                              "%s: target[%zu] is %lld: expected a column, 0 to %lld, or a negative number to leave "
                              "the row out",
                              c->name, i, (long long)target[i], (long long)c->rows.cols - 1);
    return LIBNORM_OK;
}

static norm_status open_views(struct norm__call *c, const struct norm__arguments *a, norm_error *error)
{
    const bool loss = a->operation == LIBNORM_OPERATION_LOSS;
    const char *const names[NORM__VIEWS] = {"z", "w", a->operation == LIBNORM_OPERATION_JVP ? "v" : "g",
                                            loss ? "y" : "h", a->d_name, "ret_dg"};
    const void *const data[NORM__VIEWS] = {a->z, a->w, a->g, a->h, a->d, a->e};
    const unsigned wanted = norm__call_wanted(a);
    for (int i = 0; i < NORM__VIEWS; i++) {
        if (!(wanted & 1u << i))
            continue;
        struct norm__view *v = &c->view[i];
        v->name = names[i];
        v->data = (unsigned char *)(uintptr_t)data[i];
        v->size = c->cells->size;
        v->written = i == NORM__D || i == NORM__E;
        v->extent[0] = (size_t)c->rows.batch;
        v->extent[1] = (size_t)c->rows.rows;
        v->extent[2] = (size_t)c->rows.cols;
        norm_status status = norm__view_open(v, norm__call_strides(c, i), true, c->name, error);
        if (status != LIBNORM_OK)
            return status;
    }
    return LIBNORM_OK;
}

static norm_status read_norms(struct norm__call *c, const struct norm__arguments *a, norm_error *error)
{
    if (a->operation != LIBNORM_OPERATION_JACOBIAN_NORMS)
        return LIBNORM_OK;
    if (a->norms == NULL)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "%s: ret_norms is NULL", a->call);
    return norm__struct_read(&c->norms, sizeof c->norms, a->norms, NORMS_FIRST, 0, "norm_jacobian_norms", error);
}

/* A block a row. It is as large as all that rows cannot be, so it may not even touch an input. */
static norm_status open_jacobian(struct norm__call *c, const struct norm__arguments *a, norm_error *error)
{
    const int64_t packed[3] = {0, 0, 0};
    struct norm__view *v = &c->jacobian;
    if (a->operation != LIBNORM_OPERATION_JACOBIAN)
        return LIBNORM_OK;
    *v = (struct norm__view){.name = "ret_j", .data = (unsigned char *)a->jacobian, .size = sizeof(double),
                             .written = true, .extent = {c->n_rows, (size_t)c->rows.cols, (size_t)c->rows.cols}};
    const int64_t *stride = a->jacobian_stride != NULL ? a->jacobian_stride : packed;
    norm_status status = norm__view_open(v, stride, true, c->name, error);
    const struct norm__view *z = &c->view[NORM__Z];
    if (status == LIBNORM_OK && v->low < z->high && z->low < v->high)
        status = norm__fail(error, LIBNORM_E_OVERLAP, -1, "%s: ret_j overlaps z: expected no common element", c->name);
    return status;
}

/* Side arrays are views too: packed where they are results, with the caller's strides where they are read. */
static norm_status check_overlap(const struct norm__call *c, norm_error *error)
{
    enum { sides = 14 };
    struct norm__view all[NORM__VIEWS + 1 + sides];
    size_t count = 0;
    for (int i = 0; i < NORM__VIEWS; i++)
        if (c->view[i].name != NULL)
            all[count++] = c->view[i];
    if (c->jacobian.name != NULL)
        all[count++] = c->jacobian;
    const norm_rows *r = &c->rows;
    const norm_row_outputs *o = &c->outputs;
    const int64_t packed[3] = {0, 0, 0}, interval[3] = {r->interval_stride[0], r->interval_stride[1], 1};
    const struct {
        const char *name;
        const void *data;
        size_t size;
        bool written;
        size_t cols;
        const int64_t *stride;
    } side[sides] = {
        {"begin", r->begin, sizeof(int64_t), false, 1, interval},
        {"end", r->end, sizeof(int64_t), false, 1, interval},
        {"visible", r->visible, 1, false, (size_t)r->cols, r->visible_stride},
        {"log_sum", o->log_sum, sizeof(double), true, 1, packed},
        {"threshold", o->threshold, sizeof(double), true, 1, packed},
        {"support", o->support, sizeof(double), true, 1, packed},
        {"entropy", o->entropy, sizeof(double), true, 1, packed},
        {"max_score", o->max_score, sizeof(double), true, 1, packed},
        {c->operation == LIBNORM_OPERATION_LOSS ? "ret_loss" : "ret_per_row", c->per_row, sizeof(double), true, 1,
         packed},
        {"target", c->target, sizeof(int64_t), false, 1, packed},
        {"spectral", c->norms.spectral, sizeof(double), true, 1, packed},
        {"frobenius", c->norms.frobenius, sizeof(double), true, 1, packed},
        {"bound", c->norms.bound, sizeof(double), true, 1, packed},
        {"constant", c->norms.constant, sizeof(double), true, 1, packed},
    };
    for (int i = 0; i < sides; i++) {
        if (side[i].data == NULL || (c->empty && !side[i].written))
            continue;
        struct norm__view *v = &all[count++];
        *v = (struct norm__view){.name = side[i].name, .data = (unsigned char *)(uintptr_t)side[i].data,
                                 .size = side[i].size, .written = side[i].written};
        v->extent[0] = (size_t)c->rows.batch;
        v->extent[1] = (size_t)c->rows.rows;
        v->extent[2] = side[i].cols;
        norm_status status = norm__view_open(v, side[i].stride, side[i].written, c->name, error);
        if (status != LIBNORM_OK)
            return status;
    }
    return norm__views_check(all, count, c->name, error);
}

/* The fast path, where the kind has it for this operation and the level is not capped to the reference. */
void norm__call_choose_path(struct norm__call *c)
{
    const int32_t level = norm__cpu_level(c->exec.cpu_level);
    const struct norm__fast *fast = c->cells == &norm__cells_f32 ? c->kind->fast_f32 : c->kind->fast_f64;
    c->shifts = (norm_normalizer_properties(c->handle) & LIBNORM_PROPERTY_SHIFT_INVARIANT) != 0;
    c->gathers = norm__sight_has_holes(&c->rows);
    c->tiled = false;
    for (int i = 0; i < NORM__VIEWS; i++) {
        c->gathers = c->gathers || (c->view[i].name != NULL && c->view[i].stride[2] != 1);
        c->tiled = c->tiled || norm__tile_helps(&c->view[i]);
    }
    const norm_row_outputs *o = &c->outputs;
    c->tells = o->log_sum || o->threshold || o->support || o->entropy || o->max_score;
    const bool wants_weights = o->support != NULL || o->entropy != NULL;
    const bool there =
        fast != NULL && (fast->serves == NULL || fast->serves(c->handle)) &&
        ((c->operation == LIBNORM_OPERATION_APPLY && fast->apply != NULL) ||
         (c->operation == LIBNORM_OPERATION_LOG_APPLY && fast->log_apply != NULL && !wants_weights) ||
         (c->operation == LIBNORM_OPERATION_VJP && fast->apply != NULL && fast->vjp != NULL) ||
         (c->operation == LIBNORM_OPERATION_LOG_VJP && fast->apply != NULL && fast->log_vjp != NULL));
    if (!there || level == LIBNORM_CPU_SCALAR)
        return;
    c->fast = fast;
    c->context.kernels = norm__kernels_get(level);
    c->context.handle = c->handle;
    c->context.temperature = c->handle->value[0];
    c->context.softmax = norm__softmax_scale(c->context.temperature);
}

norm_status norm__call_read_structs(struct norm__call *c, const struct norm__arguments *a, norm_error *error)
{
    memset(c, 0, sizeof *c);
    c->name = a->call;
    c->operation = a->operation;
    c->cells = a->cells;
    c->handle = a->handle;
    if (a->handle == NULL)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "%s: n is NULL", a->call);
    c->kind = a->handle->kind;
    c->per_row = a->per_row;
    c->target = a->target;
    norm_status status = read_rows(c, a, error);
    if (status == LIBNORM_OK)
        status = read_outputs(c, a, error);
    return status == LIBNORM_OK ? norm__exec_read(&c->exec, a->exec, error) : status;
}

norm_status norm__call_read(struct norm__call *c, const struct norm__arguments *a, norm_error *error)
{
    norm_status status = norm__call_read_structs(c, a, error);
    if (status == LIBNORM_OK && !norm_normalizer_supports(a->handle, a->operation))
        status = norm__fail(error, LIBNORM_E_UNSUPPORTED, -1, "%s: %s does not have this operation", a->call,
                            c->kind->name);
    if (status == LIBNORM_OK)
        status = read_key(c, a, error);
    if (status == LIBNORM_OK)
        status = read_norms(c, a, error);
    if (status != LIBNORM_OK || c->n_rows == 0)
        return status;
    const bool loss = a->operation == LIBNORM_OPERATION_LOSS;
    if ((loss || a->operation == LIBNORM_OPERATION_PARAM_VJP) && a->per_row == NULL)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "%s: %s is NULL", a->call, loss ? "ret_loss" : "ret_per_row");
    if (loss && a->target != NULL)
        status = check_targets(c, a->target, error);
    if (status != LIBNORM_OK)
        return status;
    if (!c->empty)
        status = open_views(c, a, error);
    if (status == LIBNORM_OK && !c->empty)
        status = open_jacobian(c, a, error);
    if (status == LIBNORM_OK)
        status = check_overlap(c, error);
    if (status == LIBNORM_OK)
        norm__call_choose_path(c);
    return status;
}
