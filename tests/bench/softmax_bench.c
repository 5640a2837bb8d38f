/* SPDX-License-Identifier: MIT */
/* Nanoseconds an element of the f32 row kernels at each level this machine has, beside memcpy of the same bytes: hot
 * (one row again and again) and streaming (64 MiB in, 64 MiB out). Processor time, medians of runs that take turns, so
 * that what else the machine does meets all alike. Figures for people: nothing is asserted. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <libnorm/exec.h>

#include "base/cpu.h"
#include "kernels/kernels.h"
#include "support/support.h"

enum { rounds = 15, total = 1 << 24, most_contenders = 24 };

enum work { COPY, SOFTMAX, LOG_SOFTMAX, VJP, PRODUCT, ENTROPY };
static const char *const work_names[] = {"memcpy", "softmax", "log softmax", "vjp", "c = a * b", "entropy"};

struct contender {
    enum work work;
    const struct norm__kernels *k;
    double ns[rounds];
};

static float *z, *w, *g;
static volatile double sink; /* what is read there must have been computed */

static void multiply(const float *a, const float *b, size_t n, float *ret_c)
{
    for (size_t i = 0; i < n; i++)
        ret_c[i] = a[i] * b[i];
}

static void run_row(const struct contender *c, size_t at, size_t n)
{
    struct norm__softmax_scale scale = norm__softmax_scale(1);
    struct norm__softmax_sums sums;
    switch (c->work) {
    case COPY:
        memcpy(w + at, z + at, n * sizeof *w);
        break;
    case SOFTMAX:
        c->k->softmax_f32(z + at, n, &scale, w + at, &sums);
        break;
    case LOG_SOFTMAX:
        c->k->log_softmax_f32(z + at, n, &scale, w + at, &sums);
        break;
    case VJP:
        c->k->softmax_vjp_f32(g + at, z + at, n, 1, w + at);
        break;
    case PRODUCT:
        multiply(g + at, z + at, n, w + at);
        break;
    case ENTROPY:
        sink = c->k->entropy_f32(g + at, n);
        break;
    }
    sink = (double)w[at];
}

static double nanoseconds(const struct contender *c, size_t n, int hot)
{
    size_t elements = hot ? (n > (1 << 18) ? 2 * n : 1 << 19) : total;
    struct timespec from, to;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    for (size_t at = 0; at + n <= elements; at += n)
        run_row(c, hot ? 0 : at, n);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
    return ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) / (double)elements;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void table(struct contender *c, int count, size_t n, int hot)
{
    for (int i = 0; i < count; i++) /* once to warm up */
        nanoseconds(&c[i], n, 1);
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < count; i++)
            c[i].ns[round] = nanoseconds(&c[i], n, hot);
    for (int i = 0; i < count; i++)
        qsort(c[i].ns, rounds, sizeof(double), ascending);
    double copy = c[0].ns[rounds / 2];
    for (int i = 0; i < count; i++)
        printf("%-9s n %8zu  %-12s %-9s %8.4f ns  %7.2f x memcpy\n", hot ? "hot" : "streaming", n,
               work_names[c[i].work], c[i].k == NULL ? "" : norm_cpu_level_name(c[i].k->level), c[i].ns[rounds / 2],
               c[i].ns[rounds / 2] / copy);
    fflush(stdout);
}

static int contenders(struct contender *c)
{
    static const int32_t levels[] = {LIBNORM_CPU_BASELINE, LIBNORM_CPU_NEON, LIBNORM_CPU_AVX2, LIBNORM_CPU_AVX512};
    int count = 0;
    c[count++] = (struct contender){.work = COPY};
    c[count++] = (struct contender){.work = PRODUCT};
    for (size_t l = 0; l < sizeof levels / sizeof levels[0]; l++) {
        if (norm__cpu_level(levels[l]) != levels[l])
            continue;
        for (int work = SOFTMAX; work <= ENTROPY; work++)
            if (work != PRODUCT)
                c[count++] = (struct contender){.work = (enum work)work, .k = norm__kernels_get(levels[l])};
    }
    return count;
}

int main(int argc, char **argv)
{
    static struct contender c[most_contenders];
    static const size_t lengths[] = {64, 256, 1024, 4096, 65536, 1048576};
    struct support_random r = {1};
    z = malloc(total * sizeof *z);
    w = malloc(total * sizeof *w);
    g = malloc(total * sizeof *g);
    if (z == NULL || w == NULL || g == NULL)
        return EXIT_FAILURE;
    for (size_t i = 0; i < total; i++) {
        z[i] = (float)(i < 1 << 20 ? support_normal(&r) : (double)z[i - (1 << 20)]);
        g[i] = (float)support_uniform(&r, 0, 1e-3);
        w[i] = 0;
    }
    int count = contenders(c);
    for (int hot = 1; hot >= 0; hot--)
        for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++)
            if (argc < 2 || strtoul(argv[1], NULL, 10) == lengths[l])
                table(c, count, lengths[l], hot);
    free(z);
    free(w);
    free(g);
    return EXIT_SUCCESS;
}
