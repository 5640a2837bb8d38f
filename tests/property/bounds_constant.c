/* SPDX-License-Identifier: MIT */
/* The constant of every normalizer against its own Jacobian, and the keys against the registry. */
#include "bounds_draw.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 12, KEYS = 8, ROWS = 3000 };

struct setting {
    norm_normalizer *n;
    norm_normalizer_info info;
    const char *keys[KEYS];
    double values[KEYS];
};

static norm_key_info key_of(size_t index, size_t k)
{
    norm_key_info key = {.struct_size = sizeof key};
    DONE(norm_registry_key(index, k, &key, &error));
    return key;
}

/* Every key at its default, or near it, or at an end of its range. */
static double draw_value(struct support_random *r, const norm_key_info *key)
{
    double value = key->flags & LIBNORM_KEY_REQUIRED ? key->low : key->default_value;
    if (key->flags & LIBNORM_KEY_INTEGER) {
        value += (double)support_below(r, 4);
        return value <= key->high ? value : key->low;
    }
    if (support_below(r, 3) == 0)
        return value;
    if (support_below(r, 8) == 0 && isfinite(key->low) && !(key->flags & LIBNORM_KEY_LOW_OPEN))
        return key->low;
    double low = fmax(key->low, strcmp(key->name, "temperature") == 0 ? 0.2 : -3), high = fmin(key->high, low + 4);
    return support_uniform(r, low + 1e-3, high);
}

static struct setting draw_setting(struct support_random *r, size_t index)
{
    struct setting s = {.info = {.struct_size = sizeof s.info}};
    char text[256];
    DONE(norm_registry_get(index, &s.info, &error));
    TRUE(s.info.keys <= KEYS);
    int length = snprintf(text, sizeof text, "%s", s.info.name);
    for (size_t k = 0; k < s.info.keys; k++) {
        norm_key_info key = key_of(index, k);
        s.keys[k] = key.name;
        s.values[k] = draw_value(r, &key);
        length += snprintf(text + length, sizeof text - (size_t)length, "%c%s=%.17g", k == 0 ? ':' : ',', key.name,
                           s.values[k]);
    }
    DONE(norm_normalizer_parse(text, (size_t)length, NULL, &s.n, &error));
    return s;
}

/* || J v || / || v ||, v grown towards the largest: never above ||J||_2. */
static double stretch(const norm_normalizer *n, size_t count, const double *z, const double *w,
                      struct support_random *r)
{
    norm_rows rows = {.struct_size = sizeof rows, .batch = 1, .rows = 1, .cols = count};
    double v[MOST], u[MOST], best = 0;
    size_t spike = support_below(r, count);
    for (size_t i = 0; i < count; i++)
        v[i] = support_normal(r) * (support_below(r, 2) == 0 && i != spike ? 0.1 : 1);
    for (int step = 0; step < 6; step++) {
        double length = draw_length(v, count);
        if (!(length > 1e-150))
            break;
        for (size_t i = 0; i < count; i++)
            v[i] /= length;
        DONE(norm_jvp_f64(n, &rows, z, w, v, u, NULL, &error));
        best = fmax(best, draw_length(u, count));
        DONE(norm_vjp_f64(n, &rows, z, w, u, v, NULL, &error));
    }
    return best;
}

/* Nearly equal top scores at times: where sharp normalizers have their steepest rows. */
static void draw_row(struct support_random *r, size_t count, double *z)
{
    draw_scores(r, count, z);
    if (support_below(r, 2) == 0)
        for (size_t i = 1; i < count; i++)
            z[i] = support_below(r, 2) == 0 ? z[0] * (1 + 0.1 * support_normal(r)) : z[i];
}

