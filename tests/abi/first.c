/* SPDX-License-Identifier: MIT */
/* A program of the first release, as its compiler saw it: no header of libnorm, every declaration, layout and number
 * written down by hand from the headers of 0.1.0, and never changed after that release. Linked with the library of
 * today it must go on working. Exit code: the line of the first thing that went wrong, modulo 256, or 0. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct error {
    uint32_t struct_size;
    int32_t status;
    int64_t where;
    char text[496];
};
struct allocator {
    void *user;
    void *(*alloc)(void *, size_t, size_t);
    void (*release)(void *, void *, size_t);
};
struct exec {
    uint32_t struct_size, flags;
    int32_t threads, cpu_level;
    void *workspace;
    uint64_t workspace_size;
    const struct allocator *allocator;
    void *parallel_user;
    void (*parallel_for)(void *, size_t, void (*)(void *, size_t), void *);
    void *progress_user;
    int32_t (*progress)(void *, double);
};
struct rows {
    uint32_t struct_size, flags;
    uint64_t batch, rows, cols;
    int64_t z_stride[3], w_stride[3], g_stride[3], d_stride[3], causal_offset;
    const int64_t *begin, *end;
    int64_t interval_stride[2];
    const uint8_t *visible;
    int64_t visible_stride[3];
};
struct outputs {
    uint32_t struct_size, flags;
    double *log_sum, *threshold, *support, *entropy, *max_score;
    uint64_t empty_rows, nan_rows, inf_rows;
};
struct family {
    uint32_t struct_size, flags;
    void *user;
    void (*release)(void *);
    int32_t (*f)(void *, size_t, const double *, double *), (*df)(void *, size_t, const double *, double *),
        (*d2f)(void *, size_t, const double *, double *), (*log_f)(void *, size_t, const double *, double *);
};

uint32_t norm_version_number(void);
int32_t norm_has_feature(const char *);
const char *norm_status_name(int32_t);
int32_t norm_softmax_f32(const float *, size_t, float *);
int32_t norm_normalizer_parse(const char *, size_t, const struct allocator *, void **, struct error *);
int32_t norm_normalizer_with(const void *, const char *, double, void **, struct error *);
int32_t norm_normalizer_spec(const void *, char *, size_t, size_t *);
int32_t norm_normalizer_from_family(const struct family *, const char *, const struct allocator *, void **,
                                    struct error *);
void norm_normalizer_free(void *);
uint64_t norm_normalizer_properties(const void *);
int32_t norm_apply_f32(const void *, const struct rows *, const float *, float *, struct outputs *, const struct exec *,
                       struct error *);
int32_t norm_vjp_f64(const void *, const struct rows *, const double *, const double *, const double *, double *,
                     const struct exec *, struct error *);
int32_t norm_tokenizer_open_memory(const void *, size_t, const void *, size_t, const struct allocator *, void **,
                                   struct error *);
int32_t norm_tokenizer_encode(const void *, const void *, size_t, uint32_t, int32_t *, size_t, size_t *,
                              const struct exec *, struct error *);
void norm_tokenizer_free(void *);

#define EXPECT(what)                                                    \
    do {                                                                \
        if (!(what)) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, #what);          \
            return __LINE__ % 256;                                      \
        }                                                               \
    } while (0)

static long live;
static void *take(void *user, size_t size, size_t align)
{
    (void)user;
    live++;
    return aligned_alloc(align, (size + align - 1) / align * align);
}
static void give(void *user, void *p, size_t size)
{
    (void)user;
    (void)size;
    live--;
    free(p);
}
static void each(void *user, size_t tasks, void (*task)(void *, size_t), void *arg)
{
    *(size_t *)user += tasks;
    for (size_t i = 0; i < tasks; i++)
        task(arg, i);
}
static int32_t two_to(void *user, size_t n, const double *t, double *ret)
{
    for (size_t i = 0; i < n; i++)
        ret[i] = *(const double *)user * exp2(t[i]);
    return 0;
}

static int rows_of_scores(const struct allocator *allocator)
{
    enum { r = 9000, c = 5, step = 7 }; /* more than one piece of work */
    static float z[r * step], w[r * step];
    static double entropy[r], support[r];
    size_t tasks = 0;
    struct error error = {sizeof error, 0, 0, ""};
    struct exec exec = {.struct_size = sizeof exec, .threads = 2, .cpu_level = 10, .allocator = allocator};
    struct rows rows = {.struct_size = sizeof rows, .flags = 1, .batch = 1, .rows = r, .cols = c};
    struct outputs outputs = {.struct_size = sizeof outputs, .entropy = entropy, .support = support};
    void *softmax = NULL, *sharper = NULL;
    char spec[64];
    size_t length = 0;
    rows.z_stride[1] = rows.w_stride[1] = step;
    rows.z_stride[2] = rows.w_stride[2] = 1;
    exec.parallel_user = &tasks;
    exec.parallel_for = each;
    for (int i = 0; i < r * step; i++)
        w[i] = 7;
    EXPECT(norm_normalizer_parse("softmax", 7, allocator, &softmax, &error) == 0);
    EXPECT(norm_normalizer_with(softmax, "temperature", 0.5, &sharper, &error) == 0);
    EXPECT(norm_normalizer_spec(sharper, spec, sizeof spec, &length) == 0 && length == 23);
    EXPECT(strcmp(spec, "softmax:temperature=0.5") == 0);
    EXPECT((norm_normalizer_properties(sharper) & (1 | 2 | 8 | 64)) == (1 | 8 | 64));
    EXPECT(norm_apply_f32(sharper, &rows, z, w, &outputs, &exec, &error) == 0);
    for (int i = 0; i < r; i++) {
        const int seen = i < c ? i + 1 : c;
        for (int j = 0; j < step; j++) {
            const double wanted = j >= c ? 7 : j >= seen ? 0 : 1.0 / seen;
            EXPECT(fabs(w[i * step + j] - wanted) < 1e-6);
        }
        EXPECT(fabs(entropy[i] - log(seen)) < 1e-6 && support[i] == seen);
    }
    EXPECT(outputs.empty_rows == 0 && outputs.nan_rows == 0 && outputs.inf_rows == 0 && tasks > 0);
    norm_normalizer_free(softmax);
    norm_normalizer_free(sharper);
    EXPECT(norm_normalizer_parse("softmax:tau=1", 13, NULL, &softmax, &error) == -5);
    EXPECT(error.status == -5 && error.where == 8 && error.text[0] != '\0');
    EXPECT(strcmp(norm_status_name(-5), "LIBNORM_E_SPEC") == 0);
    return 0;
}

