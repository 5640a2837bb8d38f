/* SPDX-License-Identifier: MIT */
/* The tests of rows.c for one type: REAL, F() its functions, SMALLEST normal number, LOG_BOUND of log softmax. */

static void F(fill)(int shape, struct support_random *r, size_t n, REAL *ret_z)
{
    for (size_t i = 0; i < n; i++)
        ret_z[i] = (REAL)score(shape, r, i, SMALLEST);
}

START_TEST_OF(F(same_as_the_reference))
{
    struct support_random r = {support_seed(1) + (uint64_t)_i};
    REAL z[longest], w[longest], expect[longest];
    for (size_t n = 1; n <= longest; n++) {
        F(fill)(_i, &r, n, z);
        for (int t = 0; t < n_temperatures; t++) {
            struct norm__softmax_scale scale = norm__softmax_scale(temperatures[t]);
            struct norm__softmax_sums sums, expect_sums;
            const struct norm__kernels *reference = &norm__kernels_scalar;
            check(reference->F(softmax)(z, n, &scale, expect, &expect_sums) == NORM__ROW_ORDINARY, "n %zu", n);
            check(level->F(softmax)(z, n, &scale, w, &sums) == NORM__ROW_ORDINARY, "n %zu", n);
            check(sums.max == expect_sums.max, "n %zu: largest score %.17g", n, sums.max);
            check(fabs(sums.sum / expect_sums.sum - 1) <= 4e-7, "n %zu: sum %.17g", n, sums.sum);
            for (size_t i = 0; i < n; i++) {
                check(w[i] == 0 || w[i] >= SMALLEST, "n %zu: weight %zu is subnormal", n, i);
                int boundary = w[i] == 0 && expect[i] < SMALLEST * (1 + 0x1p-20);
                uint64_t ulp = F(support_ulp)(w[i], expect[i]);
                /* Two errors of 4 2^-52 and of 2^-52 times the difference of scores, of which 708 leave a weight. */
                double bound = sizeof(REAL) == sizeof(float) ? 4 : 2 * (4 - log((double)expect[i]));
                check(boundary || (double)ulp <= bound, "n %zu, T %g: weight %zu of score %.17g is %.17g not %.17g", n,
                      temperatures[t], i, (double)z[i], (double)w[i], (double)expect[i]);
            }
            check(reference->F(log_softmax)(z, n, &scale, expect, &expect_sums) == NORM__ROW_ORDINARY, "n %zu", n);
            check(level->F(log_softmax)(z, n, &scale, w, &sums) == NORM__ROW_ORDINARY, "n %zu", n);
            for (size_t i = 0; i < n; i++) {
                double bound = LOG_BOUND * fmax(1, fabs((double)expect[i]));
                check(w[i] == expect[i] || fabs((double)w[i] - (double)expect[i]) <= bound,
                      "n %zu, T %g: log weight %zu of score %.17g is %.17g not %.17g", n, temperatures[t], i,
                      (double)z[i], (double)w[i], (double)expect[i]);
                check((w[i] == -(REAL)INFINITY) == (z[i] == -(REAL)INFINITY), "n %zu: infinity lost or made at %zu", n,
                      i);
            }
        }
    }
}
END_TEST

/* Runs the kernel on a copy of z at the offset, in place or to an array at another one, and compares the bits. */
static void F(check_place)(const REAL *z, size_t n, const REAL *expect, size_t offset, int in_place, int logarithm)
{
    struct norm__softmax_scale scale = norm__softmax_scale(0.7);
    struct norm__softmax_sums sums;
    struct support_guard from = support_guard_new(n * sizeof(REAL), offset);
    struct support_guard to = support_guard_new(n * sizeof(REAL), 5 * offset + 24);
    memcpy(from.data, z, n * sizeof(REAL));
    REAL *result = in_place ? from.data : to.data;
    int row = (logarithm ? level->F(log_softmax) : level->F(softmax))(from.data, n, &scale, result, &sums);
    check(row == NORM__ROW_ORDINARY, "n %zu: the row is %d", n, row);
    check(memcmp(result, expect, n * sizeof(REAL)) == 0, "n %zu, offset %zu: other bits", n, offset);
    check(support_guard_intact(&from) && support_guard_intact(&to), "n %zu: written outside", n);
    check(in_place || memcmp(from.data, z, n * sizeof(REAL)) == 0, "n %zu: scores overwritten", n);
    support_guard_free(&from);
    support_guard_free(&to);
}

