/* SPDX-License-Identifier: MIT */
/* One call of a row operation, from its arguments to its end. */
#ifndef NORM_NORMALIZERS_CALL_H
#define NORM_NORMALIZERS_CALL_H

#include <libnorm/jacobian.h>

#include "normalizers/blame.h"
#include "normalizers/cells.h"
#include "normalizers/fast.h"
#include "normalizers/kind.h"
#include "normalizers/view.h"

/* The arguments, as they came. What an operation does not have is NULL. */
struct norm__arguments {
    const char *call;      /* "norm_apply_f32" */
    int32_t operation;     /* LIBNORM_OPERATION_... */
    const struct norm__cells *cells;
    const norm_normalizer *handle;
    const norm_rows *rows;
    const void *z, *w, *g, *h;
    const char *d_name;
    void *d, *e;           /* e: the second result of hvp */
    const char *key;       /* of param_vjp */
    double *per_row;       /* result of param_vjp and loss */
    const int64_t *target; /* of loss: a column a row; NULL: h is a distribution a row */
    norm_row_outputs *outputs;
    double *jacobian;
    const int64_t *jacobian_stride; /* NULL: packed */
    const norm_jacobian_norms *norms;
    const norm_exec *exec;
};

enum { NORM__Z, NORM__W, NORM__G, NORM__H, NORM__D, NORM__E, NORM__VIEWS };

/* The arguments after every check; const while rows run. */
struct norm__call {
    const char *name;
    int32_t operation;
    const struct norm__cells *cells;
    const norm_normalizer *handle;
    const struct norm__kind *kind;
    size_t key;
    bool empty;      /* no batch or no row: nothing to do; or no column: no cell to touch */
    size_t n_rows;   /* batch x rows */
    norm_rows rows;
    norm_exec exec;
    norm_row_outputs outputs;
    struct norm__view view[NORM__VIEWS]; /* name NULL: not there */
    double *per_row;
    const int64_t *target;
    struct norm__view jacobian; /* extents rows, cols, cols; name NULL: not there */
    norm_jacobian_norms norms;

    const struct norm__fast *fast; /* NULL: the general path alone */
    struct norm__fast_context context;
    bool gathers; /* rows may have holes or column strides: they go through packed arrays */
    bool shifts;  /* the kind ignores shifts */
    bool tiled;   /* rows lie closer together than columns: they go through tiles of several rows (tile.h) */
    bool tells;   /* some array of outputs is wanted */
};

/* Memory of one thread for its rows. */
struct norm__slot {
    double *number[6]; /* packed rows of doubles */
    double *scratch;   /* of the kind */
    void *packed[2];   /* packed rows of the call's width */
    void *spare; /* of the kernels, see fast.h */
    void *tile[NORM__VIEWS];
    uint8_t *seen;
    uint64_t empty_rows, nan_rows, inf_rows;
    struct norm__blame blame;
};

/* Checks everything that can be known before the first row; the results and *outputs are not touched. */
norm_status norm__call_read(struct norm__call *call, const struct norm__arguments *arguments, norm_error *error);

/* Parts of it, for those who ask before there are arrays: handle, rows, outputs and exec; which views an operation
 * uses, as bits, and their strides; then the way through the engine, from operation, cells, outputs and views. */
norm_status norm__call_read_structs(struct norm__call *call, const struct norm__arguments *arguments,
                                    norm_error *error);
unsigned norm__call_wanted(const struct norm__arguments *arguments);
const int64_t *norm__call_strides(const struct norm__call *call, int view);
void norm__call_choose_path(struct norm__call *call);

/* Reads the arguments, takes the workspace, runs the rows. */
norm_status norm__call_run(const struct norm__arguments *arguments, norm_error *error);

#endif
