/* SPDX-License-Identifier: MIT */
/* One row of attention: what can be said of it without looking at every entry, and what is the case.
 *
 * 64 tokens on the unit sphere of R^16, softmax weights, the 5 largest selected. Build with -lnorm. */
#include <libnorm/bounds.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { TOKENS = 64, DIM = 16, SELECTED = 5 };

static norm_error error = {sizeof error, 0, 0, ""};

static void check(norm_status status)
{
    if (status == LIBNORM_OK)
        return;
    fprintf(stderr, "%s\n", error.text);
    exit(EXIT_FAILURE);
}

/* The same numbers everywhere: a sum of twelve uniform ones is nearly normal. */
static double normal(void)
{
    static uint32_t state = 1;
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        state = state * 1664525u + 1013904223u;
        sum += state / 4294967296.0;
    }
    return sum;
}

static void row(const char *what, double lower, double value, double upper)
{
    printf("%-38s %9.5f <= %9.5f <= %9.5f\n", what, lower, value, upper);
}

int main(void)
{
    static double x[TOKENS * DIM], scores[TOKENS], w[TOKENS], along[TOKENS], across[TOKENS], each[TOKENS];
    uint8_t selected[TOKENS];
    double context[DIM], sum = 0, low = INFINITY, high = -INFINITY, lower, upper, value;

    for (size_t i = 0; i < TOKENS; i++) {
        double square = 0;
        for (size_t k = 0; k < DIM; k++) {
            x[i * DIM + k] = normal();
            square += x[i * DIM + k] * x[i * DIM + k];
        }
        for (size_t k = 0; k < DIM; k++)
            x[i * DIM + k] /= sqrt(square);
        scores[i] = 2 * normal();
        low = fmin(low, scores[i]);
        high = fmax(high, scores[i]);
    }
    for (size_t i = 0; i < TOKENS; i++)
        sum += w[i] = exp(scores[i] - high);
    for (size_t i = 0; i < TOKENS; i++)
        w[i] /= sum;

    check(norm_bound_weight_entry(TOKENS, high, low, high, 1, &lower, &upper, &error));
    row("largest weight", lower, 1 / sum, upper);

    check(norm_bound_select_top(TOKENS, w, SELECTED, selected, &error));
    check(norm_bound_distance_value(TOKENS, DIM, w, x, 0, selected, context, each, &value, &error));
    check(norm_bound_distance(TOKENS, DIM, w, x, 0, selected, &lower, &upper, &error));
    row("distance of the rest from the 5 largest", lower, value, upper);
    check(norm_bound_distance_published(TOKENS, DIM, w, x, 0, selected, &upper, &error));
    printf("%-38s %38.5f\n", "  the published bound", upper);

    norm_random_set set = {.struct_size = sizeof set};
    check(norm_bound_random_set(TOKENS, DIM, w, x, 0, along, across, &set, &error));
    check(norm_bound_expected_distance(&set, SELECTED, &lower, &upper, &error));
    printf("%-38s %9.5f to %21.5f\n", "expected distance from 5 at random", lower, upper);

    double chosen[SELECTED], ball = INFINITY;
    size_t count = 0, inside = 0;
    for (size_t i = 0; i < TOKENS; i++) /* the ball reaches to the nearest token that is not selected */
        if (!selected[i])
            ball = fmin(ball, each[i]);
    for (size_t i = 0; i < TOKENS; i++)
        if (selected[i]) {
            chosen[count++] = w[i];
            inside += each[i] < ball;
        }
    check(norm_bound_separable_lower(SELECTED, chosen, 1, DIM, ball, LIBNORM_SEPARABLE_BEST, NULL, &lower, &error));
    check(norm_bound_separable_upper(SELECTED, chosen, 1, DIM, ball, LIBNORM_SEPARABLE_BEST, NULL, &upper, &error));
    row("selected inside (bounds: on the mean)", lower, (double)inside / SELECTED, upper);

    check(norm_bound_jacobian_spectral(TOKENS, w, 0, &value, &error));
    check(norm_bound_jacobian_spectral_range(TOKENS, w, 0, &lower, &upper, &error));
    row("norm of the Jacobian", lower, value, upper);
    check(norm_bound_softmax_gradient(1, &upper, &error));
    check(norm_bound_softmax_gradient_published(1, &lower, &error));
    printf("%-38s %38.5f\n%-38s %38.5f\n", "  any softmax at temperature 1", upper, "  the published constant", lower);
    return EXIT_SUCCESS;
}
