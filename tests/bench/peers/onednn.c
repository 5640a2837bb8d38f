/* SPDX-License-Identifier: MIT */
/* oneDNN's softmax behind four functions that Python can call: peers.py compiles this against the headers it finds. */
#include <stdlib.h>
#include <string.h>

#include <oneapi/dnnl/dnnl.h>

struct softmax {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_t primitive;
    dnnl_memory_desc_t shape;
    int backward;
    char implementation[128];
};

/* One set of arrays, described once. */
struct call {
    dnnl_primitive_t primitive;
    dnnl_stream_t stream;
    dnnl_exec_arg_t args[3];
    int count;
};

void peer_version(int *ret_numbers);
struct softmax *peer_open(long rows, long n, int backward);
const char *peer_implementation(const struct softmax *s);
struct call *peer_bind(struct softmax *s, void *a, void *b, void *c);
int peer_run(struct call *call);

#if DNNL_VERSION_MAJOR >= 3
static int make(struct softmax *s, dnnl_primitive_desc_t *ret_about)
{
    dnnl_primitive_desc_t forward = NULL;
    int failed = dnnl_softmax_forward_primitive_desc_create(
        &forward, s->engine, s->backward ? dnnl_forward_training : dnnl_forward_inference, dnnl_softmax_accurate,
        s->shape, s->shape, 1, NULL);
    if (failed || !s->backward) {
        *ret_about = forward;
        return failed;
    }
    failed = dnnl_softmax_backward_primitive_desc_create(ret_about, s->engine, dnnl_softmax_accurate, s->shape,
                                                         s->shape, s->shape, 1, forward, NULL);
    dnnl_primitive_desc_destroy(forward);
    return failed;
}

static int shape(struct softmax *s, const dnnl_dims_t dims)
{
    return dnnl_memory_desc_create_with_tag(&s->shape, 2, dims, dnnl_f32, dnnl_ab);
}

static dnnl_memory_desc_t shape_of(const struct softmax *s)
{
    return s->shape;
}
#else
static int make(struct softmax *s, dnnl_primitive_desc_t *ret_about)
{
    dnnl_primitive_desc_t forward = NULL;
    dnnl_softmax_v2_desc_t what;
    int failed = dnnl_softmax_v2_forward_desc_init(
                     &what, s->backward ? dnnl_forward_training : dnnl_forward_inference, dnnl_softmax_accurate,
                     &s->shape, &s->shape, 1) ||
                 dnnl_primitive_desc_create(&forward, &what, NULL, s->engine, NULL);
    if (failed || !s->backward) {
        *ret_about = forward;
        return failed;
    }
    failed = dnnl_softmax_v2_backward_desc_init(&what, dnnl_softmax_accurate, &s->shape, &s->shape, &s->shape, 1) ||
             dnnl_primitive_desc_create(ret_about, &what, NULL, s->engine, forward);
    dnnl_primitive_desc_destroy(forward);
    return failed;
}

static int shape(struct softmax *s, const dnnl_dims_t dims)
{
    return dnnl_memory_desc_init_by_tag(&s->shape, 2, dims, dnnl_f32, dnnl_ab);
}

static const dnnl_memory_desc_t *shape_of(const struct softmax *s)
{
    return &s->shape;
}
#endif

void peer_version(int *ret_numbers)
{
    const dnnl_version_t *v = dnnl_version();
    ret_numbers[0] = v->major;
    ret_numbers[1] = v->minor;
    ret_numbers[2] = v->patch;
}

/* NULL: oneDNN refused. */
struct softmax *peer_open(long rows, long n, int backward)
{
    struct softmax *s = calloc(1, sizeof *s);
    dnnl_primitive_desc_t about = NULL;
    const dnnl_dims_t dims = {rows, n};
    const char *name = "";
    if (s == NULL)
        return NULL;
    s->backward = backward;
    if (dnnl_engine_create(&s->engine, dnnl_cpu, 0) || dnnl_stream_create(&s->stream, s->engine, 0) ||
        shape(s, dims) || make(s, &about) || dnnl_primitive_create(&s->primitive, about)) {
        free(s);
        return NULL;
    }
    if (!dnnl_primitive_desc_query(about, dnnl_query_impl_info_str, 0, (void *)&name))
        strncpy(s->implementation, name, sizeof s->implementation - 1);
    dnnl_primitive_desc_destroy(about);
    return s;
}

const char *peer_implementation(const struct softmax *s)
{
    return s->implementation;
}

/* Forward: scores a to weights b. Backward: weights a and gradients b to c. */
struct call *peer_bind(struct softmax *s, void *a, void *b, void *c)
{
    static const int forward[] = {DNNL_ARG_SRC, DNNL_ARG_DST}, back[] = {DNNL_ARG_DST, DNNL_ARG_DIFF_DST,
                                                                         DNNL_ARG_DIFF_SRC};
    void *arrays[] = {a, b, c};
    struct call *call = calloc(1, sizeof *call);
    if (call == NULL)
        return NULL;
    call->primitive = s->primitive;
    call->stream = s->stream;
    call->count = s->backward ? 3 : 2;
    for (int i = 0; i < call->count; i++) {
        call->args[i].arg = s->backward ? back[i] : forward[i];
        if (dnnl_memory_create(&call->args[i].memory, shape_of(s), s->engine, arrays[i])) {
            free(call);
            return NULL;
        }
    }
    return call;
}

int peer_run(struct call *call)
{
    return dnnl_primitive_execute(call->primitive, call->stream, call->count, call->args) ||
           dnnl_stream_wait(call->stream);
}
