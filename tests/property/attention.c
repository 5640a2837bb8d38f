/* SPDX-License-Identifier: MIT */
/* Attention against its definition in double, for random shapes, layouts, masks and every normalizer: forward,
 * backward, and what a query does not see cannot reach it. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "property/specs.h"
#include "support/support.h"

enum { most = 200 };

static char text[128];

/* A problem and its arrays, rows of all planes further apart than they are wide. */
struct problem {
    norm_attention a;
    float *q, *k, *v, *up;
    int64_t *begin, *end;
    uint8_t *visible;
    const norm_normalizer *each[8];
};

static size_t at(const int64_t stride[3], size_t batch, size_t head, size_t row)
{
    return (size_t)((int64_t)batch * stride[0] + (int64_t)head * stride[1] + (int64_t)row * stride[2]);
}

/* batch x head x row x width or batch x row x head x width, with a gap behind each row. */
static size_t lay_out(int64_t stride[3], bool rows_first, size_t batch, size_t heads, size_t rows, size_t width)
{
    const int64_t w = (int64_t)width + 3;
    stride[2] = rows_first ? w * (int64_t)heads : w;
    stride[1] = rows_first ? w : w * (int64_t)rows;
    stride[0] = w * (int64_t)heads * (int64_t)rows;
    return (size_t)stride[0] * batch;
}

static float *numbers(struct support_random *r, size_t count, bool coarse)
{
    float *x = malloc((count + 1) * sizeof *x);
    for (size_t i = 0; i < count; i++) /* coarse: scores of eight such products are exact in float */
        x[i] = coarse ? (float)(rint(64 * support_normal(r)) / 64) : (float)support_normal(r);
    return x;
}

static bool sees(const struct problem *p, size_t b, size_t h, size_t i, size_t key)
{
    const norm_attention *a = &p->a;
    const int64_t place = (int64_t)b * a->interval_stride[0] + (int64_t)h * a->interval_stride[1] +
                          (int64_t)i * a->interval_stride[2];
    if ((a->flags & LIBNORM_ATTENTION_CAUSAL) && (int64_t)key >= a->causal_offset + (int64_t)i + 1)
        return false;
    if ((a->begin != NULL && (int64_t)key < a->begin[place]) || (a->end != NULL && (int64_t)key >= a->end[place]))
        return false;
    const int64_t *s = a->visible_stride;
    return a->visible == NULL || a->visible[(int64_t)b * s[0] + (int64_t)h * s[1] + (int64_t)i * s[2] +
                                            (int64_t)key * s[3]] != 0;
}

static struct problem make(struct support_random *r, const norm_normalizer *normalizer)
{
    struct problem p = {.a = {.struct_size = sizeof p.a}};
    norm_attention *a = &p.a;
    const size_t group = 1 + support_below(r, 3);
    a->batch = 1 + support_below(r, 2);
    a->kv_heads = 1 + support_below(r, 2);
    a->heads = a->kv_heads * group;
    a->queries = support_below(r, 3) == 0 ? 60 + support_below(r, 20) : support_below(r, 24);
    a->keys = support_below(r, 3) == 0 ? 60 + support_below(r, 20) : support_below(r, 24);
    a->head_dim = 8;
    a->value_dim = 1 + support_below(r, 9);
    a->scale = 0.5;
    const bool rows_first = support_below(r, 2);
    const size_t nq = lay_out(a->q_stride, rows_first, a->batch, a->heads, a->queries, 8);
    const size_t nk = lay_out(a->k_stride, !rows_first, a->batch, a->kv_heads, a->keys, 8);
    const size_t nv = lay_out(a->v_stride, rows_first, a->batch, a->kv_heads, a->keys, a->value_dim);
    const size_t no = lay_out(a->out_stride, rows_first, a->batch, a->heads, a->queries, a->value_dim);
    lay_out(a->weight_stride, rows_first, a->batch, a->heads, a->queries, a->keys);
    p.q = numbers(r, nq, true);
    p.k = numbers(r, nk, true);
    p.v = numbers(r, nv, false);
    p.up = numbers(r, no, false);
    if (support_below(r, 2)) {
        a->flags |= LIBNORM_ATTENTION_CAUSAL;
        a->causal_offset = (int64_t)support_below(r, 40) - 10;
    }
    if (support_below(r, 2)) {
        const size_t n = a->batch * a->queries + 1;
        p.begin = malloc(n * sizeof *p.begin);
        p.end = malloc(n * sizeof *p.end);
        for (size_t i = 0; i < n; i++) {
            p.begin[i] = (int64_t)support_below(r, 20) - 5;
            p.end[i] = p.begin[i] + (int64_t)support_below(r, 40) - 3;
        }
        a->begin = p.begin;
        a->end = p.end;
        a->interval_stride[0] = (int64_t)a->queries;
        a->interval_stride[2] = 1;
    }
    if (support_below(r, 2)) {
        const size_t n = a->heads * a->keys + 1;
        p.visible = malloc(n);
        for (size_t i = 0; i < n; i++)
            p.visible[i] = (uint8_t)(support_below(r, 4) != 0);
        a->visible = p.visible;
        a->visible_stride[1] = (int64_t)a->keys;
        a->visible_stride[3] = 1;
    }
    for (size_t i = 0; i < a->heads; i++)
        p.each[i] = normalizer;
    a->normalizer_count = support_below(r, 2) ? a->heads : 1;
    return p;
}