START_TEST(no_jacobian_exceeds_its_constant)
{
    uint64_t seed = support_seed(1);
    struct support_random r = {seed};
    int finite = 0;
    for (size_t index = 0; index < norm_registry_count(); index++)
        for (int row = 0; row < ROWS; row++) {
            struct setting s = draw_setting(&r, index);
            size_t count = 1 + support_below(&r, MOST);
            double z[MOST], w[MOST], most = 0, bound = -1;
            draw_row(&r, count, z);
            for (size_t i = 0; i < count; i++)
                most = fmax(most, fabs(z[i]));
            norm_status status =
                norm_bound_normalizer_gradient(s.info.name, s.keys, s.values, s.info.keys, count, most, &bound, &error);
            HOLDS(status == LIBNORM_OK || status == LIBNORM_E_UNSUPPORTED, "%s", error.text);
            if (status == LIBNORM_OK && isfinite(bound)) {
                norm_rows rows = {.struct_size = sizeof rows, .batch = 1, .rows = 1, .cols = count};
                DONE(norm_apply_f64(s.n, &rows, z, w, NULL, NULL, &error));
                double norm = stretch(s.n, count, z, w, &r);
                HOLDS(norm <= bound * (1 + 1e-9) + 1e-12, "%s, n %zu, row %d: %.17g > %.17g, seed %llu", s.info.name,
                      count, row, norm, bound, (unsigned long long)seed);
                finite++;
            }
            norm_normalizer_free(s.n);
        }
    ck_assert_int_gt(finite, 10000);
}
END_TEST

static double constant(const char *name, size_t keys, const char *const *names, const double *values, size_t count)
{
    double bound = -1;
    DONE(norm_bound_normalizer_gradient(name, names, values, keys, count, 3, &bound, &error));
    return bound;
}

START_TEST(constants_that_are_attained)
{
    static const char *const alpha[] = {"alpha"}, *const gamma[] = {"gamma"};
    static const double two[2] = {.5, .5};
    double norm = 0, p[2];
    TRUE(constant("softmax", 0, NULL, NULL, 2) == 0.5 && constant("softmax", 0, NULL, NULL, 1) == 0);
    for (double a = 1; a <= 5; a += 0.25) { /* two weights: p^(2 - alpha), the middle or an end */
        double most = 0;
        for (double t = 0x1p-40; t < 1; t = t < 0.5 ? t * 1.25 : t + 0.01) {
            p[0] = pow(t, 2 - a);
            p[1] = pow(1 - t, 2 - a);
            DONE(norm_bound_jacobian_spectral(2, p, 0, &norm, &error));
            most = fmax(most, norm);
        }
        p[0] = p[1] = pow(0.5, 2 - a);
        DONE(norm_bound_jacobian_spectral(2, p, 0, &norm, &error));
        most = fmax(most, norm);
        double bound = constant("entmax", 1, alpha, &a, 2);
        HOLDS(most <= bound * (1 + 1e-12) && most >= bound * (a > 2 && a < 3 ? 0.98 : 1 - 1e-12), "alpha %g: %g, %g", a,
              most, bound);
    }
    DONE(norm_bound_jacobian_spectral(2, (const double[]){1, 1}, 0, &norm, &error));
    TRUE(norm == constant("sparsemax", 0, NULL, NULL, 7));
    TRUE(constant("sigmoid", 0, NULL, NULL, 7) == 0.25 && constant("relu", 0, NULL, NULL, 4) == 0.25);
    DONE(norm_bound_jacobian_spectral(2, two, 0, &norm, &error));
    TRUE(norm == constant("square1", 0, NULL, NULL, 2)); /* two scores of 1: slopes 1 */
    TRUE(isinf(constant("entmax", 1, alpha, (const double[]){2.5}, 3)));
    TRUE(isinf(constant("normmax", 1, gamma, (const double[]){2.5}, 3)));
    TRUE(constant("normmax", 1, gamma, (const double[]){2}, 50) == 50);
}
END_TEST

