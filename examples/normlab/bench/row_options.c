/* SPDX-License-Identifier: MIT */
#include "bench/row_options.h"

#include <string.h>

#include "number.h"
#include "say.h"

#define MIB ((size_t)1 << 20)

bool row_options_scores(struct row_bench *bench, const struct texts *texts)
{
    bench->scores_count = texts->count == 0 ? 1 : 0;
    for (size_t i = 0; i < texts->count; i++) {
        if (bench->scores_count == SCORES_KINDS) {
            say("--scores: more than there are");
            return false;
        }
        if (!scores_read(texts->item[i], &bench->scores[bench->scores_count++]))
            return false;
    }
    return true;
}

bool row_options_lengths(struct row_bench *bench, const struct texts *texts)
{
    static const size_t usual[] = {64, 256, 1024, 4096, 65536, 1048576}, few[] = {64, 1024};
    const size_t *lengths = bench->quick ? few : usual;
    bench->lengths_count = bench->quick ? sizeof few / sizeof few[0] : sizeof usual / sizeof usual[0];
    memcpy(bench->lengths, lengths, bench->lengths_count * sizeof *lengths);
    if (texts->count > LENGTHS_MAX) {
        say("--lengths: %zu of them; expected at most %d", texts->count, LENGTHS_MAX);
        return false;
    }
    for (size_t i = 0; i < texts->count; i++) {
        int64_t n;
        if (!number_read_whole(texts->item[i], strlen(texts->item[i]), 1, 1 << 28, &n)) {
            say("--lengths %s: expected whole numbers from 1 to %d", texts->item[i], 1 << 28);
            return false;
        }
        bench->lengths[i] = (size_t)n;
    }
    bench->lengths_count = texts->count > 0 ? texts->count : bench->lengths_count;
    return true;
}

void row_options_sizes(struct row_bench *bench, const struct processor *processor, long hot_kib, long streaming_mib)
{
    const size_t hot = processor->level2 != 0 ? processor->level2 / 2 : MIB / 4;
    const size_t streaming = 4 * processor->level3 > 128 * MIB ? 4 * processor->level3 : 128 * MIB;
    bench->hot_bytes = hot_kib > 0 ? (size_t)hot_kib << 10 : hot;
    bench->streaming_bytes = streaming_mib > 0 ? (size_t)streaming_mib << 20 : bench->quick ? 4 * MIB : streaming;
}
