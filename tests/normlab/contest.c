/* SPDX-License-Identifier: MIT */
/* What normlab bench measures with: quartiles, turns, kinds of scores, the product it compares with. The clock here is
 * the test's own, so that times are exact. */
#include "bench/contest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/product.h"
#include "bench/scores.h"
#include "support/support.h"

static double now;
static char order[4096];

struct worker {
    char letter;
    double seconds; /* a piece */
    double growth;  /* of them with every call */
    int calls, failing_call;
};

static double fake_clock(void)
{
    return now;
}

static bool work(void *user, size_t pieces)
{
    struct worker *w = user;
    const size_t length = strlen(order);
    if (length + 1 < sizeof order) {
        order[length] = w->letter;
        order[length + 1] = '\0';
    }
    if (++w->calls == w->failing_call)
        return false;
    now += w->seconds * (double)pieces;
    w->seconds *= w->growth;
    return true;
}

START_TEST(quartiles_are_on_straight_lines)
{
    double one[] = {7}, four[] = {4, 1, 3, 2}, five[] = {50, 10, 40, 20, 30};
    struct quartiles q = quartiles_find(one, 1);
    ck_assert(q.low == 7 && q.median == 7 && q.high == 7);
    q = quartiles_find(four, 4);
    ck_assert(q.low == 1.75 && q.median == 2.5 && q.high == 3.25);
    q = quartiles_find(five, 5);
    ck_assert(q.low == 20 && q.median == 30 && q.high == 40);
}
END_TEST

START_TEST(contenders_take_turns_and_are_compared_within_a_round)
{
    /* Both slow down alike: their times grow with every call, the ratio of a round stays. */
    struct worker a = {'A', 3e-3, 1.25, 0, 0}, b = {'B', 1e-3, 1.25, 0, 0};
    struct contest contest = {.clock = fake_clock, .sample = 1e-6, .budget = 1e9, .most_rounds = 5};
    contest_add(&contest, "a", work, &a, 2);
    contest_add(&contest, "b", work, &b, 4);
    order[0] = '\0';
    ck_assert(contest_run(&contest));
    ck_assert_str_eq(order, "AABBABABABABAB"); /* two each to size the sample */
    ck_assert_uint_eq(contest.rounds, 5);
    const struct contender *first = &contest.contender[0], *second = &contest.contender[1];
    ck_assert(first->pieces == 1 && second->pieces == 1);
    ck_assert(first->ratio.low == 1 && first->ratio.high == 1);
    ck_assert(fabs(second->ratio.low - 6) < 1e-9 && fabs(second->ratio.median - 6) < 1e-9 &&
              fabs(second->ratio.high - 6) < 1e-9);
    ck_assert(fabs(first->seconds.median - 1.5e-3 * pow(1.25, 4)) < 1e-12);
    ck_assert(fabs(second->seconds.high - .25e-3 * pow(1.25, 5)) < 1e-12);
}
END_TEST

START_TEST(a_sample_has_as_many_pieces_as_fill_it)
{
    struct worker quick = {'q', 1e-6, 1, 0, 0}, slow = {'s', 1, 1, 0, 0};
    struct contest contest = {.clock = fake_clock, .sample = 1e-3, .budget = 10, .most_rounds = 15};
    contest_add(&contest, "quick", work, &quick, 1);
    contest_add(&contest, "slow", work, &slow, 1);
    ck_assert(contest_run(&contest));
    ck_assert(contest.contender[0].pieces >= 990 && contest.contender[0].pieces <= 1010);
    ck_assert_uint_eq(contest.contender[1].pieces, 1);
    ck_assert_uint_eq(contest.rounds, 9); /* of about 1.001 seconds each */
    ck_assert(fabs(contest.contender[1].ratio.median - 1e-6) < 1e-12);
    contest.count = 0;
    contest.budget = 1e-3;
    contest_add(&contest, "slow", work, &slow, 1);
    ck_assert(contest_run(&contest));
    ck_assert_uint_eq(contest.rounds, 3); /* and never fewer */
}
END_TEST

START_TEST(warming_up_is_outside_the_time)
{
    struct worker a = {'A', 1e-3, 1, 0, 0};
    struct contest contest = {.clock = fake_clock, .sample = 1e-9, .budget = 1, .most_rounds = 3, .warm = true};
    contest_add(&contest, "a", work, &a, 1);
    order[0] = '\0';
    ck_assert(contest_run(&contest));
    ck_assert_str_eq(order, "AAAAAAAA");
    ck_assert(fabs(contest.contender[0].seconds.median - 1e-3) < 1e-12);
}
END_TEST