/* For more than two weights the value at two equal ones, 2^(alpha - 2), is passed: first at these lengths. */
START_TEST(entmax_exceeds_its_value_at_two_equal_weights)
{
    static const struct {
        double alpha;
        size_t n;
    } cases[] = {{1.9, 9}, {1.75, 14}, {1.5, 48}, {1.25, 1674}};
    static double p[1674];
    for (size_t k = 0; k < 4; k++)
        for (size_t n = cases[k].n - 1; n <= cases[k].n; n++) {
            double most = 0, norm = 0;
            for (double t = 0.5; t < 1; t += 0.0005) {
                for (size_t i = 0; i < n; i++)
                    p[i] = pow(i == 0 ? t : (1 - t) / (double)(n - 1), 2 - cases[k].alpha);
                DONE(norm_bound_jacobian_spectral(n, p, 0, &norm, &error));
                most = fmax(most, norm);
            }
            HOLDS((most > exp2(cases[k].alpha - 2)) == (n == cases[k].n), "alpha %g, n %zu: %.9g", cases[k].alpha, n,
                  most);
            TRUE(most < 1);
        }
}
END_TEST

START_TEST(keys_and_defaults_are_the_registry_s)
{
    for (size_t index = 0; index < norm_registry_count(); index++) {
        norm_normalizer_info info = {.struct_size = sizeof info};
        DONE(norm_registry_get(index, &info, &error));
        const char *keys[KEYS];
        double values[KEYS], plain = -1, full = -1;
        size_t required = 0;
        for (size_t k = 0; k < info.keys; k++) {
            norm_key_info key = key_of(index, k);
            keys[k] = key.name;
            values[k] = key.default_value;
            if (key.flags & LIBNORM_KEY_REQUIRED) {
                values[k] = key.low;
                required++;
            }
        }
        norm_status a = norm_bound_normalizer_gradient(info.name, NULL, NULL, 0, 9, 2, &plain, &error);
        norm_status b = norm_bound_normalizer_gradient(info.name, keys, values, info.keys, 9, 2, &full, &error);
        HOLDS(b == LIBNORM_OK || b == LIBNORM_E_UNSUPPORTED, "%s: %s", info.name, error.text);
        HOLDS(required > 0 ? a == LIBNORM_E_ARGUMENT : a == b && plain == full, "%s: %g and %g", info.name, plain,
              full);
        for (size_t k = 0; k < info.keys; k++) {
            norm_key_info key = key_of(index, k);
            const double kept = values[k];
            for (int side = 0; side < 2; side++) {
                double end = side == 0 ? key.low : key.high;
                if (!isfinite(end))
                    continue;
                int open = (key.flags & (side == 0 ? LIBNORM_KEY_LOW_OPEN : LIBNORM_KEY_HIGH_OPEN)) != 0;
                values[k] = end;
                b = norm_bound_normalizer_gradient(info.name, keys, values, info.keys, 9, 2, &full, &error);
                HOLDS((b == LIBNORM_E_ARGUMENT) == open, "%s %s at %g: %d", info.name, key.name, end, b);
                values[k] = side == 0 ? end - 1 : end + fmax(1, end / 2);
                b = norm_bound_normalizer_gradient(info.name, keys, values, info.keys, 9, 2, &full, &error);
                HOLDS(b == LIBNORM_E_ARGUMENT, "%s takes %s = %g", info.name, key.name, values[k]);
            }
            values[k] = kept + 0.5;
            b = norm_bound_normalizer_gradient(info.name, keys, values, info.keys, 9, 2, &full, &error);
            HOLDS(b != LIBNORM_E_ARGUMENT || (key.flags & LIBNORM_KEY_INTEGER), "%s: %s", info.name, error.text);
            HOLDS(b == LIBNORM_E_ARGUMENT || !(key.flags & LIBNORM_KEY_INTEGER), "%s takes %s = %g", info.name,
                  key.name, values[k]);
            values[k] = kept;
        }
    }
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("constants of normalizers");
    TCase *tests = tcase_create("constant");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, no_jacobian_exceeds_its_constant);
    tcase_add_test(tests, constants_that_are_attained);
    tcase_add_test(tests, entmax_exceeds_its_value_at_two_equal_weights);
    tcase_add_test(tests, keys_and_defaults_are_the_registry_s);
    suite_add_tcase(suite, tests);
    return suite;
}
