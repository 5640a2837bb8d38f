/* SPDX-License-Identifier: MIT */
/* The norms of one row's Jacobian, and what bounds them. */
#include <math.h>

#include "kernels/shares.h"
#include "normalizers/largest.h"
#include "normalizers/prepare.h"
#include "normalizers/row.h"
#include "normalizers/sum.h"

/* Places in slot->number: the last three are for products. */
enum { Z, W, S, A, B, C };

struct matrix {
    const struct norm__row *row;
    const struct norm__form *form;
    const struct norm__shares *shares;
    const double *w;
};

/* diag(s) - w s^T and its transpose. The largest weight's own part has the factor 1 - w, which near one-hot weights
 * nothing but the others can give. */
static void family_multiply(const struct matrix *m, const double *x, bool transposed, double *ret)
{
    const double *s = m->form->s, *w = m->w;
    const size_t n = m->row->n, first = m->shares->first;
    const double own = norm__shares_without(m->shares, first) / m->shares->total;
    struct norm__sum others = {0, 0};
    for (size_t i = 0; i < n; i++)
        if (i != first)
            norm__sum_add(&others, (transposed ? w[i] : s[i]) * x[i]);
    const double rest = norm__sum_value(others);
    if (transposed) {
        for (size_t i = 0; i < n; i++)
            ret[i] = s[i] * (x[i] - w[first] * x[first] - rest);
        ret[first] = s[first] * (own * x[first] - rest);
    } else {
        for (size_t i = 0; i < n; i++)
            ret[i] = s[i] * x[i] - w[i] * (s[first] * x[first] + rest);
        ret[first] = own * (s[first] * x[first]) - w[first] * rest;
    }
}

static int32_t multiply(void *data, const double *x, bool transposed, double *ret)
{
    const struct matrix *m = data;
    const struct norm__kind *kind = m->row->handle->kind;
    if (m->form->shape == NORM__FORM_FAMILY) {
        family_multiply(m, x, transposed, ret);
        return 0;
    }
    return transposed || kind->jvp == NULL ? kind->vjp(m->row, m->w, x, ret) : kind->jvp(m->row, m->w, x, ret);
}

static double largest_size(const double *x, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i]));
    return largest;
}

/* sqrt(sum x^2) without overflow; unit is the largest |x|. */
static double length(const double *x, size_t n)
{
    const double unit = largest_size(x, n);
    double sum = 0;
    for (size_t i = 0; unit > 0 && !isinf(unit) && i < n; i++)
        sum += (x[i] / unit) * (x[i] / unit);
    return isinf(unit) || !(unit > 0) ? unit : unit * sqrt(sum);
}

static int32_t spectral(const struct matrix *m, double *const work[3], double *ret)
{
    const struct norm__matrix a = {m->row->n, (void *)(uintptr_t)m, multiply};
    switch (m->form->shape) {
    case NORM__FORM_DIAGONAL:
        *ret = largest_size(m->form->s, m->row->n);
        return 0;
    case NORM__FORM_SYMMETRIC:
        *ret = norm__shares_spectral(m->shares);
        return 0;
    default:
        return norm__largest_singular(&a, work, ret);
    }
}

/* Of diag(s) - w s^T: column j is s_j times the unit vector j less w. */
static double family_frobenius(const struct matrix *m)
{
    const struct norm__shares *shares = m->shares;
    const double unit = largest_size(m->form->s, m->row->n);
    double sum = 0;
    for (size_t j = 0; unit > 0 && shares->unit > 0 && j < m->row->n; j++) {
        const double s = m->form->s[j] / unit, without = norm__shares_without(shares, j);
        sum += s * s * (without * without + norm__shares_squares_without(shares, j));
    }
    return shares->unit > 0 ? unit * sqrt(sum) / shares->total : 0;
}

