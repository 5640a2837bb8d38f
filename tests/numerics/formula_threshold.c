/* SPDX-License-Identifier: MIT */
/* Normalizers with a threshold. */
#include "formula.h"

/* The tau between low (x[3]) and high (x[4]) where sum (f_i - tau)_+^p = 1, p in x[5]: Newton's method, halving where a
 * step leaves the bracket. Leaves (f_i - tau)_+ in w. */
static void find_threshold(struct exact *e, size_t n)
{
    if (!e->warm || mpfr_less_p(e->threshold, e->x[3]) || mpfr_greater_p(e->threshold, e->x[4]))
        mpfr_set(e->threshold, e->x[3], R);
    for (int sweep = 0; sweep < 1000; sweep++) {
        mpfr_set_si(e->x[0], -1, R);  /* the sum less 1 */
        mpfr_set_zero(e->x[1], 1);    /* minus its slope, over p */
        for (size_t i = 0; i < n; i++) {
            mpfr_sub(e->x[2], e->f[i], e->threshold, R);
            if (mpfr_sgn(e->x[2]) <= 0)
                continue;
            mpfr_pow(e->x[6], e->x[2], e->x[5], R);
            mpfr_add(e->x[0], e->x[0], e->x[6], R);
            mpfr_div(e->x[6], e->x[6], e->x[2], R);
            mpfr_add(e->x[1], e->x[1], e->x[6], R);
        }
        mpfr_set(e->x[mpfr_sgn(e->x[0]) >= 0 ? 3 : 4], e->threshold, R);
        mpfr_mul(e->x[1], e->x[1], e->x[5], R);
        mpfr_div(e->x[6], e->x[0], e->x[1], R);
        mpfr_add(e->x[7], e->threshold, e->x[6], R);
        if (!mpfr_number_p(e->x[7]) || mpfr_less_p(e->x[7], e->x[3]) || mpfr_greater_p(e->x[7], e->x[4])) {
            mpfr_add(e->x[7], e->x[3], e->x[4], R);
            mpfr_div_2ui(e->x[7], e->x[7], 1, R);
        }
        mpfr_sub(e->x[6], e->x[7], e->threshold, R);
        mpfr_set(e->threshold, e->x[7], R);
        if (mpfr_zero_p(e->x[6]) || mpfr_get_exp(e->x[6]) < -(EXACT_BITS - 20))
            break;
    }
    for (size_t i = 0; i < n; i++) {
        mpfr_sub(e->w[i], e->f[i], e->threshold, R);
        mpfr_abs(e->x[0], e->w[i], R);
        mpfr_min(e->margin, e->margin, e->x[0], R);
        if (mpfr_sgn(e->w[i]) < 0)
            mpfr_set_zero(e->w[i], 1);
    }
}

static void entmax_of(struct exact *e, size_t n, double alpha)
{
    if (alpha == 1) {
        exact_softmax(e, n);
        return;
    }
    const size_t most = exact_first_largest(e, n);
    mpfr_set_d(e->x[2], alpha, R);
    mpfr_sub_ui(e->x[2], e->x[2], 1, R);
    for (size_t i = 0; i < n; i++)
        mpfr_mul(e->f[i], e->z[i], e->x[2], R);
    mpfr_sub_ui(e->x[3], e->f[most], 1, R);
    mpfr_set_ui(e->x[4], n, R);
    mpfr_neg(e->x[5], e->x[2], R);
    mpfr_pow(e->x[4], e->x[4], e->x[5], R);
    mpfr_sub(e->x[4], e->f[most], e->x[4], R);
    mpfr_ui_div(e->x[5], 1, e->x[2], R);
    find_threshold(e, n);
    mpfr_set_d(e->x[2], alpha, R);
    mpfr_sub_ui(e->x[2], e->x[2], 1, R);
    mpfr_ui_div(e->x[5], 1, e->x[2], R);
    mpfr_div(e->margin, e->margin, e->x[2], R);
    for (size_t i = 0; i < n; i++)
        if (mpfr_sgn(e->w[i]) > 0)
            mpfr_pow(e->w[i], e->w[i], e->x[5], R);
}

void exact_entmax(struct exact *e, size_t n)
{
    entmax_of(e, n, exact_key(e, "alpha"));
}

void exact_sparsemax(struct exact *e, size_t n)
{
    entmax_of(e, n, 2);
}

void exact_asentmax(struct exact *e, size_t n)
{
    if (n == 1) {
        mpfr_set_ui(e->w[0], 1, R);
        return;
    }
    mpfr_set_ui(e->x[1], n, R);
    mpfr_log(e->x[1], e->x[1], R);
    mpfr_set_d(e->x[2], exact_key(e, "gamma"), R);
    mpfr_pow(e->x[1], e->x[1], e->x[2], R);
    mpfr_mul_d(e->x[1], e->x[1], exact_key(e, "beta"), R);
    mpfr_add_d(e->x[1], e->x[1], exact_key(e, "delta"), R);
    exact_scale_scores(e, n);
    entmax_of(e, n, exact_key(e, "alpha"));
}

void exact_normmax(struct exact *e, size_t n)
{
    const size_t most = exact_first_largest(e, n);
    for (size_t i = 0; i < n; i++)
        mpfr_set(e->f[i], e->z[i], R);
    mpfr_sub_ui(e->x[3], e->f[most], 1, R);
    mpfr_set(e->x[4], e->f[most], R);
    mpfr_set_d(e->x[5], exact_key(e, "gamma"), R);
    mpfr_sub_ui(e->x[6], e->x[5], 1, R);
    mpfr_div(e->x[5], e->x[5], e->x[6], R);
    find_threshold(e, n);
    mpfr_set_d(e->x[5], exact_key(e, "gamma"), R);
    mpfr_sub_ui(e->x[5], e->x[5], 1, R);
    mpfr_ui_div(e->x[5], 1, e->x[5], R);
    for (size_t i = 0; i < n; i++)
        if (mpfr_sgn(e->w[i]) > 0)
            mpfr_pow(e->w[i], e->w[i], e->x[5], R);
    exact_divide_by_sum(e, n);
}
