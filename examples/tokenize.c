/* SPDX-License-Identifier: MIT */
/* A text cut into the pieces that a model reads, and put together again.  ./tokenize MODEL-DIRECTORY TEXT */
#include <libnorm/norm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed(const norm_error *error)
{
    fprintf(stderr, "%s\n", error->text);
    return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    norm_error error = {.struct_size = sizeof error};
    norm_tokenizer *tokenizer = NULL;
    if (argc != 3) {
        fprintf(stderr, "usage: %s MODEL-DIRECTORY TEXT\n", argv[0]);
        return 2;
    }
    if (norm_tokenizer_open(argv[1], NULL, &tokenizer, &error) != LIBNORM_OK)
        return failed(&error);

    /* There are never more ids than bytes. */
    size_t size = strlen(argv[2]), count = 0;
    int32_t *ids = malloc((size + 1) * sizeof *ids);
    if (ids == NULL ||
        norm_tokenizer_encode(tokenizer, argv[2], size, 0, ids, size, &count, NULL, &error) != LIBNORM_OK)
        return failed(&error);

    for (size_t i = 0; i < count; i++) {
        const uint8_t *bytes;
        size_t length;
        if (norm_tokenizer_token(tokenizer, ids[i], &bytes, &length, &error) != LIBNORM_OK)
            return failed(&error);
        /* A piece is bytes, not text: it may be half a character. Joined, the pieces are the text again. */
        printf("%ld [%.*s]\n", (long)ids[i], (int)length, (const char *)bytes);
    }
    free(ids);
    norm_tokenizer_free(tokenizer);
    return EXIT_SUCCESS;
}