static int32_t frobenius(const struct matrix *m, double *const work[3], double *ret)
{
    const size_t n = m->row->n;
    double sum = 0, unit = 1;
    int32_t code = 0;
    switch (m->form->shape) {
    case NORM__FORM_DIAGONAL:
        *ret = length(m->form->s, n);
        return 0;
    case NORM__FORM_SYMMETRIC:
        *ret = norm__shares_frobenius(m->shares);
        return 0;
    case NORM__FORM_FAMILY:
        *ret = family_frobenius(m);
        return 0;
    default:
        break;
    }
    for (size_t i = 0; i < n; i++)
        work[0][i] = 0;
    for (size_t i = 0; code == 0 && i < n; i++) {
        work[0][i] = 1;
        code = multiply((void *)(uintptr_t)m, work[0], true, work[1]);
        work[0][i] = 0;
        const double line = length(work[1], n);
        if (line > unit || (i == 0 && line > 0)) {
            sum *= (unit / line) * (unit / line);
            unit = line;
        }
        sum += (line / unit) * (line / unit);
    }
    *ret = unit * sqrt(sum);
    return code;
}

/* From the weights alone, in units of z; +inf: none. */
static double bound_of_form(const struct matrix *m)
{
    const struct norm__shares *shares = m->shares;
    const double *s = m->form->s;
    double slope = 0;
    switch (m->form->shape) {
    case NORM__FORM_DIAGONAL:
        return largest_size(s, m->row->n);
    case NORM__FORM_SYMMETRIC: /* Gershgorin; the largest s; the Frobenius norm with rest as one more entry */
        return shares->unit * fmin(fmin(2 * norm__shares_diagonal(shares), 1), norm__shares_second_moment(shares));
    case NORM__FORM_FAMILY: /* softmax's bound times the largest F'/F, or the Frobenius norm */
        for (size_t i = 0; i < m->row->n; i++)
            slope = s[i] == 0 ? slope : fmax(slope, fabs(s[i] / m->w[i]));
        slope *= fmin(2 * norm__shares_diagonal(shares), norm__shares_second_moment(shares)) / shares->total;
        return isnan(slope) ? family_frobenius(m) : fmin(slope, family_frobenius(m));
    default:
        return INFINITY;
    }
}

static double constant(const struct norm__call *c, size_t n, double most)
{
    const double *keys = c->handle->value;
    if (n == 0 || c->kind->gradient_bound == NULL)
        return n == 0 ? 0 : INFINITY;
    const double bound = c->kind->gradient_bound(keys + 1, (double)n, most / keys[0]);
    return isnan(bound) ? INFINITY : bound / keys[0];
}

static void write(double *array, size_t index, double value)
{
    if (array != NULL)
        array[index] = value;
}

void norm__row_norms_write(const struct norm__line *line, double spectral_norm, double frobenius_norm, double bound)
{
    const norm_jacobian_norms *to = &line->call->norms;
    write(to->spectral, line->index, spectral_norm);
    write(to->frobenius, line->index, frobenius_norm);
    write(to->bound, line->index, bound);
    write(to->constant, line->index, constant(line->call, line->sight.n, INFINITY));
}

int32_t norm__row_norms(const struct norm__line *line)
{
    const struct norm__call *c = line->call;
    double *const *number = line->slot->number, *const work[3] = {number[A], number[B], number[C]};
    struct norm__row row = {c->handle, line->sight.n, number[Z], line->slot->scratch, &line->slot->blame};
    c->cells->widen(norm__line_cells(line, NORM__Z), c->view[NORM__Z].stride[2], &line->sight, number[Z]);
    const double most = largest_size(number[Z], row.n);
    struct norm__prepared p;
    norm__prepare(c, number[Z], row.n, NULL, &p);
    if (p.class != NORM__ROW_ORDINARY) {
        const double value = p.class == NORM__ROW_NAN ? (double)NAN : 0;
        norm__row_norms_write(line, value, value, value);
        return 0;
    }
    struct norm__form form;
    int32_t code = norm__row_form(&row, number[W], number[S], &form);
    if (code != 0)
        return code;
    const struct norm__shares shares = norm__form_shares(&form, number[W], row.n);
    const struct matrix m = {&row, &form, &shares, number[W]};
    double s = 0, f = 0;
    if (c->norms.spectral != NULL)
        code = spectral(&m, work, &s);
    if (code == 0 && c->norms.frobenius != NULL)
        code = frobenius(&m, work, &f);
    const double factor = fabs(p.factor), bound = bound_of_form(&m) * factor;
    if (code == 0)
        norm__row_norms_write(line, s * factor, f * factor, fmin(bound, constant(c, row.n, most)));
    return code;
}
