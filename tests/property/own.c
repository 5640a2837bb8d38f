/* SPDX-License-Identifier: MIT */
/* Built-in normalizers written through own.h give what the built-in ones give, in every operation, on masked, strided,
 * batched rows of both widths. */
#include "property/own_members.h"

#include <math.h>
#include <string.h>

#include "support/support.h"

enum { batch = 2, rows_ = 5, cols = 23, cells = batch * rows_ * cols, trials = 12 };

struct arrays {
    norm_rows rows;
    double z[cells], g[cells], h[cells];
    uint8_t visible[cells];
};

struct results {
    int32_t status[8];
    double w[cells], log_w[cells], vjp[cells], log_vjp[cells], jvp[cells], dz[cells], dg[cells];
    double temperature[batch * rows_], support[batch * rows_], entropy[batch * rows_], most[batch * rows_];
    uint64_t counts[3];
};

static const char *spec;
static uint64_t seed;

static void draw(struct arrays *a, struct support_random *random, int special)
{
    memset(a, 0, sizeof *a);
    a->rows = (norm_rows){.struct_size = sizeof a->rows, .flags = support_below(random, 2) ? LIBNORM_ROWS_CAUSAL : 0,
                          .batch = batch, .rows = rows_, .cols = cols, .causal_offset = 4};
    a->rows.visible = a->visible;
    const int64_t strides[3] = {rows_ * cols, cols, 1};
    memcpy(a->rows.visible_stride, strides, sizeof strides);
    if (!special && support_below(random, 2)) { /* rows beside each other */
        const int64_t turned[3] = {rows_ * cols, 1, rows_};
        memcpy(a->rows.z_stride, turned, sizeof turned);
        memcpy(a->rows.d_stride, turned, sizeof turned);
    }
    for (size_t i = 0; i < cells; i++) {
        a->z[i] = 2 * support_normal(random);
        a->g[i] = support_normal(random);
        a->h[i] = support_normal(random);
        a->visible[i] = support_below(random, 5) > 0;
        if (special && support_below(random, 12) == 0)
            a->z[i] = (const double[]){INFINITY, -INFINITY, -INFINITY, NAN}[support_below(random, 4)];
    }
}

static void run_f64(const norm_normalizer *n, const struct arrays *a, const norm_exec *exec, struct results *r)
{
    memset(r, 0, sizeof *r);
    norm_row_outputs o = {.struct_size = sizeof o, .support = r->support, .entropy = r->entropy, .max_score = r->most};
    int32_t *s = r->status;
    s[0] = norm_apply_f64(n, &a->rows, a->z, r->w, &o, exec, NULL);
    s[1] = norm_log_apply_f64(n, &a->rows, a->z, r->log_w, NULL, exec, NULL);
    s[2] = norm_vjp_f64(n, &a->rows, a->z, r->w, a->g, r->vjp, exec, NULL);
    s[3] = norm_log_vjp_f64(n, &a->rows, a->z, NULL, a->g, r->log_vjp, exec, NULL);
    s[4] = norm_jvp_f64(n, &a->rows, a->z, NULL, a->h, r->jvp, exec, NULL);
    s[5] = norm_hvp_f64(n, &a->rows, a->z, a->g, a->h, r->dz, r->dg, exec, NULL);
    s[6] = norm_param_vjp_f64(n, &a->rows, a->z, NULL, a->g, "temperature", r->temperature, exec, NULL);
    s[7] = norm_apply_f64(n, &a->rows, a->z, r->w, NULL, exec, NULL);
    r->counts[0] = o.empty_rows;
    r->counts[1] = o.nan_rows;
    r->counts[2] = o.inf_rows;
}

static void equal(const char *what, const double *got, const double *wanted, size_t n, double tolerance)
{
    for (size_t i = 0; i < n; i++) {
        const int same = isnan(wanted[i]) || isinf(wanted[i])
                             ? memcmp(&got[i], &wanted[i], sizeof *got) == 0 || (isnan(got[i]) && isnan(wanted[i]))
                             : fabs(got[i] - wanted[i]) <= tolerance * fmax(1, fabs(wanted[i]));
        ck_assert_msg(same, "%s, %s[%zu]: %.17g, expected %.17g (TEST_SEED=%llu)", spec, what, i, got[i], wanted[i],
                      (unsigned long long)seed);
    }
}

