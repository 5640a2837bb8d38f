/* SPDX-License-Identifier: MIT */
#include "normalizers/check_row.h"

#include <math.h>

#include "normalizers/differences.h"
#include "normalizers/supports.h"

/* Arrays of n: directions, moved scores, values, what the operation gave and what differences gave; then the work of
 * the differences. */
enum { G, H, MOVED, Y, GOT, SECOND, WANTED, DIRECTION, WORK };

static double *array(const struct norm__check *c, int which)
{
    return c->memory + (size_t)which * c->n;
}

static norm_rows one_row(const struct norm__check *c)
{
    return (norm_rows){.struct_size = sizeof(norm_rows), .batch = 1, .rows = 1, .cols = c->n};
}

/* SplitMix64; of either sign, never small: a wrong entry must show. */
static void draw(struct norm__check *c, double *x)
{
    for (size_t i = 0; i < c->n; i++) {
        uint64_t u = c->random += 0x9E3779B97F4A7C15u;
        u = (u ^ (u >> 30)) * 0xBF58476D1CE4E5B9u;
        u = (u ^ (u >> 27)) * 0x94D049BB133111EBu;
        u ^= u >> 31;
        x[i] = (0.5 + (double)(u >> 11) * 0x1p-53) * (u & 1 ? 1 : -1);
    }
}

static double largest(const double *x, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = isfinite(x[i]) ? fmax(most, fabs(x[i])) : most;
    return most;
}

/* What is differentiated: weights, log weights or the VJP of G, at the scores moved along DIRECTION; whole, or its
 * product with `with`. handle: with one key changed. */
struct probe {
    struct norm__check *c;
    const norm_normalizer *handle;
    int32_t operation; /* APPLY, LOG_APPLY or VJP */
    const double *with;
    size_t key;
};

static norm_status values(const struct probe *p, const norm_normalizer *handle, const double *z, double *y)
{
    const norm_rows rows = one_row(p->c);
    const norm_exec *exec = p->c->exec;
    switch (p->operation) {
    case LIBNORM_OPERATION_APPLY:
        return norm_apply_f64(handle, &rows, z, y, NULL, exec, p->c->error);
    case LIBNORM_OPERATION_LOG_APPLY:
        return norm_log_apply_f64(handle, &rows, z, y, NULL, exec, p->c->error);
    default:
        return norm_vjp_f64(handle, &rows, z, NULL, array(p->c, G), y, exec, p->c->error);
    }
}

static double product(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] == 0 ? 0 : a[i] * b[i]; /* -inf of a log that nobody asked for */
    return sum;
}

static norm_status along_scores(void *data, double step, double *ret)
{
    const struct probe *p = data;
    const struct norm__check *c = p->c;
    double *moved = array(c, MOVED), *y = p->with == NULL ? ret : array(c, Y);
    const double *direction = array(c, DIRECTION);
    for (size_t i = 0; i < c->n; i++)
        moved[i] = c->z[i] + step * direction[i];
    const norm_status status = values(p, c->handle, moved, y);
    if (status == LIBNORM_OK && p->with != NULL)
        *ret = product(p->with, y, c->n);
    return status;
}

/* Outside the key's range there is no value: NaN, which no difference survives. */
static norm_status along_key(void *data, double step, double *ret)
{
    const struct probe *p = data;
    const struct norm__check *c = p->c;
    const char *name = c->handle->kind->keys[p->key].name;
    norm_normalizer *changed = NULL;
    norm_status status = norm_normalizer_with(c->handle, name, c->handle->value[p->key] + step, &changed, NULL);
    *ret = (double)NAN;
    if (status == LIBNORM_E_ARGUMENT)
        return LIBNORM_OK;
    if (status == LIBNORM_OK)
        status = values(p, changed, c->z, array(c, Y));
    if (status == LIBNORM_OK)
        *ret = product(p->with, array(c, Y), c->n);
    norm_normalizer_free(changed);
    return status;
}

