/* SPDX-License-Identifier: MIT */
/* Measuring whole heads: against measuring row by row, on data made to lose digits, and to the bit where bits are
 * promised. */
#include <libnorm/norm.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure_head.h"

static double worst; /* relative error so far, beyond the absolute slack */

static void near(double got, double want, double slack, const char *what, int kind, size_t n, size_t top)
{
    if (isnan(want) && isnan(got))
        return;
    const double off = fabs(got - want) - slack, relative = off > 0 ? off / fabs(want) : 0;
    if (!(relative <= 1e-6))
        ck_abort_msg("%s, kind %d, n = %zu, N = %zu: %.17g, expected %.17g", what, kind, n, top, got, want);
    worst = fmax(worst, relative);
}

/* Selected tokens whose distance differs from the radius by no more than rounding: theirs is anyone's guess. Twins are
 * no guess: they have equal distances. */
static size_t doubtful(const struct head *h, const norm_row_distance *want, int kind)
{
    const size_t n = (size_t)want->tokens;
    double w[MOST], x[MOST * DIMS], s[DIMS], each[MOST], sum;
    uint8_t set[MOST];
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        w[i] = h->weights[(n - 1) * h->n + i];
    for (size_t i = 0; i < n * h->dim; i++)
        x[i] = h->values[i];
    DONE(norm_bound_select_top(n, w, (size_t)want->selected, set, &error));
    DONE(norm_bound_distance_value(n, h->dim, w, x, 0, set, s, each, &sum, &error));
    for (size_t i = 0; i < n; i++)
        count += set[i] && (kind != TWINS || each[i] != want->radius) &&
                 fabs(each[i] - want->radius) <= 1e-13 * want->radius;
    return count;
}

static void compare(const struct head *h, const norm_distance_record *got, const norm_row_distance *want, int kind)
{
    const size_t n = (size_t)want->tokens, top = (size_t)want->selected;
    double slack = 0;
    for (size_t i = 0; i < n; i++) {
        double square = 0;
        for (size_t k = 0; k < h->dim; k++)
            square += (double)h->values[i * h->dim + k] * h->values[i * h->dim + k];
        slack += fabs((double)h->weights[(n - 1) * h->n + i]) * sqrt(square);
    }
    slack *= 1e-13 * (double)n;
    if (got->rows != 1 || got->tokens != (double)n || got->selected != (double)top || got->length != (double)n)
        ck_abort_msg("kind %d, n = %zu, N = %zu: %g rows of %g tokens", kind, n, top, got->rows, got->tokens);
    near(got->distance, want->distance, slack, "distance", kind, n, top);
    near(got->mean, want->mean, slack, "mean", kind, n, top);
    near(got->radius, want->radius, slack, "radius", kind, n, top);
    near(got->inside, want->inside, (double)doubtful(h, want, kind) / (double)top, "inside", kind, n, top);
    near(got->context, want->context, slack, "context", kind, n, top);
    near(got->mass, want->mass, 1e-13, "mass", kind, n, top);
    near(got->lower, want->lower, slack, "lower", kind, n, top);
    near(got->upper, want->upper, slack, "upper", kind, n, top);
    near(got->theorem, want->theorem, slack, "theorem", kind, n, top);
    near(got->expected_lower, want->expected_lower, slack, "expected lower", kind, n, top);
    near(got->expected_upper, want->expected_upper, slack, "expected upper", kind, n, top);
}

/* Every row of many heads, every N, as measured row by row. */
START_TEST(as_row_by_row)
{
    const uint32_t parts = LIBNORM_DISTANCE_BOUNDS | LIBNORM_DISTANCE_EXPECTED;
    static struct head h;
    const int kind = _i;
    struct support_random r = {support_seed(20 + (uint64_t)kind)};
    worst = 0;
    for (int trial = 0; trial < 25; trial++) {
        draw(&h, (enum kind)kind, &r);
        size_t used = 0;
        while (used < TOPS && tops[used] < h.n)
            used++;
        measure(&h, plan_of(&h, parts), 64);
        for (size_t n = 2; n <= h.n; n++)
            for (size_t k = 0; k < used; k++) {
                const norm_distance_record *got = &h.records[(n - 2) * used + k];
                norm_row_distance want;
                if (tops[k] >= n) {
                    /* the row of one token comes with those of two */
                    if (got->rows != 0 || got->short_rows != (n == 2 ? 2 : 1) || got->nan_rows != 0)
                        ck_abort_msg("n = %zu, N = %d is not left out", n, (int)tops[k]);
                    continue;
                }
                direct(&h, n, (size_t)tops[k], parts, &want);
                compare(&h, got, &want, kind);
            }
    }
    if (getenv("MEASURE_METER_ERRORS") != NULL)
        printf("kind %d: relative error at most %.2g\n", kind, worst);
}
END_TEST

