/* SPDX-License-Identifier: MIT */
/* The exponential, its kin, and the family F / sum F. */
#include "formula.h"

#include <math.h>

double exact_key(const struct exact *e, const char *name)
{
    double value = NAN;
    norm_normalizer_get(e->handle, name, &value);
    return value;
}

void exact_divide_by_sum(struct exact *e, size_t n)
{
    mpfr_set_zero(e->x[0], 1);
    for (size_t i = 0; i < n; i++)
        mpfr_add(e->x[0], e->x[0], e->w[i], R);
    for (size_t i = 0; i < n; i++)
        mpfr_div(e->w[i], e->w[i], e->x[0], R);
}

size_t exact_first_largest(const struct exact *e, size_t n)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        best = mpfr_greater_p(e->z[i], e->z[best]) ? i : best;
    return best;
}

size_t exact_first_smallest(const struct exact *e, size_t n)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        best = mpfr_less_p(e->z[i], e->z[best]) ? i : best;
    return best;
}

void exact_scale_scores(struct exact *e, size_t n)
{
    for (size_t i = 0; i < n; i++)
        mpfr_mul(e->z[i], e->z[i], e->x[1], R);
}

/* -- the exponential and its kin ----------------------------------------------------------------------------------- */

void exact_softmax(struct exact *e, size_t n)
{
    for (size_t i = 0; i < n; i++)
        mpfr_exp(e->w[i], e->z[i], R);
    exact_divide_by_sum(e, n);
}

void exact_softmax1(struct exact *e, size_t n)
{
    mpfr_set_ui(e->x[0], 1, R);
    for (size_t i = 0; i < n; i++) {
        mpfr_exp(e->w[i], e->z[i], R);
        mpfr_add(e->x[0], e->x[0], e->w[i], R);
    }
    for (size_t i = 0; i < n; i++)
        mpfr_div(e->w[i], e->w[i], e->x[0], R);
}

void exact_ssmax(struct exact *e, size_t n)
{
    mpfr_set_ui(e->x[1], n, R);
    mpfr_log(e->x[1], e->x[1], R);
    mpfr_mul_d(e->x[1], e->x[1], exact_key(e, "s"), R);
    mpfr_add_d(e->x[1], e->x[1], exact_key(e, "b"), R);
    exact_scale_scores(e, n);
    exact_softmax(e, n);
}

void exact_topk(struct exact *e, size_t n)
{
    const double k = exact_key(e, "k");
    const bool renormalize = exact_key(e, "renormalize") != 0;
    for (size_t i = 0; i < n; i++) {
        size_t before = 0;
        for (size_t j = 0; j < n; j++)
            before += mpfr_greater_p(e->z[j], e->z[i]) || (j < i && mpfr_equal_p(e->z[j], e->z[i]));
        mpfr_set_ui(e->f[i], (double)before < k, R);
    }
    for (size_t i = 0; i < n; i++) {
        mpfr_exp(e->w[i], e->z[i], R);
        if (renormalize)
            mpfr_mul(e->w[i], e->w[i], e->f[i], R);
    }
    exact_divide_by_sum(e, n);
    for (size_t i = 0; i < n; i++)
        mpfr_mul(e->w[i], e->w[i], e->f[i], R);
}

void exact_sasoftmax(struct exact *e, size_t n)
{
    const bool second = exact_key(e, "variant") == 2;
    exact_softmax(e, n);
    mpfr_set_zero(e->x[1], 1); /* low */
    mpfr_set_ui(e->x[2], 1, R); /* range */
    if (second) {
        const size_t least = exact_first_smallest(e, n), most = exact_first_largest(e, n);
        if (mpfr_sgn(e->z[least]) < 0)
            mpfr_set(e->x[1], e->z[least], R);
        mpfr_neg(e->x[2], e->x[1], R);
        if (mpfr_sgn(e->z[most]) > 0)
            mpfr_add(e->x[2], e->x[2], e->z[most], R);
    }
    for (size_t i = 0; i < n; i++) {
        mpfr_sub(e->x[3], e->z[i], e->x[1], R);
        mpfr_div(e->x[3], e->x[3], e->x[2], R);
        mpfr_mul(e->w[i], e->w[i], e->x[3], R);
    }
}

void exact_adaptive(struct exact *e, size_t n)
{
    static const double coefficients[] = {-0.037, 0.481, -2.3, 4.917, -1.791};
    exact_softmax(e, n);
    mpfr_set_zero(e->x[0], 1); /* entropy */
    for (size_t i = 0; i < n; i++) {
        mpfr_log(e->x[1], e->w[i], R);
        mpfr_mul(e->x[1], e->x[1], e->w[i], R);
        mpfr_sub(e->x[0], e->x[0], e->x[1], R);
    }
    mpfr_set_ui(e->x[1], 1, R); /* factor */
    if (mpfr_cmp_d(e->x[0], 0.5) > 0) {
        mpfr_set_zero(e->x[2], 1);
        for (int i = 0; i < 5; i++) {
            mpfr_mul(e->x[2], e->x[2], e->x[0], R);
            mpfr_add_d(e->x[2], e->x[2], coefficients[i], R);
        }
        mpfr_max(e->x[1], e->x[1], e->x[2], R);
    }
    exact_scale_scores(e, n);
    exact_softmax(e, n);
}

