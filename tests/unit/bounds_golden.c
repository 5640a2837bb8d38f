/* SPDX-License-Identifier: MIT */
/* The bounds at worked examples whose values were computed independently. */
#include <libnorm/norm.h>

#include <math.h>

#include "support/support.h"

static norm_error error = {sizeof error, 0, 0, ""};
#define DONE(call) ck_assert_msg((call) == LIBNORM_OK, "%s", error.text)

/* Equal to what a table with so many decimals can tell. */
static void same(double got, double want)
{
    ck_assert_msg(fabs(got - want) <= 1.5e-12 * fmax(1, fabs(want)), "got %.15g, want %.15g", got, want);
}

static void softmax(size_t n, const double *z, double *w)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += w[i] = exp(z[i]);
    for (size_t i = 0; i < n; i++)
        w[i] /= sum;
}

static const double scores[4] = {1, 2, 3, 0.5}, tokens[8] = {1, 0, 0, 1, 1, 1, -1, 0.5};

START_TEST(distance_of_the_worked_geometry)
{
    double w[4], s[2], each[4], d = 0, low = 0, high = 0;
    uint8_t chosen[4];
    softmax(4, scores, w);
    DONE(norm_bound_select_top(4, w, 2, chosen, &error));
    ck_assert(!chosen[0] && chosen[1] && chosen[2] && !chosen[3]);
    DONE(norm_bound_distance_value(4, 2, w, tokens, 0, chosen, s, each, &d, &error));
    same(s[0], .630795543247);
    same(s[1], .862852255191);
    same(d, 2.100792842429);
    static const double want[4] = {1.020786091467, .892079612345, .232056711943, 1.080006750962};
    for (size_t i = 0; i < 4; i++)
        same(each[i], want[i]);
    DONE(norm_bound_distance_theorem(4, 2, w, tokens, 0, chosen, &high, &error));
    same(high, 2.529295841554);
    DONE(norm_bound_distance_published(4, 2, w, tokens, 0, chosen, &high, &error));
    same(high, 2.529295841554);
    DONE(norm_bound_distance_sandwich(4, 2, w, tokens, 0, chosen, &low, &high, &error));
    same(low, 1.994418800176);
    same(high, 2.280937618498);
    DONE(norm_bound_distance_moments(4, 2, w, tokens, 0, chosen, &low, &high, &error));
    same(low, 2.096987812803);
    same(high, 2.101627382129);
    double best_low = 0, best_high = 0;
    DONE(norm_bound_distance(4, 2, w, tokens, 2, chosen, &best_low, &best_high, &error));
    ck_assert(best_low == low && best_high == high);
}
END_TEST

START_TEST(expected_distance_of_the_worked_geometry)
{
    double w[4], along[4], across[4], low = 0, high = 0, more = 0;
    norm_random_set set = {.struct_size = sizeof set};
    softmax(4, scores, w);
    DONE(norm_bound_random_set(4, 2, w, tokens, 0, along, across, &set, &error));
    ck_assert(set.tokens == 4 && set.along == along && set.across == across);
    DONE(norm_bound_expected_distance(&set, 2, &low, &high, &error));
    same(low, 1.338798354095);
    same(high, 1.519964484766);
    DONE(norm_bound_expected_distance_additive(&set, 2, &more, &error));
    same(more, 1.995773985552);
    DONE(norm_bound_expected_distance(&set, 4, &low, &high, &error));
    ck_assert(low == 0 && high == 0);
}
END_TEST

