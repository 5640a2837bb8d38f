/* SPDX-License-Identifier: MIT */
#include "bench/row_work.h"

#include <string.h>

#include "bench/product.h"
#include "say.h"

/* Where the next slice begins, in numbers. */
static size_t next_slice(struct row_set *set)
{
    const size_t slice = set->at;
    set->at = slice + 1 < set->slices ? slice + 1 : 0;
    return slice * set->rows * set->n;
}

static norm_rows rows_of(const struct row_set *set)
{
    return (norm_rows){.struct_size = sizeof(norm_rows), .batch = 1, .rows = set->rows, .cols = set->n};
}

static bool done(norm_status status, const norm_error *error)
{
    return status == LIBNORM_OK || say_error(error);
}

bool row_work_forward(void *user, size_t slices)
{
    const struct row_work *work = user;
    struct row_set *set = work->set;
    const norm_rows rows = rows_of(set);
    norm_error error = ERROR_INIT;
    norm_status status = LIBNORM_OK;
    while (slices-- > 0 && status == LIBNORM_OK) {
        const size_t at = next_slice(set);
        if (set->wide)
            status = norm_apply_f64(work->normalizer, &rows, (double *)set->z + at, (double *)set->w + at, NULL,
                                    work->exec, &error);
        else
            status = norm_apply_f32(work->normalizer, &rows, (float *)set->z + at, (float *)set->w + at, NULL,
                                    work->exec, &error);
    }
    return done(status, &error);
}

bool row_work_vjp(void *user, size_t slices)
{
    const struct row_work *work = user;
    struct row_set *set = work->set;
    const norm_rows rows = rows_of(set);
    norm_error error = ERROR_INIT;
    norm_status status = LIBNORM_OK;
    while (slices-- > 0 && status == LIBNORM_OK) {
        const size_t at = next_slice(set);
        if (set->wide)
            status = norm_vjp_f64(work->normalizer, &rows, (double *)set->z + at, (double *)set->w + at,
                                  (double *)set->g + at, (double *)set->d + at, work->exec, &error);
        else
            status = norm_vjp_f32(work->normalizer, &rows, (float *)set->z + at, (float *)set->w + at,
                                  (float *)set->g + at, (float *)set->d + at, work->exec, &error);
    }
    return done(status, &error);
}

bool row_work_copy(void *user, size_t slices)
{
    const struct row_work *work = user;
    struct row_set *set = work->set;
    const size_t width = set->wide ? sizeof(double) : sizeof(float);
    const size_t bytes = set->rows * set->n * width * work->arrays / 2;
    while (slices-- > 0) {
        const size_t at = next_slice(set) * width * work->arrays / 2;
        memcpy(set->copy + set->half + at, set->copy + at, bytes);
    }
    return true;
}

bool row_work_product(void *user, size_t slices)
{
    const struct row_work *work = user;
    struct row_set *set = work->set;
    const size_t count = set->rows * set->n;
    while (slices-- > 0) {
        const size_t at = next_slice(set);
        if (set->wide)
            product_f64((double *)set->w + at, (double *)set->g + at, count, (double *)set->d + at);
        else
            product_f32((float *)set->w + at, (float *)set->g + at, count, (float *)set->d + at);
    }
    return true;
}