START_TEST(unit_vectors_as_row_by_row)
{
    const uint32_t parts = LIBNORM_DISTANCE_UNIT | LIBNORM_DISTANCE_SEPARABLE;
    static const int kinds[] = {ORDINARY, TWINS, COMMON_MEAN, WIDE, SPARSE};
    static struct head h;
    struct support_random r = {support_seed(40)};
    for (int trial = 0; trial < 60; trial++) {
        const int kind = kinds[trial % 5];
        draw(&h, (enum kind)kind, &r);
        size_t used = 0;
        while (used < TOPS && tops[used] < h.n)
            used++;
        measure(&h, plan_of(&h, parts), 7);
        for (size_t n = 2; n <= h.n; n += 3)
            for (size_t k = 0; k < used && tops[k] < n; k++) {
                const norm_distance_record *got = &h.records[(n - 2) * used + k];
                norm_row_distance want;
                direct(&h, n, (size_t)tops[k], parts, &want);
                near(got->distance, want.distance, 1e-13, "distance", kind, n, (size_t)tops[k]);
                near(got->radius, want.radius, 1e-13, "radius", kind, n, (size_t)tops[k]);
                near(got->inside, want.inside, 0, "inside", kind, n, (size_t)tops[k]);
                near(got->separable_lower, want.separable_lower, 1e-6, "lower", kind, n, (size_t)tops[k]);
                near(got->separable_upper, want.separable_upper, 1e-6, "upper", kind, n, (size_t)tops[k]);
                near(got->separable_published, want.separable_published, 1e-6, "published", kind, n, (size_t)tops[k]);
                ck_assert(isnan(got->upper) && isnan(got->expected_lower));
            }
    }
}
END_TEST

/* Any cut into blocks, any CPU level, a caller's vectors in place of the values: the same bits. */
START_TEST(the_same_bits)
{
    static struct head h, again;
    static float spread[MOST * (DIMS + 5)];
    struct support_random r = {support_seed(50)};
    static const int32_t levels[] = {LIBNORM_CPU_SCALAR, LIBNORM_CPU_AVX2, LIBNORM_CPU_AVX512};
    for (int kind = 0; kind < KINDS; kind++) {
        do
            draw(&h, (enum kind)kind, &r);
        while (h.n < 30);
        norm_distance_plan plan = plan_of(&h, LIBNORM_DISTANCE_BOUNDS | LIBNORM_DISTANCE_EXPECTED);
        memset(h.records, 0, sizeof h.records);
        measure(&h, plan, h.n);
        again = h;
        for (size_t block = 1; block < 20; block += 6) {
            memset(again.records, 0, sizeof again.records);
            measure(&again, plan, block);
            ck_assert_mem_eq(again.records, h.records, sizeof h.records);
        }
        for (int i = 0; i < 3; i++) {
            memset(again.records, 0, sizeof again.records);
            plan.cpu_level = levels[i];
            measure(&again, plan, 64);
            ck_assert_mem_eq(again.records, h.records, sizeof h.records);
        }
        norm_distance_meter *meter = NULL;
        memset(again.records, 0, sizeof again.records);
        for (size_t i = 0; i < MOST * TOPS; i++)
            again.records[i].struct_size = sizeof *again.records;
        for (size_t i = 0; i < h.n; i++)
            memcpy(spread + i * (h.dim + 5), h.values + i * h.dim, h.dim * sizeof(float));
        plan.top_count = h.n > tops[4] ? 5 : 4;
        DONE(norm_distance_meter_open(&plan, &meter, &error));
        norm_head_view view = view_of(&h, 0, h.n);
        view.values = NULL;
        DONE(norm_distance_meter_add(meter, &view, spread, (int64_t)h.dim + 5, 7, again.records, &error));
        norm_distance_meter_free(meter);
        ck_assert_mem_eq(again.records, h.records, sizeof h.records);
    }
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("measure_meter");
    TCase *tests = tcase_create("measure_meter");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, as_row_by_row, 0, KINDS);
    tcase_add_test(tests, unit_vectors_as_row_by_row);
    tcase_add_test(tests, the_same_bits);
    suite_add_tcase(suite, tests);
    return suite;
}
