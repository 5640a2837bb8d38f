/* SPDX-License-Identifier: MIT */
/* A normalizer of your own, F(t) = e^t / sqrt(1 + e^t): as softmax for low scores, flatter for high ones. Its
 * derivatives are checked, then it is used. */
#include <libnorm/norm.h>

#include <math.h>
#include <stdio.h>

static double log_f(double t) /* nothing overflows here */
{
    return t - (fmax(t, 0) + log1p(exp(-fabs(t)))) / 2;
}

static double slope(double t) /* of log F, which is F' / F */
{
    return 1 - 0.5 / (1 + exp(-t));
}

/* Callbacks get all visible scores of a row at once, divided by the temperature. */
static int32_t f(void *user, size_t n, const double *t, double *ret)
{
    (void)user;
    for (size_t i = 0; i < n; i++)
        ret[i] = exp(log_f(t[i]));
    return 0;
}

static int32_t df(void *user, size_t n, const double *t, double *ret)
{
    (void)user;
    for (size_t i = 0; i < n; i++)
        ret[i] = exp(log_f(t[i])) * slope(t[i]);
    return 0;
}

int main(void)
{
    const norm_family family = {.struct_size = sizeof family, .flags = LIBNORM_CALLBACK_ANY_THREAD, .f = f, .df = df};
    const norm_rows rows = {.struct_size = sizeof rows, .batch = 1, .rows = 1, .cols = 5};
    const double scores[5] = {1, 2, 3, 0.5, -1}, upstream[5] = {0.3, -0.2, 0.5, 0.1, 0};
    double weights[5], gradient[5], norm;
    const norm_jacobian_norms norms = {.struct_size = sizeof norms, .spectral = &norm};
    norm_gradient_check check = {.struct_size = sizeof check};
    norm_error error = {sizeof error, 0, 0, ""};
    norm_normalizer *own = NULL;

    if (norm_normalizer_from_family(&family, "half-way", NULL, &own, &error) != LIBNORM_OK ||
        norm_check_gradients(own, &rows, scores, &check, NULL, &error) != LIBNORM_OK ||
        norm_apply_f64(own, &rows, scores, weights, NULL, NULL, &error) != LIBNORM_OK ||
        norm_vjp_f64(own, &rows, scores, weights, upstream, gradient, NULL, &error) != LIBNORM_OK ||
        norm_jacobian_norms_f64(own, &rows, scores, &norms, NULL, &error) != LIBNORM_OK) {
        fprintf(stderr, "%s\n", error.text);
        norm_normalizer_free(own);
        return 1;
    }
    norm_normalizer_free(own);
    printf("derivatives: %s, %d entries compared\n", check.passed ? "right" : "wrong", (int)check.compared);
    printf("weights:    ");
    for (int i = 0; i < 5; i++)
        printf(" %.6f", weights[i]);
    printf("\ngradient:   ");
    for (int i = 0; i < 5; i++)
        printf(" %.6f", gradient[i]);
    printf("\nnorm of the Jacobian: %.6f\n", norm);
    return check.passed ? 0 : 1;
}
