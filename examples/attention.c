/* SPDX-License-Identifier: MIT */
/* Attention of four tokens to what came before them, with softmax and with sparsemax: the same scores, and how many
 * tokens each looks at. */
#include <libnorm/norm.h>
#include <stdio.h>
#include <string.h>

enum { tokens = 4, width = 2 };

static int show(const char *spec)
{
    static const float q[tokens * width] = {1, 0, 1, 1, 0, 2, 2, 2};
    static const float k[tokens * width] = {1, 0, 0, 1, 1, 1, 2, 0};
    static const float v[tokens * width] = {1, 0, 0, 1, -1, 0, 0, -1};
    float out[tokens * width], weights[tokens * tokens];
    double support[tokens];
    norm_error error = {sizeof error, 0, 0, ""};
    norm_normalizer *normalizer = NULL;
    if (norm_normalizer_parse(spec, strlen(spec), NULL, &normalizer, &error) != LIBNORM_OK)
        return fprintf(stderr, "%s\n", error.text), 1;
    const norm_normalizer *const one[1] = {normalizer};

    norm_attention a = {0};
    a.struct_size = sizeof a;
    a.flags = LIBNORM_ATTENTION_CAUSAL;
    a.batch = a.heads = 1;
    a.queries = a.keys = tokens;
    a.head_dim = width;
    a.normalizers = one;
    a.normalizer_count = 1;
    norm_attention_outputs outputs = {0};
    outputs.struct_size = sizeof outputs;
    outputs.support = support;

    if (norm_attention_forward_f32(&a, q, k, v, out, weights, &outputs, NULL, &error) != LIBNORM_OK)
        return fprintf(stderr, "%s\n", error.text), 1;
    printf("%s\n", spec);
    for (int i = 0; i < tokens; i++) {
        printf("token %d looks at %.0f:", i, support[i]);
        for (int j = 0; j <= i; j++)
            printf(" %.3f", (double)weights[i * tokens + j]);
        printf("  ->  %.3f %.3f\n", (double)out[i * width], (double)out[i * width + 1]);
    }
    norm_normalizer_free(normalizer);
    return 0;
}

int main(void)
{
    return show("softmax") || show("sparsemax");
}