static void compare(const struct own_pair *pair, const struct results *own, const struct results *built_in)
{
    const int32_t has_hvp = pair->family.f != NULL || pair->function.hvp != NULL;
    const int32_t has_log = strcmp(pair->spec, "sasoftmax") != 0;
    equal("w", own->w, built_in->w, cells, 1e-14);
    equal("VJP", own->vjp, built_in->vjp, cells, 1e-13);
    equal("JVP", own->jvp, built_in->jvp, cells, 1e-13);
    equal("temperature", own->temperature, built_in->temperature, batch * rows_, 1e-13);
    equal("support", own->support, built_in->support, batch * rows_, 0);
    equal("entropy", own->entropy, built_in->entropy, batch * rows_, 1e-13);
    equal("max_score", own->most, built_in->most, batch * rows_, 0);
    ck_assert_mem_eq(own->counts, built_in->counts, sizeof own->counts);
    for (int i = 0; i < 8; i++) {
        const int32_t absent = (i == 5 && !has_hvp) || ((i == 1 || i == 3) && !has_log);
        ck_assert_msg(absent || own->status[i] == LIBNORM_OK, "%s: operation %d: %d", spec, i, own->status[i]);
        ck_assert(!(i == 5 && !has_hvp) || own->status[i] == LIBNORM_E_UNSUPPORTED);
    }
    if (has_hvp) {
        equal("HVP in z", own->dz, built_in->dz, cells, 1e-13);
        equal("HVP in g", own->dg, built_in->dg, cells, 1e-13);
    }
    if (has_log) {
        equal("log w", own->log_w, built_in->log_w, cells, 1e-13);
        equal("log VJP", own->log_vjp, built_in->log_vjp, cells, 1e-12);
    }
}

static void for_pairs(int special, double temperature)
{
    seed = support_seed(815);
    for (size_t p = 0; p < own_pairs_count; p++) {
        const struct own_pair *pair = &own_pairs[p];
        struct support_random random = {seed + p};
        norm_normalizer *plain = own_pair_make(pair), *own = NULL, *parsed = NULL, *built_in = NULL;
        spec = pair->spec;
        /* sasoftmax has limits of its own for infinite scores, which the callbacks here do not know. */
        if (special && strcmp(spec, "sasoftmax") == 0) {
            norm_normalizer_free(plain);
            continue;
        }
        ck_assert_int_eq(norm_normalizer_parse(spec, strlen(spec), NULL, &parsed, NULL), LIBNORM_OK);
        ck_assert_int_eq(norm_normalizer_with(plain, "temperature", temperature, &own, NULL), LIBNORM_OK);
        ck_assert_int_eq(norm_normalizer_with(parsed, "temperature", temperature, &built_in, NULL), LIBNORM_OK);
        norm_normalizer_free(plain); /* the copy keeps the callbacks */
        norm_normalizer_free(parsed);
        for (int t = 0; t < trials; t++) {
            static struct arrays a;
            static struct results mine, theirs, threaded;
            draw(&a, &random, special);
            run_f64(own, &a, NULL, &mine);
            run_f64(built_in, &a, NULL, &theirs);
            /* log w of softmax keeps a slope of 1 down to -inf; of an F nobody knows what it is there. */
            for (size_t i = 0; i < cells; i++)
                if (mine.log_w[i] == -INFINITY)
                    mine.log_vjp[i] = theirs.log_vjp[i] = 0;
            compare(pair, &mine, &theirs);
            const norm_exec exec = {.struct_size = sizeof exec, .threads = 3};
            run_f64(own, &a, NULL, &mine);
            run_f64(own, &a, &exec, &threaded);
            ck_assert_mem_eq(&threaded, &mine, sizeof mine);
        }
        norm_normalizer_free(own);
        norm_normalizer_free(built_in);
    }
}

START_TEST(built_in_normalizers_written_as_own_ones_agree)
{
    for_pairs(0, 1);
    for_pairs(0, 0.7);
}
END_TEST