static void compare(struct norm__check *c, int32_t operation, size_t entry, size_t key, double got, double wanted,
                    double unit)
{
    struct norm__finding *found = &c->found[operation];
    if (isnan(wanted)) {
        c->skipped++;
        return;
    }
    c->compared++;
    const double error = norm__difference_error(got, wanted, unit);
    if (error > found->error)
        *found = (struct norm__finding){.got = got, .expected = wanted, .error = error, .entry = entry, .key = key,
                                        .fresh = true};
}

/* got[j] against the slope of the product of the probe's values with `with` along each score in turn. */
static norm_status compare_each(struct norm__check *c, int32_t operation, struct probe *p, const double *got,
                                double unit)
{
    const double temperature = c->handle->value[0];
    const struct norm__curve curve = {1, unit * temperature, p, along_scores};
    double *direction = array(c, DIRECTION), wanted;
    norm_status status = LIBNORM_OK;
    for (size_t j = 0; status == LIBNORM_OK && j < c->n; j++) {
        for (size_t i = 0; i < c->n; i++)
            direction[i] = i == j ? 1 : 0;
        const double step = exp2(ceil(log2(fmax(temperature * 0x1p-10, fabs(c->z[j]) * 0x1p-30))));
        status = norm__differences(&curve, step, unit, c->tolerance / 4, array(c, WORK), &wanted);
        if (status == LIBNORM_OK)
            compare(c, operation, j, 0, got[j], wanted, unit);
    }
    return status;
}

/* got[i] against the slope of weight i along `direction`, all at once. */
static norm_status compare_together(struct norm__check *c, int32_t operation, const double *direction,
                                    const double *got, double unit)
{
    struct probe p = {.c = c, .operation = LIBNORM_OPERATION_APPLY};
    const struct norm__curve curve = {c->n, unit * c->handle->value[0], &p, along_scores};
    double *to = array(c, DIRECTION), *wanted = array(c, WANTED);
    for (size_t i = 0; i < c->n; i++)
        to[i] = direction[i];
    const double step = fmax(c->handle->value[0] * 0x1p-10, largest(c->z, c->n) * 0x1p-30);
    norm_status status = norm__differences(&curve, step, unit, c->tolerance / 4, array(c, WORK), wanted);
    for (size_t i = 0; status == LIBNORM_OK && i < c->n; i++)
        compare(c, operation, i, 0, got[i], wanted[i], unit);
    return status;
}

/* The largest value times the largest entry of the direction, in units of one temperature. */
static norm_status find_unit(struct norm__check *c, int32_t operation, double *ret)
{
    const struct probe p = {.c = c, .operation = operation};
    const norm_status status = values(&p, c->handle, c->z, array(c, Y));
    *ret = 1.5 * largest(array(c, Y), c->n) / c->handle->value[0];
    return status;
}

static norm_status check_vjp(struct norm__check *c)
{
    const norm_rows rows = one_row(c);
    struct probe p = {.c = c, .operation = LIBNORM_OPERATION_APPLY, .with = array(c, G)};
    double unit;
    norm_status status = norm_vjp_f64(c->handle, &rows, c->z, NULL, p.with, array(c, GOT), c->exec, c->error);
    if (status == LIBNORM_OK)
        status = find_unit(c, p.operation, &unit);
    return status == LIBNORM_OK ? compare_each(c, LIBNORM_OPERATION_VJP, &p, array(c, GOT), unit) : status;
}

