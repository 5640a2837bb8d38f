/* SPDX-License-Identifier: MIT */
/* A row through doubles: every kind, every operation. */
#include <math.h>
#include <string.h>

#include "normalizers/prepare.h"
#include "normalizers/row.h"
#include "normalizers/sum.h"

/* Places in slot->number. hvp has no tangent to keep apart from D, and needs H and a second result. */
enum { Z, W, G, D, Y, E, H = D, DZ = Y, DG = E };

static void widen(const struct norm__line *line, int view, double *ret)
{
    const struct norm__call *c = line->call;
    c->cells->widen(norm__line_cells(line, view), c->view[view].stride[2], &line->sight, ret);
}

static void narrow(const struct norm__line *line, int view, const double *x, double hidden, bool weights)
{
    const struct norm__call *c = line->call;
    c->cells->narrow(x, &line->sight, (size_t)c->rows.cols, hidden, weights, norm__line_cells(line, view),
                     c->view[view].stride[2]);
}

/* Weights of a row with +inf by the kind's own limit, or 1/k for each of k. */
static int32_t limit_weights(const struct norm__row *row, double *w)
{
    const struct norm__kind *kind = row->handle->kind;
    if (kind->limit != NULL)
        return kind->limit(row, w);
    const bool both = (kind->flags & NORM__KIND_NEG_INF_TOO) != 0;
    double k = 0;
    for (size_t i = 0; i < row->n; i++) {
        w[i] = row->z[i] == INFINITY || (both && row->z[i] == -INFINITY) ? 1 : 0;
        k += w[i];
    }
    for (size_t i = 0; i < row->n; i++)
        w[i] /= k;
    return 0;
}

static int32_t weights(const struct norm__row *row, int class, double *w, struct norm__facts *facts)
{
    switch (class) {
    case NORM__ROW_ORDINARY:
        return row->handle->kind->apply(row, w, facts);
    case NORM__ROW_POS_INF:
        return limit_weights(row, w);
    default:
        for (size_t i = 0; i < row->n; i++)
            w[i] = class == NORM__ROW_NAN ? NAN : class == NORM__ROW_ALONE ? 1 : 0;
        return 0;
    }
}

static int32_t log_weights(const struct norm__row *row, int class, double *log_w, struct norm__facts *facts)
{
    if (class == NORM__ROW_ORDINARY && row->handle->kind->log_apply != NULL)
        return row->handle->kind->log_apply(row, log_w, facts);
    int32_t code = weights(row, class, log_w, facts);
    for (size_t i = 0; i < row->n; i++)
        log_w[i] = log(log_w[i]);
    return code;
}

/* Support as the caller will see it: of the weights in the caller's width. */
static double support(const struct norm__cells *cells, const double *w, size_t n)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++)
        found += cells->rounded(w[i]) != 0;
    return (double)found;
}

static int32_t run_apply(const struct norm__line *line, struct norm__row *row, const struct norm__prepared *p)
{
    const struct norm__call *c = line->call;
    const bool log_form = c->operation == LIBNORM_OPERATION_LOG_APPLY;
    double *w = line->slot->number[W];
    struct norm__telling t = {.class = p->class, .has_inf = p->has_inf, .max_score = p->max_score};
    t.facts = NORM__NO_FACTS;
    const int32_t code = log_form ? log_weights(row, p->class, w, &t.facts) : weights(row, p->class, w, &t.facts);
    if (code != 0)
        return code;
    t.facts.log_sum += p->added;
    t.facts.threshold += p->added;
    narrow(line, NORM__D, w, log_form ? -INFINITY : 0, !log_form);
    if (norm__row_tells_weights(c) && p->class != NORM__ROW_NAN && p->class != NORM__ROW_EMPTY) {
        for (size_t i = 0; log_form && i < row->n; i++)
            w[i] = exp(w[i]);
        t.support = support(c->cells, w, row->n);
        t.entropy = norm__row_entropy(w, row->n);
    }
    norm__row_tell(line, &t);
    return 0;
}

/* The weights of an ordinary row: those the caller saved, or made again; left alone where nobody looks at them. */
static int32_t saved_weights(const struct norm__line *line, const struct norm__row *row, double *w)
{
    if (line->call->kind->flags & NORM__KIND_REMAKES)
        return 0;
    if (line->call->view[NORM__W].name != NULL) {
        widen(line, NORM__W, w);
        return 0;
    }
    struct norm__facts facts = NORM__NO_FACTS;
    return row->handle->kind->apply(row, w, &facts);
}

/* VJP of the log form from that of the weights. An entry without weight has no finite log, and no gradient. */
static int32_t log_vjp(const struct norm__row *row, const double *w, double *g, double *d)
{
    const struct norm__kind *kind = row->handle->kind;
    if (kind->log_vjp != NULL)
        return kind->log_vjp(row, w, g, d);
    for (size_t i = 0; i < row->n; i++)
        g[i] = w[i] > 0 ? g[i] / w[i] : 0;
    return kind->vjp(row, w, g, d);
}

