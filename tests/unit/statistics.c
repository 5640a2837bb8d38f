/* SPDX-License-Identifier: MIT */
/* Two samples, the search for the critical N, and lines. */
#include <libnorm/norm.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/allocator.h"
#include "support/support.h"

static norm_error error = {sizeof error, 0, 0, ""};
#define DONE(call) ck_assert_msg((call) == LIBNORM_OK, "%s", error.text)

static void same(double got, double want, double tolerance)
{
    ck_assert_msg(fabs(got - want) <= tolerance * fmax(fabs(want), 1e-300), "%.17g, expected %.17g", got, want);
}

static norm_ks compare(size_t an, const double *a, size_t bn, const double *b, double level)
{
    norm_ks ks = {.struct_size = sizeof ks};
    DONE(norm_measure_ks(an, a, bn, b, level, &ks, NULL, &error));
    return ks;
}

/* From scipy.stats.ks_2samp(method="exact"). */
START_TEST(samples_of_different_sizes)
{
    const double a[] = {1.5, .1, .7, .4, 1.1}, b[] = {1.6, 2.2, .9, 1.0, .2, 1.7, 3.0};
    norm_ks ks = compare(5, a, 7, b, .01);
    same(ks.statistic, 4. / 7, 1e-15);
    same(ks.p_value, .23737373737373738, 1e-12);
    ck_assert(ks.exact == 1 && ks.rejected == 0);
    same(ks.threshold, sqrt(-log(.005) / 2) * sqrt(12. / 35), 1e-14);
    same(ks.smallest_p, 2. / 792, 1e-13);
    static const double ties[] = {1, 2, 2, 3}, others[] = {2, 2, 4};
    ks = compare(4, ties, 3, others, .05);
    same(ks.statistic, 1. / 3, 1e-15);
    same(ks.p_value, .9714285714285715, 1e-12);
    double x[50], y[50];
    for (int i = 0; i < 50; i++) {
        x[i] = i;
        y[i] = 1.3 * i + 2.05;
    }
    same(compare(3, x, 5, y, .05).p_value, .0357142857142857, 1e-12);
    same(compare(10, x, 17, y, .05).p_value, .00485047624635725, 1e-12);
    same(compare(50, x, 20, y, .05).p_value, .00318868551786686, 1e-12);
}
END_TEST

/* n = 144, the number of heads of the smallest GPT-2, by the distance h/144. */
START_TEST(equal_sizes_at_the_critical_distance)
{
    static const struct {
        int h;
        double p;
    } table[] = {{0, 1}, {23, .050622}, {24, .036460}, {25, .0258890167519661}, {27, .012505}, {28, .008507}};
    double a[144], b[144];
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        for (int i = 0; i < 144; i++) {
            a[i] = 144 - i;
            b[i] = table[k].h + i + (table[k].h > 0 ? .5 : 1);
        }
        norm_ks one = compare(144, a, 144, b, .01), five = compare(144, b, 144, a, .05);
        ck_assert_msg(one.statistic == table[k].h / 144., "%d: %.17g", table[k].h, one.statistic * 144);
        ck_assert(fabs(one.p_value - table[k].p) < 6e-7 && five.p_value == one.p_value);
        ck_assert(one.rejected == (table[k].h >= 28) && five.rejected == (table[k].h >= 24));
        /* The critical value says the same. */
        ck_assert(one.rejected == (one.statistic > one.threshold));
        ck_assert(five.rejected == (five.statistic > five.threshold));
    }
    same(compare(144, a, 144, b, .01).threshold, .1918, 1e-3);
}
END_TEST

/* All ways to mix n and m numbers, counted. */
START_TEST(the_chance_counted)
{
    for (unsigned n = 1; n <= 6; n++)
        for (unsigned m = 1; m <= 6; m++) {
            double largest[1 << 12], a[6], b[6];
            size_t ways = 0;
            for (unsigned mask = 0; mask < 1u << (n + m); mask++) {
                unsigned i = 0, j = 0;
                double most = 0;
                for (unsigned k = 0; k < n + m && i <= n && j <= m; k++) {
                    *(mask >> k & 1 ? &i : &j) += 1;
                    most = fmax(most, fabs((double)i / n - (double)j / m));
                }
                if (i == n && j == m)
                    largest[ways++] = most;
            }
            for (unsigned shift = 0; shift <= n + m; shift++) {
                size_t count = 0;
                for (unsigned i = 0; i < n; i++)
                    a[i] = i + 1;
                for (unsigned j = 0; j < m; j++)
                    b[j] = j + shift + .5 - m;
                norm_ks ks = compare(n, a, m, b, .05);
                for (size_t k = 0; k < ways; k++)
                    count += largest[k] >= ks.statistic - 1e-12;
                same(ks.p_value, (double)count / (double)ways, 1e-13);
                ck_assert(ks.p_value >= ks.smallest_p * (1 - 1e-13));
            }
        }
}
END_TEST

