/* SPDX-License-Identifier: MIT */
/**
 * @file observer.h
 * How a program sees attention heads while they are computed: a block of rows at a time, so that nothing L x L is kept.
 */
#ifndef LIBNORM_OBSERVER_H
#define LIBNORM_OBSERVER_H

#include <libnorm/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A block of rows of one head, as the model really computed them: the scores after the model's own scale, the weights
 * after the normalizer, the values. Pointers are valid during the call only. Entries from visible[r] on are 0 in
 * weights and unspecified in scores. Strides are in elements, column stride 1.
 */
typedef struct norm_head_view {
    uint32_t struct_size;
    uint32_t flags; /**< 0. */
    int32_t layer, head;
    uint64_t first_row, rows; /**< Rows first_row ... first_row + rows - 1 of the sequence. */
    uint64_t cols;            /**< Columns of the block; no row of it sees more. */
    uint64_t head_dim;
    const float *scores, *weights; /**< rows x cols. */
    const float *values;           /**< cols x head_dim. */
    int64_t score_stride, weight_stride, value_stride;
    const uint64_t *visible; /**< rows counts: row r sees columns [0, visible[r]). */
} norm_head_view;

/** Called on the caller's thread, in the order layer, head, row. Non-zero stops the pass: LIBNORM_E_CALLBACK. */
typedef int32_t (*norm_observer)(void *user, const norm_head_view *view);

#ifdef __cplusplus
}
#endif
#endif
