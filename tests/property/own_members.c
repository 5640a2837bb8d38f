/* SPDX-License-Identifier: MIT */
#include "property/own_members.h"

#include <math.h>
#include <stdlib.h>

#include "support/support.h"

#define MAP(name, argument, value)                                                                                     \
    static int32_t name(void *user, size_t n, const double *argument, double *ret)                                     \
    {                                                                                                                  \
        (void)user;                                                                                                    \
        for (size_t i = 0; i < n; i++)                                                                                 \
            ret[i] = (value);                                                                                          \
        return 0;                                                                                                      \
    }

static double sigmoid(double x)
{
    return x >= 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x));
}

static double softplus(double x)
{
    return fmax(x, 0) + log1p(exp(-fabs(x)));
}

MAP(exponential, t, exp(t[i]))
MAP(same, t, t[i])
MAP(softplus_f, t, softplus(t[i]))
MAP(softplus_df, t, sigmoid(t[i]))
MAP(softplus_d2f, t, sigmoid(t[i]) * sigmoid(-t[i]))
MAP(elu_f, t, t[i] < 0 ? exp(t[i]) : 1 + t[i])
MAP(elu_df, t, t[i] < 0 ? exp(t[i]) : 1)
MAP(elu_d2f, t, t[i] < 0 ? exp(t[i]) : 0)
MAP(square_f, t, 1 + t[i] * t[i])
MAP(square_df, t, 2 * t[i])
MAP(square_d2f, t, t[i] * 0 + 2)
MAP(square_log_f, t, fabs(t[i]) > 1e9 ? 2 * log(fabs(t[i])) : log1p(t[i] * t[i]))

/* Sparsemax by sorting. */
static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static int32_t sparsemax(void *user, size_t n, const double *z, double *ret_w)
{
    (void)user;
    for (size_t i = 0; i < n; i++)
        ret_w[i] = z[i];
    qsort(ret_w, n, sizeof *ret_w, descending);
    double sum = 0, tau = 0;
    for (size_t k = 1; k <= n; k++) {
        sum += ret_w[k - 1];
        if (1 + (double)k * ret_w[k - 1] > sum)
            tau = (sum - 1) / (double)k;
    }
    for (size_t i = 0; i < n; i++)
        ret_w[i] = fmax(z[i] - tau, 0);
    return 0;
}

static int32_t sparsemax_vjp(void *user, size_t n, const double *z, const double *w, const double *g, double *ret_d)
{
    (void)user;
    (void)z;
    double sum = 0, count = 0;
    for (size_t i = 0; i < n; i++) {
        sum += w[i] > 0 ? g[i] : 0;
        count += w[i] > 0;
    }
    for (size_t i = 0; i < n; i++)
        ret_d[i] = w[i] > 0 ? g[i] - sum / count : 0;
    return 0;
}

static int32_t sparsemax_hvp(void *user, size_t n, const double *z, const double *g, const double *h, double *ret_dz,
                             double *ret_dg)
{
    (void)g;
    double *w = malloc(n * sizeof *w);
    if (w == NULL)
        return 12;
    sparsemax(user, n, z, w);
    sparsemax_vjp(user, n, z, w, h, ret_dg);
    for (size_t i = 0; i < n; i++)
        ret_dz[i] = 0;
    free(w);
    return 0;
}

/* sasoftmax 1, z softmax(z): its Jacobian is not symmetric, and there is no jvp. */
static int32_t times_softmax(void *user, size_t n, const double *z, double *ret_w)
{
    (void)user;
    double most = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, z[i]);
    for (size_t i = 0; i < n; i++)
        sum += exp(z[i] - most);
    for (size_t i = 0; i < n; i++)
        ret_w[i] = z[i] * (exp(z[i] - most) / sum);
    return 0;
}

static int32_t times_softmax_vjp(void *user, size_t n, const double *z, const double *w, const double *g,
                                 double *ret_d)
{
    (void)user;
    (void)w;
    double most = -INFINITY, sum = 0, mean = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, z[i]);
    for (size_t i = 0; i < n; i++)
        sum += exp(z[i] - most);
    for (size_t i = 0; i < n; i++)
        mean += exp(z[i] - most) / sum * g[i] * z[i];
    for (size_t i = 0; i < n; i++)
        ret_d[i] = exp(z[i] - most) / sum * (g[i] + g[i] * z[i] - mean);
    return 0;
}

#define FAMILY .struct_size = sizeof(norm_family), .flags = LIBNORM_CALLBACK_ANY_THREAD
#define FUNCTION .struct_size = sizeof(norm_row_function), .flags = LIBNORM_CALLBACK_ANY_THREAD

const struct own_pair own_pairs[] = {
    {.spec = "softmax", .family = {FAMILY, .f = exponential, .df = exponential, .d2f = exponential, .log_f = same}},
    {.spec = "softmax", .family = {FAMILY, .f = exponential, .df = exponential, .d2f = exponential}},
    {.spec = "softplus", .family = {FAMILY, .f = softplus_f, .df = softplus_df, .d2f = softplus_d2f}},
    {.spec = "elu1", .family = {FAMILY, .f = elu_f, .df = elu_df, .d2f = elu_d2f}},
    {.spec = "square1", .family = {FAMILY, .f = square_f, .df = square_df, .d2f = square_d2f}},
    {.spec = "square1",
     .family = {FAMILY, .f = square_f, .df = square_df, .d2f = square_d2f, .log_f = square_log_f}},
    {.spec = "sparsemax",
     .function = {FUNCTION,
                  .properties = LIBNORM_PROPERTY_SIMPLEX | LIBNORM_PROPERTY_SPARSE | LIBNORM_PROPERTY_SHIFT_INVARIANT |
                                LIBNORM_PROPERTY_SYMMETRIC,
                  .apply = sparsemax, .vjp = sparsemax_vjp, .hvp = sparsemax_hvp}},
    {.spec = "sparsemax",
     .function = {FUNCTION, .properties = LIBNORM_PROPERTY_SIMPLEX, .apply = sparsemax, .vjp = sparsemax_vjp,
                  .jvp = sparsemax_vjp}},
    {.spec = "sasoftmax", .function = {FUNCTION, .apply = times_softmax, .vjp = times_softmax_vjp}},
};
const size_t own_pairs_count = sizeof own_pairs / sizeof own_pairs[0];

norm_normalizer *own_pair_make(const struct own_pair *pair)
{
    norm_normalizer *n = NULL;
    norm_error error = {sizeof error, 0, 0, ""};
    if (pair->family.f != NULL)
        norm_normalizer_from_family(&pair->family, NULL, NULL, &n, &error);
    else
        norm_normalizer_from_row_function(&pair->function, NULL, NULL, &n, &error);
    ck_assert_msg(n != NULL, "%s: %s", pair->spec, error.text);
    return n;
}
