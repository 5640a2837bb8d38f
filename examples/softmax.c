/* SPDX-License-Identifier: MIT */
#include <libnorm/norm.h>
#include <stdio.h>

int main(void)
{
    const float scores[4] = {1, 2, 3, 4};
    float weights[4];
    norm_error error = {sizeof error, 0, 0, ""};
    norm_normalizer *softmax = NULL;
    norm_rows rows = {0};
    rows.struct_size = sizeof rows;
    rows.batch = rows.rows = 1;
    rows.cols = 4;
    if (norm_normalizer_parse("softmax:temperature=0.5", 23, NULL, &softmax, &error) != LIBNORM_OK ||
        norm_apply_f32(softmax, &rows, scores, weights, NULL, NULL, &error) != LIBNORM_OK)
        return fprintf(stderr, "%s\n", error.text), 1;
    for (int i = 0; i < 4; i++)
        printf("%.6f\n", weights[i]);
    norm_normalizer_free(softmax);
    return 0;
}
