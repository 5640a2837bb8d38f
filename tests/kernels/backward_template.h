/* SPDX-License-Identifier: MIT */
/* The tests of backward.c for one type: REAL, F() its functions, BOUND of the products, TINY the smallest subnormal. */

static REAL F(long_w)[long_row], F(long_g)[long_row], F(long_d)[long_row];

/* Weights of a row with standard deviation spread, some of them 0, and gradients. */
static void F(fill)(struct support_random *r, size_t n, double spread, REAL *ret_w, REAL *ret_g)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        ret_w[i] = (REAL)(support_below(r, 8) == 0 ? 0 : exp(fmin(spread * support_normal(r), 80)));
        sum += (double)ret_w[i];
        ret_g[i] = (REAL)(10 * support_normal(r) + 3);
    }
    for (size_t i = 0; i < n && sum > 0; i++)
        ret_w[i] = (REAL)((double)ret_w[i] / sum);
}

static void F(check_products)(const REAL *w, const REAL *g, size_t n, double temperature, REAL *d)
{
    long double dot = 0, sum = 0, size_of_dot = 0, size_of_sum = 0, t = temperature;
    for (size_t i = 0; i < n; i++) {
        dot += (long double)w[i] * g[i];
        sum += g[i];
        size_of_dot += fabsl((long double)w[i] * g[i]);
        size_of_sum += fabsl(g[i]);
    }
    level->F(softmax_vjp)(w, g, n, temperature, d);
    for (size_t i = 0; i < n; i++) {
        long double expect = w[i] * (g[i] - dot) / t, bound = BOUND * w[i] * (fabsl(g[i]) + size_of_dot) / t + TINY;
        check((REAL)expect == d[i] || fabsl(d[i] - expect) <= bound, "n %zu, T %g: gradient %zu is %.17g not %.17g", n,
              temperature, i, (double)d[i], (double)expect);
    }
    level->F(log_softmax_vjp)(w, g, n, temperature, d);
    for (size_t i = 0; i < n; i++) {
        long double expect = (g[i] - w[i] * sum) / t, bound = BOUND * (fabsl(g[i]) + w[i] * size_of_sum) / t + TINY;
        check((REAL)expect == d[i] || fabsl(d[i] - expect) <= bound,
              "n %zu, T %g: gradient %zu of the logarithm is %.17g not %.17g", n, temperature, i, (double)d[i],
              (double)expect);
    }
}

START_TEST_OF(F(products_are_within_the_bound))
{
    static const double spreads[] = {0, 0.3, 1, 5, 30};
    struct support_random r = {support_seed(5)};
    for (size_t n = 1; n <= longest; n++) {
        F(fill)(&r, n, spreads[n % 5], F(long_w), F(long_g));
        for (int t = 0; t < n_temperatures; t++)
            F(check_products)(F(long_w), F(long_g), n, temperatures[t], F(long_d));
    }
    for (int s = 0; s < 5; s++) {
        F(fill)(&r, long_row - 1, spreads[s], F(long_w), F(long_g));
        F(check_products)(F(long_w), F(long_g), long_row - 1, 0.7, F(long_d));
    }
}
END_TEST

START_TEST_OF(F(products_have_the_same_bits_wherever_the_row_lies))
{
    struct support_random r = {support_seed(6)};
    REAL w[longest], g[longest], expect[longest];
    for (size_t n = 1; n <= longest; n += n < 70 ? 1 : 7) {
        F(fill)(&r, n, 1, w, g);
        for (size_t offset = 0; offset < 64; offset += sizeof(REAL)) {
            for (int i = 0; i < 6; i++) {
                void (*vjp)(const REAL *, const REAL *, size_t, double, REAL *) =
                    i < 3 ? level->F(softmax_vjp) : level->F(log_softmax_vjp);
                vjp(w, g, n, 0.7, expect);
                struct support_guard a = support_guard_new(n * sizeof(REAL), offset);
                struct support_guard b = support_guard_new(n * sizeof(REAL), 3 * offset + 40);
                struct support_guard d = support_guard_new(n * sizeof(REAL), 5 * offset + 24);
                memcpy(a.data, w, n * sizeof(REAL));
                memcpy(b.data, g, n * sizeof(REAL));
                REAL *result = i % 3 == 0 ? a.data : i % 3 == 1 ? b.data : d.data;
                vjp(a.data, b.data, n, 0.7, result);
                check(memcmp(result, expect, n * sizeof(REAL)) == 0, "n %zu, offset %zu: other bits", n, offset);
                check(support_guard_intact(&a) && support_guard_intact(&b) && support_guard_intact(&d),
                      "n %zu, offset %zu: written outside", n, offset);
                support_guard_free(&a);
                support_guard_free(&b);
                support_guard_free(&d);
            }
        }
    }
}
END_TEST

START_TEST_OF(F(entropy_is_within_the_bound))
{
    static const double spreads[] = {0, 0.3, 1, 5, 30};
    struct support_random r = {support_seed(7)};
    for (size_t i = 0; i < 2 * longest + 5; i++) {
        size_t n = i < 2 * longest ? i / 2 + 1 : long_row - 3;
        F(fill)(&r, n, spreads[i % 5], F(long_w), F(long_g));
        if (i < 2 * longest && i % 2 == 0) /* almost all on one */
            F(long_w)[i % n] = 1 - (i % 4 == 0 ? (REAL)0x1p-23 : (REAL)0.01);
        long double sum = 0, error = 0;
        for (size_t j = 0; j < n; j++)
            add(&sum, &error, F(long_w)[j] == 0 ? 0 : F(long_w)[j] * logl(F(long_w)[j]));
        long double expect = -(sum + error);
        struct support_guard guard = support_guard_new(n * sizeof(REAL), i * sizeof(REAL));
        memcpy(guard.data, F(long_w), n * sizeof(REAL));
        double entropy = level->F(entropy)(guard.data, n);
        check(fabsl(entropy - expect) <= ENTROPY_BOUND * fabsl(expect), "n %zu: %.17g not %.17g", n, entropy,
              (double)expect);
        support_guard_free(&guard);
    }
}
END_TEST

START_TEST_OF(F(entropy_of_special_rows))
{
    REAL p[longest];
    errno = 7;
    for (size_t n = 1; n <= 70; n++) {
        for (size_t i = 0; i < n; i++)
            p[i] = i == n / 2;
        double entropy = level->F(entropy)(p, n);
        ck_assert(entropy == 0 && !signbit(entropy));
        p[n / 3] = (REAL)NAN;
        ck_assert(isnan(level->F(entropy)(p, n)));
        for (size_t i = 0; i < n; i++)
            p[i] = (REAL)0.25;
        ck_assert_double_le(fabs(level->F(entropy)(p, n) - (double)n * 0.34657359027997264), 1e-15 * (double)n);
    }
    ck_assert_int_eq(errno, 7);
}
END_TEST
