/* SPDX-License-Identifier: MIT */
#include "normalizers/softmax_fast.h"

#include <math.h>

static int tell(struct norm__facts *facts, const struct norm__softmax_sums *sums, double temperature)
{
    if (facts != NULL) {
        facts->max_score = sums->max;
        facts->log_sum = sums->max / temperature + log(sums->sum);
    }
    return NORM__ROW_ORDINARY;
}

static int apply_f32(const struct norm__fast_context *c, const void *z, size_t n, void *spare, void *ret_w,
                     struct norm__facts *facts)
{
    (void)spare;
    struct norm__softmax_sums sums;
    const int class = c->kernels->softmax_f32(z, n, &c->softmax, ret_w, &sums);
    return class == NORM__ROW_ORDINARY ? tell(facts, &sums, c->temperature) : class;
}

static int log_apply_f32(const struct norm__fast_context *c, const void *z, size_t n, void *ret_log_w,
                         struct norm__facts *facts)
{
    struct norm__softmax_sums sums;
    const int class = c->kernels->log_softmax_f32(z, n, &c->softmax, ret_log_w, &sums);
    return class == NORM__ROW_ORDINARY ? tell(facts, &sums, c->temperature) : class;
}

static void vjp_f32(const struct norm__fast_context *c, const void *w, const void *g, size_t n, void *ret_d)
{
    c->kernels->softmax_vjp_f32(w, g, n, c->temperature, ret_d);
}

static void log_vjp_f32(const struct norm__fast_context *c, const void *w, const void *g, size_t n, void *ret_d)
{
    c->kernels->log_softmax_vjp_f32(w, g, n, c->temperature, ret_d);
}

static double entropy_f32(const struct norm__fast_context *c, const void *w, size_t n)
{
    return c->kernels->entropy_f32(w, n);
}

const struct norm__fast norm__softmax_fast_f32 = {
    .apply = apply_f32,
    .log_apply = log_apply_f32,
    .vjp = vjp_f32,
    .log_vjp = log_vjp_f32,
    .entropy = entropy_f32,
};

static int apply_f64(const struct norm__fast_context *c, const void *z, size_t n, void *spare, void *ret_w,
                     struct norm__facts *facts)
{
    (void)spare;
    struct norm__softmax_sums sums;
    const int class = c->kernels->softmax_f64(z, n, &c->softmax, ret_w, &sums);
    return class == NORM__ROW_ORDINARY ? tell(facts, &sums, c->temperature) : class;
}

static int log_apply_f64(const struct norm__fast_context *c, const void *z, size_t n, void *ret_log_w,
                         struct norm__facts *facts)
{
    struct norm__softmax_sums sums;
    const int class = c->kernels->log_softmax_f64(z, n, &c->softmax, ret_log_w, &sums);
    return class == NORM__ROW_ORDINARY ? tell(facts, &sums, c->temperature) : class;
}

static void vjp_f64(const struct norm__fast_context *c, const void *w, const void *g, size_t n, void *ret_d)
{
    c->kernels->softmax_vjp_f64(w, g, n, c->temperature, ret_d);
}

static void log_vjp_f64(const struct norm__fast_context *c, const void *w, const void *g, size_t n, void *ret_d)
{
    c->kernels->log_softmax_vjp_f64(w, g, n, c->temperature, ret_d);
}

static double entropy_f64(const struct norm__fast_context *c, const void *w, size_t n)
{
    return c->kernels->entropy_f64(w, n);
}

const struct norm__fast norm__softmax_fast_f64 = {
    .apply = apply_f64,
    .log_apply = log_apply_f64,
    .vjp = vjp_f64,
    .log_vjp = log_vjp_f64,
    .entropy = entropy_f64,
};