static void discard(struct problem *p)
{
    free(p->q);
    free(p->k);
    free(p->v);
    free(p->up);
    free(p->begin);
    free(p->end);
    free(p->visible);
}

/* A query's seen keys, their scores and weights. */
struct row {
    size_t n, key[most];
    double z[most], w[most], g[most], d[most];
};

static void reference_row(const struct problem *p, size_t b, size_t h, size_t i, struct row *ret)
{
    const norm_attention *a = &p->a;
    const size_t shared = h / (size_t)(a->heads / a->kv_heads);
    ret->n = 0;
    for (size_t key = 0; key < a->keys; key++) {
        if (!sees(p, b, h, i, key))
            continue;
        double dot = 0;
        for (size_t j = 0; j < a->head_dim; j++)
            dot += (double)p->q[at(a->q_stride, b, h, i) + j] * (double)p->k[at(a->k_stride, b, shared, key) + j];
        ret->key[ret->n] = key;
        ret->z[ret->n++] = a->scale * dot;
    }
    const norm_rows rows = {.struct_size = sizeof rows, .batch = 1, .rows = 1, .cols = ret->n};
    ck_assert_int_eq(norm_apply_f64(p->each[h], &rows, ret->z, ret->w, NULL, NULL, NULL), LIBNORM_OK);
}

static void close_to(const char *what, double got, double wanted, double size, uint64_t seed)
{
    if (!(fabs(got - wanted) <= 4e-6 * (1 + size)))
        ck_abort_msg("%s, %s: %.9g, expected %.9g (TEST_SEED=%llu)", text, what, got, wanted,
                     (unsigned long long)seed);
}

static void check_forward(const struct problem *p, uint64_t seed)
{
    const norm_attention *a = &p->a;
    const size_t no = (size_t)a->out_stride[0] * a->batch, nw = (size_t)a->weight_stride[0] * a->batch;
    float *out = malloc((no + 1) * sizeof *out), *weights = malloc((nw + 1) * sizeof *weights);
    double *support = malloc((a->batch * a->heads * a->queries + 1) * sizeof *support);
    const norm_attention_outputs outputs = {.struct_size = sizeof outputs, .support = support};
    norm_error error = {sizeof error, 0, 0, ""};
    for (size_t i = 0; i < no; i++)
        out[i] = 77;
    for (size_t i = 0; i < nw; i++)
        weights[i] = 77;
    ck_assert_msg(norm_attention_forward_f32(a, p->q, p->k, p->v, out, weights, &outputs, NULL, &error) == LIBNORM_OK,
                  "%s", error.text);
    for (size_t b = 0; b < a->batch; b++)
        for (size_t h = 0; h < a->heads; h++)
            for (size_t i = 0; i < a->queries; i++) {
                struct row row;
                size_t k = 0, nonzero = 0;
                reference_row(p, b, h, i, &row);
                const float *w = weights + at(a->weight_stride, b, h, i), *o = out + at(a->out_stride, b, h, i);
                for (size_t key = 0; key < a->keys; key++) {
                    const bool seen = k < row.n && row.key[k] == key;
                    close_to("weight", (double)w[key], seen ? row.w[k] : 0, seen ? fabs(row.w[k]) : 0, seed);
                    if (!seen && w[key] != 0)
                        ck_abort_msg("%s: a hidden key weighs %g", text, (double)w[key]);
                    nonzero += w[key] != 0;
                    k += seen;
                }
                if (support[(b * a->heads + h) * a->queries + i] != (double)nonzero)
                    ck_abort_msg("%s: support %g of %zu", text, support[(b * a->heads + h) * a->queries + i], nonzero);
                const size_t shared = h / (size_t)(a->heads / a->kv_heads);
                for (size_t j = 0; j < a->value_dim; j++) {
                    double sum = 0, size = 0;
                    for (k = 0; k < row.n; k++) {
                        const double t = row.w[k] * (double)p->v[at(a->v_stride, b, shared, row.key[k]) + j];
                        sum += t;
                        size += fabs(t);
                    }
                    close_to("output", (double)o[j], sum, size, seed);
                }
                for (size_t j = a->value_dim; j < a->value_dim + 3; j++)
                    if (o[j] != 77)
                        ck_abort_msg("%s: written behind a row", text);
            }
    free(out);
    free(weights);
    free(support);
}

