/* SPDX-License-Identifier: MIT */
#include "errors.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libnorm/norm.h>

#include "exact.h"
#include "support/support.h"

enum { vjp_longest = 24 };

const char *const errors_specs[] = {
    "softmax",
    "softmax:temperature=0.25",
    "softmax1",
    "topk:k=3",
    "topk:k=5,renormalize=0",
    "sparsemax",
    "sparsemax:temperature=0.3",
    "entmax:alpha=1",
    "entmax:alpha=1.0001",
    "entmax:alpha=1.05",
    "entmax:alpha=1.25",
    "entmax:alpha=1.5",
    "entmax:alpha=1.5,temperature=3",
    "entmax:alpha=1.75",
    "entmax:alpha=2",
    "entmax:alpha=3",
    "normmax:gamma=1.5",
    "normmax",
    "normmax:gamma=4",
    "ssmax",
    "ssmax:s=-0.3,b=1.5",
    "asentmax",
    "asentmax:alpha=1.25,gamma=-0.5",
    "sasoftmax",
    "sasoftmax:variant=2",
    "adaptive",
    "sigmoid",
    "sigmoid:bias=2,length=0",
    "relu",
    "relu:power=2,decay=0.5",
    "lssa",
    "lssa:scale=0.7",
    "lssar:scale=0.7",
    "lssar:scale=0.7,p=15",
    "softpick",
    "softpick:epsilon=0.1",
    "softplus",
    "elu1",
    "square1",
};
const size_t errors_spec_count = sizeof errors_specs / sizeof errors_specs[0];

static norm_normalizer *parse(const char *spec)
{
    norm_error error = {sizeof error, 0, 0, ""};
    norm_normalizer *n = NULL;
    if (norm_normalizer_parse(spec, strlen(spec), NULL, &n, &error) != LIBNORM_OK) {
        fprintf(stderr, "%s: %s\n", spec, error.text);
        exit(EXIT_FAILURE);
    }
    return n;
}

static void need(norm_status status)
{
    if (status == LIBNORM_OK)
        return;
    fprintf(stderr, "%s\n", norm_status_name(status));
    exit(EXIT_FAILURE);
}

static void draw(struct support_random *random, size_t longest, size_t *ret_n, double *z, double *g)
{
    static const double deviations[] = {0.1, 1, 3, 10}, centres[] = {0, 0, 20, -20};
    const double deviation = deviations[support_below(random, 4)], centre = centres[support_below(random, 4)];
    const size_t n = 1 + support_below(random, support_below(random, 2) ? longest : longest < 8 ? longest : 8);
    for (size_t i = 0; i < n; i++) {
        /* Of single precision, so that both widths see the same scores. */
        z[i] = (double)(float)(centre + deviation * support_normal(random));
        g[i] = (double)(float)support_normal(random);
    }
    if (support_below(random, 10) == 0)
        z[n - 1] = z[0];
    *ret_n = n;
}

/* One row in one width. weights of a row, and the gradient of the same. */
struct given {
    double *w, *d;
};

static void run_f32(const norm_normalizer *n, const norm_rows *rows, const double *z, const double *g, size_t count,
                    struct given *ret)
{
    float *in = malloc(3 * count * sizeof *in), *up = in + count, *out = up + count;
    for (size_t i = 0; i < count; i++) {
        in[i] = (float)z[i];
        up[i] = (float)g[i];
    }
    need(norm_apply_f32(n, rows, in, out, NULL, NULL, NULL));
    for (size_t i = 0; i < count; i++)
        ret->w[i] = (double)out[i];
    /* With the weights that apply gave, as training does. */
    need(norm_vjp_f32(n, rows, in, out, up, out, NULL, NULL));
    for (size_t i = 0; i < count; i++)
        ret->d[i] = (double)out[i];
    free(in);
}

static void run_f64(const norm_normalizer *n, const norm_rows *rows, const double *z, const double *g, size_t count,
                    struct given *ret)
{
    (void)count;
    need(norm_apply_f64(n, rows, z, ret->w, NULL, NULL, NULL));
    need(norm_vjp_f64(n, rows, z, ret->w, g, ret->d, NULL, NULL));
}

/* The constant that norm_jacobian_norms_f64 has for all scores; where there is none, its bound or the norm itself of
 * this row, but not less than softmax's constant: rounding of weights near 1 stays where the Jacobian vanishes. */