static int32_t run_gradient(const struct norm__line *line, struct norm__row *row, const struct norm__prepared *p)
{
    const struct norm__kind *kind = line->call->kind;
    double *const *number = line->slot->number;
    int32_t code = saved_weights(line, row, number[W]);
    if (code != 0)
        return code;
    widen(line, NORM__G, number[G]);
    if (line->call->operation == LIBNORM_OPERATION_LOG_VJP)
        code = log_vjp(row, number[W], number[G], number[D]);
    else if (line->call->operation == LIBNORM_OPERATION_JVP && kind->jvp != NULL)
        code = kind->jvp(row, number[W], number[G], number[D]);
    else
        code = kind->vjp(row, number[W], number[G], number[D]);
    if (code != 0)
        return code;
    for (size_t i = 0; i < row->n; i++)
        number[D][i] *= p->factor;
    narrow(line, NORM__D, number[D], 0, false);
    return 0;
}

static int32_t run_hvp(const struct norm__line *line, struct norm__row *row, const struct norm__prepared *p)
{
    double *const *number = line->slot->number;
    int32_t code = saved_weights(line, row, number[W]);
    if (code != 0)
        return code;
    widen(line, NORM__G, number[G]);
    widen(line, NORM__H, number[H]);
    code = row->handle->kind->hvp(row, number[W], number[G], number[H], number[DZ], number[DG]);
    if (code != 0)
        return code;
    for (size_t i = 0; i < row->n; i++) {
        number[DZ][i] *= p->factor * p->factor;
        number[DG][i] *= p->factor;
    }
    if (line->call->view[NORM__D].name != NULL)
        narrow(line, NORM__D, number[DZ], 0, false);
    if (line->call->view[NORM__E].name != NULL)
        narrow(line, NORM__E, number[DG], 0, false);
    return 0;
}

/* sum_i u_i x_i, u the gradient in z; entries without gradient do not count, however large x. */
static double inner(const double *u, const double *x, size_t n)
{
    struct norm__sum sum = {0, 0};
    for (size_t i = 0; i < n; i++)
        if (u[i] != 0 && !isinf(x[i]))
            norm__sum_add(&sum, u[i] * x[i]);
    return norm__sum_value(sum);
}

static int32_t run_param(const struct norm__line *line, struct norm__row *row)
{
    const struct norm__call *c = line->call;
    const struct norm__kind *kind = c->kind;
    double *const *number = line->slot->number, total = 0;
    int32_t code = saved_weights(line, row, number[W]);
    if (code != 0)
        return code;
    widen(line, NORM__G, number[G]);
    if (c->key != 0 && kind->param_vjp != NULL)
        code = kind->param_vjp(row, number[W], number[G], c->key, &total);
    const double slope =
        c->key != 0 && kind->scale_gradient != NULL ? kind->scale_gradient(c->handle, row->n, c->key) : 0;
    if (code == 0 && (c->key == 0 || slope != 0)) {
        code = kind->vjp(row, number[W], number[G], number[D]);
        total += c->key == 0 ? -inner(number[D], row->z, row->n) / c->handle->value[0]
                             : slope * inner(number[D], number[Y], row->n);
    }
    c->per_row[line->index] = total;
    return code;
}

/* Every derivative of a row that is not ordinary: 0, or NaN. */
static void fill_derivative(const struct norm__line *line, double value)
{
    const struct norm__call *c = line->call;
    if (c->operation == LIBNORM_OPERATION_PARAM_VJP) {
        c->per_row[line->index] = value;
        return;
    }
    for (int view = NORM__D; view <= NORM__E; view++)
        if (c->view[view].name != NULL)
            norm__line_fill(line, view, value, 0);
}

int32_t norm__row_general(const struct norm__line *line)
{
    const struct norm__call *c = line->call;
    if (c->operation == LIBNORM_OPERATION_LOSS)
        return norm__row_loss(line);
    if (c->operation == LIBNORM_OPERATION_JACOBIAN)
        return norm__row_jacobian(line);
    if (c->operation == LIBNORM_OPERATION_JACOBIAN_NORMS)
        return norm__row_norms(line);
    double *const *number = line->slot->number;
    struct norm__row row = {c->handle, line->sight.n, number[Z], line->slot->scratch, &line->slot->blame};
    widen(line, NORM__Z, number[Z]);
    struct norm__prepared p;
    norm__prepare(c, number[Z], row.n, c->operation == LIBNORM_OPERATION_PARAM_VJP ? number[Y] : NULL, &p);
    if (c->operation == LIBNORM_OPERATION_APPLY || c->operation == LIBNORM_OPERATION_LOG_APPLY)
        return run_apply(line, &row, &p);
    if (p.class != NORM__ROW_ORDINARY) {
        fill_derivative(line, p.class == NORM__ROW_NAN ? (double)NAN : 0);
        return 0;
    }
    switch (c->operation) {
    case LIBNORM_OPERATION_HVP:
        return run_hvp(line, &row, &p);
    case LIBNORM_OPERATION_PARAM_VJP:
        return run_param(line, &row);
    default:
        return run_gradient(line, &row, &p);
    }
}