static norm_status check_log_vjp(struct norm__check *c)
{
    const norm_rows rows = one_row(c);
    double *g = array(c, G), unit;
    struct probe p = {.c = c, .operation = LIBNORM_OPERATION_LOG_APPLY, .with = g};
    norm_status status = find_unit(c, LIBNORM_OPERATION_APPLY, &unit); /* leaves the weights in Y */
    for (size_t i = 0; status == LIBNORM_OK && i < c->n; i++) {
        if (array(c, Y)[i] < 0) { /* no log here; of the caller's own kinds nobody knows before */
            c->skipped += c->n;
            return LIBNORM_OK;
        }
    }
    if (status == LIBNORM_OK)
        status = find_unit(c, LIBNORM_OPERATION_LOG_APPLY, &unit);
    if (status != LIBNORM_OK)
        return status;
    for (size_t i = 0; i < c->n; i++)
        g[i] = isfinite(array(c, Y)[i]) ? g[i] : 0;
    status = norm_log_vjp_f64(c->handle, &rows, c->z, NULL, g, array(c, GOT), c->exec, c->error);
    unit = fmax(unit, 1 / c->handle->value[0]);
    return status == LIBNORM_OK ? compare_each(c, LIBNORM_OPERATION_LOG_VJP, &p, array(c, GOT), unit) : status;
}

static norm_status check_jvp(struct norm__check *c)
{
    const norm_rows rows = one_row(c);
    double unit;
    norm_status status =
        norm_jvp_f64(c->handle, &rows, c->z, NULL, array(c, H), array(c, GOT), c->exec, c->error);
    if (status == LIBNORM_OK)
        status = find_unit(c, LIBNORM_OPERATION_APPLY, &unit);
    return status == LIBNORM_OK ? compare_together(c, LIBNORM_OPERATION_JVP, array(c, H), array(c, GOT), unit) : status;
}

static norm_status check_hvp(struct norm__check *c)
{
    const norm_rows rows = one_row(c);
    struct probe p = {.c = c, .operation = LIBNORM_OPERATION_VJP, .with = array(c, H)};
    double unit;
    norm_status status = norm_hvp_f64(c->handle, &rows, c->z, array(c, G), array(c, H), array(c, GOT),
                                      array(c, SECOND), c->exec, c->error);
    if (status == LIBNORM_OK)
        status = find_unit(c, LIBNORM_OPERATION_VJP, &unit);
    if (status == LIBNORM_OK)
        status = compare_each(c, LIBNORM_OPERATION_HVP, &p, array(c, GOT), unit);
    if (status == LIBNORM_OK)
        status = find_unit(c, LIBNORM_OPERATION_APPLY, &unit);
    return status == LIBNORM_OK ? compare_together(c, LIBNORM_OPERATION_HVP, array(c, H), array(c, SECOND), unit)
                                : status;
}

static norm_status check_keys(struct norm__check *c)
{
    const norm_rows rows = one_row(c);
    const struct norm__kind *kind = c->handle->kind;
    double unit, got, wanted;
    norm_status status = find_unit(c, LIBNORM_OPERATION_APPLY, &unit);
    unit *= c->handle->value[0];
    for (size_t k = 0; status == LIBNORM_OK && k < kind->n_keys; k++) {
        struct probe p = {.c = c, .operation = LIBNORM_OPERATION_APPLY, .with = array(c, G), .key = k};
        const struct norm__curve curve = {1, unit, &p, along_key};
        if (!norm__supports_key(c->handle, k))
            continue;
        status = norm_param_vjp_f64(c->handle, &rows, c->z, NULL, p.with, kind->keys[k].name, &got, c->exec, c->error);
        const double value = fabs(c->handle->value[k]), step = 0x1p-10 * (value > 0 ? fmin(value, 1) : 1);
        if (status == LIBNORM_OK)
            status = norm__differences(&curve, step, unit, c->tolerance / 4, array(c, WORK), &wanted);
        if (status == LIBNORM_OK)
            compare(c, LIBNORM_OPERATION_PARAM_VJP, 0, k, got, wanted, unit);
    }
    return status;
}

norm_status norm__check_row(struct norm__check *c, int32_t operation)
{
    draw(c, array(c, G));
    draw(c, array(c, H));
    switch (operation) {
    case LIBNORM_OPERATION_VJP:
        return check_vjp(c);
    case LIBNORM_OPERATION_LOG_VJP:
        return check_log_vjp(c);
    case LIBNORM_OPERATION_JVP:
        return check_jvp(c);
    case LIBNORM_OPERATION_HVP:
        return check_hvp(c);
    default:
        return check_keys(c);
    }
}
