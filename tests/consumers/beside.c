/* SPDX-License-Identifier: MIT */
/* libnorm, ZeroMQ and, through ZeroMQ, NRL's library of the same name in one process: scores go through a ZeroMQ
 * socket, weights come back. Exit code 0 where all three do what they should. */
#include <libnorm/norm.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <zmq.h>

#define EXPECT(what)                                             \
    do {                                                         \
        if (!(what)) {                                           \
            fprintf(stderr, "line %d: %s\n", __LINE__, #what);   \
            return 1;                                            \
        }                                                        \
    } while (0)

static int through_zeromq(void *context)
{
    const float scores[3] = {1, 2, 2.5f};
    float received[3], weights[3];
    void *asks = zmq_socket(context, ZMQ_REQ), *answers = zmq_socket(context, ZMQ_REP);
    EXPECT(asks != NULL && answers != NULL);
    EXPECT(zmq_bind(answers, "inproc://weights") == 0 && zmq_connect(asks, "inproc://weights") == 0);
    EXPECT(zmq_send(asks, scores, sizeof scores, 0) == sizeof scores);
    EXPECT(zmq_recv(answers, received, sizeof received, 0) == sizeof received);
    EXPECT(norm_sparsemax_f32(received, 3, weights) == LIBNORM_OK);
    EXPECT(zmq_send(answers, weights, sizeof weights, 0) == sizeof weights);
    EXPECT(zmq_recv(asks, received, sizeof received, 0) == sizeof received);
    EXPECT(received[0] == 0 && received[1] == 0.25f && received[2] == 0.75f);
    EXPECT(zmq_close(asks) == 0 && zmq_close(answers) == 0);
    return 0;
}

/* ZeroMQ's norm:// transport makes an instance of NRL's library when a socket binds to it. */
static int through_nrl(void *context)
{
    void *publishes = zmq_socket(context, ZMQ_PUB);
    int linger = 0;
    EXPECT(publishes != NULL);
    EXPECT(zmq_setsockopt(publishes, ZMQ_LINGER, &linger, sizeof linger) == 0);
    EXPECT(zmq_bind(publishes, "norm://127.0.0.1:35673") == 0);
    EXPECT(zmq_close(publishes) == 0);
    return 0;
}

int main(void)
{
    void *nrl = dlopen("libnorm.so.1", RTLD_NOW | RTLD_NOLOAD), *own = dlopen("libnorm.so.0", RTLD_NOW | RTLD_NOLOAD);
    EXPECT(nrl != NULL && own != NULL && nrl != own);
    EXPECT(dlsym(nrl, "NormCreateInstance") != NULL && dlsym(nrl, "norm_version_number") == NULL);
    EXPECT(dlsym(own, "norm_version_number") != NULL && dlsym(own, "NormCreateInstance") == NULL);
    EXPECT(zmq_has("norm") == 1);
    void *context = zmq_ctx_new();
    EXPECT(context != NULL);
    const int wrong = through_zeromq(context) || through_nrl(context);
    EXPECT(zmq_ctx_term(context) == 0);
    if (!wrong)
        puts("libnorm.so.0, ZeroMQ and NRL's libnorm.so.1 in one process");
    return wrong;
}