void exact_sigmoid(struct exact *e, size_t n)
{
    mpfr_set_ui(e->x[0], n, R);
    mpfr_log(e->x[0], e->x[0], R);
    mpfr_mul_d(e->x[0], e->x[0], exact_key(e, "length"), R);
    for (size_t i = 0; i < n; i++) {
        mpfr_add_d(e->x[1], e->z[i], exact_key(e, "bias"), R);
        mpfr_sub(e->x[1], e->x[0], e->x[1], R);
        mpfr_exp(e->x[1], e->x[1], R);
        mpfr_add_ui(e->x[1], e->x[1], 1, R);
        mpfr_ui_div(e->w[i], 1, e->x[1], R);
    }
}

void exact_softpick(struct exact *e, size_t n)
{
    const size_t most = exact_first_largest(e, n);
    mpfr_set_zero(e->x[0], 1); /* m */
    mpfr_max(e->x[0], e->x[0], e->z[most], R);
    mpfr_neg(e->x[1], e->x[0], R);
    mpfr_exp(e->x[1], e->x[1], R);
    mpfr_set_d(e->x[2], exact_key(e, "epsilon"), R);
    for (size_t i = 0; i < n; i++) {
        mpfr_sub(e->w[i], e->z[i], e->x[0], R);
        mpfr_exp(e->w[i], e->w[i], R);
        mpfr_sub(e->w[i], e->w[i], e->x[1], R);
        mpfr_abs(e->x[3], e->w[i], R);
        mpfr_add(e->x[2], e->x[2], e->x[3], R);
    }
    for (size_t i = 0; i < n; i++) {
        if (mpfr_sgn(e->w[i]) < 0)
            mpfr_set_zero(e->w[i], 1);
        mpfr_div(e->w[i], e->w[i], e->x[2], R);
    }
}

/* -- the family F / sum F ----------------------------------------------------------------------------------------- */

static void soft_plus(mpfr_t ret, const mpfr_t t)
{
    mpfr_exp(ret, t, R);
    mpfr_log1p(ret, ret, R);
}

void exact_softplus(struct exact *e, size_t n)
{
    for (size_t i = 0; i < n; i++)
        soft_plus(e->w[i], e->z[i]);
    exact_divide_by_sum(e, n);
}

void exact_elu1(struct exact *e, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (mpfr_sgn(e->z[i]) < 0)
            mpfr_exp(e->w[i], e->z[i], R);
        else
            mpfr_add_ui(e->w[i], e->z[i], 1, R);
    exact_divide_by_sum(e, n);
}

void exact_square1(struct exact *e, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        mpfr_sqr(e->w[i], e->z[i], R);
        mpfr_add_ui(e->w[i], e->w[i], 1, R);
    }
    exact_divide_by_sum(e, n);
}

void exact_lssa(struct exact *e, size_t n)
{
    if (n == 1) {
        mpfr_set_ui(e->w[0], 1, R);
        return;
    }
    mpfr_set_ui(e->x[1], n, R);
    mpfr_log(e->x[1], e->x[1], R);
    mpfr_mul_d(e->x[1], e->x[1], exact_key(e, "scale"), R);
    exact_scale_scores(e, n);
    exact_softplus(e, n);
}

void exact_lssar(struct exact *e, size_t n)
{
    const double offset = n <= 3 ? 0 : exact_key(e, "offset");
    bool any = false;
    exact_lssa(e, n);
    for (size_t i = 0; i < n; i++) {
        mpfr_mul_ui(e->f[i], e->w[i], n, R);
        mpfr_sub_d(e->f[i], e->f[i], offset, R);
        any = any || mpfr_sgn(e->f[i]) > 0;
    }
    if (!any)
        return;
    mpfr_set_d(e->x[2], exact_key(e, "p"), R);
    for (size_t i = 0; i < n; i++)
        if (mpfr_sgn(e->f[i]) > 0)
            mpfr_pow(e->w[i], e->f[i], e->x[2], R);
        else
            mpfr_set_zero(e->w[i], 1);
    exact_divide_by_sum(e, n);
    /* In units of the score the kink is where n a = offset; its nearness is judged there. */
    for (size_t i = 0; i < n; i++) {
        mpfr_abs(e->x[3], e->f[i], R);
        mpfr_min(e->margin, e->margin, e->x[3], R);
    }
}

void exact_relu(struct exact *e, size_t n)
{
    mpfr_set_ui(e->x[0], n, R);
    mpfr_set_d(e->x[1], exact_key(e, "decay"), R);
    mpfr_pow(e->x[0], e->x[0], e->x[1], R);
    mpfr_set_d(e->x[1], exact_key(e, "power"), R);
    for (size_t i = 0; i < n; i++) {
        mpfr_abs(e->x[2], e->z[i], R);
        mpfr_min(e->margin, e->margin, e->x[2], R);
        if (mpfr_sgn(e->z[i]) > 0)
            mpfr_pow(e->w[i], e->z[i], e->x[1], R);
        else
            mpfr_set_zero(e->w[i], 1);
        mpfr_div(e->w[i], e->w[i], e->x[0], R);
    }
}
