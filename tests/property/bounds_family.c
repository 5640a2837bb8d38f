/* SPDX-License-Identifier: MIT */
/* Lemma 2 for five members of the family. */
#include "bounds_draw.h"

enum { MOST = 20, TRIALS = 12000 };

struct row {
    size_t n;
    double w[MOST], slope[MOST], f_min, f_max, df_max;
};

static void draw(struct support_random *r, struct row *row)
{
    double z[MOST], f[MOST], sum = 0;
    row->n = 1 + support_below(r, MOST);
    row->f_min = INFINITY;
    row->f_max = row->df_max = 0;
    draw_scores(r, row->n, z);
    size_t kind = support_below(r, 5);
    double t = exp(support_uniform(r, -1, 1));
    for (size_t i = 0; i < row->n; i++) {
        double x = fmax(-200, fmin(200, z[i])), e = exp(x), s = 1 / (1 + 1 / e), df;
        switch (kind) {
        case 0:
            f[i] = exp(x / t);
            df = f[i] / t;
            break;
        case 1:
            f[i] = log1p(e);
            df = s;
            break;
        case 2:
            f[i] = s;
            df = s / (1 + e);
            break;
        case 3:
            f[i] = 1 + x * x;
            df = 2 * x;
            break;
        default:
            f[i] = x < 0 ? e : 1 + x;
            df = x < 0 ? e : 1;
        }
        row->slope[i] = df / f[i];
        sum += f[i];
        row->f_min = fmin(row->f_min, f[i]);
        row->f_max = fmax(row->f_max, f[i]);
        row->df_max = fmax(row->df_max, fabs(df));
    }
    for (size_t i = 0; i < row->n; i++)
        row->w[i] = f[i] / sum;
}

/* || J v || / || v || grown by power iteration on J^T J: never above ||J||_2, and nearly equal to it. */
static double stretch(const struct row *row, struct support_random *r)
{
    double v[MOST], u[MOST], best = 0;
    for (size_t i = 0; i < row->n; i++)
        v[i] = support_normal(r);
    for (int step = 0; step < 20; step++) {
        double mean = 0, back = 0, length = draw_length(v, row->n);
        if (!(length > 0))
            return best;
        for (size_t i = 0; i < row->n; i++) {
            v[i] /= length;
            mean += row->w[i] * row->slope[i] * v[i];
        }
        for (size_t i = 0; i < row->n; i++) {
            u[i] = row->w[i] * (row->slope[i] * v[i] - mean);
            back += row->w[i] * u[i];
        }
        best = fmax(best, draw_length(u, row->n));
        for (size_t i = 0; i < row->n; i++)
            v[i] = row->slope[i] * row->w[i] * (u[i] - back);
    }
    return best;
}

START_TEST(every_form_holds)
{
    static const int32_t forms[] = {LIBNORM_FAMILY_BEST,  LIBNORM_FAMILY_FROBENIUS, LIBNORM_FAMILY_LENGTH,
                                    LIBNORM_FAMILY_LEMMA, LIBNORM_FAMILY_HALF,      LIBNORM_FAMILY_SPECTRUM};
    uint64_t seed = support_seed(1);
    struct support_random r = {seed};
    for (int trial = 0; trial < TRIALS; trial++) {
        struct row row;
        draw(&r, &row);
        double norm = stretch(&row, &r), best = 0, value = 0, frobenius = 0, most = 0;
        for (size_t i = 0; i < row.n; i++)
            most = fmax(most, fabs(row.slope[i]));
        for (size_t k = 0; k < row.n; k++) {
            double others = 0, squares = 0;
            for (size_t i = 0; i < row.n; i++) {
                others += i == k ? 0 : row.w[i];
                squares += i == k ? 0 : row.w[i] * row.w[i];
            }
            frobenius += pow(row.slope[k] * row.w[k], 2) * (others * others + squares);
        }
        for (size_t k = 0; k < 6; k++) {
            DONE(norm_bound_family_gradient(row.n, row.w, row.slope, forms[k], &value, &error));
            HOLDS(norm <= value * (1 + 1e-12) + 1e-15 * most, "form %d: %.17g > %.17g, seed %llu", forms[k], norm,
                  value, (unsigned long long)seed);
            if (k == 0)
                best = value;
            TRUE(best <= value * (1 + 1e-12));
            if (forms[k] == LIBNORM_FAMILY_FROBENIUS)
                TRUE(fabs(value - sqrt(frobenius)) <= 1e-12 * value);
        }
        DONE(norm_bound_family_lemma(row.n, row.f_min, row.f_max, row.df_max, &value, &error));
        TRUE(norm <= value * (1 + 1e-12) + 1e-15 * most);
    }
}
END_TEST

START_TEST(half_is_attained_and_small_f_does_no_harm)
{
    static const double w[2] = {.5, .5}, slope[2] = {3, 3};
    double half = 0, best = 0, lemma = 0;
    DONE(norm_bound_family_gradient(2, w, slope, LIBNORM_FAMILY_HALF, &half, &error));
    DONE(norm_bound_family_gradient(2, w, slope, LIBNORM_FAMILY_BEST, &best, &error));
    TRUE(half == 1.5 && fabs(best - 1.5) < 1e-15); /* J = 3 (diag - w w^T) has norm 3/2 */
    /* exp of scores 0 and -700: F is tiny, the lemma explodes, the Jacobian is as small as ever */
    DONE(norm_bound_family_lemma(2, exp(-700), 1, 1, &lemma, &error));
    DONE(norm_bound_family_gradient(2, (const double[]){1, exp(-700)}, (const double[]){1, 1}, LIBNORM_FAMILY_BEST,
                                    &best, &error));
    TRUE(lemma > 1e300 && best < 1e-300);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("bounds on gradients of the family");
    TCase *tests = tcase_create("family");
    tcase_add_test(tests, every_form_holds);
    tcase_add_test(tests, half_is_attained_and_small_f_does_no_harm);
    suite_add_tcase(suite, tests);
    return suite;
}