START_TEST(jacobian_norms_of_the_worked_scores)
{
    double w[4], value = 0, low = 0, high = 0;
    softmax(4, scores, w);
    DONE(norm_bound_jacobian_spectral(4, w, 0, &value, &error));
    same(value, .358502005936);
    DONE(norm_bound_jacobian_frobenius(4, w, 0, &value, &error));
    same(value, .382627942761);
    DONE(norm_bound_jacobian_balanced(4, w, &low, &high, NULL, &error));
    same(low, .931570103466);
    same(high, .931570103466);
    /* entmax of 1.25: p = weight^0.75 */
    static const double entmax[4] = {.033883343310, .212607386252, .744964192866, .008545077571};
    double p[4];
    for (size_t i = 0; i < 4; i++)
        p[i] = pow(entmax[i], 0.75);
    DONE(norm_bound_jacobian_spectral(4, p, 0, &value, &error));
    ck_assert(fabs(value - .462661920776) < 1e-10); /* the weights have 12 decimals */
    DONE(norm_bound_jacobian_balanced(4, (const double[]){.45, .3, .2, .05}, &low, &high, NULL, &error));
    same(low, 1);
    same(high, 1);
    DONE(norm_bound_jacobian_balanced(3, (const double[]){.45, .35, .2}, &low, &high, NULL, &error));
    same(low, .99);
    same(high, .99);
}
END_TEST

START_TEST(sensitivity_caps)
{
    static const double steps[] = {.1, 1, 10}, want[] = {.499791770781, .480158170855, .141181334508};
    double value = 0;
    for (size_t k = 0; k < 3; k++) {
        DONE(norm_bound_softmax_sensitivity(1, steps[k], &value, &error));
        same(value, want[k]);
    }
}
END_TEST

static const double selected[4] = {.4, .3, .2, .1};

static void items(int32_t form, double r, const double *want)
{
    double got[4], mean = 0, sum = 0;
    DONE(norm_bound_separable_upper(4, selected, 1, 8, r, form, got, &mean, &error));
    for (size_t i = 0; i < 4; i++) {
        same(got[i], want[i]);
        sum += got[i];
    }
    same(mean, sum / 4);
}

START_TEST(separability_table)
{
    static const double square[] = {.14, .21, .26, .29}, variance[] = {.00245, .0042, .00845, .0122},
                        mean[] = {.352766841475, .437880269520, .480740170062, .503250080796},
                        spread[] = {.538144961883, .632771680782, .72, .802246844805};
    double a[4], v[4], m[4], low[4], high[4], xi[4];
    DONE(norm_bound_separable_moments(4, selected, 1, 8, a, v, m, low, high, &error));
    DONE(norm_bound_separable_spread(4, selected, 1, .8, xi, &error));
    for (size_t i = 0; i < 4; i++) {
        same(a[i], square[i]);
        same(v[i], variance[i]);
        same(m[i], mean[i]);
        same(xi[i], spread[i]);
        same(high[i], 1 - selected[i]);
    }
    same(low[1], .1);
    items(LIBNORM_SEPARABLE_CANTELLI, .3, (const double[]){.494949494949, .225806451613, .226238286479, .233716475096});
    items(LIBNORM_SEPARABLE_MCDIARMID, .3,
          (const double[]){.990105208929, .955744929913, .939111398748, .931252183693});
    items(LIBNORM_SEPARABLE_RANGE, .3, (const double[]){.984650470463, .899769649961, .902953336160, .903028224231});
    items(LIBNORM_SEPARABLE_SPHERE, .3, (const double[]){.932758933828, .728440392658, .644198610470, .607394883084});
    items(LIBNORM_SEPARABLE_BEST, .3, (const double[]){.494949494949, .225806451613, .226238286479, .233716475096});
    double below[4], share = 0;
    DONE(norm_bound_separable_lower(4, selected, 1, 8, .7, LIBNORM_SEPARABLE_BEST, below, &share, &error));
    ck_assert(below[0] == 1);
    same(below[2], .862265688672);
    same(below[3], .766283524904);
    size_t count = 9;
    DONE(norm_bound_separable_count(4, selected, 1, .8, .7, &count, &error));
    ck_assert_uint_eq(count, 2);
}
END_TEST