static double jacobian_bound(const norm_normalizer *n, const norm_rows *rows, const double *z)
{
    double spectral, bound, constant, temperature = 1;
    norm_normalizer_get(n, "temperature", &temperature);
    const norm_jacobian_norms norms = {sizeof norms, 0, &spectral, NULL, &bound, &constant};
    need(norm_jacobian_norms_f64(n, rows, z, &norms, NULL, NULL));
    return isfinite(constant) ? constant : fmax(isfinite(bound) ? bound : spectral, 0.5 / temperature);
}

static void larger(double *worst, double error)
{
    if (!(error <= *worst)) /* NaN is the worst there is */
        *worst = error;
}

struct width {
    int digits;
    double least;
};

static void compare_weights(struct errors *e, const struct width *width, uint64_t properties, const double *w,
                            const double *exact, const double *rounding, size_t n)
{
    double largest = 1, sum = 0;
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs(exact[i]));
        sum += w[i];
    }
    for (size_t i = 0; i < n; i++) {
        const double error = fabs((w[i] - exact[i]) - rounding[i]);
        int exponent;
        larger(&e->weight, error / largest);
        if ((properties & LIBNORM_PROPERTY_SPARSE) || fabs(exact[i]) < width->least * (1 + 0x1p-20))
            continue;
        frexp(exact[i], &exponent);
        larger(&e->weight_ulp, ldexp(error, width->digits - exponent));
    }
    if (properties & LIBNORM_PROPERTY_SIMPLEX)
        larger(&e->sum, fabs(sum - 1));
}

static void compare_vjp(struct errors *e, const double *d, const double *exact, const double *rounding,
                        const double *g, double bound, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(g[i]));
    for (size_t i = 0; i < n; i++) {
        const double error = fabs((d[i] - exact[i]) - rounding[i]);
        if (error > 1e-50 * largest) /* differences of 280 bits have less left than 0 */
            larger(&e->vjp, error / (bound * largest));
    }
}

/* exact + rest is the number to twice the digits of double. */
static void split(mpfr_t *x, size_t n, double *exact, double *rest)
{
    for (size_t i = 0; i < n; i++) {
        exact[i] = mpfr_get_d(x[i], MPFR_RNDN);
        mpfr_sub_d(x[i], x[i], exact[i], MPFR_RNDN);
        rest[i] = mpfr_get_d(x[i], MPFR_RNDN);
    }
}

struct measured errors_measure(const char *spec, size_t rows, size_t longest, uint64_t seed)
{
    static const struct width f32 = {FLT_MANT_DIG, (double)FLT_MIN}, f64 = {DBL_MANT_DIG, DBL_MIN};
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(spec, ":"), spec);
    norm_normalizer *n = parse(spec);
    struct exact *exact = exact_new(n, name, longest);
    struct support_random random = {seed};
    struct measured m = {{0, 0, 0, 0}, {0, 0, 0, 0}, 0, 0};
    double *memory = malloc(8 * longest * sizeof *memory);
    if (exact == NULL || memory == NULL) {
        fprintf(stderr, "%s: no formula, or no memory\n", name);
        exit(EXIT_FAILURE);
    }
    double *z = memory, *g = z + longest, *whole = g + longest, *rest = whole + longest;
    struct given narrow = {rest + longest, rest + 2 * longest}, wide = {rest + 3 * longest, rest + 4 * longest};
    const uint64_t properties = norm_normalizer_properties(n);
    for (; m.rows < rows; m.rows++) {
        size_t count;
        draw(&random, longest, &count, z, g);
        const norm_rows row = {.struct_size = sizeof row, .batch = 1, .rows = 1, .cols = count};
        run_f32(n, &row, z, g, count, &narrow);
        run_f64(n, &row, z, g, count, &wide);
        split(exact_weights(exact, z, count), count, whole, rest);
        compare_weights(&m.f32, &f32, properties, narrow.w, whole, rest, count);
        compare_weights(&m.f64, &f64, properties, wide.w, whole, rest, count);
        bool tie = false;
        for (size_t i = 1; i < count; i++)
            tie |= z[i] == z[0];
        if (count > vjp_longest || exact_margin(exact) < 1e-6 || tie)
            continue;
        const double bound = jacobian_bound(n, &row, z);
        split(exact_vjp(exact, z, g, count), count, whole, rest);
        compare_vjp(&m.f32, narrow.d, whole, rest, g, bound, count);
        compare_vjp(&m.f64, wide.d, whole, rest, g, bound, count);
        m.vjp_rows++;
    }
    free(memory);
    exact_free(exact);
    norm_normalizer_free(n);
    return m;
}
