/* SPDX-License-Identifier: MIT */
/* Vector-Jacobian products and entropy of one row in the vector vocabulary; softmax_template.h tells the names. */

/* The sum of a b. result is where the caller will write next: on rows that fill the first cache but not the second its
 * lines are fetched meanwhile, or the second pass waits for memory to read what it only overwrites. */
static double F(dot)(const REAL *a, const REAL *b, size_t n, const REAL *result)
{
    enum { step = V(lanes), line = 64 / sizeof(REAL) };
    int fetch = n >= TYPE_FETCH_FROM && n <= TYPE_FETCH_TO;
    TOTAL total = V(total_zero)();
    size_t i = 0;
    for (; n - i >= 4 * step; i += 4 * step) {
        for (size_t j = 0; fetch && j < 4 * step; j += line)
            NORM__FETCH_TO_WRITE(result + i + j);
        VEC x = V(mul)(V(load)(a + i), V(load)(b + i));
        VEC y = V(mul)(V(load)(a + i + step), V(load)(b + i + step));
        x = V(fma)(V(load)(a + i + 2 * step), V(load)(b + i + 2 * step), x);
        y = V(fma)(V(load)(a + i + 3 * step), V(load)(b + i + 3 * step), y);
        V(total_add)(&total, V(add)(x, y));
    }
    for (; n - i >= step; i += step)
        V(total_add)(&total, V(mul)(V(load)(a + i), V(load)(b + i)));
    if (i < n)
        V(total_add)(&total, V(mul)(V(load_part)(a + i, n - i, 0), V(load_part)(b + i, n - i, 0)));
    return V(total_value)(&total);
}

static double F(sum)(const REAL *a, size_t n)
{
    enum { step = V(lanes) };
    TOTAL total = V(total_zero)();
    size_t i = 0;
    for (; n - i >= 4 * step; i += 4 * step) {
        VEC x = V(load)(a + i), y = V(load)(a + i + step);
        VEC v = V(load)(a + i + 2 * step), w = V(load)(a + i + 3 * step);
        V(total_add_4)(&total, x, y, v, w);
    }
    for (; n - i >= step; i += step)
        V(total_add)(&total, V(load)(a + i));
    if (i < n)
        V(total_add)(&total, V(load_part)(a + i, n - i, 0));
    return V(total_value)(&total);
}

static void F(softmax_vjp)(const REAL *w, const REAL *g, size_t n, double temperature, REAL *ret_d)
{
    if (!norm__temperature_moderate(temperature)) {
        norm__kernels_scalar.F(softmax_vjp)(w, g, n, temperature, ret_d);
        return;
    }
    VEC dot = V(set)((REAL)F(dot)(w, g, n, ret_d)), inverse = V(set)((REAL)(1 / temperature));
    size_t i = 0;
    /* The weight last: it may be tiny, and a product that is subnormal has lost digits. */
    for (; n - i >= V(lanes); i += V(lanes))
        V(store)(ret_d + i, V(mul)(V(mul)(V(sub)(V(load)(g + i), dot), inverse), V(load)(w + i)));
    if (i < n) {
        VEC x = V(mul)(V(sub)(V(load_part)(g + i, n - i, 0), dot), inverse);
        V(store_part)(ret_d + i, n - i, V(mul)(x, V(load_part)(w + i, n - i, 0)));
    }
}

static void F(log_softmax_vjp)(const REAL *w, const REAL *g, size_t n, double temperature, REAL *ret_d)
{
    if (!norm__temperature_moderate(temperature)) {
        norm__kernels_scalar.F(log_softmax_vjp)(w, g, n, temperature, ret_d);
        return;
    }
    VEC less = V(set)((REAL)(-F(sum)(g, n))), inverse = V(set)((REAL)(1 / temperature));
    size_t i = 0;
    for (; n - i >= V(lanes); i += V(lanes))
        V(store)(ret_d + i, V(mul)(V(fma)(V(load)(w + i), less, V(load)(g + i)), inverse));
    if (i < n) {
        VEC x = V(fma)(V(load_part)(w + i, n - i, 0), less, V(load_part)(g + i, n - i, 0));
        V(store_part)(ret_d + i, n - i, V(mul)(x, inverse));
    }
}

static double F(entropy)(const REAL *p, size_t n)
{
    enum { step = v64_lanes };
    v64_total total = v64_total_zero();
    size_t i = 0;
    for (; n - i >= 4 * step; i += 4 * step) {
        v64 a = p_log_p(W(load)(p + i)), b = p_log_p(W(load)(p + i + step));
        v64 c = p_log_p(W(load)(p + i + 2 * step)), d = p_log_p(W(load)(p + i + 3 * step));
        v64_total_add_4(&total, a, b, c, d);
    }
    for (; n - i >= step; i += step)
        v64_total_add(&total, p_log_p(W(load)(p + i)));
    if (i < n)
        v64_total_add(&total, p_log_p(W(load_part)(p + i, n - i, 0)));
    return 0 - v64_total_value(&total);
}