static int own_family(const struct allocator *allocator)
{
    double scale = 3 * log(2);
    const double z[2] = {0, 1}, g[2] = {0, 1};
    double d[2];
    struct error error = {sizeof error, 0, 0, ""};
    double one = 1;
    struct family family = {.struct_size = sizeof family, .user = &one, .f = two_to, .df = two_to};
    struct rows rows = {.struct_size = sizeof rows, .batch = 1, .rows = 1, .cols = 2};
    void *handle = NULL;
    EXPECT(norm_normalizer_from_family(&family, "two", allocator, &handle, &error) == 0);
    family.user = &scale; /* was copied: no more used */
    EXPECT(norm_vjp_f64(handle, &rows, z, NULL, g, d, NULL, &error) == 0);
    /* w = (1, 2) / 3; F' = F here, so the gradient is that of softmax at log w: w_0 w_1 = 2/9. */
    EXPECT(fabs(d[1] - 2.0 / 9) < 1e-12 && fabs(d[0] + 2.0 / 9) < 1e-12);
    norm_normalizer_free(handle);
    return 0;
}

static int tokens(void)
{
    static const char vocabulary[] = "{\"a\": 0, \"b\": 1, \"ab\": 2}", merges[] = "a b\n";
    struct error error = {sizeof error, 0, 0, ""};
    void *tokenizer = NULL;
    int32_t ids[4] = {9, 9, 9, 9};
    size_t count = 0;
    const int32_t status = norm_tokenizer_open_memory(vocabulary, sizeof vocabulary - 1, merges, sizeof merges - 1,
                                                      NULL, &tokenizer, &error);
    EXPECT(status == (norm_has_feature("gpt2") ? 0 : -3));
    if (status != 0)
        return 0;
    EXPECT(norm_tokenizer_encode(tokenizer, "aba", 3, 0, ids, 4, &count, NULL, &error) == 0);
    EXPECT(count == 2 && ids[0] == 2 && ids[1] == 0 && ids[2] == 9);
    norm_tokenizer_free(tokenizer);
    return 0;
}

int main(void)
{
    const struct allocator allocator = {NULL, take, give};
    const float z[2] = {0, 0};
    float w[2];
    EXPECT(norm_version_number() >= 0x000100);
    EXPECT(norm_softmax_f32(z, 2, w) == 0 && w[0] == 0.5f && w[1] == 0.5f);
    int wrong = rows_of_scores(&allocator);
    if (wrong == 0)
        wrong = own_family(&allocator);
    if (wrong == 0)
        wrong = tokens();
    EXPECT(wrong != 0 || live == 0);
    if (wrong == 0)
        puts("a caller of 0.1.0 works");
    return wrong;
}
