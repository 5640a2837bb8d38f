/* SPDX-License-Identifier: MIT */
/* Values of every normalizer, its VJP and its gradients in keys, computed independently with 12 digits. */
#include <libnorm/norm.h>

#include <math.h>
#include <string.h>

#include "support/support.h"

enum { n = 4 };
static const double upstream[n] = {0.3, -0.2, 0.5, 0.1};

static norm_normalizer *make(const char *spec)
{
    norm_error error = {sizeof error, 0, 0, ""};
    norm_normalizer *normalizer = NULL;
    ck_assert_msg(norm_normalizer_parse(spec, strlen(spec), NULL, &normalizer, &error) == LIBNORM_OK, "%s", error.text);
    return normalizer;
}

static const norm_rows one_row = {.struct_size = sizeof one_row, .batch = 1, .rows = 1, .cols = n};

static void close_to(const char *spec, const double *got, const double *wanted)
{
    for (int i = 0; i < n; i++)
        ck_assert_msg(fabs(got[i] - wanted[i]) < 6e-13, "%s, entry %d: %.15g, expected %.12f", spec, i, got[i],
                      wanted[i]);
}

/* Weights and VJP, with respect to the scores below. */
static const struct {
    const char *spec;
    double z[n], w[n], d[n];
} golden[] = {
    {"softmax", {1, 2, 3, .5}, {.085368893510, .232056711943, .630795543247, .051778851299},
     {.000019209502, -.115976139131, .126301048737, -.010344119108}},
    {"softmax:temperature=0.5", {1, 2, 3, .5}, {.015784052550, .116629249761, .861780069258, .005806628432},
     {-.003563409701, -.142959483948, .150156450192, -.003633556542}},
    {"sparsemax", {.1, .2, .3, .05}, {.1875, .2875, .3875, .1375}, {.125, -.375, .325, -.075}},
    {"entmax", {1, 2, 3, .5}, {0, .169281086117, .830718913883, 0}, {0, -.198431348330, .198431348330, 0}},
    {"entmax:alpha=1.25", {1, 2, 3, .5}, {.033883343310, .212607386252, .744964192866, .008545077571},
     {.000116208215, -.156089536593, .161553017028, -.005579688650}},
    {"ssmax:s=0.43", {1, 2, 3, .5}, {.145949943826, .264904739479, .480812250824, .108333065871},
     {.005042318103, -.069803727983, .073934300420, -.009172890540}},
    {"softmax1", {1, 2, 3, .5}, {.082769479852, .224990773032, .611588329904, .050202227219},
     {.000774136570, -.110391065145, .128037804524, -.009570907879}},
    {"sasoftmax:variant=1", {1, 2, 3, .5}, {.085368893510, .464113423887, 1.892386629742, .025889425650},
     {-.024037339895, -.343808318573, .705500507594, -.037879866709}},
    {"sasoftmax:variant=2", {1, 2, 3, .5}, {.028456297837, .154704474629, .630795543247, .008629808550},
     {-.008012446632, -.114602772858, .137214586897, -.012626622236}},
    {"sigmoid", {1, 2, 3, .5}, {.404609675192, .648785644284, .833925230201, .291875132741},
     {.072270205780, -.045572566411, .069246970318, .020668403963}},
    {"relu", {1, 2, 3, .5}, {.25, .5, .75, .125}, {.075, -.05, .125, .025}},
    {"adaptive", {1, 2, 3, .5}, {.057307390483, .201767734229, .710383394403, .030541480885},
     {.023960121003, -.112942772054, .076478820864, .012503830188}},
    {"softplus", {1, 2, 3, .5}, {.175973117185, .285001957865, .408501538092, .130523386857},
     {.008513217650, -.048755149187, .036621192207, -.009432962335}},
    {"topk:k=2", {1, 2, 3, .5}, {0, .268941421370, .731058578630, 0}, {0, -.137628353269, .137628353269, 0}},
    {"normmax:gamma=1.5", {.5, 1, 1.5, .25}, {0, .188521047605, .811478952395, 0},
     {0, -.415395239732, .415395239732, 0}},
    {"normmax", {.5, 1, 1.5, .25}, {0, .311017763495, .688982236505, 0}, {0, -.302371578407, .302371578407, 0}},
    {"normmax:gamma=3", {.5, 1, 1.5, .25}, {0, .391680786086, .608319213914, 0}, {0, -.181517277870, .181517277870, 0}},
    {"softpick", {1, -.5, 2, .5}, {.187800038808, 0, .698293471684, .070902152252},
     {-.033446085039, .027350105998, .070601855436, -.056325556101}},
};

START_TEST(weights_and_vjp)
{
    for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++) {
        double w[n], d[n];
        norm_normalizer *normalizer = make(golden[i].spec);
        ck_assert_int_eq(norm_apply_f64(normalizer, &one_row, golden[i].z, w, NULL, NULL, NULL), LIBNORM_OK);
        close_to(golden[i].spec, w, golden[i].w);
        ck_assert_int_eq(norm_vjp_f64(normalizer, &one_row, golden[i].z, NULL, upstream, d, NULL, NULL), LIBNORM_OK);
        close_to(golden[i].spec, d, golden[i].d);
        norm_normalizer_free(normalizer);
    }
}
END_TEST

