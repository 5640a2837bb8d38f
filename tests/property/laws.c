/* SPDX-License-Identifier: MIT */
/* What happens to the weights when all scores move, grow or change order: the laws each normalizer has, and that the
 * others lack them. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "property/specs.h"
#include "support/support.h"

enum { n = 12, trials = 40 };

static char text[128];
static uint64_t seed;

static bool is(const char *name)
{
    const size_t length = strlen(name);
    return strncmp(text, name, length) == 0 && (text[length] == '\0' || text[length] == ':');
}

static void apply(const norm_normalizer *normalizer, const double *z, double *w)
{
    const norm_rows rows = {.struct_size = sizeof rows, .batch = 1, .rows = 1, .cols = n};
    ck_assert_int_eq(norm_apply_f64(normalizer, &rows, z, w, NULL, NULL, NULL), LIBNORM_OK);
}

static void draw(struct support_random *random, double spread, double *z)
{
    for (int i = 0; i < n; i++)
        z[i] = spread * support_normal(random);
}

/* Largest change of a weight, over the largest weight. */
static double change(const double *a, const double *b)
{
    double most = 0, largest = 1;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
        largest = fmax(largest, fabs(a[i]));
    }
    return most / largest;
}

#define FOR_ALL                                                                                                        \
    seed = support_seed(20250203);                                                                                     \
    for (size_t s = 0; s < specs_count(); s++)

START_TEST(the_temperature_divides_the_scores)
{
    FOR_ALL
    {
        norm_normalizer *one = specs_get(s, text), *two = NULL;
        struct support_random random = {seed + s};
        double z[n], w[n], scaled[n], again[n], temperature;
        ck_assert_int_eq(norm_normalizer_get(one, "temperature", &temperature), LIBNORM_OK);
        for (int t = 0; t < trials; t++) {
            const double factor = exp2(support_uniform(&random, -6, 6));
            ck_assert_int_eq(norm_normalizer_with(one, "temperature", temperature * factor, &two, NULL), LIBNORM_OK);
            draw(&random, 2, z);
            for (int i = 0; i < n; i++)
                scaled[i] = z[i] * factor;
            apply(one, z, w);
            apply(two, scaled, again);
            ck_assert_msg(change(w, again) < 1e-13, "%s times %g: %g (TEST_SEED=%llu)", text, factor,
                          change(w, again), (unsigned long long)seed);
            norm_normalizer_free(two);
        }
        norm_normalizer_free(one);
    }
}
END_TEST

/* Twice the scores: relu's weights grow by 2^power and nobody else's grow in proportion or stay as they are. */
START_TEST(only_relu_is_homogeneous)
{
    FOR_ALL
    {
        norm_normalizer *normalizer = specs_get(s, text);
        struct support_random random = {seed + s};
        double z[n], w[n], twice[n], power = 0, most = 0;
        for (int t = 0; t < trials; t++) {
            draw(&random, 1, z);
            apply(normalizer, z, w);
            for (int i = 0; i < n; i++)
                z[i] *= 2;
            apply(normalizer, z, twice);
            if (is("relu")) {
                norm_normalizer_get(normalizer, "power", &power);
                for (int i = 0; i < n; i++)
                    ck_assert_double_eq_tol(twice[i], exp2(power) * w[i], 1e-13 * fmax(1, twice[i]));
            } else {
                most = fmax(most, change(w, twice));
            }
        }
        /* topk with k = 1 gives the whole weight to one score whatever its size. */
        if (!is("relu") && strcmp(text, "topk:k=1") != 0 && !(is("topk") && strstr(text, "temperature") != NULL))
            ck_assert_msg(most > 1e-3, "%s: twice the scores change no weight by more than %g", text, most);
        norm_normalizer_free(normalizer);
    }
}
END_TEST

START_TEST(who_does_not_claim_to_ignore_a_shift_does_not)
{
    FOR_ALL
    {
        norm_normalizer *normalizer = specs_get(s, text);
        struct support_random random = {seed + s};
        double z[n], w[n], moved[n], most = 0;
        if (norm_normalizer_properties(normalizer) & LIBNORM_PROPERTY_SHIFT_INVARIANT)
            goto next;
        for (int t = 0; t < trials; t++) {
            draw(&random, 1, z);
            apply(normalizer, z, w);
            for (int i = 0; i < n; i++)
                z[i] += 1.5;
            apply(normalizer, z, moved);
            most = fmax(most, change(w, moved));
        }
        ck_assert_msg(most > 1e-3, "%s: a shift changes no weight by more than %g", text, most);
    next:
        norm_normalizer_free(normalizer);
    }
}
END_TEST

/* square1 is even and the first sasoftmax multiplies by the score: they need not keep the order, and do not. */
START_TEST(a_larger_score_has_no_smaller_weight)
{
    FOR_ALL
    {
        norm_normalizer *normalizer = specs_get(s, text);
        struct support_random random = {seed + s};
        const bool keeps = !is("square1") && !(is("sasoftmax") && strstr(text, "variant=2") == NULL);
        double z[n], w[n], worst = 0;
        for (int t = 0; t < trials; t++) {
            draw(&random, t % 3 == 0 ? 10 : 1, z);
            if (t % 4 == 0)
                z[n - 1] = z[0];
            apply(normalizer, z, w);
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    if (z[i] > z[j] || (z[i] == z[j] && !is("topk")))
                        worst = fmax(worst, w[j] - w[i]);
        }
        if (keeps)
            ck_assert_msg(worst <= 1e-15, "%s: a smaller score weighs %g more (TEST_SEED=%llu)", text, worst,
                          (unsigned long long)seed);
        else
            ck_assert_msg(worst > 1e-3, "%s: the order is kept within %g", text, worst);
        norm_normalizer_free(normalizer);
    }
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("laws");
    TCase *tests = tcase_create("laws");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, the_temperature_divides_the_scores);
    tcase_add_test(tests, only_relu_is_homogeneous);
    tcase_add_test(tests, who_does_not_claim_to_ignore_a_shift_does_not);
    tcase_add_test(tests, a_larger_score_has_no_smaller_weight);
    suite_add_tcase(suite, tests);
    return suite;
}