/* Whether moving a score by 1e-6 moves the gradient far: one stands at a threshold, where float and double may tell it
 * apart differently. */
static bool at_a_kink(const norm_normalizer *n, const struct row *row)
{
    const norm_rows rows = {.struct_size = sizeof rows, .batch = 1, .rows = 1, .cols = row->n};
    double z[most], d[most];
    for (int sign = -1; sign <= 1; sign += 2)
        for (size_t moved = 0; moved < row->n; moved++) {
            memcpy(z, row->z, sizeof z);
            z[moved] += 1e-6 * sign;
            ck_assert_int_eq(norm_vjp_f64(n, &rows, z, NULL, row->g, d, NULL, NULL), LIBNORM_OK);
            for (size_t k = 0; k < row->n; k++)
                if (fabs(d[k] - row->d[k]) > 1e-3)
                    return true;
        }
    return false;
}

static void check_backward(const struct problem *p, uint64_t seed)
{
    const norm_attention *a = &p->a;
    const size_t nq = (size_t)a->q_stride[0] * a->batch, nk = (size_t)a->k_stride[0] * a->batch;
    const size_t nv = (size_t)a->v_stride[0] * a->batch;
    float *dq = calloc(nq + 1, sizeof *dq), *dk = calloc(nk + 1, sizeof *dk), *dv = calloc(nv + 1, sizeof *dv);
    double *rq = calloc(2 * nq + 1, sizeof *rq), *rk = calloc(2 * nk + 1, sizeof *rk);
    double *rv = calloc(2 * nv + 1, sizeof *rv), *sq = rq + nq, *sk = rk + nk, *sv = rv + nv; /* sums and sizes */
    norm_error error = {sizeof error, 0, 0, ""};
    memset(dk, 0x7f, nk * sizeof *dk); /* what was there does not matter */
    ck_assert_msg(norm_attention_backward_f32(a, p->q, p->k, p->v, p->up, dq, dk, dv, NULL, &error) == LIBNORM_OK, "%s",
                  error.text);
    for (size_t b = 0; b < a->batch; b++)
        for (size_t h = 0; h < a->heads; h++)
            for (size_t i = 0; i < a->queries; i++) {
                const size_t shared = h / (size_t)(a->heads / a->kv_heads);
                const float *up = p->up + at(a->out_stride, b, h, i);
                struct row row;
                reference_row(p, b, h, i, &row);
                for (size_t k = 0; k < row.n; k++) {
                    row.g[k] = 0;
                    for (size_t j = 0; j < a->value_dim; j++) {
                        const size_t place = at(a->v_stride, b, shared, row.key[k]) + j;
                        row.g[k] += (double)up[j] * (double)p->v[place];
                        rv[place] += row.w[k] * (double)up[j];
                        sv[place] += fabs(row.w[k] * (double)up[j]);
                    }
                }
                const norm_rows rows = {.struct_size = sizeof rows, .batch = 1, .rows = 1, .cols = row.n};
                ck_assert_int_eq(norm_vjp_f64(p->each[h], &rows, row.z, row.w, row.g, row.d, NULL, NULL), LIBNORM_OK);
                if ((norm_normalizer_properties(p->each[h]) & LIBNORM_PROPERTY_SPARSE) && at_a_kink(p->each[h], &row))
                    goto out;
                double most_g = 0;
                for (size_t k = 0; k < row.n; k++)
                    most_g = fmax(most_g, fabs(row.g[k]));
                for (size_t k = 0; k < row.n; k++)
                    for (size_t j = 0; j < a->head_dim; j++) {
                        const size_t to_q = at(a->q_stride, b, h, i) + j;
                        const size_t to_k = at(a->k_stride, b, shared, row.key[k]) + j;
                        rq[to_q] += a->scale * row.d[k] * (double)p->k[to_k];
                        rk[to_k] += a->scale * row.d[k] * (double)p->q[to_q];
                        sq[to_q] += (fabs(row.d[k]) + 0.1 * most_g) * fabs((double)p->k[to_k]);
                        sk[to_k] += (fabs(row.d[k]) + 0.1 * most_g) * fabs((double)p->q[to_q]);
                    }
            }
    for (size_t i = 0; i < nq; i++)
        close_to("gradient in q", (double)dq[i], rq[i], sq[i], seed);
    for (size_t b = 0; b < a->batch; b++)
        for (size_t h = 0; h < a->kv_heads; h++)
            for (size_t key = 0; key < a->keys; key++) {
                for (size_t j = 0; j < a->head_dim; j++) {
                    const size_t place = at(a->k_stride, b, h, key) + j;
                    close_to("gradient in k", (double)dk[place], rk[place], sk[place], seed);
                }
                for (size_t j = 0; j < a->value_dim; j++) {
                    const size_t place = at(a->v_stride, b, h, key) + j;
                    close_to("gradient in v", (double)dv[place], rv[place], sv[place], seed);
                }
            }
out:
    free(dq);
    free(dk);
    free(dv);
    free(rq);
    free(rk);
    free(rv);
}