START_TEST(lssar_on_the_softplus_weights)
{
    double w[n], d[n];
    /* scale log 4 = 1 makes lssa's inner softplus that of the bare score */
    norm_normalizer *normalizer = make("lssar:scale=0.7213475204444817");
    const double z[n] = {1, 2, 3, .5};
    ck_assert_int_eq(norm_apply_f64(normalizer, &one_row, z, w, NULL, NULL, NULL), LIBNORM_OK);
    close_to("lssar", w, (double[]){0, .010654293189, .989345706811, 0});
    ck_assert_int_eq(norm_vjp_f64(normalizer, &one_row, z, NULL, upstream, d, NULL, NULL), LIBNORM_OK);
    close_to("lssar", d, (double[]){.012067544634, -.060100551512, .033550026777, .010274902698});
    norm_normalizer_free(normalizer);
}
END_TEST

static double key_gradient(const norm_normalizer *normalizer, const double *z, const double *g, const char *key)
{
    double result = NAN;
    ck_assert_int_eq(norm_param_vjp_f64(normalizer, &one_row, z, NULL, g, key, &result, NULL, NULL), LIBNORM_OK);
    return result;
}

START_TEST(asentmax_and_its_keys)
{
    double w[n], d[n];
    norm_normalizer *normalizer = make("asentmax:alpha=1.5,delta=1,beta=0.5,gamma=0.3");
    const double z[n] = {1. / 3, 2. / 3, 1, .5 / 3};
    ck_assert_int_eq(norm_apply_f64(normalizer, &one_row, z, w, NULL, NULL, NULL), LIBNORM_OK);
    close_to("asentmax", w, (double[]){.074197948853, .281931628952, .623391857662, .020478564533});
    ck_assert_int_eq(norm_vjp_f64(normalizer, &one_row, z, NULL, upstream, d, NULL, NULL), LIBNORM_OK);
    close_to("asentmax", d, (double[]){.033155238727, -.347266331366, .341097063563, -.026985970923});
    ck_assert_double_eq_tol(key_gradient(normalizer, z, upstream, "delta"), .074857914709, 6e-13);
    ck_assert_double_eq_tol(key_gradient(normalizer, z, upstream, "beta"), .082564691396, 6e-13);
    ck_assert_double_eq_tol(key_gradient(normalizer, z, upstream, "gamma"), .013484228437, 6e-13);
    norm_normalizer_free(normalizer);
}
END_TEST

START_TEST(gradients_in_keys)
{
    static const struct {
        const char *spec, *key;
        double wanted;
    } keys[] = {
        {"ssmax:s=0.43", "s", .192212367740},
        {"ssmax:s=0.43", "b", .138651914868},
        {"softmax", "temperature", -.141798017897},
        {"entmax", "temperature", -.198431348330},
    };
    const double z[n] = {1, 2, 3, .5};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        norm_normalizer *normalizer = make(keys[i].spec);
        ck_assert_double_eq_tol(key_gradient(normalizer, z, upstream, keys[i].key), keys[i].wanted, 6e-13);
        norm_normalizer_free(normalizer);
    }
}
END_TEST

START_TEST(weights_change_with_alpha_as_the_closed_forms_say)
{
    static const struct {
        const char *spec;
        double z[n], wanted[n];
    } rows[] = {
        {"entmax:alpha=1", {1, 2, 3, .5}, {-.190178767740, -.061948839748, .437657229650, -.185529622162}},
        {"entmax:alpha=1.25", {1, 2, 3, .5}, {-.215070620940, -.102298036936, .450597343717, -.133228685841}},
        {"entmax:alpha=1.5", {1, 2, 3, .5}, {0, -.248461572391, .248461572391, 0}},
        {"entmax:alpha=2", {.1, .2, .3, .05}, {-.076737416990, .067770072104, .176757280913, -.167789936027}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        norm_normalizer *normalizer = make(rows[i].spec);
        double got[n];
        for (int k = 0; k < n; k++) {
            double unit[n] = {0};
            unit[k] = 1;
            got[k] = key_gradient(normalizer, rows[i].z, unit, "alpha");
        }
        close_to(rows[i].spec, got, rows[i].wanted);
        norm_normalizer_free(normalizer);
    }
}
END_TEST

START_TEST(double_backward)
{
    static const struct {
        const char *spec;
        double wanted[n];
    } rows[] = {
        {"softmax", {.011251263441, -.029749161860, .022237581022, -.003739682603}},
        {"entmax:alpha=1.25", {.011263013873, -.056619663985, .056328265117, -.010971615005}},
        {"entmax:alpha=1.5", {0, -.103940230078, .103940230078, 0}},
    };
    const double z[n] = {1, 2, 3, .5}, v[n] = {1, 0, -1, .5};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        norm_normalizer *normalizer = make(rows[i].spec);
        double dz[n];
        ck_assert_int_eq(norm_hvp_f64(normalizer, &one_row, z, upstream, v, dz, NULL, NULL, NULL), LIBNORM_OK);
        close_to(rows[i].spec, dz, rows[i].wanted);
        norm_normalizer_free(normalizer);
    }
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("normalizers");
    TCase *tests = tcase_create("golden");
    tcase_add_test(tests, weights_and_vjp);
    tcase_add_test(tests, lssar_on_the_softplus_weights);
    tcase_add_test(tests, asentmax_and_its_keys);
    tcase_add_test(tests, gradients_in_keys);
    tcase_add_test(tests, weights_change_with_alpha_as_the_closed_forms_say);
    tcase_add_test(tests, double_backward);
    suite_add_tcase(suite, tests);
    return suite;
}