START_TEST_OF(F(same_bits_wherever_the_row_lies))
{
    struct support_random r = {support_seed(2) + (uint64_t)_i};
    struct norm__softmax_scale scale = norm__softmax_scale(0.7);
    struct norm__softmax_sums sums;
    REAL z[longest], w[longest], log_w[longest];
    for (size_t n = 1; n <= longest; n++) {
        F(fill)(_i, &r, n, z);
        errno = 7;
        ck_assert_int_eq(level->F(softmax)(z, n, &scale, w, &sums), NORM__ROW_ORDINARY);
        ck_assert_int_eq(level->F(log_softmax)(z, n, &scale, log_w, &sums), NORM__ROW_ORDINARY);
        ck_assert_int_eq(errno, 7);
        for (size_t offset = 0; offset < 64; offset += sizeof(REAL)) {
            F(check_place)(z, n, w, offset, 0, 0);
            F(check_place)(z, n, w, offset, 1, 0);
            F(check_place)(z, n, log_w, offset, (int)(offset / sizeof(REAL) % 2), 1);
        }
    }
}
END_TEST

/* Both kernels name the row and write nothing. */
static void F(check_kind)(const REAL *z, size_t n, int kind)
{
    struct norm__softmax_scale one = norm__softmax_scale(1), cold = norm__softmax_scale(1e-300);
    REAL w[longest];
    for (int i = 0; i < 4; i++) {
        struct norm__softmax_sums sums = {-1, -2};
        for (size_t j = 0; j < n; j++)
            w[j] = 7;
        int row = (i % 2 == 0 ? level->F(softmax) : level->F(log_softmax))(z, n, i < 2 ? &one : &cold, w, &sums);
        check(row == kind, "n %zu: the row is %d, not %d", n, row, kind);
        for (size_t j = 0; j < n; j++)
            check(w[j] == 7, "n %zu: weight %zu of a row of kind %d was written", n, j, kind);
        check(sums.max == -1 && sums.sum == -2, "n %zu: the sums were written", n);
    }
}

START_TEST_OF(F(nan_is_found_at_every_position))
{
    struct support_random r = {support_seed(3)};
    REAL z[longest];
    for (size_t n = 1; n <= 150; n++) {
        for (size_t at = 0; at < n; at++) {
            F(fill)(0, &r, n, z);
            if (n % 3 == 0)
                z[support_below(&r, n)] = (REAL)INFINITY;
            if (n % 3 == 1)
                F(fill)(4, &r, n, z);
            z[at] = at % 2 == 0 ? (REAL)NAN : -(REAL)NAN;
            F(check_kind)(z, n, NORM__ROW_NAN);
        }
    }
}
END_TEST

START_TEST_OF(F(infinities_are_told_apart))
{
    struct support_random r = {support_seed(4)};
    REAL z[longest];
    for (size_t n = 1; n <= 150; n++) {
        for (size_t i = 0; i < n; i++)
            z[i] = -(REAL)INFINITY;
        F(check_kind)(z, n, NORM__ROW_EMPTY);
        z[support_below(&r, n)] = (REAL)INFINITY;
        F(check_kind)(z, n, NORM__ROW_POS_INF);
        for (size_t at = 0; at < n; at++) {
            F(fill)(0, &r, n, z);
            z[at] = (REAL)INFINITY;
            F(check_kind)(z, n, NORM__ROW_POS_INF);
        }
        /* One finite score among -inf has all the weight. */
        REAL w[longest];
        struct norm__softmax_scale one = norm__softmax_scale(1);
        struct norm__softmax_sums sums;
        size_t at = support_below(&r, n);
        for (size_t i = 0; i < n; i++)
            z[i] = i == at ? -12345 : -(REAL)INFINITY;
        ck_assert_int_eq(level->F(softmax)(z, n, &one, w, &sums), NORM__ROW_ORDINARY);
        for (size_t i = 0; i < n; i++)
            check(w[i] == (i == at), "n %zu: weight %zu is %.17g", n, i, (double)w[i]);
        ck_assert(sums.max == -12345 && sums.sum == 1);
    }
}
END_TEST

START_TEST_OF(F(equal_scores_share_exactly))
{
    struct support_random r = {support_seed(5)};
    REAL z[256], w[256];
    for (int turn = 0; turn < 2000; turn++) {
        size_t n = (size_t)1 << support_below(&r, 9);
        struct norm__softmax_scale scale = norm__softmax_scale(temperatures[support_below(&r, n_temperatures)]);
        struct norm__softmax_sums sums;
        REAL value = (REAL)ldexp(support_uniform(&r, -1, 1), (int)support_below(&r, 60) - 30);
        for (size_t i = 0; i < n; i++)
            z[i] = value;
        check(level->F(softmax)(z, n, &scale, w, &sums) == NORM__ROW_ORDINARY, "n %zu", n);
        check(sums.sum == (double)n, "n %zu: sum %.17g", n, sums.sum);
        for (size_t i = 0; i < n; i++)
            check(w[i] == 1 / (REAL)n, "score %.17g, T %g: weight %.17g of %zu", (double)value, scale.temperature,
                  (double)w[i], n);
    }
}
END_TEST
