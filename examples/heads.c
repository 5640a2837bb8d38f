/* SPDX-License-Identifier: MIT */
/* One attention head, seen while the model runs: where each token looks most.
 * ./heads MODEL-DIRECTORY LAYER HEAD TEXT */
#include <libnorm/norm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct look {
    const norm_tokenizer *tokenizer;
    const int32_t *ids;
    int layer, head;
};

static void print_token(const struct look *look, uint64_t position)
{
    const uint8_t *bytes;
    size_t size;
    if (norm_tokenizer_token(look->tokenizer, look->ids[position], &bytes, &size, NULL) == LIBNORM_OK)
        printf("[%.*s]", (int)size, (const char *)bytes);
}

/* Called for every head, a block of rows at a time; the weights are gone when it returns. */
static int32_t see(void *user, const norm_head_view *view)
{
    const struct look *look = user;
    if (view->layer != look->layer || view->head != look->head)
        return 0;
    for (uint64_t r = 0; r < view->rows; r++) {
        const float *weights = view->weights + (int64_t)r * view->weight_stride;
        uint64_t most = 0;
        for (uint64_t j = 1; j < view->visible[r]; j++)
            if (weights[j] > weights[most])
                most = j;
        print_token(look, view->first_row + r);
        printf(" -> ");
        print_token(look, most);
        printf(" %.3f\n", (double)weights[most]);
    }
    return 0;
}

static int run(const norm_gpt2 *model, norm_tokenizer *tokenizer, char **argv, norm_error *error)
{
    struct look look = {tokenizer, NULL, atoi(argv[2]), atoi(argv[3])};
    size_t size = strlen(argv[4]), count = 0;
    int32_t *ids = malloc((size + 1) * sizeof *ids);
    norm_gpt2_run how = {
        .struct_size = sizeof how, .logits = LIBNORM_GPT2_LOGITS_NONE, .observer = see, .observer_user = &look};
    look.ids = ids;
    norm_status status = ids == NULL
                             ? LIBNORM_E_NOMEM
                             : norm_tokenizer_encode(tokenizer, argv[4], size, 0, ids, size, &count, NULL, error);
    if (status == LIBNORM_OK)
        status = norm_gpt2_forward(model, ids, count, &how, NULL, NULL, error);
    free(ids);
    return status;
}

int main(int argc, char **argv)
{
    norm_error error = {.struct_size = sizeof error};
    norm_tokenizer *tokenizer = NULL;
    norm_gpt2 *model = NULL;
    if (argc != 5) {
        fprintf(stderr, "usage: %s MODEL-DIRECTORY LAYER HEAD TEXT\n", argv[0]);
        return 2;
    }
    int failed = norm_gpt2_open(argv[1], NULL, &model, &error) != LIBNORM_OK ||
                 norm_tokenizer_open(argv[1], NULL, &tokenizer, &error) != LIBNORM_OK ||
                 run(model, tokenizer, argv, &error) != LIBNORM_OK;
    if (failed)
        fprintf(stderr, "%s\n", error.text);
    norm_tokenizer_free(tokenizer);
    norm_gpt2_free(model);
    return failed;
}