/* Beyond 2^24 pairs the p-value is asymptotic; on both sides of the limit it is nearly the same. */
START_TEST(large_samples)
{
    enum { N = 4200 };
    static double a[N], b[N];
    for (int i = 0; i < N; i++) {
        a[i] = i;
        b[i] = 1.05 * i;
    }
    norm_ks exact = compare(N, a, N - 210, b, .01), large = compare(N, a, N - 205, b, .01);
    ck_assert(exact.exact == 1 && large.exact == 0 && exact.p_value > 1e-4);
    ck_assert(fabs(log(large.p_value / exact.p_value)) < .05);
    ck_assert(compare(N, a, N - 1, a, .01).p_value == 1);
    ck_assert(compare(N, a, N, b, .01).exact == 1);
}
END_TEST

/* Heads whose distances are told apart below N = wall and not from there on. */
static uint64_t search(norm_critical *s, uint64_t wall, int *ret_asked)
{
    double measured[40], expected[40];
    for (*ret_asked = 0; s->next != 0; ++*ret_asked) {
        if (s->next <= s->low || s->next > s->high) /* Check's own assertion writes to a pipe each time */
            ck_abort_msg("asks for %llu", (unsigned long long)s->next);
        for (int i = 0; i < 40; i++) {
            expected[i] = i;
            measured[i] = i + (s->next < wall ? 100 : .25);
        }
        norm_ks ks = {.struct_size = sizeof ks};
        const int differ = s->next < wall;
        if (norm_critical_tell(s, 40, measured, expected, &ks, NULL, &error) != LIBNORM_OK || ks.rejected != differ)
            ck_abort_msg("%s: p = %g", error.text, ks.p_value);
    }
    return s->critical;
}

START_TEST(both_searches_find_the_wall)
{
    for (uint64_t high = 1; high <= 40; high += 1 + high / 5)
        for (uint64_t low = 0; low < high; low += 1 + low)
            for (uint64_t wall = low + 1; wall <= high + 1; wall++) {
                norm_critical scan = {.struct_size = sizeof scan}, bisect = scan;
                const uint64_t want = wall <= high ? wall : 0;
                int scans, bisections;
                DONE(norm_critical_start(low, high, .01, LIBNORM_CRITICAL_SCAN, &scan, &error));
                DONE(norm_critical_start(low, high, .01, LIBNORM_CRITICAL_BISECT, &bisect, &error));
                ck_assert_uint_eq(search(&scan, wall, &scans), want);
                ck_assert_uint_eq(search(&bisect, wall, &bisections), want);
                ck_assert_int_eq(scans, (int)((wall <= high ? wall : high) - low));
                ck_assert(bisections <= 1 + (int)ceil(log2((double)(high - low))));
            }
}
END_TEST

START_TEST(lines)
{
    const double x[] = {1, 2, 3, 4}, y[] = {3, 5, 4, 8}, far[] = {1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 4};
    norm_line line = {.struct_size = sizeof line};
    DONE(norm_measure_line(4, x, y, &line, &error));
    same(line.slope, 1.4, 1e-14); /* sums of products of deviations 7 and 5 */
    same(line.intercept, 1.5, 1e-14);
    same(line.r_squared, 49. / 5 / 14, 1e-14);
    same(line.slope_error, sqrt(4.2 / 2 / 5), 1e-14);
    DONE(norm_measure_line(4, far, y, &line, &error));
    same(line.slope, 1.4, 1e-14);
    DONE(norm_measure_line(2, x, y, &line, &error));
    ck_assert(line.slope == 2 && isnan(line.slope_error) && line.r_squared == 1);
    DONE(norm_measure_line(3, x, (double[]){7, 7, 7}, &line, &error));
    ck_assert(line.slope == 0 && line.intercept == 7 && isnan(line.r_squared) && line.slope_error == 0);
    /* The entropy of uniform weights on log n rises with slope 1. */
    double log_n[10];
    for (int i = 0; i < 10; i++)
        log_n[i] = log(2 << i);
    DONE(norm_measure_line(10, log_n, log_n, &line, &error));
    same(line.slope, 1, 1e-15);
}
END_TEST

static norm_ks ks = {.struct_size = sizeof ks, .statistic = 42};
static void refused(norm_status status, const char *text, int line)
{
    ck_assert_msg(status == LIBNORM_E_ARGUMENT, "line %d: %d", line, (int)status);
    ck_assert_msg(strstr(error.text, text) != NULL, "line %d: '%s' lacks '%s'", line, error.text, text);
    ck_assert_msg(ks.statistic == 42, "line %d: written", line);
    error.text[0] = '\0';
}
#define REFUSED(text, call) refused(call, text, __LINE__)

