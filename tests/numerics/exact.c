/* SPDX-License-Identifier: MIT */
#include "exact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formula.h"

static const struct {
    const char *name;
    void (*weights)(struct exact *e, size_t n);
} formulas[] = {
    {"softmax", exact_softmax},
    {"softmax1", exact_softmax1},
    {"topk", exact_topk},
    {"sparsemax", exact_sparsemax},
    {"entmax", exact_entmax},
    {"normmax", exact_normmax},
    {"ssmax", exact_ssmax},
    {"asentmax", exact_asentmax},
    {"sasoftmax", exact_sasoftmax},
    {"adaptive", exact_adaptive},
    {"sigmoid", exact_sigmoid},
    {"relu", exact_relu},
    {"lssa", exact_lssa},
    {"lssar", exact_lssar},
    {"softpick", exact_softpick},
    {"softplus", exact_softplus},
    {"elu1", exact_elu1},
    {"square1", exact_square1},
};

static mpfr_t *row(size_t n)
{
    mpfr_t *r = malloc(n * sizeof *r);
    for (size_t i = 0; i < n; i++)
        mpfr_init2(r[i], EXACT_BITS);
    return r;
}

static void free_row(mpfr_t *r, size_t n)
{
    for (size_t i = 0; i < n; i++)
        mpfr_clear(r[i]);
    free(r);
}

struct exact *exact_new(const norm_normalizer *n, const char *name, size_t longest)
{
    struct exact *e = calloc(1, sizeof *e);
    for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++)
        if (strcmp(formulas[i].name, name) == 0)
            e->weights = formulas[i].weights;
    if (e->weights == NULL) {
        free(e);
        return NULL;
    }
    e->handle = n;
    e->longest = longest;
    e->z = row(longest);
    e->w = row(longest);
    e->f = row(longest);
    e->d = row(longest);
    for (int i = 0; i < numbers; i++)
        mpfr_init2(e->x[i], EXACT_BITS);
    mpfr_inits2(EXACT_BITS, e->threshold, e->margin, e->step, (mpfr_ptr)0);
    return e;
}

void exact_free(struct exact *e)
{
    free_row(e->z, e->longest);
    free_row(e->w, e->longest);
    free_row(e->f, e->longest);
    free_row(e->d, e->longest);
    for (int i = 0; i < numbers; i++)
        mpfr_clear(e->x[i]);
    mpfr_clears(e->threshold, e->margin, e->step, (mpfr_ptr)0);
    free(e);
}

/* Weights with score number j moved by e->step times sign. */
static void moved_weights(struct exact *e, const double *z, size_t n, size_t j, int sign)
{
    const double temperature = exact_key(e, "temperature");
    for (size_t i = 0; i < n; i++) {
        mpfr_set_d(e->z[i], z[i], R);
        if (i == j && sign > 0)
            mpfr_add(e->z[i], e->z[i], e->step, R);
        if (i == j && sign < 0)
            mpfr_sub(e->z[i], e->z[i], e->step, R);
        mpfr_div_d(e->z[i], e->z[i], temperature, R);
    }
    mpfr_set_inf(e->margin, 1);
    e->weights(e, n);
}

mpfr_t *exact_weights(struct exact *e, const double *z, size_t n)
{
    e->warm = false;
    moved_weights(e, z, n, 0, 0);
    return e->w;
}

double exact_margin(const struct exact *e)
{
    return mpfr_get_d(e->margin, R);
}

mpfr_t *exact_vjp(struct exact *e, const double *z, const double *g, size_t n)
{
    exact_weights(e, z, n);
    e->warm = true;
    for (size_t j = 0; j < n; j++) {
        mpfr_set_d(e->step, fabs(z[j]) > 1 ? z[j] : 1, R);
        mpfr_abs(e->step, e->step, R);
        mpfr_div_2ui(e->step, e->step, 80, R);
        mpfr_set_zero(e->d[j], 1);
        for (int sign = -1; sign <= 1; sign += 2) {
            moved_weights(e, z, n, j, sign);
            for (size_t i = 0; i < n; i++) {
                mpfr_mul_d(e->w[i], e->w[i], sign * g[i], R);
                mpfr_add(e->d[j], e->d[j], e->w[i], R);
            }
        }
        mpfr_div(e->d[j], e->d[j], e->step, R);
        mpfr_div_2ui(e->d[j], e->d[j], 1, R);
    }
    return e->d;
}