START_TEST(every_normalizer_agrees_with_the_definition)
{
    const uint64_t seed = support_seed(20250301);
    for (size_t s = 0; s < specs_count(); s++) {
        norm_normalizer *normalizer = specs_get(s, text);
        struct support_random r = {seed + s};
        for (int t = 0; t < 6; t++) {
            struct problem p = make(&r, normalizer);
            p.a.normalizers = p.each; /* it has its place now */
            check_forward(&p, seed);
            check_backward(&p, seed);
            discard(&p);
        }
        norm_normalizer_free(normalizer);
    }
}
END_TEST

/* Keys and values that no query sees may hold anything: the bits of all results are those without them. */
START_TEST(what_is_not_seen_cannot_reach_a_row)
{
    const uint64_t seed = support_seed(20250302);
    static const char *const specs[] = {"softmax", "sparsemax", "entmax:alpha=1.25", "ssmax", "relu", "softpick"};
    for (size_t s = 0; s < 6; s++) {
        norm_normalizer *n = NULL;
        strcpy(text, specs[s]);
        ck_assert_int_eq(norm_normalizer_parse(text, strlen(text), NULL, &n, NULL), LIBNORM_OK);
        enum { L = 70, d = 8 };
        struct support_random r = {seed};
        float *x = numbers(&r, 4 * L * d, false), *q = x, *k = q + L * d, *v = k + L * d, *up = v + L * d;
        float out[2][L * d], dq[2][L * d], dk[2][L * d], dv[2][L * d];
        const norm_normalizer *each[1] = {n};
        /* Causal with the first half of the queries: the second half of the keys is seen by nobody. */
        norm_attention a = {.struct_size = sizeof a, .flags = LIBNORM_ATTENTION_CAUSAL, .batch = 1, .heads = 1,
                            .queries = L / 2, .keys = L, .head_dim = d, .normalizers = each, .normalizer_count = 1};
        for (int turn = 0; turn < 2; turn++) {
            /* In the second turn the last seen key is not finite either: only the last query sees that one. */
            for (size_t i = turn == 0 ? L * d : (L / 2 - 1) * d; i < L * d; i++) {
                k[i] = i % 2 == 0 ? NAN : INFINITY;
                v[i] = i % 3 == 0 ? NAN : -INFINITY;
            }
            ck_assert_int_eq(norm_attention_forward_f32(&a, q, k, v, out[turn], NULL, NULL, NULL, NULL), LIBNORM_OK);
            ck_assert_int_eq(norm_attention_backward_f32(&a, q, k, v, up, dq[turn], dk[turn], dv[turn], NULL, NULL),
                             LIBNORM_OK);
        }
        for (size_t i = 0; i < (L / 2 - 1) * d; i++) {
            close_to("output", (double)out[1][i], (double)out[0][i], 1, seed);
            close_to("gradient in q", (double)dq[1][i], (double)dq[0][i], 1, seed);
            if (isfinite(out[1][i]) == 0)
                ck_abort_msg("%s: a hidden value reached output %zu", text, i);
        }
        for (size_t i = L / 2 * d; i < L * d; i++)
            if (dk[1][i] != 0 || dv[1][i] != 0)
                ck_abort_msg("%s: a key that nobody sees has gradient %g, %g", text, (double)dk[1][i],
                             (double)dv[1][i]);
        free(x);
        norm_normalizer_free(n);
    }
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("attention");
    TCase *tests = tcase_create("attention");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, every_normalizer_agrees_with_the_definition);
    tcase_add_test(tests, what_is_not_seen_cannot_reach_a_row);
    suite_add_tcase(suite, tests);
    return suite;
}