START_TEST(a_contender_that_fails_ends_it)
{
    for (int call = 1; call <= 5; call++) {
        struct worker a = {'A', 1e-3, 1, 0, 0}, b = {'B', 1e-3, 1, 0, call};
        struct contest contest = {.clock = fake_clock, .sample = 1e-9, .budget = 1, .most_rounds = 3};
        contest_add(&contest, "a", work, &a, 1);
        contest_add(&contest, "b", work, &b, 1);
        ck_assert(!contest_run(&contest));
        ck_assert_int_eq(b.calls, call);
    }
}
END_TEST

/* A clock that stands still must not hang or divide by zero. */
START_TEST(no_time_at_all_is_survived)
{
    struct worker a = {'A', 0, 1, 0, 0};
    struct contest contest = {.clock = fake_clock, .sample = 1e-3, .budget = 1, .most_rounds = 4};
    contest_add(&contest, "a", work, &a, 1);
    ck_assert(contest_run(&contest));
    ck_assert_uint_eq(contest.rounds, 4);
    ck_assert(contest.contender[0].seconds.median == 0);
}
END_TEST

static double mean_of(const double *z, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += z[i];
    return sum / (double)n;
}

START_TEST(scores_are_what_their_names_say)
{
    enum { n = 1000, rows = 3 };
    static double z[rows * n], again[rows * n], sorted[rows * n];
    for (int kind = 0; kind < SCORES_KINDS; kind++) {
        enum scores read;
        ck_assert(scores_read(scores_name((enum scores)kind), &read) && read == (enum scores)kind);
        scores_fill(read, rows, n, z);
        scores_fill(read, rows, n, again);
        ck_assert(memcmp(z, again, sizeof z) == 0);
        for (size_t i = 0; i < rows * n; i++)
            ck_assert(isfinite(z[i]) && fabs(z[i]) < 20);
    }
    scores_fill(SCORES_NORMAL, rows, n, z);
    scores_fill(SCORES_SORTED, rows, n, sorted);
    scores_fill(SCORES_NORMAL3, rows, n, again);
    double square = 0, square3 = 0;
    for (size_t i = 0; i < n; i++) {
        square += z[i] * z[i] / n;
        square3 += again[i] * again[i] / n;
        ck_assert(i == 0 || sorted[i - 1] <= sorted[i]);
    }
    ck_assert(fabs(mean_of(z, n)) < .15 && fabs(square - 1) < .2 && fabs(square3 - 9) < 1.8);
    ck_assert(fabs(mean_of(z, n) - mean_of(sorted, n)) < 1e-12);
    ck_assert(memcmp(z, z + n, n * sizeof *z) != 0);
    scores_fill(SCORES_EQUAL, 1, n, z);
    ck_assert(z[0] == 1 && z[n - 1] == 1);
    scores_fill(SCORES_ARITHMETIC, 1, 8, z);
    for (int i = 0; i < 8; i++)
        ck_assert(z[i] == i);
    scores_fill(SCORES_GEOMETRIC, 1, 20, z);
    for (int i = 0; i < 20; i++)
        ck_assert(fabs(8 - z[i] - 8 * pow(.5, i)) < 1e-12);
    scores_fill(SCORES_TWO_LEVEL, 1, n, z);
    size_t ones = 0;
    for (size_t i = 0; i < n; i++) {
        ck_assert(z[i] == 0 || z[i] == 1);
        ones += z[i] == 1;
    }
    ck_assert(ones > 400 && ones < 600);
    scores_fill(SCORES_NORMAL, 1, 1, z); /* an odd count */
    ck_assert(isfinite(z[0]));
}
END_TEST

START_TEST(the_product_is_one)
{
    float a[70], b[70], c[71];
    double wide_a[70], wide_b[70], wide_c[71];
    for (size_t i = 0; i < 70; i++) {
        wide_a[i] = a[i] = (float)i + .5f;
        wide_b[i] = b[i] = 3 - (float)i;
    }
    for (size_t n = 0; n <= 70; n++) {
        c[n] = -7;
        wide_c[n] = -7;
        product_f32(a, b, n, c);
        product_f64(wide_a, wide_b, n, wide_c);
        for (size_t i = 0; i < n; i++)
            ck_assert(c[i] == a[i] * b[i] && wide_c[i] == wide_a[i] * wide_b[i]);
        ck_assert(c[n] == -7 && wide_c[n] == -7);
    }
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("normlab-contest");
    TCase *tests = tcase_create("contest");
    tcase_add_test(tests, quartiles_are_on_straight_lines);
    tcase_add_test(tests, contenders_take_turns_and_are_compared_within_a_round);
    tcase_add_test(tests, a_sample_has_as_many_pieces_as_fill_it);
    tcase_add_test(tests, warming_up_is_outside_the_time);
    tcase_add_test(tests, a_contender_that_fails_ends_it);
    tcase_add_test(tests, no_time_at_all_is_survived);
    tcase_add_test(tests, scores_are_what_their_names_say);
    tcase_add_test(tests, the_product_is_one);
    suite_add_tcase(suite, tests);
    return suite;
}
