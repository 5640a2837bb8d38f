/* SPDX-License-Identifier: MIT */
/* How much memory a row operation takes at most. */
#include "normalizers/slot.h"

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Views with strides and no cells: all that the layout of memory depends on. */
static void imagine_views(struct norm__call *c, const struct norm__arguments *a)
{
    const unsigned wanted = norm__call_wanted(a);
    for (int i = 0; i < NORM__VIEWS; i++) {
        if (!(wanted & 1u << i))
            continue;
        struct norm__view *v = &c->view[i];
        *v = (struct norm__view){.name = "view", .size = c->cells->size};
        v->extent[0] = (size_t)c->rows.batch;
        v->extent[1] = (size_t)c->rows.rows;
        v->extent[2] = (size_t)c->rows.cols;
        norm__view_strides(v, norm__call_strides(c, i), true);
    }
}

/* The most that one operation takes, with and without the arrays and outputs that it need not be given. */
static size_t operation_bytes(const struct norm__call *structs, int32_t operation, const struct norm__cells *cells)
{
    static const char given;
    size_t most = 0;
    for (int saved = 0; saved < 2; saved++) {
        struct norm__call c = *structs;
        struct norm__arguments a = {.operation = operation, .w = saved ? &given : NULL};
        double unused;
        c.operation = operation;
        c.cells = cells;
        if (operation == LIBNORM_OPERATION_HVP)
            a.d = a.e = &unused;
        if (saved)
            c.outputs.support = &unused; /* some outputs need the general path */
        imagine_views(&c, &a);
        norm__call_choose_path(&c);
        most = larger(most, norm__call_bytes(&c));
    }
    return most;
}

norm_status norm_apply_workspace(const norm_normalizer *n, const norm_rows *rows, const norm_exec *exec,
                                 size_t *ret_bytes)
{
    if (ret_bytes == NULL)
        return LIBNORM_E_ARGUMENT;
    const struct norm__arguments a = {.call = __func__, .handle = n, .rows = rows, .exec = exec};
    struct norm__call call;
    norm_status status = norm__call_read_structs(&call, &a, NULL);
    if (status != LIBNORM_OK)
        return status;
    size_t most = 0;
    for (int32_t operation = LIBNORM_OPERATION_APPLY; operation <= LIBNORM_OPERATION_JACOBIAN_NORMS; operation++) {
        if (!norm_normalizer_supports(n, operation))
            continue;
        most = larger(most, operation_bytes(&call, operation, &norm__cells_f32));
        most = larger(most, operation_bytes(&call, operation, &norm__cells_f64));
    }
    if (most > SIZE_MAX - NORM__ALIGN)
        return LIBNORM_E_NOMEM;
    *ret_bytes = most == 0 ? 0 : most + NORM__ALIGN;
    return LIBNORM_OK;
}
