/* SPDX-License-Identifier: MIT */
/* The Jacobian of one row, line by line. */
#include <math.h>

#include "kernels/shares.h"
#include "normalizers/prepare.h"
#include "normalizers/row.h"

/* Places in slot->number. */
enum { Z, W, S, D };

int32_t norm__row_form(const struct norm__row *row, double *w, double *s, struct norm__form *ret)
{
    const struct norm__kind *kind = row->handle->kind;
    struct norm__facts facts = NORM__NO_FACTS;
    *ret = (struct norm__form){NORM__FORM_NONE, s, 0};
    const int32_t code = kind->flags & NORM__KIND_REMAKES ? 0 : kind->apply(row, w, &facts);
    return code == 0 && kind->form != NULL ? kind->form(row, w, ret) : code;
}

/* Line i of a closed form: d_j = s_i [i = j] - q_i s_j, with the diagonal taken from the other entries. */
static void closed_line(const struct norm__form *form, const struct norm__shares *shares, const double *w, size_t i,
                        double *d)
{
    const size_t n = shares->count;
    const double *s = form->s;
    if (form->shape == NORM__FORM_DIAGONAL) {
        for (size_t j = 0; j < n; j++)
            d[j] = i == j ? s[i] : 0;
        return;
    }
    const double q = form->shape == NORM__FORM_FAMILY ? w[i]
                     : shares->unit > 0               ? norm__shares_at(shares, i) / shares->total
                                                      : 0;
    for (size_t j = 0; j < n; j++)
        d[j] = 0 - q * s[j];
    if (shares->unit > 0)
        d[i] = s[i] * (norm__shares_without(shares, i) / shares->total);
}

static int32_t any_line(const struct norm__row *row, const double *w, size_t i, double *unit, double *d)
{
    for (size_t j = 0; j < row->n; j++)
        unit[j] = j == i ? 1 : 0;
    return row->handle->kind->vjp(row, w, unit, d);
}

/* What the shares of a form are: of s, or of the weights; of one number where there are none. */
struct norm__shares norm__form_shares(const struct norm__form *form, const double *w, size_t n)
{
    static const double one = 1;
    if (form->shape == NORM__FORM_SYMMETRIC)
        return norm__shares_make(form->s, n, form->rest);
    if (form->shape == NORM__FORM_FAMILY)
        return norm__shares_make(w, n, 0);
    struct norm__shares none = norm__shares_make(&one, 1, 0);
    none.count = n;
    return none;
}

int32_t norm__row_jacobian(const struct norm__line *line)
{
    const struct norm__call *c = line->call;
    const struct norm__sight *sight = &line->sight;
    double *const *number = line->slot->number;
    struct norm__row row = {c->handle, sight->n, number[Z], line->slot->scratch, &line->slot->blame};
    struct norm__prepared p;
    struct norm__form form = {NORM__FORM_NONE, NULL, 0};
    c->cells->widen(norm__line_cells(line, NORM__Z), c->view[NORM__Z].stride[2], sight, number[Z]);
    norm__prepare(c, number[Z], row.n, NULL, &p);
    const bool ordinary = p.class == NORM__ROW_ORDINARY;
    int32_t code = ordinary ? norm__row_form(&row, number[W], number[S], &form) : 0;
    const struct norm__shares shares = norm__form_shares(&form, number[W], row.n);
    size_t i = 0;
    for (size_t column = 0; code == 0 && column < c->rows.cols; column++) {
        unsigned char *to = norm__view_row(&c->jacobian, line->index, column);
        const bool seen = column >= sight->begin && column < sight->end &&
                          (sight->seen == NULL || sight->seen[column] != 0);
        if (!seen || !ordinary) {
            const double visible = seen && p.class == NORM__ROW_NAN ? (double)NAN : 0;
            norm__cells_f64.fill(visible, sight, (size_t)c->rows.cols, 0, to, c->jacobian.stride[2]);
            continue;
        }
        if (form.shape == NORM__FORM_NONE)
            code = any_line(&row, number[W], i, number[S], number[D]);
        else
            closed_line(&form, &shares, number[W], i, number[D]);
        for (size_t j = 0; j < row.n; j++)
            number[D][j] = number[D][j] * p.factor + 0.0; /* no -0 */
        norm__cells_f64.narrow(number[D], sight, (size_t)c->rows.cols, 0, false, to, c->jacobian.stride[2]);
        i++;
    }
    return code;
}
