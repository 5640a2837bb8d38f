/* SPDX-License-Identifier: MIT */
/* Every normalizer through apply and vjp, against values computed apart from the library. */
#include <stdio.h>
#include <string.h>

#include "run.h"
#include "support/support.h"

#define Z "1 2 3 0.5"
#define G "0.3 -0.2 0.5 0.1"

static const struct golden {
    const char *spec, *z;
    double w[4];
    double d[4];    /* gradient in z / temperature for the upstream gradient G */
    double divided; /* temperature that the gradient in z has besides */
} goldens[] = {
    {"softmax",
     Z,
     {.085368893510, .232056711943, .630795543247, .051778851299},
     {.000019209502, -.115976139131, .126301048737, -.010344119108},
     1},
    {"sparsemax:temperature=10", Z, {.1875, .2875, .3875, .1375}, {.125, -.375, .325, -.075}, 10},
    {"entmax", Z, {0, .169281086117, .830718913883, 0}, {0, -.198431348330, .198431348330, 0}, 1},
    {"entmax:alpha=1.25",
     Z,
     {.033883343310, .212607386252, .744964192866, .008545077571},
     {.000116208215, -.156089536593, .161553017028, -.005579688650},
     1},
    {"entmax:alpha=1",
     Z,
     {.085368893510, .232056711943, .630795543247, .051778851299},
     {.000019209502, -.115976139131, .126301048737, -.010344119108},
     1},
    {"ssmax",
     Z,
     {.145949943826, .264904739479, .480812250824, .108333065871},
     {.005042318103, -.069803727983, .073934300420, -.009172890540},
     1},
    {"softmax1",
     Z,
     {.082769479852, .224990773032, .611588329904, .050202227219},
     {.000774136570, -.110391065145, .128037804524, -.009570907879},
     1},
    {"sasoftmax",
     Z,
     {.085368893510, .464113423887, 1.892386629742, .025889425650},
     {-.024037339895, -.343808318573, .705500507594, -.037879866709},
     1},
    {"sasoftmax:variant=2",
     Z,
     {.028456297837, .154704474629, .630795543247, .008629808550},
     {-.008012446632, -.114602772858, .137214586897, -.012626622236},
     1},
    {"sigmoid",
     Z,
     {.404609675192, .648785644284, .833925230201, .291875132741},
     {.072270205780, -.045572566411, .069246970318, .020668403963},
     1},
    {"relu", Z, {.25, .5, .75, .125}, {.075, -.05, .125, .025}, 1},
    {"adaptive",
     Z,
     {.057307390483, .201767734229, .710383394403, .030541480885},
     {.023960121003, -.112942772054, .076478820864, .012503830188},
     1},
    {"softplus",
     Z,
     {.175973117185, .285001957865, .408501538092, .130523386857},
     {.008513217650, -.048755149187, .036621192207, -.009432962335},
     1},
    /* A scale of 1 / log 4 makes the inner row the one above. */
    {"lssar:scale=0.7213475204444817",
     Z,
     {0, .010654293189, .989345706811, 0},
     {.012067544634, -.060100551512, .033550026777, .010274902698},
     1},
    {"normmax:gamma=1.5,temperature=2",
     Z,
     {0, .188521047605, .811478952395, 0},
     {0, -.415395239732, .415395239732, 0},
     2},
    {"normmax:temperature=2", Z, {0, .311017763495, .688982236505, 0}, {0, -.302371578407, .302371578407, 0}, 2},
    {"normmax:gamma=3,temperature=2",
     Z,
     {0, .391680786086, .608319213914, 0},
     {0, -.181517277870, .181517277870, 0},
     2},
    {"softpick",
     "1 -0.5 2 0.5",
     {.187800038808, 0, .698293471684, .070902152252},
     {-.033446085039, .027350105998, .070601855436, -.056325556101},
     1},
    {"asentmax:gamma=0.3,temperature=3",
     Z,
     {.074197948853, .281931628952, .623391857662, .020478564533},
     {.033155238727, -.347266331366, .341097063563, -.026985970923},
     3},
};

START_TEST(golden_rows)
{
    const struct golden *golden = &goldens[_i];
    char text[128];
    double d[4];
    snprintf(text, sizeof text, "%s\n", golden->z);
    struct run run = normlab(text, "apply", golden->spec, "--f64");
    ck_fine(&run);
    ck_near(run.out, 4, golden->w, 2e-12);
    run_free(&run);
    run = normlab(text, "apply", golden->spec);
    ck_near(run.out, 4, golden->w, 1e-6);
    run_free(&run);
    snprintf(text, sizeof text, "%s\n%s\n", golden->z, G);
    for (int i = 0; i < 4; i++)
        d[i] = golden->d[i] / golden->divided;
    run = normlab(text, "vjp", golden->spec, "--f64");
    ck_fine(&run);
    ck_near(run.out, 4, d, 2e-12);
    run_free(&run);
    run = normlab(text, "vjp", golden->spec);
    ck_near(run.out, 4, d, 2e-6);
    run_free(&run);
}
END_TEST

START_TEST(topk_keeps_the_largest)
{
    const double expected[] = {0, .268941421370, .731058578630, 0};
    struct run run = normlab(Z "\n", "apply", "topk:k=2", "--f64");
    ck_fine(&run);
    ck_near(run.out, 4, expected, 2e-12);
    run_free(&run);
    ck_fails(normlab(Z "\n", "apply", "topk"), 2, "k");
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("normlab-normalizers");
    TCase *tests = tcase_create("normalizers");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, golden_rows, 0, (int)(sizeof goldens / sizeof goldens[0]));
    tcase_add_test(tests, topk_keeps_the_largest);
    suite_add_tcase(suite, tests);
    return suite;
}
