/* SPDX-License-Identifier: MIT */
#include "support/one_row.h"

#include <math.h>
#include <string.h>

#include "support/support.h"

enum { longest = 64 };

norm_normalizer *one_row_parse(const char *spec)
{
    norm_normalizer *n = NULL;
    ck_assert_msg(norm_normalizer_parse(spec, strlen(spec), NULL, &n, NULL) == LIBNORM_OK, "%s", spec);
    return n;
}

norm_rows one_row_of(size_t n)
{
    return (norm_rows){.struct_size = sizeof(norm_rows), .batch = 1, .rows = 1, .cols = n};
}

bool one_row_near(double got, double wanted, double tolerance)
{
    return isnan(wanted) ? isnan(got) : got == wanted || fabs(got - wanted) <= tolerance;
}

void ck_weights(const char *spec, size_t n, const double *z, const uint8_t *mask, const double *wanted,
                       double tolerance)
{
    norm_normalizer *normalizer = one_row_parse(spec);
    norm_rows rows = one_row_of(n);
    float zf[longest], wf[longest];
    double w[longest];
    rows.visible = mask;
    rows.visible_stride[2] = 1;
    for (size_t i = 0; i < n; i++)
        zf[i] = (float)z[i];
    ck_assert_int_eq(norm_apply_f64(normalizer, &rows, z, w, NULL, NULL, NULL), LIBNORM_OK);
    ck_assert_int_eq(norm_apply_f32(normalizer, &rows, zf, wf, NULL, NULL, NULL), LIBNORM_OK);
    for (size_t i = 0; i < n; i++) {
        ck_assert_msg(one_row_near(w[i], wanted[i], tolerance), "%s, entry %zu of %zu: %.17g, expected %.17g", spec,
                      i, n, w[i], wanted[i]);
        ck_assert_msg(one_row_near((double)wf[i], wanted[i], fmax(tolerance, 5e-7)),
                      "%s, float entry %zu of %zu: %.9g, expected %.17g", spec, i, n, (double)wf[i], wanted[i]);
    }
    norm_normalizer_free(normalizer);
}

void ck_vjp(const char *spec, size_t n, const double *z, const uint8_t *mask, const double *g,
                   const double *wanted, double tolerance)
{
    norm_normalizer *normalizer = one_row_parse(spec);
    norm_rows rows = one_row_of(n);
    float zf[longest], gf[longest], df[longest];
    double d[longest];
    rows.visible = mask;
    rows.visible_stride[2] = 1;
    for (size_t i = 0; i < n; i++) {
        zf[i] = (float)z[i];
        gf[i] = (float)g[i];
    }
    ck_assert_int_eq(norm_vjp_f64(normalizer, &rows, z, NULL, g, d, NULL, NULL), LIBNORM_OK);
    ck_assert_int_eq(norm_vjp_f32(normalizer, &rows, zf, NULL, gf, df, NULL, NULL), LIBNORM_OK);
    for (size_t i = 0; i < n; i++) {
        ck_assert_msg(one_row_near(d[i], wanted[i], tolerance), "%s, gradient %zu of %zu: %.17g, expected %.17g",
                      spec, i, n, d[i], wanted[i]);
        ck_assert_msg(one_row_near((double)df[i], wanted[i], fmax(tolerance, 1e-6)),
                      "%s, float gradient %zu of %zu: %.9g, expected %.17g", spec, i, n, (double)df[i], wanted[i]);
    }
    norm_normalizer_free(normalizer);
}