START_TEST(special_rows_agree)
{
    for_pairs(1, 1);
}
END_TEST

START_TEST(float_rows_agree)
{
    seed = support_seed(816);
    for (size_t p = 0; p < own_pairs_count; p++) {
        struct support_random random = {seed + p};
        norm_normalizer *own = own_pair_make(&own_pairs[p]), *built_in = NULL;
        spec = own_pairs[p].spec;
        ck_assert_int_eq(norm_normalizer_parse(spec, strlen(spec), NULL, &built_in, NULL), LIBNORM_OK);
        static struct arrays a;
        static float z[cells], g[cells], w[2][cells], d[2][cells];
        draw(&a, &random, 0);
        for (size_t i = 0; i < cells; i++) {
            z[i] = (float)a.z[i];
            g[i] = (float)a.g[i];
        }
        for (int k = 0; k < 2; k++) {
            const norm_normalizer *n = k == 0 ? own : built_in;
            memset(w[k], 0, sizeof w[k]);
            memset(d[k], 0, sizeof d[k]);
            ck_assert_int_eq(norm_apply_f32(n, &a.rows, z, w[k], NULL, NULL, NULL), LIBNORM_OK);
            ck_assert_int_eq(norm_vjp_f32(n, &a.rows, z, w[k], g, d[k], NULL, NULL), LIBNORM_OK);
        }
        for (size_t i = 0; i < cells; i++) {
            const double got = (double)w[0][i], wanted = (double)w[1][i];
            ck_assert_msg(fabs(got - wanted) <= 4 * 0x1p-23 * fabs(wanted), "%s: %.9g, %.9g", spec, got, wanted);
            ck_assert_msg(fabs((double)d[0][i] - (double)d[1][i]) <= 2e-6, "%s: %.9g, %.9g", spec, (double)d[0][i],
                          (double)d[1][i]);
        }
        norm_normalizer_free(own);
        norm_normalizer_free(built_in);
    }
}
END_TEST

/* Scores so far apart that F over- and underflows: with log_f every digit stays. */
START_TEST(log_f_keeps_rows_that_f_cannot)
{
    const double z[6] = {-1e200, 3e180, 5e199, 0, -2, 1e150}, far[3] = {-2000, -2001, -2003};
    norm_normalizer *squares = own_pair_make(&own_pairs[5]), *exponential = own_pair_make(&own_pairs[0]), *built_in;
    const norm_rows rows = {.struct_size = sizeof rows, .batch = 1, .rows = 1, .cols = 6};
    const norm_rows three = {.struct_size = sizeof three, .batch = 1, .rows = 1, .cols = 3};
    double w[6], wanted[6];
    spec = "square1";
    ck_assert_int_eq(norm_normalizer_parse("square1", 7, NULL, &built_in, NULL), LIBNORM_OK);
    ck_assert_int_eq(norm_apply_f64(squares, &rows, z, w, NULL, NULL, NULL), LIBNORM_OK);
    ck_assert_int_eq(norm_apply_f64(built_in, &rows, z, wanted, NULL, NULL, NULL), LIBNORM_OK);
    equal("w", w, wanted, 6, 1e-12);
    norm_normalizer_free(built_in);
    spec = "softmax";
    ck_assert_int_eq(norm_normalizer_parse("softmax", 7, NULL, &built_in, NULL), LIBNORM_OK);
    ck_assert_int_eq(norm_log_apply_f64(exponential, &three, far, w, NULL, NULL, NULL), LIBNORM_OK);
    ck_assert_int_eq(norm_log_apply_f64(built_in, &three, far, wanted, NULL, NULL, NULL), LIBNORM_OK);
    equal("log w", w, wanted, 3, 1e-12);
    norm_normalizer_free(built_in);
    norm_normalizer_free(squares);
    norm_normalizer_free(exponential);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("own");
    TCase *tests = tcase_create("own");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, built_in_normalizers_written_as_own_ones_agree);
    tcase_add_test(tests, special_rows_agree);
    tcase_add_test(tests, float_rows_agree);
    tcase_add_test(tests, log_f_keeps_rows_that_f_cannot);
    suite_add_tcase(suite, tests);
    return suite;
}
