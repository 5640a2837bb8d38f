/* SPDX-License-Identifier: MIT */
/* The promised errors of every normalizer, forward and backward, in both widths, against 280 bits. */
#include <stdbool.h>
#include <string.h>

#include <libnorm/norm.h>

#include "errors.h"
#include "support/support.h"

enum { rows = 40, longest = 20 };

START_TEST(errors_keep_to_their_bounds)
{
    const char *spec = errors_specs[_i];
    const uint64_t seed = support_seed(20250601) + (uint64_t)_i;
    const struct measured m = errors_measure(spec, rows, longest, seed);
    const bool kernels = strncmp(spec, "softmax", 7) == 0 || strncmp(spec, "ssmax", 5) == 0 ||
                         strcmp(spec, "entmax:alpha=1") == 0;
    /* lssar takes a power p of n a - 1, a difference: p times the error of a over what is left. */
    const double wide = strncmp(spec, "lssar", 5) == 0 ? 1e-11 : 1e-13;
    ck_assert_msg(m.vjp_rows >= rows / 4, "%s: only %zu gradients", spec, m.vjp_rows);
    ck_assert_msg(m.f32.weight <= 1e-6, "%s: weights f32 %g", spec, m.f32.weight);
    ck_assert_msg(m.f32.weight_ulp <= (kernels ? 4 : 1), "%s: weights f32 %g ulp", spec, m.f32.weight_ulp);
    ck_assert_msg(m.f32.sum <= 1e-6, "%s: sum f32 %g", spec, m.f32.sum);
    ck_assert_msg(m.f32.vjp <= 1e-6, "%s: VJP f32 %g", spec, m.f32.vjp);
    ck_assert_msg(m.f64.weight <= wide, "%s: weights f64 %g", spec, m.f64.weight);
    ck_assert_msg(m.f64.sum <= 1e-14, "%s: sum f64 %g", spec, m.f64.sum);
    ck_assert_msg(m.f64.vjp <= wide, "%s: VJP f64 %g", spec, m.f64.vjp);
}
END_TEST

/* Nothing in the registry goes unmeasured. */
START_TEST(every_normalizer_is_measured)
{
    for (size_t i = 0; i < norm_registry_count(); i++) {
        norm_normalizer_info info = {.struct_size = sizeof info};
        bool there = false;
        ck_assert_int_eq(norm_registry_get(i, &info, NULL), LIBNORM_OK);
        for (size_t s = 0; s < errors_spec_count; s++)
            there |= strncmp(errors_specs[s], info.name, strlen(info.name)) == 0 &&
                     strchr(":", errors_specs[s][strlen(info.name)]) != NULL;
        ck_assert_msg(there, "%s", info.name);
    }
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("numerics");
    TCase *tests = tcase_create("errors");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, errors_keep_to_their_bounds, 0, (int)errors_spec_count);
    tcase_add_test(tests, every_normalizer_is_measured);
    suite_add_tcase(suite, tests);
    return suite;
}