START_TEST(one_and_two_tokens_are_exact)
{
    double item = 2, mean = 2;
    DONE(norm_bound_separable_upper(1, selected, 1, 8, .3, LIBNORM_SEPARABLE_BEST, &item, &mean, &error));
    ck_assert(item == 1 && mean == 1);
    DONE(norm_bound_separable_lower(1, selected, 1, 8, .3, LIBNORM_SEPARABLE_BEST, &item, &mean, &error));
    ck_assert(item == 1 && mean > 1 - 1e-14);
    /* X_1 = 0.3 and X_2 = 0.4 always */
    double up[2], low[2];
    DONE(norm_bound_separable_upper(2, selected, 1, 8, .35, LIBNORM_SEPARABLE_BEST, up, NULL, &error));
    DONE(norm_bound_separable_lower(2, selected, 1, 8, .35, LIBNORM_SEPARABLE_BEST, low, NULL, &error));
    ck_assert(up[0] == 1 && low[0] == 1 && up[1] == 0 && low[1] == 0);
    DONE(norm_bound_separable_upper(2, selected, 1, 8, .3, LIBNORM_SEPARABLE_CANTELLI, up, NULL, &error));
    ck_assert(up[0] == 1);
    DONE(norm_bound_coverage(3, .8, &mean, &error));
    same(mean, .992);
    DONE(norm_bound_coverage(3, 1, &mean, &error));
    ck_assert(mean == 1);
    DONE(norm_bound_coverage(1000, 1e-20, &mean, &error));
    ck_assert(fabs(mean - 1e-17) < 1e-31);
}
END_TEST

START_TEST(top_breaks_ties_by_index)
{
    static const double w[6] = {-0.0, 2, 0.0, 2, -1, 2};
    uint8_t chosen[6];
    for (size_t n = 0; n <= 6; n++) {
        static const size_t order[6] = {1, 3, 5, 0, 2, 4};
        DONE(norm_bound_select_top(6, w, n, chosen, &error));
        for (size_t k = 0; k < 6; k++)
            ck_assert_msg(chosen[order[k]] == (k < n), "n %zu, place %zu", n, k);
    }
}
END_TEST

START_TEST(weights_vanish_within_their_bounds)
{
    double low = 0, high = 0;
    DONE(norm_bound_weight_softmax(11, 0, 1, &low, &high, &error));
    same(low, 1.0 / 11);
    same(high, 1.0 / 11);
    DONE(norm_bound_weight_family(3, 1, 2, &low, &high, &error));
    same(low, 0.2);
    same(high, 0.5);
    DONE(norm_bound_weight_lemma(3, 1, 2, &low, &high, &error));
    same(low, 1.0 / 6);
    same(high, 2.0 / 3);
    DONE(norm_bound_weight_softmax(5, 1e6, 1e-3, &low, &high, &error));
    ck_assert(low == 0 && high == 1);
    DONE(norm_bound_weight_norms(4, 2, 3, 8, &low, &high, &error));
    same(low, exp(-1.5) / 4);
    same(high, 1);
    DONE(norm_bound_weight_ssmax(1, -1, -1, 3, 1, &low, &high, &error));
    ck_assert(low == 1 && high == 1);
    DONE(norm_bound_weight_ssmax(100, 1, 0, 2, 1, &low, &high, &error));
    same(low, 1 / (1 + 99 / 100.0));
    same(high, 1 / (1 + 99e-4));
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("bounds golden");
    TCase *tests = tcase_create("golden");
    tcase_add_test(tests, distance_of_the_worked_geometry);
    tcase_add_test(tests, expected_distance_of_the_worked_geometry);
    tcase_add_test(tests, jacobian_norms_of_the_worked_scores);
    tcase_add_test(tests, sensitivity_caps);
    tcase_add_test(tests, separability_table);
    tcase_add_test(tests, one_and_two_tokens_are_exact);
    tcase_add_test(tests, top_breaks_ties_by_index);
    tcase_add_test(tests, weights_vanish_within_their_bounds);
    suite_add_tcase(suite, tests);
    return suite;
}
