/* SPDX-License-Identifier: MIT */
/* The loss of one row and its gradient, through doubles. */
#include <math.h>

#include "normalizers/fenchel_young.h"
#include "normalizers/prepare.h"
#include "normalizers/row.h"
#include "normalizers/sum.h"

enum { Z, W, Y, LOG, D = LOG };

/* Where a column stands among the packed visible ones; n if it is hidden. */
static size_t packed_place(const struct norm__sight *s, size_t column)
{
    if (column < s->begin || column >= s->end)
        return s->n;
    if (s->seen == NULL)
        return column - s->begin;
    if (!s->seen[column])
        return s->n;
    size_t place = 0;
    for (size_t j = s->begin; j < column; j++)
        place += s->seen[j] != 0;
    return place;
}

/* Logarithms of the weights, finite where they underflowed. */
static void log_weights(const struct norm__row *row, const double *w, double *log_w)
{
    struct norm__facts facts = NORM__NO_FACTS;
    if (row->handle->kind->log_apply != NULL && row->handle->kind->log_apply(row, log_w, &facts) == 0)
        return;
    for (size_t i = 0; i < row->n; i++)
        log_w[i] = log(w[i]);
}

/* How far a score without weight lies below the threshold. */
static double beyond(double threshold, double z)
{
    return isnan(threshold) ? 0 : fmax(threshold - z, 0);
}

static double loss_of_class(const struct norm__row *row, const double *w, double threshold, size_t k, double delta,
                            double *log_w)
{
    struct norm__sum others = {0, 0}, absent = {0, 0};
    for (size_t i = 0; i < row->n; i++) {
        if (i == k)
            continue;
        norm__sum_add(&others, w[i]);
        norm__sum_add(&absent, norm__fenchel_young_absent(w[i], delta));
    }
    double log_p = log(w[k]);
    if (!(w[k] > 0)) {
        log_weights(row, w, log_w);
        log_p = log_w[k];
    }
    const double certain = norm__fenchel_young_certain(log_p, norm__sum_value(others), delta);
    return certain + norm__sum_value(absent) + (log_p == -INFINITY ? beyond(threshold, row->z[k]) : 0);
}

static double loss_of_distribution(const struct norm__row *row, const double *w, double threshold, const double *y,
                                   double delta, double *log_w)
{
    struct norm__sum sum = {0, 0};
    log_weights(row, w, log_w);
    for (size_t i = 0; i < row->n; i++) {
        norm__sum_add(&sum, norm__fenchel_young_term(y[i], w[i], log_w[i], delta));
        if (y[i] > 0 && log_w[i] == -INFINITY)
            norm__sum_add(&sum, y[i] * beyond(threshold, row->z[i]));
    }
    return norm__sum_value(sum);
}

/* A row with +inf, where k scores share 1, or with nothing to weigh: no gradient; the target's weight decides. */
static double loss_of_limit(const double *z, size_t n, int class, size_t k, double delta)
{
    double infinite = 0;
    for (size_t i = 0; i < n; i++)
        infinite += z[i] == INFINITY;
    if (class != NORM__ROW_POS_INF || z[k] != INFINITY)
        return INFINITY;
    const double share = 1 / infinite;
    return norm__fenchel_young_certain(-log(infinite), 1 - share, delta) +
           (infinite - 1) * norm__fenchel_young_absent(share, delta);
}

static void write(const struct norm__line *line, double loss, const double *d, double otherwise)
{
    const struct norm__call *c = line->call;
    c->per_row[line->index] = loss;
    if (c->view[NORM__D].name == NULL)
        return;
    if (d == NULL)
        norm__line_fill(line, NORM__D, otherwise, 0);
    else
        c->cells->narrow(d, &line->sight, (size_t)c->rows.cols, 0, false, norm__line_cells(line, NORM__D),
                         c->view[NORM__D].stride[2]);
}

static void widen(const struct norm__line *line, int view, double *ret)
{
    const struct norm__call *c = line->call;
    c->cells->widen(norm__line_cells(line, view), c->view[view].stride[2], &line->sight, ret);
}

int32_t norm__row_loss(const struct norm__line *line)
{
    const struct norm__call *c = line->call;
    double *const *number = line->slot->number;
    struct norm__row row = {c->handle, line->sight.n, number[Z], line->slot->scratch, &line->slot->blame};
    const double delta = c->kind->loss_alpha(c->handle) - 1;
    const bool by_class = c->target != NULL;
    const int64_t target = by_class ? c->target[line->index] : 0;
    if (target < 0) { /* a row to leave out */
        write(line, 0, NULL, 0);
        return 0;
    }
    widen(line, NORM__Z, number[Z]);
    struct norm__prepared p;
    norm__prepare(c, number[Z], row.n, NULL, &p);
    const size_t k = by_class ? packed_place(&line->sight, (size_t)target) : 0;
    if (p.class == NORM__ROW_NAN) {
        write(line, (double)NAN, NULL, (double)NAN);
        return 0;
    }
    if (p.class == NORM__ROW_ALONE) { /* weight 1 */
        write(line, by_class && k == row.n ? (double)INFINITY : 0, NULL, 0);
        return 0;
    }
    if (p.class != NORM__ROW_ORDINARY) {
        const double loss = !by_class ? (double)NAN : k == row.n ? (double)INFINITY
                                                  : loss_of_limit(number[Z], row.n, p.class, k, delta);
        write(line, loss, NULL, 0);
        return 0;
    }
    struct norm__facts facts = NORM__NO_FACTS;
    int32_t code = c->kind->apply(&row, number[W], &facts);
    if (code != 0)
        return code;
    if (!by_class)
        widen(line, NORM__H, number[Y]);
    double loss = INFINITY;
    if (!by_class)
        loss = loss_of_distribution(&row, number[W], facts.threshold, number[Y], delta, number[LOG]);
    else if (k < row.n)
        loss = loss_of_class(&row, number[W], facts.threshold, k, delta, number[LOG]);
    for (size_t i = 0; i < row.n; i++)
        number[D][i] = p.factor * (number[W][i] - (by_class ? (i == k ? 1 : 0) : number[Y][i]));
    write(line, loss, number[D], 0);
    return 0;
}