START_TEST(bad_arguments_are_refused_by_name)
{
    const double a[3] = {1, 2, 3}, bad[3] = {1, NAN, 3}, level = .01;
    norm_critical s = {.struct_size = sizeof s};
    norm_line line = {.struct_size = sizeof line, .slope = 42};
    REFUSED("a_count = 0", norm_measure_ks(0, a, 3, a, level, &ks, NULL, &error));
    REFUSED("b_count = 0", norm_measure_ks(3, a, 0, a, level, &ks, NULL, &error));
    REFUSED("a[1] = nan", norm_measure_ks(3, bad, 3, a, level, &ks, NULL, &error));
    REFUSED("b[1] = nan", norm_measure_ks(3, a, 3, bad, level, &ks, NULL, &error));
    REFUSED("a is NULL", norm_measure_ks(3, NULL, 3, a, level, &ks, NULL, &error));
    REFUSED("level = 0", norm_measure_ks(3, a, 3, a, 0, &ks, NULL, &error));
    REFUSED("level = 1", norm_measure_ks(3, a, 3, a, 1, &ks, NULL, &error));
    REFUSED("level = nan", norm_measure_ks(3, a, 3, a, NAN, &ks, NULL, &error));
    REFUSED("norm_ks is NULL", norm_measure_ks(3, a, 3, a, level, NULL, NULL, &error));
    REFUSED("low = 3: expected less than high = 3", norm_critical_start(3, 3, level, 0, &s, &error));
    REFUSED("method = 2", norm_critical_start(0, 3, level, 2, &s, &error));
    REFUSED("level = 2", norm_critical_start(0, 3, 2, 0, &s, &error));
    REFUSED("the search is finished", norm_critical_tell(&s, 3, a, a, &ks, NULL, &error));
    DONE(norm_critical_start(0, 3, level, LIBNORM_CRITICAL_BISECT, &s, &error));
    REFUSED("heads = 0", norm_critical_tell(&s, 0, a, a, &ks, NULL, &error));
    REFUSED("measured[1] = nan", norm_critical_tell(&s, 3, bad, a, &ks, NULL, &error));
    REFUSED("expected[1] = nan", norm_critical_tell(&s, 3, a, bad, &ks, NULL, &error));
    ck_assert(s.next == 3 && s.low == 0 && s.critical == 0);
    s.next = 4;
    REFUSED("next is 4: expected 1 to 3", norm_critical_tell(&s, 3, a, a, &ks, NULL, &error));
    REFUSED("count = 1: expected at least 2", norm_measure_line(1, a, a, &line, &error));
    REFUSED("x[1] = nan", norm_measure_line(3, bad, a, &line, &error));
    REFUSED("y[1] = nan", norm_measure_line(3, a, bad, &line, &error));
    REFUSED("x holds 2 alone", norm_measure_line(2, (double[]){2, 2}, a, &line, &error));
    ck_assert(line.slope == 42);
}
END_TEST

START_TEST(memory_is_the_callers_or_none)
{
    const double a[3] = {1, 2, 3};
    double buffer[100];
    size_t bytes = 0;
    struct support_allocator books;
    DONE(norm_measure_ks_workspace(3, 3, &bytes, &error));
    ck_assert(bytes < sizeof buffer - 1);
    norm_exec exec = {.struct_size = sizeof exec, .workspace = (char *)buffer + 1, .workspace_size = bytes};
    norm_ks own = {.struct_size = sizeof own, .statistic = 42};
    DONE(norm_measure_ks(3, a, 3, a, .01, &own, &exec, &error));
    ck_assert(own.statistic == 0 && own.p_value == 1);
    support_allocator_init(&books, 1);
    const norm_exec counted = {.struct_size = sizeof counted, .allocator = &books.allocator};
    ck_assert_int_eq(norm_measure_ks(3, a, 3, a, .01, &own, &counted, &error), LIBNORM_E_NOMEM);
    ck_assert(books.live == 0);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("statistics");
    TCase *tests = tcase_create("statistics");
    tcase_add_test(tests, samples_of_different_sizes);
    tcase_add_test(tests, equal_sizes_at_the_critical_distance);
    tcase_add_test(tests, the_chance_counted);
    tcase_add_test(tests, large_samples);
    tcase_add_test(tests, both_searches_find_the_wall);
    tcase_add_test(tests, lines);
    tcase_add_test(tests, bad_arguments_are_refused_by_name);
    tcase_add_test(tests, memory_is_the_callers_or_none);
    suite_add_tcase(suite, tests);
    return suite;
}
